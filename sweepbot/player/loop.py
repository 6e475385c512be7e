"""The loop that plays: look, decide, click all certain cells, look again, judge."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import Path

from sweepbot.board import Board, Phase, State
from sweepbot.control.controls import Controls
from sweepbot.control.new_game import NewGame
from sweepbot.desktop.desk import Desk
from sweepbot.errors import (
    ClientCoveredError,
    ClientMovedError,
    ImpossibleBoardError,
    StoppedByUserError,
    StuckError,
    UntrustedReadingError,
    UsageError,
)
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level, first_cell
from sweepbot.outcome import Clicked as ClickedCells
from sweepbot.outcome import Outcome, Seen, Verdict, outcome
from sweepbot.player.burst import Burst, GoOn
from sweepbot.player.events import (
    Clicked,
    Decided,
    Ended,
    GameResult,
    HandedOver,
    Learner,
    Observer,
    WentOn,
)
from sweepbot.player.finding import FoundClient
from sweepbot.player.next_game import REACTION_S, NextGame, is_another
from sweepbot.player.observe import SettledReader
from sweepbot.player.persistent import PersistentReader
from sweepbot.player.plan import Click, Kind, Style, clicks_for, opening
from sweepbot.player.position import DoubtError, Position
from sweepbot.player.round import Round
from sweepbot.player.statistics import count_round, end_of_won, misreads, three_bv
from sweepbot.render.files import save_image
from sweepbot.solver import Decision, Move, Solver
from sweepbot.solver.unknown_total import may_be_over, mines_at_end
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader, Reading

_log = logging.getLogger("sweepbot.player")

ATTEMPTS = len(REACTION_S)
"""How many rounds of clicks may change nothing before the client counts as stuck."""


@dataclass(frozen=True, slots=True)
class _Played:
    """The last position of a game, how it has ended, and whether that position shows it."""

    position: Position
    verdict: Verdict
    is_seen: bool = True


class Player:
    """Plays the games of one client.

    Args:
        desk: What is played on.
        client: The client, as it was found.
        reader: The eyes, calibrated for it.
        solver: What decides.
        observer: Told of all that happens, as it happens.
        learner: Learns what the calibration lacks; nobody by default.
        evidence: The folder in which a picture is saved that could not be read; made when it is needed.
        style: How it is played.
        cps: The most clicks a second.
        stop_at_guess: Whether a game is left to the person where nothing is certain.

    Raises:
        UsageError: The client knows no chord, and the style asks for one.
    """

    def __init__(
        self,
        desk: Desk,
        client: FoundClient,
        reader: Reader,
        solver: Solver,
        observer: Observer,
        *,
        learner: Learner | None = None,
        evidence: Path,
        style: Style = Style.NOFLAG,
        cps: float | None = None,
        stop_at_guess: bool = False,
    ) -> None:
        if style is Style.CHORD and reader.calibration.behaviour.chord_button is None:
            raise UsageError(f"{reader.calibration.name} is not known to have chords", hint="leave --style chord out")
        self._style = style
        self._stop_at_guess = stop_at_guess
        self._clock = desk.clock
        self._observer = observer
        self._evidence = evidence
        self._behaviour = reader.calibration.behaviour
        self._learner = learner
        self._total: int | None = None
        self._last_total: int | None = None
        self._totals_vary = reader.calibration.totals_vary
        self._knows_flags = State.FLAG not in reader.calibration.unmet
        self._is_loss_known = State.EXPLODED not in reader.calibration.unmet
        controls = Controls.of(desk, client.window, self._behaviour.settle, cps=cps)
        self._guard, self._clicker = controls.guard, controls.clicker
        self._solver = solver
        self._settled = SettledReader(controls, reader, solver, learner, observer=observer)
        self._eyes = PersistentReader(client, controls, self._settled, reader.calibration, observer)
        asking = NewGame(self._behaviour, controls)
        self._next_game = NextGame(self._behaviour.restart, asking, self._eyes, client.window, observer)
        self._place = client.reading
        self._unnoticed: Round | None = None
        self._game = GameResult()
        self.results: list[GameResult] = []
        """The games so far; one that was broken off is `aborted`."""

    def play(self, games: int | None, *, until_win: bool = False, max_seconds: float | None = None) -> None:
        """Play games; one that is under way on the screen is played to its end as the first of them.

        Args:
            games: How many at most; None for any number.
            until_win: Whether to end with the first that is won.
            max_seconds: After so many seconds no further game is begun.

        Raises:
            UntrustedReadingError: The board cannot be read; its picture was saved.
            StuckError: The client does not react, cannot be seen, or is not there any more.
            StoppedByUserError: A person took over, be it by beginning another game.
        """
        self._guard.park(self._place.grid.region)
        self._eyes.stand_before(self._place.grid)
        start = self._clock.now()
        for number in count(1):
            with self._keeping_result():
                self._place = self._play_one(self._place)
            last = self.results[-1]
            self._observer(Ended(number, last, self._place))
            is_time_up = max_seconds is not None and self._clock.now() - start >= max_seconds
            if number == games or is_time_up or last.result == "aborted" or (until_win and last.result == "won"):
                return

    @contextmanager
    def _keeping_result(self) -> Iterator[None]:
        """Keep the figures of a game however it ends, and the picture where it could not be read."""
        self._game = GameResult()
        reads, clicks = self._settled.reads, self._clicker.clicks
        try:
            yield
        except DoubtError as doubt:
            picture = self._keep_evidence(doubt)
            raise UntrustedReadingError(f"{doubt}; its picture: {picture}", hint=doubt.hint) from doubt
        finally:
            self._game.reads = self._settled.reads - reads
            self._game.clicks = self._clicker.clicks - clicks
            self.results.append(self._game)
            self._eyes.may_be_left_over = False

    def _keep_evidence(self, doubt: DoubtError) -> Path:
        self._evidence.mkdir(parents=True, exist_ok=True)
        path = self._evidence / f"untrusted-{datetime.now():%Y%m%d-%H%M%S-%f}.png"  # noqa: DTZ005  (a person's clock)
        save_image(doubt.frame.image, path)
        return path

    def _play_one(self, place: Reading) -> Reading:
        try:
            position = self._eyes.look(place, is_enough=lambda _: place.over)
        except DoubtError as doubt:
            if not place.over:
                position = self._in_part(doubt)
            else:
                self._eyes.close_dialogs(place.phase.value, place)  # a click first would take the keyboard from one
                position = self._next_game.begin(place)
        if (
            position.decision is None
            or (place.over and not is_another(position.reading.board, place.board))
            or _is_played_out(position)  # by somebody else: that is no game of the bot's
        ):
            position = self._next_game.begin(position.reading)
        self._eyes.dialogs.remember()
        position = self._with_total(position)
        played = self._played(position)
        reading = played.position.reading
        if played.verdict is Verdict.PLAYING:
            return reading
        if played.verdict is Verdict.WON and self._behaviour.flags_to_win is None and self._knows_flags:
            reading = self._flag_the_rest(played.position).reading
        self._game.result = "won" if played.verdict is Verdict.WON else "lost"
        self._game.client_seconds = reading.shown.clock
        phase = Phase.WON if played.verdict is Verdict.WON else Phase.LOST
        if phase is Phase.WON and played.is_seen:
            self._game.three_bv = three_bv(reading.board)
        if reading.board.mines is None and played.is_seen and not self._totals_vary:
            self._count_mines(mines_at_end(reading.board, phase))
        return replace(reading, phase=phase)

    def _count_mines(self, total: int | None) -> None:
        """Believe a number of mines that two games have shown, one after the other: with some clients it differs."""
        if total is not None:
            self._total = total if total == self._last_total else None
            self._last_total = total

    def _played(self, position: Position) -> _Played:
        """Play a game to its end, or to where it is left to the person.

        Raises:
            StuckError: The client does not react.
            StoppedByUserError: Another game was begun by hand.
        """
        unchanged, start = 0, self._clock.now()
        has_changed = False
        guessed: Cell | None = None
        while position.decision is not None:
            before, decision = position.reading.board, position.decision
            if decision.best is None and (over := self._over_without_clicks(position)) is not None:
                return over
            if self._stop_at_guess and decision.best and not decision.safe and position.reading.phase is Phase.PLAYING:
                self._guard.move(position.reading.grid.centre(decision.best.cell))
                self._observer(HandedOver(position.reading, decision.best))
                return _Played(position, Verdict.PLAYING)
            position, judged = self._move(position, decision, start, unchanged)
            unchanged = unchanged + 1 if position.reading.board == before else 0
            if not unchanged:
                has_changed = True
                guessed = decision.best.cell if decision.best and not decision.safe else None
            if unchanged == ATTEMPTS // 2 and judged.verdict is Verdict.PLAYING and self._eyes.dialogs.may_come:
                position, judged = self._answered(position, decision)
            if judged.is_final:
                return _Played(position, judged.verdict, is_seen=_is_whole(position.reading))
            if judged.verdict is Verdict.BEGUN_ANEW:
                raise StoppedByUserError("stopped: another game was begun by hand while this one was going on")
            if judged.verdict is Verdict.UNCLEAR:
                raise UntrustedReadingError(f"how the game has ended was not seen: {judged.why}")
            if unchanged == ATTEMPTS:
                return _Played(position, self._end_of_stuck(before, guessed, has_changed=has_changed))
        return self._over(position)

    def _over_without_clicks(self, position: Position) -> _Played | None:
        """How a game has ended in which nothing is left to open; None where it may be going on."""
        if not position.reading.board.count(State.UNKNOWN):
            return _Played(position, Verdict.WON) if _is_played_out(position) else None
        position = self._settled.with_face(position)
        return None if position.decision is not None else self._over(position)

    def _over(self, position: Position) -> _Played:
        ending = Verdict.WON if position.reading.phase is Phase.WON else Verdict.LOST
        return _Played(position, ending, is_seen=_is_whole(position.reading))

    def _end_of_stuck(self, before: Board, guessed: Cell | None, *, has_changed: bool) -> Verdict:
        """How a game has ended on whose board no click changes anything any more.

        Args:
            before: The board.
            guessed: The cell of the guess that has changed it last; None where certain cells have.
            has_changed: Whether any click of the game has changed it: a picture of a board takes none.

        Raises:
            StuckError: Nothing tells that it has ended at all.
        """
        is_unread = guessed is not None and not self._is_loss_known and before[guessed] == State.UNKNOWN
        if is_unread and not may_be_over(before):  # else it may be a number that was never seen, and the last
            return Verdict.LOST
        # Where no loss is known a guess may have hit a mine.
        if has_changed and before.mines is None and may_be_over(before) and self._is_loss_known:
            return Verdict.WON
        raise StuckError(
            f"the board has not changed after {ATTEMPTS} rounds of clicks",
            hint="is the client's window in front, and does another window wait for an answer?",
        )

    def _with_total(self, position: Position) -> Position:
        """The new game with the number of mines that the end of the last one has told, now that it is surely over."""
        board = position.reading.board
        if board.mines is not None or self._total is None:
            return position
        if self._learner is not None:
            self._learner.count(Level(board.columns, board.rows, self._total))
        return self._eyes.look(replace(position.reading, board=Board(board.cells, self._total)))

    def _answered(self, position: Position, decision: Decision) -> tuple[Position, Outcome]:
        """Close what may stand beside the board and let no click through; that may begin a new game at once."""
        for ending in (Phase.WON, Phase.LOST):
            self._eyes.close_dialogs(ending.value, position.reading)
        round_ = Round.after(decision, position.reading.board)
        round_.opened = _to_open(decision)
        try:
            now = self._eyes.look(position.reading)
        except DoubtError as doubt:
            return self._judged_behind(doubt, position, round_.clicked())
        self._eyes.had_dialog = True  # nothing but its answer can have begun another game
        return now, self._judge(position.reading.board, round_.clicked(), now.reading, is_trusted=True)

    def _flag_the_rest(self, position: Position) -> Position:
        """Flag what is left hidden where nobody has seen whether a win takes that; a finished game takes no flags.

        Nor does it matter what then comes in front of it.
        """
        reading = position.reading
        for cell in reading.board.where(State.HIDDEN):
            if self._clicker.has_changed(reading.grid, cell, position.frame):  # the end has put something there
                break
            self._clicker.click(reading.grid, cell, self._behaviour.flag_button)
            if not self._clicker.has_changed(reading.grid, cell, position.frame):
                break
        self._guard.park(reading.grid.region)
        try:
            return self._eyes.look(reading)
        except DoubtError:
            return position

    def _move(self, position: Position, decision: Decision, start: float, unchanged: int) -> tuple[Position, Outcome]:
        """Click what was decided, see what came of it, and judge that.

        Args:
            position: What was read.
            decision: What was decided.
            start: When the game began.
            unchanged: How many rounds of clicks have changed nothing just before.
        """
        before = position.reading
        if before.phase is Phase.FRESH:
            decision = with_first_click(decision, before.board, self._behaviour.first_click)
        self._observer(Decided(before, decision))
        _log.debug("%d certain; guess %s", len(decision.safe), decision.guess)
        # Somebody has played, or begun another game, or clicks that were given up show after all.
        if not unchanged and self._clicker.looks_other(position.frame):
            return self._seen_late(position)
        flags_to_win = bool(self._behaviour.flags_to_win)
        clicks = clicks_for(before.board, decision, self._style, flags_to_win=flags_to_win)
        if not clicks:
            raise StuckError(
                "nothing is left to click, yet the client does not end the game",
                hint=_why_nothing_is_left(before.board),
            )
        round_ = Round.after(decision, before.board)
        self._click_all(before.grid, clicks, round_, start)
        after, judged = self._outcome(position, round_, start, REACTION_S[unchanged])
        missed = round_.missed(after.reading.board) if judged.verdict is Verdict.PLAYING else []
        self._unnoticed = replace(round_, known=after.reading.board) if missed else None
        if missed:
            _log.info("clicks that were not noticed: %d", len(missed))
        self._observer(Clicked(before, after.reading, tuple(missed)))
        count_round(self._game, decision, round_, missed, is_first=before.phase is Phase.FRESH)
        is_next = judged.verdict is not Verdict.PLAYING and not after.reading.over  # it came before the end was read
        if not is_next:
            self._game.misreads += misreads(round_, after.reading.board)
        return after, judged

    def _seen_late(self, position: Position) -> tuple[Position, Outcome]:
        """What shows on a board that has changed since it was read, and the verdict on that.

        Raises:
            DoubtError: It cannot be read, and no click of ours may have brought that about.
        """
        late, self._unnoticed = self._unnoticed, None
        self._eyes.forget_dialogs()
        clicked = late.clicked() if late else ClickedCells()
        try:
            now = self._eyes.look(position.reading, round_=late)
        except DoubtError as doubt:
            if late is not None:
                return self._judged_behind(doubt, position, clicked)
            now = self._in_part(doubt)
        return now, self._judge(position.reading.board, clicked, now.reading, is_trusted=True)

    def _click_all(self, grid: Grid, clicks: Sequence[Click], round_: Round, start: float) -> None:
        """Make clicks, and take down which were made: they end early where the client is not where it was."""
        behaviour = self._behaviour
        buttons = {Kind.OPEN: behaviour.open_button, Kind.MARK: behaviour.flag_button}
        if behaviour.chord_button is not None:
            buttons[Kind.CHORD] = behaviour.chord_button
        try:
            for click in clicks:
                self._clicker.click(grid, click.at, buttons[click.kind])
                round_.opened += click.opens
                round_.marked += (click.at,) if click.kind is Kind.MARK else ()
            self._guard.park(grid.region)
        except (ClientMovedError, ClientCoveredError) as error:
            _log.info("the rest is not clicked: %s", error)
        self._game.seconds = self._clock.now() - start

    def _go_on(self, round_: Round, known: Reading, start: float) -> tuple[Cell, ...]:
        """Open what has become certain by the cells of a round that are at rest already; the cells clicked."""
        round_.known = known.board
        try:
            safe = [cell for cell in self._solver.plainly_safe(known.board) if cell not in round_.opened]
        except ImpossibleBoardError as error:  # the board at rest will show what is wrong with it
            _log.info("not gone on: %s", error)
            return ()
        hidden = [cell for cell in safe if known.board[cell] == State.HIDDEN]
        if hidden:
            self._observer(WentOn(known, tuple(hidden)))
            before = len(round_.opened)
            self._click_all(known.grid, opening(hidden), round_, start)
            return round_.opened[before:]
        return ()

    def _outcome(self, position: Position, round_: Round, start: float, reaction_s: float) -> tuple[Position, Outcome]:
        """What came of a round of clicks, which may go on meanwhile, and the verdict on it.

        Raises:
            DoubtError: The board cannot be read, and nothing tells how the game stands.
        """
        before = position.reading
        self._eyes.forget_dialogs()
        goes_on = round_.certain and self._style is not Style.CHORD  # after a guess a game may be over
        go_on: GoOn | None = (lambda known: self._go_on(round_, known, start)) if goes_on else None
        is_pictured = position.frame.region.intersection(before.grid.region) == before.grid.region
        burst = Burst(before.grid, position.frame, (*round_.opened, *round_.marked), go_on) if is_pictured else None
        try:
            after = self._eyes.look(
                before,
                lambda now: now.over or not round_.missed(now.board),
                round_,
                reaction_s,
                burst=burst,
                is_enough=lambda now: self._tells_end(before.board, round_.clicked(), now),
            )
        except DoubtError as doubt:
            return self._judged_behind(doubt, position, round_.clicked())
        return after, self._judge(before.board, round_.clicked(), after.reading, is_trusted=True)

    def _tells_end(self, before: Board, clicked: ClickedCells, now: Reading) -> bool:
        """Whether a reading that cannot be relied on tells how a game has ended, and of a won one all of its board."""
        judged = self._verdict(before, clicked, now, is_trusted=False)
        is_won = judged.verdict is Verdict.WON
        return end_of_won(before, clicked.cells, now.board) is not None if is_won else judged.is_final

    def _judged_behind(self, doubt: DoubtError, before: Position, clicked: ClickedCells) -> tuple[Position, Outcome]:
        """The verdict on a game whose board cannot be read, by what is left of it to be seen.

        Raises:
            DoubtError: Nothing tells it, and too little is left to play on.
        """
        judged = self._judge(before.reading.board, clicked, doubt.reading, is_trusted=False)
        if judged.verdict is Verdict.PLAYING:
            return self._in_part(doubt), judged
        if not judged.is_final:
            raise doubt
        end = end_of_won(before.reading.board, clicked.cells, doubt.reading.board)
        if judged.verdict is Verdict.WON and end is not None:
            return replace(before, reading=replace(doubt.reading, board=end, phase=Phase.WON)), judged
        return before, judged

    def _in_part(self, doubt: DoubtError) -> Position:
        """What can be played on of a board that cannot be read as a whole.

        Raises:
            DoubtError: Nothing can.
        """
        position = self._settled.in_part(doubt)
        if position is None:
            raise doubt
        return position

    def _judge(self, before: Board, clicked: ClickedCells, now: Reading, *, is_trusted: bool) -> Outcome:
        judged = self._verdict(before, clicked, now, is_trusted=is_trusted)
        beside = self._eyes.beside_dialog
        is_next = judged.verdict in (Verdict.BEGUN_ANEW, Verdict.UNCLEAR) or now.phase is Phase.FRESH
        if is_trusted and is_next and beside is not None:  # closing the dialog has led to the next game
            seen = self._verdict(before, clicked, beside, is_trusted=False)
            judged = seen if seen.is_final else judged
        _log.info("%s: %s", judged.verdict.value, judged.why)
        return judged

    def _verdict(self, before: Board, clicked: ClickedCells, now: Reading, *, is_trusted: bool) -> Outcome:
        had_dialog = self._eyes.had_dialog or (not is_trusted and self._eyes.dialogs.is_up(now))
        flags_to_win = bool(self._behaviour.flags_to_win)
        seen = Seen(now.board, now.phase, is_trusted, had_dialog, self._is_loss_known, flags_to_win)
        return outcome(before, clicked, seen)


def with_first_click(decision: Decision, board: Board, promise: FirstClick | None) -> Decision:
    """The same, but begun where a first click is worth most: all cells are alike only to who ignores the promise."""
    if board.mines is None or decision.safe:
        return decision
    cell = first_cell(Level(board.columns, board.rows, board.mines), promise)
    guess = Move(cell, "first click", float(decision.mine_probability[cell]))
    return replace(decision, guess=guess, cut_short=False)


def _why_nothing_is_left(board: Board) -> str:
    unread = board.count(State.UNKNOWN)
    if unread:
        return f"{unread} cells cannot be read: is something in front of them?"
    return f"the board was played as one of {board.mines} mines; if it has others, say so: --mines N"


def _is_played_out(position: Position) -> bool:
    """Whether nothing is left to open on a board whose total is not known: only mines can be left."""
    decision, board = position.decision, position.reading.board
    return decision is not None and decision.best is None and board.mines is None and not board.count(State.UNKNOWN)


def _is_whole(reading: Reading) -> bool:
    """Whether a reading shows the end of a game, and every cell of it."""
    return reading.over and not reading.board.count(State.UNKNOWN)


def _to_open(decision: Decision) -> tuple[Cell, ...]:
    return decision.safe or ((decision.best.cell,) if decision.best else ())
