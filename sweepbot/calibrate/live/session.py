"""Playing a client that nobody has described, game after game, and learning its skin and its behaviour on the way."""

import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from sweepbot.calibrate.labels.constraints import MINE, SAFE
from sweepbot.calibrate.labels.covered_endings import CoveredEnd
from sweepbot.calibrate.labels.endings import LastPicture, judge, mines_if_won
from sweepbot.calibrate.labels.inference import Inference, infer, total_of
from sweepbot.calibrate.labels.log import Ended, FirstOpening, Log
from sweepbot.calibrate.labels.marks import Marks, infer_marks
from sweepbot.calibrate.labels.observations import Observations, Sheet
from sweepbot.calibrate.labels.scene import Mask, Scene
from sweepbot.calibrate.live.behaviour_probe import BehaviourProbe
from sweepbot.calibrate.live.board_tracker import BoardTracker
from sweepbot.calibrate.live.dialog_dismisser import DialogDismisser
from sweepbot.calibrate.live.game import Knowns, LiveGame
from sweepbot.calibrate.live.game_starter import GameStarter
from sweepbot.calibrate.live.observed_behaviour import DialogAnswer, ObservedBehaviour
from sweepbot.errors import ClientGoneError, StuckError, UntrustedReadingError
from sweepbot.geometry import Cell, Image

_log = logging.getLogger("sweepbot.calibrate")

Tell = Callable[[str], None]

_IDLE_GAMES = 3
"""After so many games that taught nothing new there is nothing more to learn."""

_ENOUGH_TIME = 75.0
"""Seconds after which no new game is begun."""

_LONGEST = 85.0
"""Seconds after which the game being played is left: on a slow machine one alone may take as long."""

_FEWEST_GAMES = 4
"""No client has shown its ways before that."""

_NOTHING = "no reaction"
"""The result of a game in which no click changed anything."""

_BROKEN_OFF = "broken off"
"""The result of a game in the middle of which the client went away."""

_MOST_CONTRADICTIONS = 5
"""Games that may be left out because they contradict the rules."""

_SHOWN_EVERY = 1.0
"""Seconds between two pictures of what is known."""

_TOGETHER = 8
"""Cells known to be safe that are opened one after the other without a look in between."""

_NEAR_THE_END = 0.4
"""The share of a board that is not open yet, from which on each cell is opened by itself: it may be the last."""

_LONG_GAME = 20.0
"""Seconds after which a game had better be lost on purpose."""

_HALF_OPEN = 0.3
"""The share of a board that is open before a game is lost on purpose: numbers must bear out what it shows."""

_ENOUGH_LOST = 3
"""Games that were lost, or should have been, after which none is lost on purpose: the client does not show more."""

_ENOUGH_SEEN = frozenset(range(5))
"""Numbers without which it goes on; the higher ones are rare."""


