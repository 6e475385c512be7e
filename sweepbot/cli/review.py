"""`sweepbot review`: grades the games that a person has played."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from sweepbot.cli.explaining import proof_as_json, proof_in_words
from sweepbot.cli.output import PATH, cell_as_json, counted, json_option, print_json, results
from sweepbot.errors import SweepbotError, UsageError
from sweepbot.render.text import percent
from sweepbot.review import GameReview, Grade, Graded, Position, review_games
from sweepbot.review.page import write_review
from sweepbot.review.sources import positions_in_screenshots, positions_in_trace
from sweepbot.review.videos import is_video, positions_in_replay
from sweepbot.trace.trace import is_trace, open_trace

_LOSS_OF = {
    "win": "of the chance to win",
    "value": "of the chance that it and the best cell after it are safe",
    "safety": "of safety",
}


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--html", type=PATH, metavar="OUT", help="Write the review as a page for a browser.")
@json_option
def command(*, path: Path, html: Path | None, as_json: bool) -> None:
    """Grade what you have played: certain cells found or missed, which guesses were bad, and by how much.

    PATH is a folder that `assist --record` has written, any other trace, a folder of screenshots in the order of their
    names, or a replay that another client has recorded: .avf, .evf, .mvf or .rmv. If clicks are not recorded, they are
    inferred from the cells that opened between one picture and the next.
    """
    boards = _positions(path)
    games = review_games(boards)
    if not games:
        raise SweepbotError(f"{path}: no cell is opened in it", hint="a review needs at least two positions of a game")
    if html is not None:
        write_review(f"review of {path.resolve().name}", games, in_words, game_in_words, html)
    if as_json:
        print_json({"file": str(path), "games": [_as_json(game) for game in games]})
        return
    for number, game in enumerate(games, start=1):
        results.print(f"game {number}: {game.result}")
        for place, graded in enumerate(game.openings, start=1):
            if graded.grade.is_mistake:
                first, *more = in_words(graded)
                results.print(f"  opening {place}: {first}")
                for line in more:
                    results.print(f"    {line}")
        for line in game_in_words(game):
            results.print(f"  {line}")


def _positions(path: Path) -> Iterable[Position]:
    if path.is_file():
        if not is_video(path):
            raise UsageError(
                f"{path}: neither a folder nor a replay", hint="a replay's name ends in .avf, .evf, .mvf or .rmv"
            )
        return positions_in_replay(path)
    return positions_in_trace(open_trace(path)) if is_trace(path) else positions_in_screenshots(path)


def in_words(graded: Graded) -> list[str]:  # noqa: PLR0911  (one case per grade)
    """Say what an opening was, then why."""
    if graded.cell is None:
        return ["a mine was hit, but the client does not show which one"]
    starts = len(graded.opening.starts)
    flood = f", or another of the {starts} zeros of that flood" if starts > 1 else ""
    what = f"{graded.cell}{flood}"
    chance = "" if graded.mine_probability is None else f"{percent(graded.mine_probability)}% a mine"
    ended = ": it was one" if graded.exploded else ""
    match graded.grade:
        case Grade.FIRST:
            return [f"{what}: the first click{ended}"]
        case Grade.FOUND:
            rule = "" if graded.decision is None else f", by {graded.decision.rules[graded.cell]}"
            return [f"{what}: certainly safe, and found{rule}"]
        case Grade.FORCED:
            return [f"{what}: a forced guess, {chance}{ended}; none was much better"]
        case Grade.UNCLEAR:
            return [f"{what}: how good this was is unclear"]
        case Grade.MISSED:
            better = f"{graded.better} was certainly safe"
            return [f"{what}: a guess, {chance}{ended}, while {better}", *_why(graded), *_gave_away(graded)]
        case Grade.MINE:
            return [f"{what}: this was certainly a mine", *_why(graded)]
        case Grade.WORSE:
            best = None if graded.decision is None else graded.decision.best
            why = "" if best is None else f", {percent(best.mine_probability)}% a mine: {best.reason}"
            return [f"{what}: a guess, {chance}{ended}; better was {graded.better}{why}", *_gave_away(graded)]


def _why(graded: Graded) -> list[str]:
    return [] if graded.proof is None else [proof_in_words(graded.before, graded.proof)]


def _gave_away(graded: Graded) -> list[str]:
    if graded.loss is None:
        return []
    return [f"gave away {100 * graded.loss.points:.1f} points {_LOSS_OF[graded.loss.of]}"]


def game_in_words(game: GameReview) -> list[str]:
    """Sum up a game in a few lines."""
    counts = {grade: game.count(grade) for grade in Grade}
    guesses = counted(counts[Grade.FORCED], "forced guess", "forced guesses")
    worse = counted(counts[Grade.WORSE], "worse guess", "worse guesses")
    mines = counted(counts[Grade.MINE], "certain mine")
    unclear = f", {counts[Grade.UNCLEAR]} unclear" if counts[Grade.UNCLEAR] else ""
    grades = f"{counts[Grade.FOUND]} found, {guesses}, {counts[Grade.MISSED]} missed, {worse}, {mines}{unclear}"
    yours, best = percent(game.survival), percent(game.best_survival)
    lines = [
        f"{counted(len(game.openings), 'opening')}: {grades}",
        f"skill: {yours}% to survive your guesses, {best}% with the best ones; luck {game.luck:+.2f}",
    ]
    efficiency = game.efficiency
    if efficiency is not None and efficiency.index is not None:
        board = efficiency.of_board
        lines.append(
            f"{counted(efficiency.clicks, 'click')} for {efficiency.solved} of 3BV {board.three_bv}, IOE "
            f"{efficiency.index:.2f}; ZiNi {board.zini}, {board.human_zini} as a person can"
        )
    return lines


def _as_json(game: GameReview) -> dict[str, Any]:
    efficiency = game.efficiency
    return {
        "result": game.result,
        "rows": game.last.lines(),
        "mines": game.last.mines,
        "openings": [_opening_as_json(number, graded) for number, graded in enumerate(game.openings, start=1)],
        "mistakes": len(game.mistakes),
        "survival": game.survival,
        "best_survival": game.best_survival,
        "luck": game.luck,
        "needless_risk": game.needless_risk,
        "efficiency": efficiency
        and {
            "clicks": efficiency.clicks,
            "solved": efficiency.solved,
            "three_bv": efficiency.of_board.three_bv,
            "zini": efficiency.of_board.zini,
            "human_zini": efficiency.of_board.human_zini,
            "index": efficiency.index,
        },
    }


def _opening_as_json(number: int, graded: Graded) -> dict[str, Any]:
    return {
        "number": number,
        "grade": graded.grade.name.lower(),
        **({"row": None, "col": None} if graded.cell is None else cell_as_json(graded.cell)),
        "may_be": len(graded.opening.starts),
        "opened": len(graded.opening.opened),
        "before": graded.before.lines(),
        "mine_probability": graded.mine_probability,
        "exploded": graded.exploded,
        "better": graded.better and cell_as_json(graded.better),
        "proof": graded.proof and {**cell_as_json(graded.proof.cell), **proof_as_json(graded.proof)},
        "loss": graded.loss and {"points": graded.loss.points, "of": graded.loss.of},
        "words": in_words(graded),
    }
