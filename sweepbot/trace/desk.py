"""A desktop all of whose calls go to one object, which records a real desktop's answers or replays them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from sweepbot.clock import Clock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Window, WindowId
from sweepbot.geometry import Point, Region
from sweepbot.trace.entries import AnyCall, Click, Key, Move, Pointer, Windows
from sweepbot.trace.events import box

_Call = TypeVar("_Call", bound=AnyCall)


class Answers(Protocol):
    """Answers the calls to a desktop."""

    @property
    def region(self) -> Region:
        """All that can be seen."""

    def grab(self, region: Region | None = None) -> Frame:
        """Answer a look. See `Screen.grab`."""

    def answer(self, call: _Call, ask: Callable[[Desk], object]) -> _Call:
        """Answer any other call.

        Args:
            call: What is asked.
            ask: Asks it of a real desktop.

        Returns:
            The call with its answer.
        """


def answered_desk(answers: Answers, clock: Clock, *, knows_windows: bool, latency_s: float) -> Desk:
    """A desktop that gives these answers."""
    windows = _Windows(answers) if knows_windows else None
    return Desk(answers, _Mouse(answers), windows, clock, latency_s)


class _Mouse:
    """See `Mouse`."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def position(self) -> Point:
        at = self._answers.answer(Pointer(), lambda desk: desk.mouse.position()).at
        assert at is not None  # noqa: S101  (it did not fail)
        return Point(*at)

    def move(self, to: Point) -> None:
        self._answers.answer(Move(to=(to.x, to.y)), lambda desk: desk.mouse.move(to))

    def click(self, at: Point, button: Button = "left") -> None:
        self._answers.answer(Click(at=(at.x, at.y), button=button), lambda desk: desk.mouse.click(at, button))

    def hold(self, at: Point, button: Button, seconds: float) -> None:
        call = Click(at=(at.x, at.y), button=button, hold_s=seconds)
        self._answers.answer(call, lambda desk: desk.mouse.hold(at, button, seconds))

    def press(self, key: str) -> None:
        self._answers.answer(Key(key=key), lambda desk: desk.mouse.press(key))


class _Windows:
    """See `Windows`. Of titles a trace has that of a learned client; of others which contain the words asked for."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def shown(self) -> Sequence[Window]:
        return _as_windows(self._ask("shown"))

    def known(self) -> Sequence[Window]:
        return self.shown()

    def exists(self, window: WindowId) -> bool:
        return bool(self._ask("exists", (window,), window).ids)

    def titled(self, words: Sequence[str]) -> Sequence[WindowId]:
        return self._ask("titled", (), words).ids

    def minimised(self, words: Sequence[str]) -> Sequence[WindowId]:
        return self._ask("minimised", (), words).ids

    def title(self, window: WindowId) -> str:
        return self._ask("title", (window,), window).text

    def of_programs(self, words: Sequence[str]) -> Sequence[WindowId]:
        return self._ask("of_programs", (), words).ids

    def under(self, pixel: Point) -> Window | None:
        return next(iter(_as_windows(self._ask("under", (pixel.x, pixel.y), pixel))), None)

    def with_keyboard(self) -> WindowId | None:
        return next(iter(self._ask("with_keyboard").ids), None)

    def room(self, window: WindowId) -> Region:
        room = self._ask("room", (window,), window).box
        assert room is not None  # noqa: S101  (it did not fail)
        return Region(*room)

    def focus(self, window: WindowId) -> None:
        self._ask("focus", (window,), window)

    def place(self, window: WindowId, region: Region) -> None:
        self._ask("place", (window, *box(region)), window, region)

    def dismiss(self, window: WindowId) -> None:
        self._ask("dismiss", (window,), window)

    def _ask(self, asked: str, about: Sequence[int] = (), *arguments: object) -> Windows:
        call = Windows(asked=asked, about=about)
        return self._answers.answer(call, lambda desk: getattr(desk.windows, asked)(*arguments))


def fill(call: AnyCall, answer: object) -> None:
    """Put a desktop's answer into the call that it answers."""
    match call, answer:
        case Pointer(), Point():
            call.at = answer.x, answer.y
        case Windows(), bool():
            call.ids = call.about if answer else ()
        case Windows(), int():
            call.ids = [answer]
        case Windows(), str():
            call.text = answer
        case Windows(), Region():
            call.box = box(answer)
        case Windows(), Window():
            _fill_in_all(call, [answer])
        case Windows(), list() | tuple():
            _fill_in_all(call, answer)
        case _:
            assert answer is None, answer  # noqa: S101  (it was done)


def _fill_in_all(call: Windows, windows: Iterable[Window | WindowId]) -> None:
    """The same for windows, or for their numbers."""
    told = [it for it in windows if isinstance(it, Window)]
    call.windows = [(w.id, *box(w.region), w.owner) for w in told]
    call.programs = [w.program for w in told] if any(w.program for w in told) else ()
    call.ids = [it for it in windows if isinstance(it, int)]


def _as_windows(call: Windows) -> list[Window]:
    programs = call.programs or [0] * len(call.windows)
    lines = zip(call.windows, programs, strict=True)
    return [Window(line[0], Region(*line[1:5]), line[5], program=program) for line, program in lines]
