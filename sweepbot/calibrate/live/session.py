"""Playing a client that nobody has described, game after game, and learning its skin and its behaviour on the way."""

import logging
import random
from collections.abc import Callable, Iterator, Sequence

from sweepbot.board import cells_in
from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.constraints import MINE, SAFE, Record
from sweepbot.calibrate.labels.endings import Ending
from sweepbot.calibrate.labels.inference import total_of
from sweepbot.calibrate.labels.log import FirstOpening, Scene, Titled, Untouched, Withdrawn
from sweepbot.calibrate.live.behaviour_probe import BehaviourProbe
from sweepbot.calibrate.live.board_tracker import BoardTracker
from sweepbot.calibrate.live.dialog_dismisser import DialogAnswer, DialogDismisser
from sweepbot.calibrate.live.game import Knowns, LiveGame
from sweepbot.calibrate.live.game_starter import GameStarter
from sweepbot.calibrate.thresholds import PACE
from sweepbot.errors import ClientGoneError, ImpossibleBoardError, StuckError, UntrustedReadingError
from sweepbot.geometry import Cell, Image

_log = logging.getLogger("sweepbot.calibrate")

Tell = Callable[[str], None]

_NOTHING = "no reaction"
"""The result of a game in which no click changed anything."""

_BROKEN_OFF = "broken off"
"""The result of a game in the middle of which the client went away."""


_ENOUGH_SEEN = frozenset("01234")
"""Numbers without which it goes on; the higher ones are rare."""


