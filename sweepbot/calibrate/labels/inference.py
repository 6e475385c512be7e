"""From the log of what was observed to what it means: one pure function, with a reason for each label."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.constraints import UNDECIDED
from sweepbot.calibrate.labels.endings import Ending
from sweepbot.calibrate.labels.log import FirstOpening, Log, Marked, Titled
from sweepbot.calibrate.labels.numbers import Numbers
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.level import FirstClick

_WORD = re.compile("[^\\s\ufffd]+")  # what could not be decoded is no part of a word
_BETWEEN = " -\u2013\u2014:|()[]*"  # what parts words in titles
_LEAST_LETTERS = 4  # fewer may be a part of any title


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """What a log means.

    Attributes:
        states: How many cells showed each picture, by the name of the state that it shows.
        why: The evidence for each of these, in words.
        open_questions: In words, what was seen and not understood.
        total: How many mines a board has, None where that does not follow.
        totals: All numbers of mines that ends of games have shown.
        first_click: What the client promises of the first cell, None where too few first clicks tell.
        hit_looks_usual: Whether the mine that was hit looks like the others.
        title: What of its window's title has stayed the same; empty where nothing has, or nobody knows.
    """

    states: dict[str, Counter[int]]
    why: dict[str, str]
    open_questions: tuple[str, ...]
    total: int | None
    totals: tuple[int, ...]
    first_click: FirstClick | None
    hit_looks_usual: bool
    title: str


def infer(log: Log) -> Inference:
    """What follows from all that was observed."""
    belief = Belief(log.patches)
    for entry in log.entries:
        belief.add(entry)
    belief.conclude()
    return inferred(belief)


def inferred(belief: Belief) -> Inference:
    """What a log means by now, as far as it was read and thought over already."""
    log, numbers, endings = belief.log, belief.numbers, belief.endings
    states = _numbers(numbers) | belief.marks.shown | {"hidden": belief.hidden}
    marked = {entry.state for entry in log.entries if isinstance(entry, Marked)}
    why = {name: _why(name, of.total(), len(numbers.games), is_clicked="flag" in marked) for name, of in states.items()}
    left_out = [f"{state}: what it looks like can hardly be told from a hidden cell" for state in marked - {*states}]
    totals = {ending.mines for ending in endings if ending.mines is not None and ending.seen}
    total = total_of(endings)
    density = (total or 0) / max((game.mines.size for game in numbers.games), default=1)
    return Inference(
        states,
        why,
        (*_open_questions(numbers), *left_out),
        None if len(totals) > 1 else total,
        tuple(sorted(totals)),
        first_click_of(log, states, density),
        belief.marks.hit_looks_usual,
        lasting_title([entry.title for entry in log.entries if isinstance(entry, Titled)]),
    )


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


def first_click_of(log: Log, states: dict[str, Counter[int]], density: float) -> FirstClick | None:
    """What the client promises of the first cell.

    One that was a mine tells that it promises nothing. That none was one of so many tells that none ever is, where
    chance would hardly have had it so.
    """
    clicks = [entry for entry in log.entries if isinstance(entry, FirstOpening)]
    if any(click.picture in states.get(name, ()) for click in clicks for name in ("exploded", "mine")):
        return FirstClick.NONE
    if len(clicks) >= EVIDENCE.opening_games and min(click.opened for click in clicks) > 1:
        return FirstClick.OPEN
    return FirstClick.SAFE if (1 - density) ** len(clicks) <= EVIDENCE.most_chance else None


def _numbers(numbers: Numbers) -> dict[str, Counter[int]]:
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


def _why(name: str, count: int, games: int, *, is_clicked: bool) -> str:
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


def _open_questions(numbers: Numbers) -> Iterator[str]:
    for look, members in numbers.looks.all().items():
        if numbers.number_of(look) is None:
            meaning = numbers.meanings.get(look, 0)
            possible = " or ".join(str(number) for number in range(9) if meaning >> number & 1)
            yield f"a look of {len(members)} pictures was not settled: {possible}"


def lasting_title(titles: Sequence[str]) -> str:
    """The longest run of words that is in all titles; empty where that tells nothing.

    Words with digits are left out: a level, a time or a version may be another tomorrow.
    """
    runs = [run for run in _runs(titles[0] if titles else "") if all(run in title for title in titles)]
    longest = max(runs, key=len, default="")
    return longest if sum(map(str.isalpha, longest)) >= _LEAST_LETTERS else ""


def _runs(title: str) -> Iterator[str]:
    """All runs of words without digits."""
    words = list(_WORD.finditer(title))
    for number, first in enumerate(words):
        for last in words[number:]:
            run = title[first.start() : last.end()]
            if re.search("[\\d\ufffd]", run):
                break
            yield run.strip(_BETWEEN)
