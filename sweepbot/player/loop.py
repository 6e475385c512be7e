"""The player: does what each state of a game asks for, and passes what was seen to the machine, which says the next."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
from msgspec.structs import asdict

from sweepbot.board import Phase, State
from sweepbot.control.controls import Controls
from sweepbot.desktop.desk import Desk
from sweepbot.errors import (
    ClientCoveredError,
    ImpossibleBoardError,
    NoBoardFoundError,
    StoppedByUserError,
    UntrustedReadingError,
    UsageError,
)
from sweepbot.geometry import Image
from sweepbot.level import Level
from sweepbot.outcome import Outcome, Verdict
from sweepbot.plan import PlannedClick, Style, opening
from sweepbot.player import states
from sweepbot.player.as_events import decided_event
from sweepbot.player.between import Between
from sweepbot.player.burst import Burst
from sweepbot.player.causes import contradiction
from sweepbot.player.examining import Examiner, Learner
from sweepbot.player.finding import FoundClient
from sweepbot.player.hand import Hand
from sweepbot.player.judging import end_of, idle_click, is_whole
from sweepbot.player.machine import Machine
from sweepbot.player.statistics import count_round, misreads, record_end
from sweepbot.player.watcher import Watcher
from sweepbot.render.files import keep_untrusted
from sweepbot.solver import Solver
from sweepbot.solver.unknown_total import mines_at_end
from sweepbot.trace import events
from sweepbot.trace.events import GameResult, Observer
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading

_log = logging.getLogger("sweepbot.player")


class Player:
    """Plays the games of one client.

    Args:
        desk: The desk.
        client: The client, as it was found.
        reader: Reads its board.
        solver: The solver.
        observer: Called with each event as it happens.
        learner: Learns what the calibration lacks, if anything does.
        between: Makes what gets from one game to the next if the calibration does not say how; else None.
        evidence: The folder for pictures that could not be read; made when needed.
        style: The style of play.
        cps: The most clicks per second; None for as many as the client takes.
        stop_at_guess: Whether to leave a game to the person if no cell is certain.

    Raises:
        UsageError: The style needs chords, and the client has none.
    """

    def __init__(
        self,
        desk: Desk,
        client: FoundClient,
        reader: Reader,
        solver: Solver,
        observer: Observer,
        *,
        learner: Learner | None,
        between: Callable[[Controls], Between | None] = lambda _: None,
        evidence: Path,
        style: Style,
        cps: float | None,
        stop_at_guess: bool,
    ) -> None:
        self._calibration = calibration = reader.calibration
        behaviour = calibration.behaviour
        if style.chords and behaviour.chord_button is None:
            raise UsageError(f"{calibration.name} is not known to have chords", hint=f"leave out --style {style.value}")
        self._screen, self._clock = desk.screen, desk.clock
        self._observer = observer
        self._evidence = evidence
        self._learner = learner
        self._client = client
        self._place = client.reading
        self._last_total: int | None = None  # of mines, by the end of the last game
        controls = Controls(desk, client.window, behaviour.settle, sees_board=partial(_sees_board, reader))
        self._examiner = Examiner(controls, reader, solver, learner, style)
        self._watcher = Watcher(controls, self._examiner, observer)
        self._between = between(controls)
        self._hand = Hand(behaviour, controls, observer, cps, is_at_first_sight=self._between is not None)
        self._machine = Machine(
            behaviour,
            style,
            stop_at_guess=stop_at_guess,
            is_loss_known=State.EXPLODED not in calibration.unmet,
            is_window_known=client.window.is_known,
            seeks=self._between is not None,
        )
        self._started_s: float | None = None
        self._stopped: StoppedByUserError | KeyboardInterrupt | ClientCoveredError | None = None
        """What has stopped the run after a game that the client had already ended; it is counted first."""
        self._game = GameResult()
        self.results: list[GameResult] = []
        """The games so far; one that was not finished is `aborted`."""

    def play(self, games: int | None, *, until_win: bool = False, max_seconds: float | None = None) -> None:
        """Play games; one that is in progress on the screen is finished as the first of them.

        Args:
            games: The most games; None for any number.
            until_win: Whether to stop after the first game that is won.
            max_seconds: Seconds after which no further game is started.

        Raises:
            UntrustedReadingError: The board cannot be read; its picture was saved.
            StuckError: The client does not react, cannot be seen, or is gone.
            StoppedByUserError: A person took over, for example by starting another game.
        """
        self._hand.park(self._place.grid)
        self._hand.set_board(self._place.grid)
        start = self._clock.now()
        for number in count(1):
            with self._recording_game():
                self._place = self._play_one(self._place)
            last, board = self.results[-1], self._place.board
            end = events.Ended(
                number=number, client=self._place.client, board=board.lines(), total=board.mines, **asdict(last)
            )
            self._observer(end)
            if self._stopped is not None:
                raise self._stopped
            is_time_up = max_seconds is not None and self._clock.now() - start >= max_seconds
            is_enough = until_win and last.result == "won"
            is_enough |= self._learner is not None and self._learner.is_finished
            if number == games or is_time_up or last.result == "aborted" or is_enough:
                return

    def leave_new_game(self) -> None:
        """Leave a new board behind if the last game is over, and ways to start one are sought.

        Raises:
            StuckError: No way starts one.
        """
        if self._between is not None and self._place.over:
            self._between.begin_anew(self._place)

    @contextmanager
    def _recording_game(self) -> Iterator[None]:
        """Record the statistics of a game however it ends."""
        self._game, self._started_s = GameResult(), None
        reads, clicks = self._examiner.reads, self._hand.clicks
        try:
            yield
        finally:
            self._game.reads = self._examiner.reads - reads
            self._game.clicks = self._hand.clicks - clicks
            self.results.append(self._game)

    def _play_one(self, place: Reading) -> Reading:
        """Play a game until it ends or is left to the person, and return the last reading of it."""
        state = self._machine.start(place)
        while not isinstance(state, states.Last):
            before = state
            try:
                seen = self._do(state)
            except (StoppedByUserError, KeyboardInterrupt, ClientCoveredError) as stopped:
                if isinstance(stopped, KeyboardInterrupt):
                    self._observer(events.Interrupted())
                is_covered = isinstance(stopped, ClientCoveredError)
                if (end := self._end_shown(state, is_covered=is_covered)) is None:
                    raise
                self._stopped = stopped
                return end
            state = self._machine.step(before, seen, is_first_game=not self.results)
            assert type(state) in states.LEADS_TO[type(before)], f"{before} leads to no {state}"  # noqa: S101
        match state:
            case states.Stopped(why=why):
                if not isinstance(why, states.Doubt):
                    raise why
                kept = keep_untrusted(why.frame.image, self._evidence)
                hint, what_else = "", "is something in front of the board?"
                if self._between is not None:
                    hint = contradiction(why.reading, self._examiner.is_impossible)
                    what_else += " else its cells have looks that first sight does not know"
                raise UntrustedReadingError(
                    f"the reading is not trusted: {why.reason}; its picture: {kept}",
                    hint=hint or why.hint or why.reading.hint or what_else,
                )
            case states.HandingOver(position=position, guess=guess):
                self._hand.point_at(position.reading.grid.centre(guess.cell))
                self._observer(events.HandedOver(cell=guess.cell, chance=guess.mine_probability))
                return position.reading
            case states.Over():
                return self._finish(state)

    def _end_shown(self, state: states.AnyState, *, is_covered: bool) -> Reading | None:
        """Record the end of the game if the client shows it as the run is stopped; None if it does not."""
        if isinstance(state, states.Acting) and self._hand.made:
            state = self._machine.step(state, states.ClicksMade(tuple(self._hand.made)))
        while isinstance(state, states.Closing):
            state = state.then
        watching = state.watching if isinstance(state, states.Covered | states.Recovering) else state
        if not isinstance(watching, states.Watching) or not isinstance(watching.purpose, states.Result):
            return None
        frame = self._screen.grab(self._examiner.region_of(watching.place))
        is_covered = is_covered and self._client.window.play_around(watching.place.grid.region, max_share=1.0)
        seen = self._examiner.examine(frame, self._examiner.read(frame, watching.place), searches=False)
        if is_covered:
            seen = states.Doubt(frame, seen.reading, "another program's window is in front of it")
        had_dialog = watching.had_dialog or self._hand.dialogs.is_up(watching.place)
        outcome = self._machine.judge(states.Judging(watching.purpose, replace(watching, had_dialog=had_dialog), seen))
        _log.info("%s, as the run is stopped: %s", outcome.verdict.value, outcome.why)
        if not outcome.is_final:
            return None
        end = end_of(watching.purpose, seen, outcome)
        self._record_round(watching.purpose, end, outcome.verdict)
        return record_end(self._game, end.reading, outcome.verdict, is_seen=is_whole(end.reading))

    def _do(self, state: states.AnyState) -> states.Observation:  # noqa: C901, PLR0911, PLR0912  (one case per state)
        """Do what a state asks for, and return what was seen."""
        match state:
            case states.Watching():
                return self._watch(state)
            case states.Covered(watching):
                place = self._watcher.wait_until_visible(watching.place)
                if place is not watching.place:
                    self._observer(events.Moved(xs=place.grid.xs, ys=place.grid.ys))
                if place.grid != watching.place.grid:
                    self._hand.park(place.grid)  # a board may have grown under the pointer
                return place
            case states.Closing(after=after, board=board):
                return self._hand.close_dialogs(after, board) if self._between is None else self._between.close(board)
            case states.Recovering():
                return self._recover(state)
            case states.FollowingUp(result=result, known=known):
                safe = [cell for cell in self._examiner.plainly_safe(known.board) if cell not in result.round.opened]
                if safe:
                    self._observer(events.FollowUp(rows=known.board.lines(), safe=safe))
                return self._click(known.grid, opening(safe), result.before)
            case states.Beginning():
                return self._begin(state.seen)
            case states.Deciding(position=position):
                self._started_s = self._clock.now() if self._started_s is None else self._started_s
                is_unclear = position.decision is not None and position.decision.best is None
                is_unclear &= bool(position.reading.board.count(State.UNKNOWN))
                return self._examiner.with_face(position) if is_unclear else position
            case states.Acting():
                return self._act(state)
            case states.Judging():
                return self._judge(state)
            case states.Requesting(over=over, way=way, step=step):
                steps = self._machine.behaviour.restart[way].steps
                return self._hand.ask_for_new_game(steps[step], over, is_first=step == 0)
            case states.Seeking(asked) if self._between is not None:
                return self._between.begin_anew(asked.over)
        raise AssertionError(f"{state} is the end of a game")

    def _watch(self, state: states.Watching) -> states.Observation:
        seen, place = self._watcher.watch(state), state.place
        if self._between is not None and isinstance(seen, states.Position) and self._is_unanswered(state, seen):
            # A box that has come up with the end takes all clicks, and may have kept the last cells from being drawn.
            seen = states.Doubt(seen.frame, seen.reading, "a box has come up, and not all that was clicked is open")
        if isinstance(seen, states.Doubt):
            if self._between is not None:
                is_up = self._between.is_box_up()
                return states.Unreadable(seen, is_up, is_up)
            return states.Unreadable(seen, self._hand.dialogs.is_up(place), self._hand.dialogs.may_be_up(place))
        if isinstance(seen, states.Position):
            self._hand.note_position(seen)
        return seen

    def _is_unanswered(self, state: states.Watching, seen: states.Position) -> bool:
        """Whether clicks have left a cell closed, and a box has come up that was not closed yet."""
        if state.closed or seen.reading.over or not isinstance(state.purpose, states.Result):
            return False
        are_open = all(seen.reading.board[cell] < State.HIDDEN for cell in state.purpose.clicked.cells)
        return not are_open and self._between is not None and self._between.is_box_up()

    def _recover(self, state: states.Recovering) -> states.Position | Reading | None:
        """Return an end of the game that was seen earlier; or else try to make the board readable again."""
        place, doubt = state.watching.place, state.unread.doubt
        self._watcher.burst = None
        self._observer(events.Doubted(text=doubt.reason))
        _log.info("still not trusted: %s", doubt.reason)
        before = self._watcher.ending_before(place)
        if before is not None:
            self._hand.note_position(before)
            return before
        # Digits may be too small to tell apart, or distorted by a desktop that scales them.
        is_small = max(place.grid.pitch) < max(self._calibration.cell)
        is_begun = isinstance(state.watching.purpose, states.Effect)  # nothing is resized while a game is on
        may_resize = is_small and not is_begun and not state.unread.is_dialog_up
        if may_resize and (larger := self._client.in_larger_window()) is not None:
            self._hand.park(larger.grid)
            return larger
        # At first sight, what has come up may be an end that nobody can read, after which a click deals anew.
        zero = idle_click(place.board, doubt.reading.board) if self._between is None else None
        if zero is None:
            return None
        self._hand.idle_click(place.grid, zero)
        return place

    def _begin(self, seen: states.Examined) -> states.Examined:
        """Prepare for a new game; return its position, with the number of mines if the ends of other games show it.

        Cells that cannot be read are left out; the doubt remains if too little is left.
        """
        position = self._examiner.in_part(seen)
        if isinstance(position, states.Doubt):
            return position
        self._hand.note_new_game()
        board, total = position.reading.board, self._examiner.usual_total
        if total is None or board.mines is not None:
            return position
        if self._learner is not None:
            self._learner.count(Level(board.columns, board.rows, total))
        reading = position.reading.with_mines(total)
        decision = self._examiner.decide(reading.board)
        if isinstance(decision, ImpossibleBoardError):  # this game has another number of mines
            return position
        return states.Position(position.frame, reading, decision)

    def _act(self, state: states.Acting) -> states.ClicksMade:
        """Make the clicks of a round, unless the board has changed since it was read."""
        position, self._hand.made = state.position, []
        self._observer(decided_event(state.decision, position.reading.mines_left))
        _log.debug("%d certain; guess %s", len(state.decision.safe), state.decision.guess)
        was_covered = not state.clicks and self._watcher.wait_until_uncovered(position.reading)
        if was_covered or (not state.game.unchanged and self._hand.is_stale(position)):
            return states.ClicksMade((), is_stale=True)
        if self._between is not None:
            self._between.note_played(position.reading)
        grid = position.reading.grid
        made = self._click(grid, state.clicks, position)
        cells = [cell for click in made.clicks for cell in click.opens or (click.at,)]
        # Not after a guess, which may have ended the game, so that nothing follows from its cells; nor where a click
        # too many may do anything.
        follows_up = bool(state.decision.safe) and not self._machine.style.chords and self._between is None
        self._watcher.burst = Burst(grid, position.frame, cells, follows_up=follows_up)
        return made

    def _click(self, grid: Grid, clicks: Sequence[PlannedClick], seen: states.Position) -> states.ClicksMade:
        """Make clicks, given the position before the burst, and note how long the game has taken so far."""
        if not clicks:
            return states.ClicksMade(())
        made = self._hand.click(grid, clicks, seen)
        started_s = self._started_s
        self._game.seconds = 0.0 if started_s is None else self._clock.now() - started_s
        return states.ClicksMade(tuple(made))

    def _judge(self, state: states.Judging) -> states.Judged:
        """Return the verdict, and count the round."""
        effect, seen = state.effect, state.seen
        self._watcher.burst = None
        if effect.round is None:  # no click of ours can have covered cells
            seen = self._examiner.in_part(seen)
        outcome = self._machine.judge(replace(state, seen=seen))
        if not outcome.is_final and effect.round is not None and self._between is not None:
            # Of a board that seems to go on only a box may know better, and only what may be.
            is_unclear, clicked = outcome.verdict is Verdict.UNCLEAR, effect.clicked
            told = self._between.end_by_words(by_box=not is_unclear)
            may_be = clicked.are_last if told is Phase.WON else not clicked.certain
            if told is not None and (is_unclear or may_be):
                outcome = Outcome(Verdict(told.value), "the client says so")
        _log.info("%s: %s", outcome.verdict.value, outcome.why)
        if outcome.is_final:
            seen = end_of(effect, seen, outcome, state.watching.beside)
        elif outcome.verdict is Verdict.PLAYING:
            seen = self._examiner.in_part(seen)
            if state.watching.had_dialog:
                self._observer(events.GoesOn())
        if isinstance(effect, states.Result) and isinstance(seen, states.Position):
            self._record_round(effect, seen, outcome.verdict)
        return states.Judged(outcome, seen)

    def _record_round(self, result: states.Result, after: states.Position, verdict: Verdict) -> None:
        """Add a round to the game's statistics."""
        is_playing = verdict is Verdict.PLAYING
        round_, before = result.round, result.before
        missed = round_.missed(after.reading.board) if is_playing else []
        if missed:
            _log.info("clicks that were not noticed: %d", len(missed))
        self._hand.note_missed(len(missed), len(round_.opened) + len(round_.marked))
        if missed and not after.reading.over:
            self._observer(events.Unnoticed(cells=missed))
        else:
            changed = np.count_nonzero(before.reading.board.cells != after.reading.board.cells)
            self._observer(events.Changed(phase=after.reading.phase.value, changed=int(changed)))
        count_round(self._game, round_, missed, is_first=before.reading.phase is Phase.FRESH)
        # The next game started before this one's end was read, or a person has started another.
        is_next = verdict is Verdict.BEGUN_ANEW or (not is_playing and not after.reading.over)
        if not is_next:
            self._game.misreads += misreads(round_, after.reading.board)

    def _finish(self, over: states.Over) -> Reading:
        """Record the end of a game, and return its last reading."""
        position, calibration = over.position, self._calibration
        takes_flags = calibration.behaviour.flags_to_win is None and State.FLAG not in calibration.unmet
        if over.verdict is Verdict.WON and takes_flags:
            # A win may need flags, which is unknown; on a finished game they cannot be set.
            self._hand.flag_the_rest(position)
            seen = self._watcher.watch(states.Watching(states.AnyPosition(), position.reading))
            position = seen if isinstance(seen, states.Position) else position
        reading = record_end(self._game, position.reading, over.verdict, is_seen=over.is_seen)
        if over.is_seen and not calibration.totals_vary and reading.board.mines is None:
            total = mines_at_end(reading.board, reading.phase)
            if total is not None:
                self._examiner.usual_total = total if total == self._last_total else None
                self._last_total = total
        return reading


def _sees_board(reader: Reader, desktop: Image, place: Grid) -> bool:
    """Whether a board of as many cells is anywhere in a picture."""
    with suppress(NoBoardFoundError):
        return any((it.grid.rows, it.grid.columns) == (place.rows, place.columns) for it in reader.read_all(desktop))
    return False
