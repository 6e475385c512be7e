"""A review as an HTML page like that of a replay: a step for each opening, its position drawn with the chances."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sweepbot.board import State
from sweepbot.geometry import Region
from sweepbot.player.as_events import decided_event
from sweepbot.render.heatmap import CELL, heatmap, region_of_board, shrunk
from sweepbot.replay.report.page import write_steps
from sweepbot.replay.steps import Step
from sweepbot.review.games import GameReview
from sweepbot.review.grading import Graded
from sweepbot.trace.entries import Click
from sweepbot.trace.events import Read

_SMALLER = 2
"""The factor by which heatmaps are shrunk, to cells of 20 pixels, so that long games stay below some megabytes."""


def write_review(
    title: str,
    games: Sequence[GameReview],
    in_words: Callable[[Graded], list[str]],
    game_in_words: Callable[[GameReview], list[str]],
    path: Path,
) -> None:
    """Write the page of some games; `in_words` describes an opening, the most important line first.

    Raises:
        ImageError: It cannot be written.
    """
    steps: list[Step] = []
    for number, game in enumerate(games, start=1):
        graded_steps = [_step(len(steps) + place, graded, in_words) for place, graded in enumerate(game.openings, 1)]
        graded_steps[-1].notes += [f"game {number}:", *game_in_words(game)]
        steps += graded_steps
    about = "what was opened, step by step; a frame marks what the solver would open"
    write_steps(title, about, steps, [], path, timed=False)


def _step(number: int, graded: Graded, in_words: Callable[[Graded], list[str]]) -> Step:
    board = graded.before
    whole = heatmap(board, np.full(board.cells.shape, np.nan))
    region = region_of_board(board)
    part = whole[: region.bottom, : region.right]
    size = Region(0, 0, part.shape[1] // _SMALLER, part.shape[0] // _SMALLER)
    axes = (region.x, board.columns), (region.y, board.rows)
    grid = [tuple((start + CELL * line) / _SMALLER for line in range(count + 1)) for start, count in axes]
    read = Read(
        rows=board.lines(), mines=board.mines, phase=board.phase().value, confidence=1.0, xs=grid[0], ys=grid[1]
    )
    decision = None
    if graded.decision is not None:
        # Cells that were opened at the same time, but graded before this one, have no chance any more.
        chances = np.where(board.cells < State.HIDDEN, np.nan, graded.decision.mine_probability)
        decision = decided_event(replace(graded.decision, mine_probability=chances), None)
    step = Step(number, shrunk(part, size.width, size.height), size, 0, read, decision)
    if graded.cell is not None:
        half = CELL / _SMALLER / 2
        middle = round(grid[0][graded.cell.column] + half), round(grid[1][graded.cell.row] + half)
        step.acts = [Click(at=middle, button="left")]
    words = in_words(graded)
    step.mistake, step.notes = (words, []) if graded.grade.is_mistake else ([], words)
    return step
