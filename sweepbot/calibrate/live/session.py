"""Playing an unknown client, game after game, and learning its skin and its behaviour."""

import logging
import random
from collections.abc import Callable, Sequence

from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.endings import total_of
from sweepbot.calibrate.labels.log import FirstOpening, Titled, Untouched, Withdrawn
from sweepbot.calibrate.learned import Label
from sweepbot.calibrate.live.board_tracker import BoardTracker, Scene
from sweepbot.calibrate.live.dialog_dismisser import DialogDismisser
from sweepbot.calibrate.live.game import LiveGame, Tried
from sweepbot.calibrate.live.game_starter import GameStarter
from sweepbot.calibrate.thresholds import PACE
from sweepbot.errors import ImpossibleBoardError, StuckError, UntrustedReadingError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES

_log = logging.getLogger("sweepbot.calibrate")

Tell = Callable[[str], None]

Show = Callable[[Sequence[Label]], None]

_MOST_SILENT_GAMES = 3  # in a row, in which no click changed anything

_ENOUGH_SEEN = frozenset("01234")
"""The numbers without which learning goes on; higher ones are rare."""


class LearningSession:
    """Plays and learns.

    Attributes:
        tried: What was tried, and found out by that.
        dismisser: Closes dialogs.
        starter: Starts games.
        scenes: The last picture of each game in which all cells are known.
        stuck: Why no further game could be started; None if one could.
    """

    def __init__(self, tracker: BoardTracker, belief: Belief, calm: Image, tell: Tell) -> None:
        self.tracker = tracker
        self.belief = belief
        self.tried = Tried()
        self.dismisser = DialogDismisser(tracker, calm)
        self.starter = GameStarter(tracker, self.dismisser, tell)
        self._silent = 0  # the last games in a row in which no click changed anything
        self.scenes: list[Scene] = []
        self.stuck: StuckError | None = None
        self._tell = tell
        self._rng = random.Random(0)  # decides among cells that are equally good
        self._now = tracker.touch.clock.now
        self._noted: dict[type, Titled | Untouched] = {}
        self._shown_s = self._start_s = 0.0

    def learn(self, max_games: int, show: Show) -> None:
        """Play until nothing new is learned, `max_games` are played, or no other can be started.

        `show` is called now and then with the states known so far, each with its commonest picture.

        Raises:
            UntrustedReadingError: What is seen cannot be Minesweeper.
            StoppedByUserError: A person took over.
        """
        self._note_window()
        if not self.tracker.starts_open:  # one cell was clicked to find out whether this is a board
            self.belief.add(FirstOpening(int((~self.tracker.hidden).sum())))
        self._start_s = self._now()
        idle, before = 0, self._seen()
        is_last = False
        try:
            while not is_last:
                game = LiveGame(self.tracker, self.belief, self.tried, self._rng)
                number = self.tried.games
                self._play(game, show)
                result = self.belief.ending.result if self.belief.ending else None
                learned = self._seen()
                idle = idle + 1 if learned == before else 0
                new = ", ".join(sorted(learned - before)) or "nothing new"
                _log.info("game %d: %s, last click: %s", number, result or "ended", game.last and game.last.cell)
                self._tell(f"game {number}: {result or 'ended'}; learned {new}")
                before = learned
                is_counted = total_of(self.belief.endings) is not None
                has_enough = idle >= PACE.idle_games and is_counted and learned >= _ENOUGH_SEEN
                is_last = number == max_games or has_enough or self._now() - self._start_s > PACE.enough_s
                self._start_next(game, is_last=is_last)
                self._note_window()
        except StuckError as error:  # what was seen until then is still valid
            self.stuck = error
        self._note_window()
        self.belief.conclude()

    def _start_next(self, game: LiveGame, *, is_last: bool) -> None:
        """Start a game after another; if that is the last, leave a new board behind if it is over or a known way works.

        Raises:
            StuckError: No way starts one, or one has led elsewhere.
        """
        self.tracker.look()
        # If no click had an effect, the board may be that of a lost game.
        if not (self.tracker.is_fresh and (is_last or game.last is not None)):
            self.starter.start(is_needed=game.over or not is_last)
        elif not is_last:
            self.starter.note_begun()

    def _seen(self) -> set[str]:
        """Return the names of all states that are known, even if too little was seen of one to write it.

        A number that a single cell has shown is a reason to go on.
        """
        numbers = map(self.belief.numbers.number_of, self.belief.numbers.looks.all())
        return {str(number) for number in numbers if number is not None} | set(self.belief.marks.shown)

    def _note_window(self) -> None:
        """Log the window's title and the look of hidden cells, if they have changed."""
        hidden = (*map(int, self.tracker.baseline.ravel()), *sorted(self.tracker.focused))
        for entry in (Titled(self.tracker.touch.window.title), Untouched(hidden)):
            if entry != self._noted.get(type(entry)):
                self._noted[type(entry)] = entry
                self.belief.add(entry)

    def _play(self, game: LiveGame, show: Show) -> None:
        """Play a game from its first click to its end."""
        contradictions = self.belief.contradictions
        try:
            while game.step():
                if self._now() - self._start_s > PACE.longest_s:
                    return
                if self._now() - self._shown_s > PACE.show_every_s:
                    states, why, patches = self.belief.states, self.belief.why, self.belief.log.patches
                    commonest = {name: patches[shown.most_common(1)[0][0]] for name, shown in states.items()}
                    show([Label(name, [commonest[name]], why[name]) for name in STATE_NAMES if name in states])
                    self._shown_s = self._now()
            self._end(game)
        except ImpossibleBoardError:
            self.belief.add(Withdrawn(contradicts=True))
        if self.belief.contradictions > contradictions:  # the client was slow, or something was in front of it
            self.tracker.touch.times.note_late_change()
        if self.belief.contradictions > PACE.contradicting_games:
            raise UntrustedReadingError(
                f"{self.belief.contradictions} games contradict the rules of Minesweeper",
                hint="is something in front of the board, or moving on it? Give the board's place: --region WxH+X+Y",
            )

    def _end(self, game: LiveGame) -> None:
        """Log how a game ended, after removing what is in front of the board."""
        game.uncover(self.dismisser)
        if game.first is not None:
            self.belief.add(game.first)
        if game.last is None:
            self._silent += 1
            if self._silent == _MOST_SILENT_GAMES:
                raise StuckError("the board does not react to clicks", hint="is its window in front?")
            self.belief.add(Withdrawn(contradicts=False))  # its only click was the one before it started
            return
        self._silent = 0
        self._note_window()
        self.belief.add(game.ended(game.last))
        ending = self.belief.ending
        if ending is None:
            return
        if ending.result == "won" and self.tried.flags_to_win is None:
            self.tried.flags_to_win = False
        if ending.mines is not None and ending.seen:
            self.scenes.append(game.last.scene)
