"""Playing a client that nobody has described, game after game, and learning its skin and its behaviour on the way."""

import logging
import random
from collections import Counter
from collections.abc import Callable

from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.constraints import MINE
from sweepbot.calibrate.labels.endings import Ending, total_of
from sweepbot.calibrate.labels.log import FirstOpening, Titled, Untouched, Withdrawn
from sweepbot.calibrate.live.board_tracker import BoardTracker, Scene
from sweepbot.calibrate.live.dialog_dismisser import DialogDismisser
from sweepbot.calibrate.live.game import Knowns, LiveGame, Tried
from sweepbot.calibrate.live.game_starter import GameStarter
from sweepbot.calibrate.thresholds import PACE
from sweepbot.errors import ImpossibleBoardError, StuckError, UntrustedReadingError
from sweepbot.geometry import Image

_log = logging.getLogger("sweepbot.calibrate")

Tell = Callable[[str], None]

_MOST_SILENT = 3  # games, one after the other, in which no click changed anything

_ENOUGH_SEEN = frozenset("01234")
"""Numbers without which it goes on; the higher ones are rare."""


class LearningSession:
    """Plays and learns.

    Attributes:
        tried: What was found out about marks, chords and wins.
        dismisser: What closes its dialogs.
        starter: What begins its games.
        games: How many games were begun.
        scenes: The last picture of each game whose every cell is known.
        stuck: Why no further game could be begun, None where nothing was in the way.
    """

    def __init__(self, tracker: BoardTracker, belief: Belief, calm: Image, tell: Tell) -> None:
        self.tracker = tracker
        self.belief = belief
        self.tried = Tried()
        self.dismisser = DialogDismisser(tracker, calm)
        self.starter = GameStarter(tracker, self.dismisser, calm, tell)
        self.games = 0
        self._silent = 0  # games of late in which no click changed anything
        self.scenes: list[Scene] = []
        self.stuck: StuckError | None = None
        self._tell = tell
        self._rng = random.Random(0)  # decides among cells that are equally good
        self._now = tracker.touch.clock.now
        self._noted: dict[type, Titled | Untouched] = {}
        self._shown = self._begun = 0.0

    def learn(self, max_games: int, show: Callable[["LearningSession"], None]) -> None:
        """Play until nothing new comes, so many games are played, or no other can be begun.

        Raises:
            UntrustedReadingError: What is seen cannot come from Minesweeper.
            StoppedByUserError: A person took over.
        """
        self._note_window()
        if not self.starter.starts_open:  # one cell was clicked to make sure of the board
            self.belief.add(FirstOpening(int((~self.tracker.hidden).sum())))
        self._begun = self._now()
        idle, before = 0, self._learned()
        is_last = False
        try:
            while not is_last:
                game = LiveGame(self.tracker, self.belief, self.tried, self._rng)
                self.games += 1
                ending = self._played(game, show)
                result = ending.result if ending else None
                learned = self._learned()
                idle = idle + 1 if learned == before else 0
                new = ", ".join(sorted(learned - before)) or "nothing new"
                _log.info("game %d: %s, clicked %s last", self.games, result or "ended", game.clicked)
                self._tell(f"game {self.games}: {result or 'ended'}; learned {new}")
                before = learned
                is_counted = total_of(self.belief.endings) is not None
                has_enough = idle >= PACE.idle_games and is_counted and learned >= _ENOUGH_SEEN
                is_last = self.games == max_games or has_enough or self._now() - self._begun > PACE.enough_s
                self.starter.begin(game, is_last=is_last)
                self._note_window()
        except StuckError as error:  # what was seen until then holds all the same
            self.stuck = error
        self._note_window()
        self.belief.conclude()

    def _learned(self) -> set[str]:
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

    def _played(self, game: LiveGame, show: Callable[["LearningSession"], None]) -> Ending | None:
        """Play a game from its first click to its end; None where that was not seen."""
        contradictions = self.belief.contradictions
        try:
            for cells, known in game.choices(lambda mines: self._is_time_to_lose(game, mines)):
                if not game.open(cells, known):
                    break
                if self._now() - self._begun > PACE.longest_s:
                    return None  # of a game that goes on nothing tells the end
                if self._now() - self._shown > PACE.show_every_s:
                    show(self)
                    self._shown = self._now()
            self._end(game)
        except ImpossibleBoardError:
            self.belief.add(Withdrawn(contradicts=True))
        ending = self.belief.ending
        if self.belief.contradictions > contradictions:  # a client that was slow, or something in front of it
            self.tracker.touch.times.note_late_change()
            game.last = None
        if self.belief.contradictions > PACE.contradicting_games:
            raise UntrustedReadingError(
                f"what was seen cannot have come from Minesweeper in {self.belief.contradictions} games",
                hint="is something in front of the board, or moving on it? Name the board's place: --region WxH+X+Y",
            )
        return ending

    def _is_time_to_lose(self, game: LiveGame, mines: Knowns) -> bool:
        """Whether a lost game would teach more than this one going on: the board is half open, numbers are known."""
        unseen = not {"mine", "wrong_flag"} <= set(self.belief.marks.shown)
        ends = Counter(ending.result for ending in self.belief.endings)
        tried = max(ends["lost"], self.tried.losses) >= PACE.enough_lost
        is_turn_to_win = self.tried.losses > ends["won"]  # what a loss has not told a win may tell
        is_long = self._now() - game.begun > PACE.long_game_s
        teaches = is_long or (self.games > 1 and unseen and not tried)
        enough = game.opened.mean() > PACE.half_open_share and len(game.clickable(mines == MINE)) > 1
        return teaches and enough and not (is_turn_to_win or game.misflags)

    def _end(self, game: LiveGame) -> None:
        """Note how a game ended, once what is in front of it is gone."""
        self._uncover(game)
        if game.first is not None:
            self.belief.add(game.first)
        if game.last is None or game.clicked is None:
            self._silent += 1
            if self._silent == _MOST_SILENT:
                raise StuckError("the board does not react to clicks", hint="is its window in front?")
            self.belief.add(Withdrawn(contradicts=False))  # its first click, before the game began, was its last
            return
        self._silent = 0
        self._note_window()
        self.belief.add(game.ended(game.last, game.clicked))
        ending = self.belief.ending
        if ending is None:
            return
        game.over = game.over or ending.result is not None
        if ending.result == "won" and self.tried.flags_to_win is None:
            self.tried.flags_to_win = False
        if ending.mines is not None and ending.seen:
            self.scenes.append(game.last)

    def _uncover(self, game: LiveGame) -> None:
        """Take away what has come up in front of the board or beside it."""
        tracker, dismisser = self.tracker, self.dismisser
        if tracker.is_covered and tracker.find_again():
            game.last = tracker.scene()
        is_covered = tracker.is_covered
        if not (is_covered or game.unanswered or dismisser.sees_box()):
            return
        front, game.behind = tracker.scene(covered=True), dismisser.covered()
        is_gone = dismisser.take_away()
        if is_gone and not tracker.is_fresh:
            game.last, game.behind = tracker.scene(), frozenset()
        elif is_covered and game.clicked is not None and not is_gone:
            self.belief.add(game.ended(tracker.scene(covered=True), game.clicked, is_covered=True))
        elif is_covered and game.clicked is not None and not front.hidden[game.clicked]:
            game.last = front  # the next game may have begun: of this one there is what was seen around the box
