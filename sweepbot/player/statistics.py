"""Statistics of a game, collected round by round and at its end."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sweepbot.board import Board, Phase, State
from sweepbot.geometry import Cell
from sweepbot.outcome import Verdict
from sweepbot.player.round import Round
from sweepbot.solver.measures import measure
from sweepbot.trace.events import GameResult
from sweepbot.vision.reading import Reading


def count_round(game: GameResult, round_: Round, missed: Sequence[Cell], *, is_first: bool) -> None:
    """Add a round's guess, its risk and its missed clicks to a game's statistics; a first click is not a guess."""
    game.retries += len(missed)
    game.cut_short += round_.decision.cut_short and not round_.certain
    guess = round_.guess
    if guess is not None and not is_first and guess.cell not in missed:
        game.guesses += 1
        game.survival *= 1 - guess.mine_probability
        game.risk += guess.mine_probability


def record_end(game: GameResult, reading: Reading, verdict: Verdict, *, is_seen: bool) -> Reading:
    """Record how a game ended; return its last reading with that phase. `is_seen` says whether the reading shows it."""
    game.result = "won" if verdict is Verdict.WON else "lost"
    game.client_seconds = reading.shown.clock
    if verdict is Verdict.WON and is_seen:
        measures = measure(reading.board.cells >= State.HIDDEN)
        game.three_bv, game.openings, game.zini = measures.three_bv, measures.openings, measures.zini
    return replace(reading, phase=Phase(game.result))


def misreads(round_: Round, now: Board) -> int:
    """Count the cells that were misread: those that contradict what was read before or during the round."""
    changed = np.zeros_like(now.cells, dtype=np.bool_)
    for was in (round_.before, round_.known):
        changed |= (was.cells < State.HIDDEN) & (was.cells != now.cells) & (now.cells != State.UNKNOWN)
    exploded = set(round_.opened if round_.certain else ()) & set(now.where(State.EXPLODED, State.MINE))
    return int(changed.sum()) + len(exploded)
