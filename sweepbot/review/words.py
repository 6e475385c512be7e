"""What a review says of an opening and of a game: the same in the terminal, on the page and as JSON."""

from sweepbot.explaining import proof_in_words
from sweepbot.render.text import counted, percent
from sweepbot.review.games import GameReview
from sweepbot.review.grading import Grade, Graded

_LOSS_OF = {
    "win": "of the chance to win",
    "value": "of the chance that it and the best cell after it are safe",
    "safety": "of safety",
}
_COUNTED = {
    Grade.FIRST: ("first click",),
    Grade.FOUND: ("found", "found"),
    Grade.FORCED: ("forced guess", "forced guesses"),
    Grade.WORSE: ("worse guess", "worse guesses"),
    Grade.MISSED: ("missed", "missed"),
    Grade.MINE: ("certain mine",),
    Grade.UNCLEAR: ("unclear", "unclear"),
}
"""What is counted of a game, one and several; together these are all its openings."""


def opening_in_words(graded: Graded) -> list[str]:
    """Say what an opening was, then why: the most important line first."""
    if graded.cell is None:
        return ["a mine was hit, but the client does not show which one"]
    starts = len(graded.opening.starts)
    flood = f", or another of the {starts} zeros that opened with it" if starts > 1 else ""
    why = [] if graded.proof is None else [proof_in_words(graded.before, graded.proof)]
    loss = None if graded.grade is Grade.MINE else graded.loss
    gave_away = [] if loss is None else [f"gave away {100 * loss.points:.1f} points {_LOSS_OF[loss.of]}"]
    return [f"{graded.cell}{flood}: {_verdict(graded)}", *why, *gave_away]


def _verdict(graded: Graded) -> str:  # noqa: PLR0911  (one case per grade)
    chance = "" if graded.mine_probability is None else f"{percent(graded.mine_probability)}% a mine"
    ended = ": it was one" if graded.exploded else ""
    match graded.grade:
        case Grade.FIRST:
            return f"the first click{ended}"
        case Grade.FOUND:
            return "certainly safe, and found"
        case Grade.FORCED:
            return f"a forced guess, {chance}{ended}; none was much better"
        case Grade.UNCLEAR:
            return "how good this was is unclear"
        case Grade.MISSED:
            return f"a guess, {chance}{ended}, while {graded.better} was certainly safe"
        case Grade.MINE:
            return "this was certainly a mine"
        case Grade.WORSE:
            best = None if graded.decision is None else graded.decision.best
            why = "" if best is None else f", {percent(best.mine_probability)}% a mine: {best.reason}"
            return f"a guess, {chance}{ended}; better was {graded.better}{why}"


def game_in_words(game: GameReview) -> list[str]:
    """Sum up a game in a few lines."""
    counts = ((grade, game.count(grade)) for grade in Grade)
    seen = [counted(count, *_COUNTED[grade]) for grade, count in counts if count]
    yours, best = percent(game.survival), percent(game.best_survival)
    lines = [
        f"{counted(len(game.openings), 'opening')}: {', '.join(seen)}",
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
