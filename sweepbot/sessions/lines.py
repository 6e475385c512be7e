"""What a player tells, and what was learned, as lines of a trace."""

import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from sweepbot import player
from sweepbot.geometry import Cell, Image
from sweepbot.player import Event
from sweepbot.solver import Decision
from sweepbot.trace import entries as lines
from sweepbot.vision.reader import Reading

if TYPE_CHECKING:  # to play takes nothing of what learns
    from sweepbot.calibrate.labels.log import Entry as LogEntry
    from sweepbot.calibrate.learned import Fixture, Learned

_DECIMALS = 4  # of a chance


class EventLines:
    """Turns what a player tells into lines, one an event."""

    def __init__(self) -> None:
        self._grid: tuple[list[float], list[float]] | None = None

    def line(self, event: Event, t: int) -> lines.Event | None:  # noqa: C901, PLR0911  (one a kind of event)
        """The line of an event at such a time, in microseconds; None for what other lines tell already."""
        match event:
            case player.Chosen() | player.Found() | player.Located() | player.Resized() | player.Moved():
                return None
            case player.Waiting() | player.HandedOver() | player.Hurried():
                return None
            case player.Rested():
                return lines.Rested(t=t)
            case player.Read(reading=reading, doubt=doubt):
                return self.reading(reading, doubt, t)
            case player.Decided(decision=decision):
                return decision_line(decision, t)
            case player.WentOn(reading=reading, safe=safe):
                return lines.WentOn(t=t, rows=reading.board.lines(), safe=_cells(safe))
            case player.Clicked(before=before, after=after, missed=missed):
                if missed and not after.over:
                    return lines.Retry(t=t, cells=_cells(missed))
                changed = int(np.count_nonzero(before.board.cells != after.board.cells))
                return lines.Outcome(t=t, phase=after.phase.value, changed=changed)
            case player.Restarting(restart=restart):
                return lines.Restart(t=t, key=restart.key, click=restart.click, on_board=restart.on_board)
            case player.ClosingDialogs(after=after):
                return lines.Dialog(t=t, after=after)
            case player.Doubted(doubt=doubt):
                return lines.Doubt(t=t, text=doubt)
            case player.Ended(number=number, result=result):
                return lines.GameOver(
                    t=t,
                    number=number,
                    result=result.result,
                    clicks=result.clicks,
                    guesses=result.guesses,
                    misreads=result.misreads,
                    retries=result.retries,
                )

    def reading(self, reading: Reading, doubt: str, t: int) -> lines.Reading:
        """The line of a reading; `doubt` says why it is not trusted, and is empty where it is."""
        grid = list(reading.grid.xs), list(reading.grid.ys)
        is_elsewhere, self._grid = grid != self._grid, grid
        scores = reading.classified.scores
        row, column = np.unravel_index(int(np.argmin(scores)), scores.shape)
        return lines.Reading(
            t=t,
            rows=reading.board.lines(),
            mines=reading.board.mines,
            phase=reading.phase.value,
            confidence=round(reading.confidence, 3),
            weakest=(int(row), int(column), round(float(scores[row, column]), 3)),
            doubt=doubt,
            xs=grid[0] if is_elsewhere else None,
            ys=grid[1] if is_elsewhere else None,
        )


def decision_line(decision: Decision, t: int) -> lines.Decision:
    """A decision at such a time, in microseconds."""
    best = decision.best
    return lines.Decision(
        t=t,
        safe=_cells(decision.safe),
        mines=_cells(decision.mines),
        best=None if best is None else (best.cell.row, best.cell.column),
        reason="" if best is None else best.reason,
        chances=_rounded(decision.mine_probability).tolist(),
        cut_short=decision.cut_short,
    )


def scene_line(fixture: "Fixture", t: int) -> lines.Scene:
    """A picture that learning knows; its place in the file of pictures comes later."""
    height, width = fixture.image.shape[:2]
    rows = str(fixture.board).splitlines()
    return lines.Scene(t=t, name=fixture.name, rows=rows, picture=(0, 0, width, height, 0, 0))


def observed_line(entry: "LogEntry", new: Sequence[Image], t: int) -> tuple[lines.Observed, Image | None]:
    """What learning has observed at such a time, and the pictures of cells that were new then, below one another."""
    data = msgspec.to_builtins(entry, enc_hook=np.ndarray.tolist, order="sorted")
    line = lines.Observed(t=t, what=type(entry).__name__.lower(), data=data, new=len(new))
    return line, np.concatenate(new) if new else None


def learned_line(learned: "Learned", t: int) -> lines.Learned:
    """What was learned of a client."""
    states = {
        label.state: f"{zlib.crc32(b''.join(picture.tobytes() for picture in label.pictures)):08x}"
        for label in learned.labels
    }
    restart = [str(way.key or way.click) for way in learned.behaviour.restart]
    return lines.Learned(t=t, states=states, restart=restart, levels=learned.levels)


def _rounded(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chances as a trace keeps them: 0 and 1 only where it is certain; NaN, which JSON writes as null, stays."""
    least = 10**-_DECIMALS
    rounded = np.clip(np.round(chances, _DECIMALS), least, 1 - least)
    return np.where((chances == 0) | (chances == 1), chances, rounded)


def _cells(cells: Iterable[Cell]) -> list[lines.CellIndex]:
    return [(cell.row, cell.column) for cell in cells]
