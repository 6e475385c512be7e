"""`sweepbot review`: grades the games that a person has played."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from sweepbot.cli.output import PATH, announce, json_option, print_json, results
from sweepbot.errors import SweepbotError, UsageError
from sweepbot.explaining import explanation_by_keys
from sweepbot.formats.videos import is_video, moments_in_video
from sweepbot.review import GameReview, Graded, Moment, review_games
from sweepbot.review.page import write_review
from sweepbot.review.sources import positions_in_screenshots, positions_in_trace
from sweepbot.review.words import game_in_words, opening_in_words
from sweepbot.trace.trace import is_trace, open_trace


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
        write_review(f"review of {path.resolve().name}", games, html)
        announce(f"written: {html}")
    if as_json:
        print_json({"file": str(path), "games": [_as_json(game) for game in games]})
        return
    for number, game in enumerate(games, start=1):
        results.print(f"game {number}: {game.result}")
        for place, graded in enumerate(game.openings, start=1):
            if graded.grade.is_mistake:
                results.print(f"  opening {place}: " + "\n    ".join(opening_in_words(graded)))
        results.print("\n".join(f"  {line}" for line in game_in_words(game)))


def _positions(path: Path) -> Iterable[Moment]:
    if not path.is_dir():
        if not is_video(path):
            raise UsageError(
                f"{path}: neither a folder nor a replay", hint="a replay's name ends in .avf, .evf, .mvf or .rmv"
            )
        return [Moment(*moment) for moment in moments_in_video(path)]
    return positions_in_trace(open_trace(path)) if is_trace(path) else positions_in_screenshots(path)


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
        **({"row": None, "col": None} if graded.cell is None else {"cell": graded.cell}),
        "may_be": len(graded.opening.starts),
        "opened": len(graded.opening.opened),
        "before": graded.before.lines(),
        "mine_probability": graded.mine_probability,
        "exploded": graded.exploded,
        "better": graded.better,
        "proof": graded.proof and explanation_by_keys(graded.proof),
        "loss": graded.loss,
        "words": opening_in_words(graded),
    }
