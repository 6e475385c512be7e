"""Beginning new games of an unknown client, whatever its last one has left in front of the board."""

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sweepbot.calibrate.manners import Closing, Manners
from sweepbot.calibrate.place import Image, find_places, is_as_large
from sweepbot.calibrate.restart import LOAD_AGAIN, MORE_KEYS, NEW_WINDOW, Way, careful_ways, clicks
from sweepbot.calibrate.round import Round
from sweepbot.calibrate.table import Pictures, Table
from sweepbot.calibrate.trials import Marks
from sweepbot.errors import StuckError
from sweepbot.geometry import Cell
from sweepbot.vision.blobs import find_changes
from sweepbot.vision.grid import Grid

_DIALOG_KEYS = ("esc", "enter", "enter")
"""What takes away a dialog. A client without one may end at the first key, others begin the same game again."""

_CLOSING_KEYS = ("enter", "esc", "enter")
"""What may take away anything else, tried where nothing else begins a game."""

_PART = 0.8
"""The share of the board's pixels that a dialog covers at most; what changes all of them is no dialog."""

_FILLED = 0.6
"""The share of its box that a dialog changes; a text that is written over the board changes less."""

_DIALOG = (150, 60)
"""Width and height in pixels of the smallest dialog."""

_LONGEST_DIALOG = 5.0
"""Seconds for which something may stand in front of the board that goes by itself."""

_LONGEST_SEARCH, _LONGEST_TIDYING = 60.0, 20.0
"""Seconds for which a way to begin a game is sought: after each game, and after the last one."""

_ATTEMPTS = 4
"""How often a known way to begin a new game is tried before others are sought."""

_STILL = 2.0
"""Pixels by which a board that has stayed where it was may seem to have moved: its outer cells may be open now."""


