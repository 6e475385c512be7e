"""Beginning new games of an unknown client, whatever its last one has left in front of the board."""

from collections.abc import Callable, Iterator

import numpy as np

from sweepbot.calibrate.labels.scene import Pictures
from sweepbot.calibrate.live.behaviour_probe import Marks
from sweepbot.calibrate.live.board_tracker import BoardTracker
from sweepbot.calibrate.live.dialog_dismisser import DialogDismisser
from sweepbot.calibrate.live.game import LiveGame
from sweepbot.calibrate.live.observed_behaviour import DialogAnswer, ObservedBehaviour
from sweepbot.calibrate.live.restart_ways import LOAD_AGAIN, MORE_KEYS, NEW_WINDOW, Way, careful_ways, clicks
from sweepbot.calibrate.untouched_boards import cell_size, find_places, is_as_large
from sweepbot.errors import StuckError
from sweepbot.geometry import Cell, Image
from sweepbot.vision.grid import Grid

_CLOSING_KEYS = ("enter", "esc", "enter")
"""What may take away anything else, tried where nothing else begins a game."""

_LONGEST_SEARCH, _LONGEST_TIDYING = 60.0, 20.0
"""Seconds for which a way to begin a game is sought: after each game, and after the last one."""

_ATTEMPTS = 4
"""How often a known way to begin a new game is tried before others are sought."""

_STILL = 2.0
"""Pixels by which a board that has stayed where it was may seem to have moved: its outer cells may be open now."""


