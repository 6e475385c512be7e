"""What follows from all games of a log together: numbers, how many mines there are, the first click, the title."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from sweepbot.calibrate.labels.constraints import UNDECIDED
from sweepbot.calibrate.labels.endings import Ending
from sweepbot.calibrate.labels.log import FirstOpening
from sweepbot.calibrate.labels.numbers import Numbers
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.level import FirstClick

_WORD = re.compile("[^\\s\ufffd]+")  # what could not be decoded is no part of a word
_BETWEEN = " -\u2013\u2014:|()[]*"  # what parts words in titles
_LEAST_LETTERS = 4  # fewer may be a part of any title


def total_of(endings: Sequence[Ending]) -> int | None:
    """How many mines a board has, where several games tell the same: those that showed it, else all of the others.

    A game that ended on a cell known to be safe was won, whatever it showed; of the rest it is told as if it was won.
    """
    shown = Counter(ending.mines for ending in endings if ending.mines is not None and ending.seen)
    for total, games in shown.most_common(1):
        if games >= EVIDENCE.agreeing_games and 2 * games > shown.total():
            return total
    won = Counter(ending.mines for ending in endings if ending.mines is not None and not ending.seen)
    if_won = Counter(ending.mines_if_won for ending in endings if ending.mines_if_won is not None)
    for counted, fewest in ((won, EVIDENCE.agreeing_games), (won + if_won, EVIDENCE.assumed_games)):
        if len(counted) == 1 and counted.total() >= fewest:
            return next(iter(counted))
    return None


def first_click_of(
    clicks: Sequence[FirstOpening], states: Mapping[str, Collection[int]], density: float
) -> FirstClick | None:
    """What the client promises of the first cell.

    One that was a mine tells that it promises nothing. That none was one of so many tells that none ever is, where
    chance would hardly have had it so.
    """
    if any(click.picture in states.get(name, ()) for click in clicks for name in ("exploded", "mine")):
        return FirstClick.NONE
    if len(clicks) >= EVIDENCE.opening_games and min(click.opened for click in clicks) > 1:
        return FirstClick.OPEN
    return FirstClick.SAFE if (1 - density) ** len(clicks) <= EVIDENCE.most_chance else None


def shown_numbers(numbers: Numbers) -> dict[str, Counter[int]]:
    """How often each picture was seen, by the number that it shows.

    Left out is what is not settled, and what was seen once only: a number in games that were never cleared up, or a
    look that one cell alone had where others of its number were seen more often. A picture of a busy client may have
    been taken in the middle of a change.
    """
    found: dict[str, Counter[int]] = {}
    proved: set[str] = set()
    for game in numbers.games:
        for picture in game.looks[~game.unopened].tolist():
            number = numbers.number_of(picture)
            if number is not None:
                found.setdefault(str(number), Counter())[picture] += 1
                proved |= set() if (game.mines == UNDECIDED).any() else {str(number)}
    for name, pictures in [*found.items()]:
        cells: Counter[int] = Counter()
        for picture, count in pictures.items():
            cells[numbers.looks.of(picture)] += count
        if pictures.total() == 1 and name not in proved:
            del found[name]
        elif max(cells.values()) > 1:
            found[name] = Counter({it: count for it, count in pictures.items() if cells[numbers.looks.of(it)] > 1})
    return found


def reason_for(name: str, count: int, games: int, *, is_clicked: bool) -> str:
    """The evidence for a state, in words."""
    shown = f"{count} cell{'s' * (count != 1)}"
    at_win = f"{shown} of won games that hold a mine, and look otherwise in lost ones"
    others = {
        "hidden": "what every cell shows before it is touched",
        "flag": "a right click on a hidden cell" if is_clicked else at_win,
        "question": "a second right click",
        "mine": f"{shown} of lost games, with every number around them in agreement",
        "exploded": "the cell clicked when a game was lost",
        "wrong_flag": "a flag on a cell that the rules had cleared, after the game was lost",
        "0": f"{shown} with no hidden cell beside them",
    }
    return others.get(name, f"{shown}, only labelling consistent with {games} games")


def lasting_title(titles: Sequence[str]) -> str:
    """The longest run of words that is in all titles; empty where that tells nothing.

    Words with digits are left out: a level, a time or a version may be another tomorrow.
    """
    words = _WORD.findall(titles[0]) if titles else []
    runs = (" ".join(words[start:stop]).strip(_BETWEEN) for start, stop in combinations(range(len(words) + 1), 2))
    lasting = [run for run in runs if not any(map(str.isdigit, run)) and all(run in title for title in titles)]
    longest = max(lasting, key=len, default="")
    return longest if sum(map(str.isalpha, longest)) >= _LEAST_LETTERS else ""
