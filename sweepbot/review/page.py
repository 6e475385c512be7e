"""A review as an HTML page like that of a replay: a step for each opening, its position drawn with the chances."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec import structs

from sweepbot.board import State
from sweepbot.geometry import Region
from sweepbot.player.as_events import decided_event
from sweepbot.render.heatmap import CELL_PX, heatmap, region_of_board, shrunk
from sweepbot.replay.report.page import write_steps
from sweepbot.replay.steps import Step
from sweepbot.review.games import GameReview
from sweepbot.review.grading import Graded
from sweepbot.review.words import game_in_words, opening_in_words
from sweepbot.trace.entries import Click
from sweepbot.trace.events import Decided, Read

_SMALLER_FACTOR = 2
"""The factor by which heatmaps are shrunk, to cells of 20 pixels, so that long games stay below some megabytes."""


def write_review(title: str, games: Sequence[GameReview], path: Path) -> None:
    """Write the page of some games.

    Raises:
        ImageError: It cannot be written.
    """
    steps: list[Step] = []
    for number, game in enumerate(games, start=1):
        graded_steps = [_step(len(steps) + place, graded) for place, graded in enumerate(game.openings, 1)]
        graded_steps[-1].notes += [f"game {number}:", *game_in_words(game)]
        steps += graded_steps
    about = "what was opened, step by step; a frame marks what the solver would open"
    write_steps(title, about, steps, [], path, timed=False)


def _step(number: int, graded: Graded) -> Step:
    board = graded.before
    whole = heatmap(board, np.full(board.cells.shape, np.nan))
    region = region_of_board(board)
    part = whole[: region.bottom, : region.right]
    size = Region(0, 0, part.shape[1] // _SMALLER_FACTOR, part.shape[0] // _SMALLER_FACTOR)
    axes = (region.x, board.columns), (region.y, board.rows)
    grid = [tuple((start + CELL_PX * line) / _SMALLER_FACTOR for line in range(count + 1)) for start, count in axes]
    read = Read(
        rows=board.lines(), mines=board.mines, phase=board.phase().value, confidence=1.0, xs=grid[0], ys=grid[1]
    )
    step = Step(number, shrunk(part, size.width, size.height), size, 0, read, _decided(graded))
    half, starts = CELL_PX / _SMALLER_FACTOR / 2, graded.opening.starts
    places = [(round(grid[0][cell.column] + half), round(grid[1][cell.row] + half)) for cell in starts]
    step.acts = [Click(at=place, button="left") for place in places]
    step.is_one_of = len(starts) > 1
    words = opening_in_words(graded)
    step.mistake, step.notes = (words, []) if graded.grade.is_mistake else ([], words)
    return step


def _decided(graded: Graded) -> Decided | None:
    """Return the solver's decision as pages show it, with the cell that the words call better."""
    decision = graded.decision
    if decision is None:
        return None
    # Cells that were opened at the same time, but graded before this one, have no chance any more.
    chances = np.where(graded.before.cells < State.HIDDEN, np.nan, decision.mine_probability)
    decided = decided_event(replace(decision, mine_probability=chances), None)
    best, proof = graded.better or decided.best, graded.proof
    reason = "" if decision.safe else decided.reason
    return structs.replace(decided, best=best, reason=reason if proof is None or proof.cell != best else proof.rule)