class GameStarter:
    """Begins new games.

    Args:
        tracker: The board.
        observed: Takes in what began a game, and what had to be closed before.
        closer: Has closed what came up at the end of the game before.
        calm: The desktop before the first click.
        tell: Told in words what happens.
    """

    def __init__(
        self,
        tracker: BoardTracker,
        observed: ObservedBehaviour,
        closer: DialogDismisser,
        calm: Image,
        tell: Callable[[str], None],
    ) -> None:
        self._tracker = tracker
        self._observed = observed
        self._dismisser = closer
        self._calm = calm
        self._tell = tell
        self._home = tracker.place
        self._loads_again = False

    def deal(self, last: LiveGame, result: str, marks: Marks) -> None:
        """Begin a new game, trying what was not tried yet.

        Args:
            last: The game before.
            result: How it ended: `won`, `lost` or something else.
            marks: What was seen to be left over at the end of games.

        Raises:
            StuckError: Nothing begins one.
        """
        if not last.over:
            last.run_out()
        ends = _left_over(marks)
        self._tracker.look()
        if self._tracker.is_fresh(starts_open=False):  # what closed a dialog has begun a game
            if self._dismisser.last.key is not None and self._dismisser.last not in self._observed.restart:
                self._observed.restart.append(self._dismisser.last)
            return
        for way in self._observed.restart * _ATTEMPTS:
            if self._begins(way, last, ends):
                return
        self._seek(last, result, ends, _LONGEST_SEARCH)

    def _seek(self, last: LiveGame, result: str, ends: list[int], limit: float) -> None:
        """Begin a new game in a way that was not tried yet, within so many seconds.

        Raises:
            StuckError: Nothing begins one.
        """
        begun = self._tracker.touch.clock.now()
        tries = _ATTEMPTS if self._observed.starts_open else 1  # a board that is nearly all open is hard to tell
        for keys, way in self._untried():
            if self._tracker.touch.clock.now() - begun > limit:
                break
            if self._begins_within(tries, way, last, ends):
                if way not in self._observed.restart:
                    self._observed.restart.append(way)
                    self._tell(f"a new game begins with {way}")
                if keys:
                    self._observed.close(result, DialogAnswer(keys))
                    self._dismisser.in_vain = False
                return
        raise StuckError(
            "no new game begins: no button near the board and no key that is usual begins one",
            hint="begin one by hand and calibrate again",
        )

    def tidy(self, last: LiveGame, result: str, marks: Marks) -> None:
        """Leave a new board behind after the last game; one that is left in the middle, where a known way begins it.

        Raises:
            StuckError: The game is over, and nothing begins a new one.
        """
        ends = _left_over(marks)
        self._tracker.look()
        if self._tracker.is_fresh(starts_open=False):
            return
        for way in self._observed.restart:
            if self._begins(way, last, ends):
                return
        if last.over:
            self._seek(last, result, ends, _LONGEST_TIDYING)

    def _untried(self) -> Iterator[tuple[list[str], Way]]:
        """Everything that may begin a new game, with the keys that were pressed before to close what is in the way."""
        pressed: list[str] = []
        for closing in (None, *_CLOSING_KEYS):
            if closing is not None:
                yield list(pressed), Way(key=closing)
                pressed.append(closing)
                yield from ((list(pressed), way) for way in list(self._observed.restart))
            careful = list(careful_ways(self._desktop(), self._in_view(), self._calm))
            for way in careful:
                yield list(pressed), way
                if way.click is not None:  # it may have been a button that closes something
                    yield from ((list(pressed), known) for known in list(self._observed.restart))
            keys = MORE_KEYS if self._loads_again else (NEW_WINDOW, *MORE_KEYS)
            yield from ((list(pressed), Way(key=key)) for key in keys)
            if closing is None and not (
                self._tracker.is_covered or self._dismisser.sees_box()
            ):  # there is nothing to close
                yield from (([], way) for way in clicks(self._desktop(), self._calm, self._in_view()))
        for way in clicks(self._desktop(), self._calm, self._in_view()):
            yield list(pressed), way
        yield pressed, Way(key=NEW_WINDOW)

    def _begins_within(self, tries: int, way: Way, last: LiveGame, ends: list[int]) -> bool:
        """Follow a way so many times, as long as that changes anything; whether there is a new board now."""
        for _ in range(tries):
            before = self._tracker.now
            if self._begins(way, last, ends):
                return True
            if not (self._tracker.now != before).any():
                break
        return False

    def _begins(self, way: Way, last: LiveGame, ends: list[int]) -> bool:
        """Follow a way; whether there is a new board now."""
        before = self._tracker.now
        self._tracker.expect_new_game()
        way.follow(self._tracker.touch, self._tracker.press, self._home, self._tracker.around)
        for patiently in (False, True):
            self._tracker.look(patiently=patiently)
            if self._has_begun(before, last.clicked, ends):
                return True
            if not (self._tracker.now != before).any():
                return False
        self._loads_again |= way.key == LOAD_AGAIN
        return self._has_moved() and self._has_begun(before, last.clicked, ends)

    def _has_begun(self, before: Pictures, clicked: Cell | None, ends: list[int]) -> bool:
        if self._tracker.is_fresh(starts_open=False):
            self._observed.starts_open = False
            self._tracker.learn_hidden()
            return True
        return self._observed.starts_open and self._has_begun_open(before, clicked, ends)

    def _has_begun_open(self, before: Pictures, clicked: Cell | None, ends: list[int]) -> bool:
        """Whether a board with an open region is a new one: nothing of the old game's end is left."""
        changed = self._tracker.now != before
        # A cell that the last click did not open, as the game was over, may well look hidden on the new board too.
        was_open = clicked is not None and not self._tracker.hidden_in(before)[clicked]
        left_over = np.isin(self._tracker.now, ends).any() or (was_open and not changed[clicked])
        return bool(changed.any()) and not left_over and self._tracker.is_fresh(starts_open=True)

    def _has_moved(self) -> bool:
        """Find the board where it now is, if it is another place."""
        for found in find_places(self._desktop()):
            place = found.moved(self._tracker.touch.screen.region.origin)
            fits = is_as_large(place, self._home) and cell_size(place) == cell_size(self._home)
            if fits and not place.nearly(self._tracker.place, _STILL):
                self._tracker.touch.park(place.region)  # a button may have been where the board now is
                self._tracker.lie_at(place)
                self._home = place
                return True
        return False

    def _desktop(self) -> Image:
        return self._tracker.touch.screen.grab(None).image

    def _in_view(self) -> Grid:
        return self._tracker.place.moved(-self._tracker.touch.screen.region.origin)


def _left_over(marks: Marks) -> list[int]:
    """Pictures that the end of a game leaves on the board, and that no new one shows."""
    # Where no mine was seen, what was taken for one that exploded may be a number on a slow client.
    states = ("mine", "exploded", "wrong_flag", "flag") if "mine" in marks else ("wrong_flag", "flag")
    return [picture for state in states for picture in marks.get(state, ())]