class LearningSession:
    """Plays and learns.

    Attributes:
        probe: What was found out about marks, chords and wins.
        dismisser: What closes its dialogs.
        starter: What begins its games.
        results: How each game ended.
        scenes: The last picture of each game whose every cell is known.
        stuck: Why no further game could be begun, None where nothing was in the way.
    """

    def __init__(self, tracker: BoardTracker, belief: Belief, calm: Image, tell: Tell, rng: random.Random) -> None:
        self.tracker = tracker
        self.belief = belief
        self.results: list[str] = []
        self.scenes: list[tuple[Scene, Record]] = []
        self.stuck: StuckError | None = None
        self._tell = tell
        self._rng = rng
        self.probe = BehaviourProbe(tracker, belief)
        self.dismisser = DialogDismisser(tracker, calm)
        self.starter = GameStarter(tracker, self.dismisser, calm, tell)
        self._noted: dict[type, Titled | Untouched] = {}
        self._lost_on_purpose = 0
        self._shown = 0.0
        self._begun = 0.0

    def learn(self, max_games: int, show: Callable[["LearningSession"], None]) -> None:
        """Play until nothing new comes, so many games are played, or no other can be begun.

        Raises:
            StuckError: The board does not react.
            UntrustedReadingError: What is seen cannot come from Minesweeper.
            StoppedByUserError: A person took over.
        """
        self._note_window()
        self.probe.hover()
        if not self.starter.starts_open:  # one cell was clicked to make sure of the board
            self.belief.add(FirstOpening(int((~self.tracker.hidden).sum())))
        self._begun = begun = self.tracker.touch.clock.now()
        idle, before = 0, self.learned()
        for number in range(1, max_games + 1):
            marks = self.belief.marks
            game = LiveGame(self.tracker, self.belief, self._rng, {**marks.of("exploded"), **marks.of("mine")})
            try:
                ending = self._played(game, show)
            except ClientGoneError as error:  # what was seen until then holds all the same
                self.stuck = error
                self.results.append(_BROKEN_OFF)
                break
            result = ending.result if ending else None
            self.results.append(result or ("ended" if game.last else _NOTHING))
            learned = self.learned()
            idle = idle + 1 if learned == before else 0
            new = ", ".join(sorted(learned - before)) or "nothing new"
            _log.info("game %d: %s, clicked %s last", number, result or "ended", game.clicked)
            self._tell(f"game {number}: {result or 'ended'}; learned {new}")
            before = learned
            is_idle = number >= PACE.fewest_games and idle >= PACE.idle_games
            has_enough = is_idle and total_of(self.belief.endings) is not None and learned >= _ENOUGH_SEEN
            is_last = number == max_games or has_enough or self.tracker.touch.clock.now() - begun > PACE.enough_s
            try:
                self.starter.begin(game, is_last=is_last)
            except StuckError as error:  # what the games so far have taught holds all the same
                self.stuck = error
            self._note_window()
            if is_last or self.stuck is not None:
                break
        self.belief.conclude()

    def learned(self) -> set[str]:
        """The names of all states that are settled."""
        numbers = map(self.belief.numbers.number_of, self.belief.numbers.looks.all())
        return {str(number) for number in numbers if number is not None} | set(self.belief.marks.shown)

    def _note_window(self) -> None:
        """Note how hidden cells look, and what the window is called, where that is news."""
        hidden = (*map(int, self.tracker.baseline.ravel()), *sorted(self.tracker.focused))
        for entry in (Titled(self.tracker.touch.window.title), Untouched(hidden)):
            if entry != self._noted.get(type(entry)):
                self._noted[type(entry)] = entry
                self.belief.add(entry)

    # ------------------------------------------------------------------ playing

    def _played(self, game: LiveGame, show: Callable[["LearningSession"], None]) -> Ending | None:
        """Play a game from its first click to its end; None where that was not seen."""
        untouched, contradictions = not game.opened.any(), self.belief.contradictions
        try:
            for cells, mines in self._choices(game):
                if not game.open(cells, mines):
                    break
                if self.tracker.touch.clock.now() - self._begun > PACE.longest_s:
                    return None  # of a game that goes on nothing tells the end
                if self.tracker.touch.clock.now() - self._shown > PACE.show_every_s:
                    show(self)
                    self._shown = self.tracker.touch.clock.now()
            self._end(game, untouched=untouched)
        except ImpossibleBoardError:
            self.belief.add(Withdrawn(contradicts=True))
        ending = self.belief.ending
        if self.belief.contradictions > contradictions:
            self._take_more_time(game)
        return ending

    def _choices(self, game: LiveGame) -> Iterator[tuple[Sequence[Cell], Knowns]]:
        """The cells to open one after the other, and what is known of all; in between marks and chords are tried."""
        middle = Cell(self.tracker.place.rows // 2, self.tracker.place.columns // 2)
        yield [game.any_hidden() if game.opened.any() else middle], self.belief.numbers.game.mines
        while True:
            knowledge = game.knowledge()
            mines = knowledge.mines()
            safe = game.clickable(mines == SAFE)
            if safe and game.opened.any():
                self.probe.try_marks(game, mines)
                self.probe.try_chord(game, mines)
                mine = self.probe.prepare_loss(game, mines) if self._is_time_to_lose(game, mines) else None
                if mine is not None:
                    self._lost_on_purpose += 1
                    yield [mine], mines
                    continue
            safe = [cell for cell in safe if self.tracker.hidden[cell]]
            if safe:
                for start in range(0, len(safe), PACE.opened_together):
                    together = [
                        cell for cell in safe[start : start + PACE.opened_together] if self.tracker.hidden[cell]
                    ]
                    alone = len(game.unopened()) <= PACE.alone_share * game.opened.size
                    for cells in ([cell] for cell in together) if alone else (together,):
                        if cells and self.tracker.hidden[cells[-1]]:
                            yield cells, mines
                continue
            unopened = game.unopened()
            if not unopened or all(mines[cell] == MINE for cell in unopened):
                if self.probe.finish(game):
                    game.over = True
                    return
                yield [game.any_hidden()], mines
                continue
            yield [game.guess(knowledge)], mines

    def _is_time_to_lose(self, game: LiveGame, mines: Knowns) -> bool:
        """Whether a lost game would teach more than this one going on: the board is half open, numbers are known."""
        unseen = not {"mine", "wrong_flag"} <= set(self.belief.marks.shown)
        tried = max(self.results.count("lost"), self._lost_on_purpose) >= PACE.enough_lost
        is_turn_to_win = self._lost_on_purpose > self.results.count("won")  # what a loss has not told a win may tell
        is_long = self.tracker.touch.clock.now() - game.begun > PACE.long_game_s
        teaches = is_long or (bool(self.results) and unseen and not tried)
        enough = game.opened.mean() > PACE.half_open_share and len(game.clickable(mines == MINE)) > 1
        return teaches and enough and not (is_turn_to_win or game.misflags)

    # ------------------------------------------------------------------ the end

    def _end(self, game: LiveGame, *, untouched: bool) -> None:
        """Note how a game ended that began on an untouched board or not, once what is in front of it is gone."""
        if self.tracker.is_covered and self.tracker.follow():
            game.last = self.tracker.scene()
        closing = self._taken_away(game)
        if untouched and game.first is not None:
            self.belief.add(game.first)
        last = game.last
        if last is None or game.clicked is None:
            if self.results[-2:] == [_NOTHING] * 2:
                raise StuckError("the board does not react to clicks", hint="is its window in front?")
            self.belief.add(Withdrawn(contradicts=False))  # its first click, before the game began, was its last
            return
        self._note_window()
        self.belief.add(game.ended(last))
        ending = self.belief.ending
        if ending is None:
            return
        game.over = game.over or ending.result is not None
        if closing is not None:  # it must be closed, whatever it says
            for result in (ending.result,) if ending.result else ("won", "lost"):
                self.dismisser.note(result, closing)
        if ending.result == "won" and self.probe.flags_to_win is None:
            self.probe.flags_to_win = False
        if ending.complete and ending.seen:
            self.scenes.append((last, ending.game))

    def _taken_away(self, game: LiveGame) -> DialogAnswer | None:
        """Close what came up in front of the board or beside it, where anything did, and see what is there then."""
        is_covered = self.tracker.is_covered
        if not (is_covered or game.unanswered or self.dismisser.sees_box()):
            return None
        front, game.behind = self.tracker.scene(covered=True), frozenset(cells_in(self.dismisser.covered()))
        closing = self.dismisser.take_away()
        if closing is not None and not self.tracker.is_fresh:
            game.last, game.behind = self.tracker.scene(), frozenset()
        elif is_covered and closing is None:
            if game.clicked is not None:
                self.belief.add(game.ended(self.tracker.scene(covered=True), is_covered=True))
        elif is_covered and game.clicked is not None and not front.hidden[game.clicked]:
            game.last = front  # the next game may have begun: of the last one there is what was seen around the box
        return closing

    def _take_more_time(self, game: LiveGame) -> None:
        """Go on after a game that was left out: a client that was slow, or something in front of it.

        Raises:
            UntrustedReadingError: That has happened too often.
        """
        self.tracker.touch.times.note_late_change()
        game.last = None
        if self.belief.contradictions > PACE.contradicting_games:
            raise UntrustedReadingError(
                f"what was seen cannot have come from Minesweeper in {self.belief.contradictions} games",
                hint="is something in front of the board, or moving on it? Name the board's place: --region WxH+X+Y",
            )