class Dealer:
    """Begins new games.

    Args:
        table: The board.
        manners: Takes in what began a game, and what had to be closed before.
        tell: Told in words what happens.
    """

    def __init__(self, table: Table, manners: Manners, tell: Callable[[str], None]) -> None:
        self._table = table
        self._manners = manners
        self._tell = tell
        self._home = table.place
        self._in_vain = False
        self._loads_again = False
        self._closed_by = _CLOSING_KEYS[0]
        self._untouched = self._desktop()

    def deal(self, last: Round, result: str, marks: Marks) -> None:
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
        self._table.look()
        if self._table.is_fresh(starts_open=False):  # what closed a dialog has begun a game
            way = Way(key=self._closed_by)
            if way not in self._manners.restart:
                self._manners.restart.append(way)
            return
        for way in self._manners.restart * _ATTEMPTS:
            if self._begins(way, last, ends):
                return
        self._seek(last, result, ends, _LONGEST_SEARCH)

    def _seek(self, last: Round, result: str, ends: list[int], limit: float) -> None:
        """Begin a new game in a way that was not tried yet, within so many seconds.

        Raises:
            StuckError: Nothing begins one.
        """
        begun = time.monotonic()
        tries = _ATTEMPTS if self._manners.starts_open else 1  # a board that is nearly all open is hard to tell
        for keys, way in self._untried():
            if time.monotonic() - begun > limit:
                break
            if any(self._begins(way, last, ends) for _ in range(tries)):
                if way not in self._manners.restart:
                    self._manners.restart.append(way)
                    self._tell(f"a new game begins with {way}")
                if keys:
                    self._manners.close(result, Closing(keys, 0.0))
                    self._in_vain = False
                return
        raise StuckError(
            "no new game begins: no button near the board and no key that is usual begins one",
            hint="begin one by hand and calibrate again",
        )

    def tidy(self, last: Round, result: str, marks: Marks) -> None:
        """Leave a new board behind after the last game; one that is left in the middle, where a known way begins it.

        Raises:
            StuckError: The game is over, and nothing begins a new one.
        """
        ends = _left_over(marks)
        self._table.look()
        if self._table.is_fresh(starts_open=False):
            return
        for way in self._manners.restart:
            if self._begins(way, last, ends):
                return
        if last.over:
            self._seek(last, result, ends, _LONGEST_TIDYING)

    def uncover(self) -> Closing | None:
        """Take away what came in front of the board at the end of a game; None where nothing takes it away.

        What a key has made smaller may be one thing of two, and the other one may go by itself. A key that may end the
        client is pressed for a dialog only, or where it was seen to close what came.
        """
        table = self._table
        keys: list[str] = []
        if self._in_vain:
            return None
        for key in self._closing_keys():
            before = table.now
            table.press(key)
            keys.append(key)
            self._closed_by = key
            table.look()
            lasts = self._goes_within(_LONGEST_DIALOG if (table.now != before).any() else 0.0)
            if lasts is not None:
                return Closing(keys, lasts)
        lasts = self._goes_within(_LONGEST_DIALOG)
        self._in_vain = lasts is None
        return None if lasts is None else Closing(keys, lasts)

    def answer(self) -> Closing | None:
        """Take away what has come up beside the board and lets no click through; None where nothing is to be seen.

        What comes up is as large as a dialog: some clients end at the key that closes one.
        """
        board, now = self._in_view().region, self._desktop()
        changes = find_changes(self._untouched, now)
        beside = [change for change in changes if change.intersection(board) != change]
        if not any(change.width >= _DIALOG[0] and change.height >= _DIALOG[1] for change in beside):
            return None
        keys: list[str] = []
        for key in _DIALOG_KEYS[:2]:
            before = self._table.now
            self._table.press(key)
            self._table.look(patiently=True)
            keys.append(key)
            self._closed_by = key
            if (self._table.now != before).any():
                return Closing(keys, 0.0)
        return None

    def _closing_keys(self) -> Sequence[str]:
        known = [closing.keys for closing in self._manners.closings.values()]
        if known:
            return max(known, key=len)
        return _DIALOG_KEYS if self._is_dialog() else _CLOSING_KEYS[:1]

    def _is_dialog(self) -> bool:
        """Whether what stands in front of the board is a box that covers a part of it, and dims nothing."""
        before, now = self._table.unharmed, self._table.image
        changes = find_changes(before, now)
        if not changes:
            return False
        box = max(changes, key=lambda change: change.width * change.height)
        changed = (before != now)[box.y : box.bottom, box.x : box.right].any(axis=2)
        is_part = box.width * box.height <= _PART * now.shape[0] * now.shape[1]
        return is_part and float(changed.mean()) >= _FILLED

    def _goes_within(self, limit: float) -> float | None:
        """Wait for the board to be seen again, be it a new one; the seconds that takes, None where it takes longer."""
        begun = time.monotonic()
        while self._table.is_covered and not self._table.is_fresh(starts_open=False):
            if time.monotonic() - begun >= limit:
                return None
            self._table.look()
        return time.monotonic() - begun

    def _untried(self) -> Iterator[tuple[list[str], Way]]:
        """Everything that may begin a new game, with the keys that were pressed before to close what is in the way."""
        pressed: list[str] = []
        for closing in (None, *_CLOSING_KEYS):
            if closing is not None:
                yield list(pressed), Way(key=closing)
                pressed.append(closing)
                yield from ((list(pressed), way) for way in list(self._manners.restart))
            careful = list(careful_ways(self._desktop(), self._in_view(), self._untouched))
            for way in careful:
                yield list(pressed), way
                if way.click is not None:  # it may have been a button that closes something
                    yield from ((list(pressed), known) for known in list(self._manners.restart))
            keys = MORE_KEYS if self._loads_again else (NEW_WINDOW, *MORE_KEYS)
            yield from ((list(pressed), Way(key=key)) for key in keys)
        for way in clicks(self._desktop(), self._untouched, self._in_view()):
            yield list(pressed), way
        yield pressed, Way(key=NEW_WINDOW)

    def _begins(self, way: Way, last: Round, ends: list[int]) -> bool:
        """Follow a way; whether there is a new board now."""
        before = self._table.now
        self._table.expect_new_game()
        way.follow(self._table.touch, self._table.press, self._home, self._table.around)
        for patiently in (False, True):
            self._table.look(patiently=patiently)
            if self._has_begun(before, last.clicked, ends):
                return True
            if not (self._table.now != before).any():
                return False
        self._loads_again |= way.key == LOAD_AGAIN
        return self._has_moved() and self._has_begun(before, last.clicked, ends)

    def _has_begun(self, before: Pictures, clicked: Cell | None, ends: list[int]) -> bool:
        if self._table.is_fresh(starts_open=False):
            self._manners.starts_open = False
            self._table.learn_hidden()
            return True
        return self._manners.starts_open and self._has_begun_open(before, clicked, ends)

    def _has_begun_open(self, before: Pictures, clicked: Cell | None, ends: list[int]) -> bool:
        """Whether a board with an open region is a new one: nothing of the old game's end is left."""
        changed = self._table.now != before
        # A cell that the last click did not open, as the game was over, may well look hidden on the new board too.
        was_open = clicked is not None and not self._table.hidden_in(before)[clicked]
        left_over = np.isin(self._table.now, ends).any() or (was_open and not changed[clicked])
        return bool(changed.any()) and not left_over and self._table.is_fresh(starts_open=True)

    def _has_moved(self) -> bool:
        """Find the board where it now is, if it is another place."""
        for found in find_places(self._desktop()):
            place = found.moved(self._table.touch.screen.region.origin)
            if is_as_large(place, self._home) and not place.nearly(self._table.place, _STILL):
                self._table.touch.park(place.region)  # a button may have been where the board now is
                self._table.lie_at(place)
                self._home = place
                return True
        return False

    def _desktop(self) -> Image:
        return self._table.touch.screen.grab(None).image

    def _in_view(self) -> Grid:
        return self._table.place.moved(-self._table.touch.screen.region.origin)


def _left_over(marks: Marks) -> list[int]:
    """Pictures that the end of a game leaves on the board, and that no new one shows."""
    # Where no mine was seen, what was taken for one that exploded may be a number on a slow client.
    states = ("mine", "exploded", "wrong_flag", "flag") if "mine" in marks else ("wrong_flag", "flag")
    return [picture for state in states for picture in marks.get(state, ())]
