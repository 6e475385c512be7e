"""A desktop whose calls all go to one object, which records a real desktop's answers or replays them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from sweepbot.clock import Clock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.glances import Glances
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Screen
from sweepbot.desktop.windows import Window, WindowId
from sweepbot.geometry import Point, Region
from sweepbot.trace.entries import AnyCall, Click, Key, Move, Pointer, WindowsCall
from sweepbot.trace.events import box

_Call = TypeVar("_Call", bound=AnyCall)


class Answers(Screen, Glances, Protocol):
    """Answers the calls to a desktop; it is its screen, and its glances."""

    def answer(self, call: _Call, ask: Callable[[Desk], object]) -> _Call:
        """Return any other call with its answer filled in; `ask` makes the call on a real desktop."""


def answered_desk(
    answers: Answers, clock: Clock, *, knows_windows: bool, latency_s: float, monitors: tuple[Region, ...] = ()
) -> Desk:
    """Make a desktop that gives these answers."""
    windows: Any = _Windows(answers) if knows_windows else None
    return _AnsweredDesk(answers, _Mouse(answers), windows, clock, latency_s, monitors, answers=answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnsweredDesk(Desk):
    answers: Answers

    def glances(self) -> Glances:
        return self.answers


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

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        call = Click(at=(at.x, at.y), button=button, hold_s=hold_s)
        self._answers.answer(call, lambda desk: desk.mouse.click(at, button, hold_s))

    def press(self, key: str) -> None:
        self._answers.answer(Key(key=key), lambda desk: desk.mouse.press(key))


class _Windows:
    """Passes on calls of `Windows` by the method's name. A trace has only titles of clients learned or minimised."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def __getattr__(self, method: str) -> Callable[..., object]:
        return partial(self._ask, "shown" if method == "known" else method)

    def _ask(self, asked: str, *about: object) -> object:
        call = WindowsCall(asked=asked, about=[number for it in about for number in _as_numbers(it)])
        answer = self._answers.answer(call, lambda desk: getattr(desk.windows, asked)(*about))
        made_of = _ANSWERS.get(asked)
        return answer.ids if made_of is None else made_of(answer)


def _as_numbers(about: object) -> Sequence[int]:
    """Return the argument of a call as numbers; words are left out."""
    match about:
        case int():
            return [about]
        case Point():
            return about.x, about.y
        case Region():
            return box(about)
    return ()


def fill(call: AnyCall, answer: object) -> None:
    """Fill a desktop's answer into a call."""
    match call, answer:
        case Pointer(), Point():
            call.at = answer.x, answer.y
        case WindowsCall(), bool():
            call.ids = call.about if answer else ()
        case WindowsCall(), str():
            call.text = answer
        case WindowsCall(), Region():
            call.box = box(answer)
        case WindowsCall(), int() | Window():
            _fill_windows(call, [answer])
        case WindowsCall(), list() | tuple():
            _fill_windows(call, answer)
        case _:
            assert answer is None, answer  # noqa: S101  (the call has no answer)


def _fill_windows(call: WindowsCall, windows: Iterable[Window | WindowId]) -> None:
    """Fill windows, or their numbers, into a call."""
    described = [it for it in windows if isinstance(it, Window)]
    call.windows = [(w.id, *box(w.region), w.owner) for w in described]
    call.programs = [w.program for w in described] if any(w.program for w in described) else ()
    call.menus = [w.id for w in described if w.is_menu]
    frames = [None if w.frame is None else box(w.frame) for w in described]
    call.frames = frames if any(frames) else ()
    call.ids = [it for it in windows if isinstance(it, int)]


def _as_windows(call: WindowsCall) -> list[Window]:
    programs = call.programs or [0] * len(call.windows)
    frames = call.frames or [None] * len(call.windows)
    lines = zip(call.windows, frames, programs, strict=True)
    return [
        Window(line[0], Region(*line[1:5]), line[5], frame and Region(*frame), program, line[0] in call.menus)
        for line, frame, program in lines
    ]


_ANSWERS: Mapping[str, Callable[[WindowsCall], object]] = {
    "shown": _as_windows,
    "under": lambda call: next(iter(_as_windows(call)), None),
    "with_keyboard": lambda call: next(iter(call.ids), None),
    "exists": lambda call: bool(call.ids),
    "title": lambda call: call.text,
    "room": lambda call: Region(*call.box) if call.box else None,
}
"""How to make the answers to these methods from a call; all other methods answer with window numbers, if at all."""
