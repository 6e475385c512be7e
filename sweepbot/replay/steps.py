"""The steps of a run as a person looks at them: what was seen, what was made of it, and what was done then."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from sweepbot.geometry import Image, Region
from sweepbot.trace import entries as lines
from sweepbot.trace.canvas import Canvas
from sweepbot.trace.differences import in_words
from sweepbot.trace.trace import Trace, scene_picture, show

_AROUND = 48  # pixels around the board that are shown

ActKind = Literal["left", "middle", "right", "key"]


@dataclass(frozen=True, slots=True)
class Act:
    """A click at a pixel of the desktop, or a key.

    Attributes:
        kind: The button, or `key`.
        t: When, in microseconds since the run began.
        at: Where, None for a key.
        key: Which key, empty for a click.
    """

    kind: ActKind
    t: int
    at: lines.Pixel | None = None
    key: str = ""


@dataclass(slots=True, eq=False)
class Step:
    """A step.

    Attributes:
        number: Counted from 1.
        image: What was seen: the board and a little around it.
        region: Where on the desktop that is.
        rows: The board as text.
        xs: The vertical lines of its grid, in pixels of the desktop; none for a picture that learning knows.
        ys: The horizontal lines.
        phase: How far the game is.
        mines: The total of mines, None where it is not known.
        doubt: Why the reading is not trusted; empty where it is.
        confidence: How well the cells agree with their templates, in [0, 1].
        rested: When the picture had come to rest, in microseconds.
        read: When it had been read.
        decided: When it was decided, None where it was not.
        decision: What was decided.
        acts: What was done then.
        notes: What else happened, in words.
    """

    number: int
    image: Image
    region: Region
    rows: list[str]
    xs: list[float]
    ys: list[float]
    phase: str
    mines: int | None
    doubt: str
    confidence: float
    rested: int
    read: int
    decided: int | None = None
    decision: lines.Decision | None = None
    acts: list[Act] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_guess(self) -> bool:
        """Whether a cell was opened that was not certain."""
        return self.decision is not None and not self.decision.safe and self.decision.best is not None


def steps_of(trace: Trace) -> Iterator[Step]:
    """The steps of a run, in order.

    Raises:
        TraceError: The trace is broken.
    """
    canvas, pictures = Canvas(trace.screen), trace.pictures()
    step: Step | None = None
    number = 0
    at_rest = _AtRest(0, canvas.part(trace.screen))
    grid: _Lines = [], []
    for entry in trace.entries():
        show(entry, canvas, pictures)
        if isinstance(entry, lines.STEPS):
            if step is not None:
                yield step
            number += 1
        if isinstance(entry, lines.Rested):
            at_rest = _AtRest(entry.t, canvas.part(trace.screen))
        elif isinstance(entry, lines.Reading):
            grid = entry.xs or grid[0], entry.ys or grid[1]
            has_moved = entry.xs is not None  # then it was found by another look than the one that had come to rest
            picture = canvas.part(trace.screen) if has_moved else at_rest.screen
            step = _step(number, entry, grid, _AtRest(at_rest.t, picture), trace.screen)
        elif isinstance(entry, lines.WentOn) and step is not None:
            step = _went_on(number, entry, step, _part(canvas.part(trace.screen), step.region, trace.screen))
        elif isinstance(entry, lines.Scene):
            step = _scene(number, entry, scene_picture(entry, pictures))
        elif step is not None:
            _note(step, entry)
    if step is not None:
        yield step


_Lines = tuple[list[float], list[float]]


@dataclass(frozen=True, slots=True, eq=False)
class _AtRest:
    """A picture of the whole screen, and when it had come to rest."""

    t: int
    screen: Image


def _step(number: int, entry: lines.Reading, grid: _Lines, at_rest: _AtRest, screen: Region) -> Step:
    region = _view(*grid, screen)
    return Step(
        number=number,
        image=_part(at_rest.screen, region, screen),
        region=region,
        rows=entry.rows,
        xs=grid[0],
        ys=grid[1],
        phase=entry.phase,
        mines=entry.mines,
        doubt=entry.doubt,
        confidence=entry.confidence,
        rested=at_rest.t,
        read=entry.t,
    )


def _went_on(number: int, entry: lines.WentOn, before: Step, image: Image) -> Step:
    """A step of a round that goes on: its certain cells are clicked while others of the board still change."""
    decision = lines.Decision(
        t=entry.t,
        safe=entry.safe,
        mines=[],
        best=entry.safe[0],
        reason="single numbers and pairs of them, while cells still change",
        chances=[[None] * len(row) for row in entry.rows],
    )
    return replace(
        before,
        number=number,
        image=image,
        rows=entry.rows,
        rested=entry.t,
        read=entry.t,
        decided=entry.t,
        decision=decision,
        acts=[],
        notes=[],
    )


def _scene(number: int, entry: lines.Scene, image: Image) -> Step:
    region = Region(0, 0, image.shape[1], image.shape[0])
    return Step(number, image, region, entry.rows, [], [], entry.name, None, "", 1.0, entry.t, entry.t)


def _note(step: Step, entry: lines.Entry) -> None:
    """Add to a step what came after its reading."""
    match entry:
        case lines.Decision():
            step.decision, step.decided = entry, entry.t
        case lines.Click(t=t, at=at, button=button):
            step.acts.append(Act(button, t, at))
        case lines.Key(t=t, key=key):
            step.acts.append(Act("key", t, key=key))
        case (
            lines.Retry()
            | lines.Restart()
            | lines.Dialog()
            | lines.Doubt()
            | lines.GameOver()
            | lines.Lesson()
            | lines.Finished()
        ):
            step.notes.append(in_words(entry))
        case _:
            pass


def _view(xs: list[float], ys: list[float], screen: Region) -> Region:
    left, top = round(xs[0]), round(ys[0])
    board = Region(left, top, max(1, round(xs[-1]) - left), max(1, round(ys[-1]) - top))
    return board.grown(_AROUND).intersection(screen) or screen


def _part(picture: Image, region: Region, screen: Region) -> Image:
    left, top = region.x - screen.x, region.y - screen.y
    return picture[top : top + region.height, left : left + region.width].copy()
