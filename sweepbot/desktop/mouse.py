"""The pointer and the keyboard, in pixels of the virtual desktop. The only file that imports pyautogui."""

from typing import Literal, Protocol

from sweepbot.geometry import Point

Button = Literal["left", "middle", "right"]


class Mouse(Protocol):
    """Something that can be pointed, clicked and typed with."""

    def position(self) -> Point:
        """The pixel under the pointer."""

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`."""

    def click(self, at: Point, button: Button = "left") -> None:
        """Press and release `button` over the pixel `at`, where the pointer then stays."""

    def press(self, key: str) -> None:
        """Press and release a key, or several at once joined by `+`: `f2`, `enter`, `ctrl+n`."""