class LearningSession:
    """Plays and learns.

    Args:
        tracker: The board.
        calm: The desktop before the first click.
        tell: Told in words what happens.
        rng: Chooses among cells that are equally good.

    Attributes:
        observations: The games, and what their looks mean.
        observed: How the client behaves.
        log: All that was observed; what follows from it is inferred anew where it is asked for.
        results: How each game ended.
        scenes: The last picture of each game whose every cell is known.
        stuck: Why no further game could be begun, None where nothing was in the way.
    """

    def __init__(self, tracker: BoardTracker, calm: Image, tell: Tell, rng: random.Random) -> None:
        self.tracker = tracker
        self.observations = Observations(tracker.patches)
        self.log = Log(tracker.patches, self.observations)
        self.observed = ObservedBehaviour()
        self.results: list[str] = []
        self.scenes: list[tuple[Scene, Sheet]] = []
        self.stuck: StuckError | None = None
        self._tell = tell
        self._rng = rng
        self._probe = BehaviourProbe(tracker, self.observed, self.log)
        self._dismisser = DialogDismisser(tracker, self.observed, calm)
        self._starter = GameStarter(tracker, self.observed, self._dismisser, calm, tell)
        self._inferred = 0, Marks()
        self._contradictions = 0
        self._lost_on_purpose = 0
        self._shown = 0.0
        self._begun = 0.0

    def learn(self, max_games: int, show: Callable[["LearningSession"], None]) -> None:
        """Play until nothing new comes, so many games are played, or no other can be begun.

        Args:
            max_games: How many.
            show: Called now and then, for those who look on.

        Raises:
            StuckError: The board does not react.
            UntrustedReadingError: What is seen cannot come from Minesweeper.
            StoppedByUserError: A person took over.
        """
        self.observed.starts_open = not self.tracker.hidden_in(self.tracker.began).all()
        if not self.observed.starts_open:  # one cell was clicked to make sure of the board
            self.log.entries.append(FirstOpening(int((~self.tracker.hidden).sum())))
        self._begun = begun = self.tracker.touch.clock.now()
        idle, before = 0, self.learned()
        for number in range(1, max_games + 1):
            hits = {**self.marks.of("exploded"), **self.marks.of("mine")}
            game = LiveGame(self.tracker, self.observations, self._rng, hits)
            try:
                end = self._played(game, show)
            except ClientGoneError as error:  # what was seen until then holds all the same
                self.stuck = error
                self.results.append(_BROKEN_OFF)
                self.observations.conclude()
                break
            self._note(game, end)
            learned = self.learned()
            idle = idle + 1 if learned == before else 0
            new = ", ".join(sorted(learned - before)) or "nothing new"
            _log.info("game %d: %s, clicked %s last", number, end.ending.result or "ended", game.clicked)
            self._tell(f"game {number}: {end.ending.result or 'ended'}; learned {new}")
            before = learned
            has_enough = number >= _FEWEST_GAMES and idle >= _IDLE_GAMES and self._has_enough()
            is_last = number == max_games or has_enough or self.tracker.touch.clock.now() - begun > _ENOUGH_TIME
            try:
                if is_last:
                    self._starter.leave_new_board(game, self.marks.left_over())
                    break
                self._starter.begin(game, self.marks.left_over())
            except StuckError as error:  # what the games so far have taught holds all the same
                self.stuck = error
                break

    def learned(self) -> set[str]:
        """The names of all states that are settled."""
        numbers = {self.observations.number_of(look) for look in self.observations.looks.all()}
        return {str(number) for number in numbers if number is not None} | set(self.marks.shown)

    @property
    def marks(self) -> Marks:
        """What flags, question marks and mines look like by now."""
        if self._inferred[0] != len(self.log):
            self._inferred = len(self.log), infer_marks(self.log, self.hidden())
        return self._inferred[1]

    def hidden(self) -> Counter[int]:
        """How many cells showed each picture of a hidden cell."""
        return Counter([*map(int, self.tracker.baseline.ravel()), *self.tracker.focused])

    def infer(self) -> Inference:
        """What follows from all that was observed by now."""
        return infer(self.log, self.hidden(), self.tracker.place.rows * self.tracker.place.columns)

    def _has_enough(self) -> bool:
        learned = self.learned()
        return total_of(self.log) is not None and all(str(number) in learned for number in _ENOUGH_SEEN)

    # ------------------------------------------------------------------ playing

    def _played(self, game: LiveGame, show: Callable[["LearningSession"], None]) -> Ended:
        """Play a game from its first click to its end."""
        untouched = not game.opened.any()
        try:
            for cells, mines in self._choices(game):
                if not game.open(cells, mines):
                    break
                if self.tracker.touch.clock.now() - self._begun > _LONGEST:
                    self.observations.conclude()
                    return Ended.of_nothing(self.observations.sheet)  # of a game that goes on nothing tells the end
                if self.tracker.touch.clock.now() - self._shown > _SHOWN_EVERY:
                    show(self)
                    self._shown = self.tracker.touch.clock.now()
            if untouched:
                self.log.entries.append(FirstOpening(game.first_opening, game.first_picture))
            end = self._end(game)
            self.observations.conclude()
        except UntrustedReadingError:
            return self._abandoned(game)
        return end

    def _choices(self, game: LiveGame) -> Iterator[tuple[Sequence[Cell], Knowns]]:
        """The cells to open one after the other, and what is known of all; observed are tried out in between."""
        middle = Cell(self.tracker.place.rows // 2, self.tracker.place.columns // 2)
        yield [game.any_hidden() if game.opened.any() else middle], self.observations.sheet.mines
        while True:
            knowledge = game.knowledge()
            mines = knowledge.mines(0)
            safe = game.clickable(mines == SAFE)
            if safe and game.opened.any():
                self._probe.try_marks(game, mines)
                self._probe.try_chord(game, mines)
                mine = self._probe.prepare_loss(game, mines) if self._is_time_to_lose(game, mines) else None
                if mine is not None:
                    self._lost_on_purpose += 1
                    yield [mine], mines
                    continue
            safe = [cell for cell in safe if self.tracker.hidden[cell]]
            if safe:
                for start in range(0, len(safe), _TOGETHER):
                    together = [cell for cell in safe[start : start + _TOGETHER] if self.tracker.hidden[cell]]
                    alone = len(game.unopened()) <= _NEAR_THE_END * game.opened.size
                    for cells in ([cell] for cell in together) if alone else (together,):
                        if cells and self.tracker.hidden[cells[-1]]:
                            yield cells, mines
                continue
            unopened = game.unopened()
            if not unopened or all(mines[cell] == MINE for cell in unopened):
                if self._probe.finish(game):
                    game.over = True
                    return
                yield [game.any_hidden()], mines
                continue
            yield [game.guess(knowledge)], mines

    def _is_time_to_lose(self, game: LiveGame, mines: Knowns) -> bool:
        """Whether a lost game would teach more than this one going on: the board is half open, numbers are known."""
        unseen = "mine" not in self.marks or "wrong_flag" not in self.marks
        tried = max(self.results.count("lost"), self._lost_on_purpose) >= _ENOUGH_LOST
        if self._lost_on_purpose > self.results.count("won"):  # what a loss has not told a win may tell
            return False
        is_long = self.tracker.touch.clock.now() - game.begun > _LONG_GAME
        enough = game.opened.mean() > _HALF_OPEN and (is_long or (bool(self.results) and unseen and not tried))
        return enough and not game.misflags and len(game.clickable(mines == MINE)) > 1

    # ------------------------------------------------------------------ the end

    def _end(self, game: LiveGame) -> Ended:
        """Judge how a game ended."""
        if self.tracker.is_covered and self.tracker.follow():
            game.last = self.tracker.scene()
        closing = None
        if self.tracker.is_covered:
            closing = self._uncovered(game)
        elif game.unanswered is not None or self._dismisser.sees_box():
            closing = self._answered(game)
        last = game.last
        if last is None or game.clicked is None or game.known is None:
            if self.results[-2:] == [_NOTHING] * 2:
                raise StuckError("the board does not react to clicks", hint="is its window in front?")
            return Ended.of_nothing(self.observations.forget())  # its first click, before the game began, was its last
        pictures = self.observations.sheet.pictures[game.opened].tolist()
        if any(
            self.observations.number_of(picture) is None for picture in pictures
        ):  # only settled numbers tell the end
            self.observations.conclude()
        flag = self.marks.of("flag")
        picture = LastPicture(last.pictures, last.hidden, game.clicked, game.flags, game.misflags, flag)
        ending = judge(self.observations, picture, game.known)
        if_won = None if ending.result else mines_if_won(self.observations, game.clicked, game.known)
        covered = game.opened & (last.pictures != self.observations.sheet.pictures)
        pieces = game.pieces | {int(piece) for piece in last.pictures[covered]}
        game.over = game.over or ending.result is not None
        if closing is not None and ending.result is not None:
            self.observed.close(ending.result, closing)
        elif closing is not None:  # it must be closed, whatever it says
            self.observed.close("won", closing)
            self.observed.close("lost", closing)
        self.observations.sheets[-1] = ending.sheet
        return Ended(ending, game.clicked, frozenset(pieces), last.rested, if_won)

    def _uncovered(self, game: LiveGame) -> DialogAnswer | None:
        """Look at the end of a game behind what came in front of it, where that can be closed."""
        front, behind = self.tracker.scene(covered=True), self._dismisser.covered()
        closing = self._dismisser.uncover()
        if closing is None:
            self._glimpse(game)
            return None
        if not self.tracker.is_fresh(starts_open=False):
            game.last = self.tracker.scene()
        elif game.clicked is not None and not front.hidden[game.clicked]:
            # What closed it has begun the next game: of the last one there is what could be seen around the box.
            game.last, game.pieces = front, _only_there(front, behind)
        return closing

    def _glimpse(self, game: LiveGame) -> None:
        """Look for mines beside what stays in front of the end of a game, where that may have been lost."""
        if game.clicked is None or game.known is None or game.known[game.clicked] == SAFE:
            return
        marked = frozenset(game.flags | game.misflags)
        end = CoveredEnd(self.tracker.scene(covered=True), game.known, game.opened, game.clicked, marked)
        self.log.entries.append(end)

    def _answered(self, game: LiveGame) -> DialogAnswer | None:
        """Close what came up beside the board or over hidden cells, if anything did, and see what is there then."""
        behind = self._dismisser.covered()
        closing = self._dismisser.answer()
        if closing is not None and not self.tracker.is_fresh(starts_open=False):
            if game.unanswered is None:
                game.last = self.tracker.scene()
            game.answered()
        elif game.last is not None:
            game.pieces = _only_there(game.last, behind)
        return closing

    def _abandoned(self, game: LiveGame) -> Ended:
        """Leave out a game that contradicts the rules: a client that was slow, or something in front of it.

        A slow client is given more time from then on.

        Raises:
            UntrustedReadingError: That happens too often, or the games before contradict themselves as well.
        """
        self.tracker.touch.times.was_hasty()
        self._contradictions += 1
        if self._contradictions > _MOST_CONTRADICTIONS:
            self.observations.conclude()
        end = Ended.of_nothing(self.observations.forget())
        self.observations.conclude()
        game.last = None
        return end

    def _note(self, game: LiveGame, end: Ended) -> None:
        """Keep what the end has shown."""
        ending = end.ending
        self.results.append(ending.result or ("ended" if game.last else _NOTHING))
        self.log.entries.append(end)
        if ending.result == "won" and self.observed.flags_to_win is None:
            self.observed.flags_to_win = False
        if ending.complete and ending.seen and game.last is not None:
            self.scenes.append((game.last, ending.sheet))


def _only_there(scene: Scene, cells: Mask) -> set[int]:
    """The pictures that some cells show and no others."""
    return set(map(int, scene.pictures[cells])) - set(map(int, scene.pictures[~cells]))
