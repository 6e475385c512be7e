"""The steps of a run as a person looks at them: the picture, its reading, the decision and the clicks."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from msgspec import structs

from sweepbot.geometry import Image, Region
from sweepbot.trace.entries import Click, Entry, Key
from sweepbot.trace.events import STEPS, Decided, FollowUp, Note, Read, Rested
from sweepbot.trace.trace import SeenScreen, Trace
from sweepbot.vision.grid import Grid

_AROUND_PX, _AROUND_CELLS = 48, 3.5  # around the board that is shown, whichever is more: counters and a face


@dataclass(slots=True, eq=False)
class Step:
    """A step of a run.

    Attributes:
        number: Its number, from 1.
        image: The picture: the board and a little around it.
        region: Where on the desktop that is.
        rested: When the picture had come to rest, in microseconds.
        read: What it shows.
        decided: The decision; None if there was none.
        acts: The clicks and keys that followed.
        is_one_of: Whether only one of these clicks was made, and it is not known which.
        notes: What else happened, in words.
        mistake: A person's mistakes, in words; empty if there are none, or the step was not graded.
    """

    number: int
    image: Image
    region: Region
    rested: int
    read: Read
    decided: Decided | None = None
    acts: list[Click | Key] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    mistake: list[str] = field(default_factory=list)
    is_one_of: bool = False

    @property
    def grid(self) -> Grid | None:
        """The lines of the board in the picture; None if the step is from a learning run."""
        return Grid(self.read.xs, self.read.ys).moved(-self.region.origin) if self.read.xs else None

    @property
    def is_guess(self) -> bool:
        """Whether a cell that was not certain was opened."""
        return self.decided is not None and not self.decided.safe and self.decided.best is not None


def steps_of(trace: Trace) -> Iterator[Step]:
    """Yield the steps of a run, in order.

    Raises:
        TraceError: The trace is broken.
    """
    seen = SeenScreen(trace)
    step: Step | None = None
    number = 0
    rested, at_rest = 0, seen.grab()
    grid = None
    for entry in trace.entries():
        seen.show(entry)
        if isinstance(entry, STEPS):
            if step is not None:
                yield step
            number += 1
        if isinstance(entry, Rested):
            rested, at_rest = entry.t, seen.grab()
        elif isinstance(entry, Read):
            # If its grid has changed, it was found in another picture than the one that had come to rest.
            last, grid = grid, (entry.xs, entry.ys)
            lines = Grid(entry.xs, entry.ys)
            around = lines.region.grown(max(_AROUND_PX, round(_AROUND_CELLS * max(lines.pitch))))
            region = around.intersection(trace.screen) or trace.screen
            image = at_rest.part(region).copy() if grid == last else seen.part(region)
            step = Step(number, image, region, rested, entry)
        elif isinstance(entry, FollowUp) and step is not None:
            step = _follow_up(number, entry, step, seen.part(step.region))
        elif step is not None:
            _note(step, entry)
    if step is not None:
        yield step


def _follow_up(number: int, entry: FollowUp, before: Step, image: Image) -> Step:
    """Make the step of a round's continuation: certain cells are clicked while other cells still change."""
    decided = Decided(
        t=entry.t,
        safe=entry.safe,
        mines=[],
        best=entry.safe[0],
        reason="single numbers and pairs of them, while other cells still change",
        chances=[[None] * len(row) for row in entry.rows],
    )
    read = structs.replace(before.read, t=entry.t, rows=entry.rows)
    return replace(before, number=number, image=image, rested=entry.t, read=read, decided=decided, acts=[], notes=[])


def _note(step: Step, entry: Entry) -> None:
    """Add what came after a step's reading to it."""
    if isinstance(entry, Decided):
        step.decided = entry
    elif isinstance(entry, Click | Key):
        step.acts.append(entry)
    elif isinstance(entry, Note):
        step.notes.append(str(entry))
