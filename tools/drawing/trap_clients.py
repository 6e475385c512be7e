"""Minesweepers drawn from seeds, with traps around their boards: every harmful click and key is counted."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Phase, State
from sweepbot.desktop.mouse import Button
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import FirstClick, Level
from tools.drawing.skins import Colour, Skin, SkinDesktop, fill, part, say

RESTARTS = (
    *("face", "corner face", "header", "wide", "word", "below", "beside"),
    *("f2", "n", "space", "put up", "box", "ctrl+n", "ctrl+r"),
)
"""The only way to a new game: a control, by its place and look, or a key.

Faces and headers look otherwise once a game is over; all other controls say "New game".
"""

ENDS = ("plain", "plain", "dimmed", "silent win", "silent")
"""The look of a game's end: `silent` shows neither its mines nor a win; `flags` is won only once every mine is flagged,
and starts no game before."""

TRAPS = ("menu", "levels", "link", "mode", "cross", "esc quits", "q quits", "put up")

HELD_S = 0.05
"""How long some buttons must be held, in seconds: they are polled 20 times a second."""

_BAR, _ROW = 20, 24  # pixels: heights of a bar of the window, and of a button


@dataclass(frozen=True, slots=True)
class Kind:
    """A client: its skin, and what is around its board; all follows from the seed."""

    skin: Skin
    restart: str
    end: str
    traps: frozenset[str]
    mines: tuple[int, ...]
    """The possible totals of mines of a game."""
    covers: bool
    """Whether a box covers part of a finished game until its button is clicked."""
    moves: bool
    """Whether the board is lower while a game is over, as below a message."""
    holds: bool
    """Whether a button only counts if it is held for `HELD_S`."""
    goes_on: bool
    """Whether a game goes on after a mine was hit and shown."""
    row_px: int = 0
    """How many pixels a row with an open cell pushes down what is below it."""

    @classmethod
    def of(cls, seed: int) -> "Kind":
        rng = random.Random(7000 + seed)
        restart = RESTARTS[seed % len(RESTARTS)]
        skin = replace(Skin.of(rng.randrange(10_000)), face=False, gradient=0)
        skin = replace(skin, pitch=max(16, min(44, skin.pitch)), first_click=rng.choice(list(FirstClick)))
        traps = {trap for trap in TRAPS if rng.random() < 0.45}
        mines = tuple(rng.sample(range(9, 15), 3)) if rng.random() < 0.3 else (11,)
        end = rng.choice(ENDS)
        covers, moves = restart != "box" and rng.random() < 0.2, rng.random() < 0.2
        rest = rng.random()
        holds, goes_on = rest < 0.15, 0.15 <= rest < 0.25 and end == "plain"
        skin = replace(skin, first_click=FirstClick.SAFE) if goes_on else skin
        return cls(skin, restart, end, frozenset(traps), mines, covers, moves, holds, goes_on)

    @classmethod
    def plain(cls, restart: str, *traps: str, end: str = "plain", moves: bool = False) -> "Kind":
        """A client with nothing special but its restart, its end and what is around its board."""
        kind = replace(cls.of(16), restart=restart, end=end, traps=frozenset(traps), moves=moves)
        return replace(kind, covers=False, holds=False, goes_on=False, mines=(11,))


class TrapDesktop(SkinDesktop):
    """A desktop with one client of a kind.

    Attributes:
        harm: Clicks and keys that no learner may use.
        ends: How each game ended, in order.
    """

    drawn_by: ClassVar[tuple[str, ...] | None] = ("_ended", "_is_boxed", "_marks_only", "game.over")

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.harm: list[str] = []
        self.ends: list[str] = []
        self._ended = self._marks_only = self._is_boxed = False
        self._hit: set[Cell] = set()
        self._totals = random.Random(kind.skin.seed)
        super().__init__(kind.skin, Level(9, 9, kind.mines[0]))
        self._controls = dict(self._laid_out())
        window = self._controls["window"]
        board = part(self._image, self.area).copy()
        fill(self._image, window, kind.skin.ground)
        fill(self._image, Region(window.x, window.y, window.width, _BAR), (150, 110, 80))
        fill(self._image, self.area, board)
        self._ink: Colour = (10, 10, 10) if kind.skin.ground[1] > 127 else (240, 240, 240)

    def _laid_out(self) -> Iterable[tuple[str, Region]]:
        """The places of everything, by name."""
        board, kind = self.area, self.kind
        width = board.width + (110 if kind.restart == "beside" else 40)
        window = Region(board.x - 20, board.y - 110, width, board.height + 170)
        yield "window", window
        if "cross" in kind.traps:
            yield "trap cross", Region(window.right - 20, window.y + 3, 14, 14)
        if "menu" in kind.traps:
            for number, width in enumerate((34, 28, 30)):
                yield f"trap menu {number}", Region(window.x + 8 + 46 * number, window.y + _BAR + 4, width, 12)
        if "levels" in kind.traps:
            for number in range(3):
                width = board.width // 3 - 8
                yield f"trap level {number}", Region(board.x + number * (width + 12), board.y - 74, width, 18)
        if "link" in kind.traps:
            yield "trap link", Region(board.x, board.bottom + 40, 60, 12)
        if "mode" in kind.traps:
            yield "trap mode", Region(board.right - 56, board.bottom + 10, 56, _ROW)
        if "put up" in kind.traps:
            yield "trap put up", Region(board.x, board.bottom + 10, 56, _ROW)
        middle = board.centre
        places = {
            "face": Region(middle.x - 14, board.y - 52, 28, 28),
            "corner face": Region(board.x + 4, board.y - 52, 28, 28),
            "header": Region(board.x, board.y - 40, 100, 16),
            "wide": Region(middle.x - 45, board.y - 34, 90, _ROW),
            "word": Region(middle.x - 30, board.y - 30, 60, 14),
            "below": Region(middle.x - 50, board.bottom + 10, 100, _ROW),
            "beside": Region(board.right + 26, middle.y - 12, 56, _ROW),
            "put up": Region(middle.x - 45, middle.y - 13, 90, 26),
        }
        if kind.restart in places:
            yield "restart", places[kind.restart]

    @property
    def box(self) -> Region:
        """The region of the box in front of a finished game."""
        return Region(self.area.centre.x - 75, self.area.centre.y - 35, 150, 70)

    @property
    def box_button(self) -> Region:
        """The button on that box."""
        return Region(self.box.centre.x - 30, self.box.bottom - 30, 60, 22)

    def _deal(self) -> None:
        self._level = replace(self._level, mines=self._totals.choice(self.kind.mines))
        super()._deal()
        self._is_boxed = False
        self._hit = set()

    @property
    def _awaits_flags(self) -> bool:
        """Whether every safe cell is open, but not every mine flagged, where that is required."""
        is_won = self._game.phase is Phase.WON and self.kind.end == "flags"
        return is_won and int(self._flagged.sum()) < self._level.mines

    @property
    def _off(self) -> NDArray[np.intp]:
        """How many pixels lower each row is."""
        is_open = (self.shown() < State.HIDDEN).any(axis=1)
        lower = self.kind.row_px * (np.cumsum(is_open, dtype=np.intp) - is_open)
        return lower + 6 * (self.kind.moves and self._game.over)

    def shown(self) -> NDArray[np.uint8]:
        """The state that each cell shows, as far as this kind shows it."""
        cells = super().shown()
        for cell in self._hit:
            cells[cell] = State.EXPLODED
        if self.kind.end == "silent" and self._game.over:
            cells[cells > State.HIDDEN] = State.HIDDEN
        if self.kind.end in ("silent win", "flags") and self._game.phase is Phase.WON:
            cells[(cells == State.FLAG) & ~self._flagged] = State.HIDDEN
        return cells

    def draw_over(self, whole: Image) -> None:
        if self._ended:
            whole[:] = 40
            return
        self._move_board(whole)
        for name, place in self._controls.items():
            self._draw(whole, name, place)
        self._cover(whole)

    def _move_board(self, image: Image) -> None:
        lower = self._off
        if lower.any():
            area, pitch = self.area.grown(1), self.skin.pitch
            board = part(image, area).copy()
            fill(image, area, self.skin.ground)
            for row, down in enumerate(lower.tolist()):
                top, bottom = row * pitch + (row > 0), (row + 1) * pitch + 1 + (row == len(lower) - 1)
                image[area.y + top + down : area.y + bottom + down, area.x : area.right] = board[top:bottom]

    def _draw(self, image: Image, name: str, place: Region) -> None:
        if name == "trap cross":
            self._cross(image, place)
        elif name.startswith(("trap menu", "trap link")):
            self._word(image, place)
        elif name == "restart":
            self._restart(image, place)
        elif name != "window" and (name != "trap put up" or self._game.over):
            self._button(image, place, is_down=name == "trap mode" and self._marks_only)

    def _restart(self, image: Image, place: Region) -> None:
        """Draw the control that begins a new game, unless only the end brings it up."""
        match self.kind.restart:
            case "face" | "corner face":
                cv2.circle(image, (place.centre.x, place.centre.y), 13, (60, 210, 230), -1)
                middle, turn = place.centre + Point(0, 9 if self._game.over else 3), 180 if self._game.over else 0
                for x in (-4, 4):
                    cv2.circle(image, (place.centre.x + x, place.centre.y - 4), 2, (20, 20, 20), -1)
                cv2.ellipse(image, (middle.x, middle.y), (6, 4), 0, turn, turn + 180, (20, 20, 20), 1)
            case "header":
                say(image, place, "Game over!" if self._game.over else "Mines", self._ink)
            case "word":
                say(image, place, "New game", self._ink)
            case "wide" | "below" | "beside":
                self._button(image, place, words="New game" if place.width > 60 else "New")

    def _cover(self, image: Image) -> None:
        """Draw what the end of a game puts in front of the board."""
        if self._game.over and self.kind.end == "dimmed":
            part(image, self.area)[:] //= 2
        if self._game.over and self.kind.restart == "put up":
            self._button(image, self._controls["restart"], words="Play again")
        if self._is_boxed:
            fill(image, self.box, (60, 60, 60))
            fill(image, self.box.grown(-1), (225, 225, 225))
            self._word(image, Region(self.box.x + 20, self.box.y + 14, 80, 12), (20, 20, 20))
            self._button(image, self.box_button)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        """Click: the box first, then what is around the board, then the board."""
        if self.kind.holds and hold_s < HELD_S:
            self._position = at
            return
        name = next((name for name, place in self._controls.items() if at in place and name != "window"), "")
        if self._ended:
            self.harm.append("another program")
        elif self._is_boxed:
            self._position = at
            if at in self.box_button:
                self._is_boxed = False
                if self.kind.restart == "box":
                    self._deal()
        elif name.startswith("trap") and (name != "trap put up" or self._game.over):
            self._position = at
            self._do_harm(name)
        elif name == "restart" and (self.kind.restart != "put up" or self._game.over):
            self._position = at
            if not self._awaits_flags:
                self._deal()
        elif at.y >= self.area.bottom + self._off[-1] or at not in self._controls["window"]:
            self._position = at
        else:
            self._click_board(at, button)

    def _click_board(self, at: Point, button: Button) -> None:
        was_over = self._game.over
        if self._marks_only and button == "left":
            button = "right"
        inside, lower = at - self.area.origin, self._off
        row = max(0, int(np.searchsorted(np.arange(len(lower)) * self.skin.pitch + lower, inside.y, side="right")) - 1)
        cell = Cell(row, inside.x // self.skin.pitch)
        if self._awaits_flags and button == "right" and self.shown()[cell] == State.HIDDEN:
            self._flagged[cell] = True
        if self.kind.goes_on and button == "left" and cell in self._game.mines and not was_over:
            self._position = at
            if self._game.board[cell] == State.HIDDEN:
                self.ends += [] if self._hit else ["lost"]
                self._hit.add(cell)
            return
        super().click(at - Point(0, int(lower[row]) if at.y >= self.area.y + lower[row] else 0), button)
        self._position = at
        if self._game.over and not was_over and not self._hit:
            self.ends.append(self._game.phase.value)
        boxes = self.kind.covers or self.kind.restart == "box"
        self._is_boxed = self._is_boxed or (boxes and self._game.over and not was_over)

    def press(self, key: str) -> None:
        self.pressed.append(key)
        quits = {trap.removesuffix(" quits") for trap in self.kind.traps if trap.endswith("quits")}
        if self._ended:
            self.harm.append(f"{key} to another program")
        elif self._is_boxed:
            if key in ("enter", "esc"):
                self._is_boxed = False
                if self.kind.restart == "box":
                    self._deal()
        elif key in quits:
            self._do_harm(key)
        elif key == self.kind.restart:
            self._deal()

    def _do_harm(self, name: str) -> None:
        self.harm.append(name)
        if name == "trap mode":
            self._marks_only = not self._marks_only
        elif not name.startswith("trap level"):
            self._ended = True

    def _button(self, image: Image, place: Region, *, is_down: bool = False, words: str = "") -> None:
        fill(image, place, (90, 90, 90))
        fill(image, place.grown(-1), (140, 140, 140) if is_down else (208, 208, 208))
        if words:
            say(image, place.grown(-2), words, (20, 20, 20))
        else:
            self._word(image, place.grown(-6), (20, 20, 20))

    def _word(self, image: Image, place: Region, colour: Colour | None = None) -> None:
        width = max(6, min(place.width, 70))
        at = (place.centre.x - width // 2, place.centre.y + 5)
        letters = "".join(chr(ord("A") + (place.x + 7 * number) % 26) for number in range(max(2, width // 9)))
        cv2.putText(image, letters, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour or self._ink, 1, cv2.LINE_AA)

    def _cross(self, image: Image, place: Region) -> None:
        for ends in (
            ((place.x, place.y), (place.right, place.bottom)),
            ((place.x, place.bottom), (place.right, place.y)),
        ):
            cv2.line(image, *ends, self._ink, 2)
