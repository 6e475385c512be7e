"""What follows from a log so far: updated with each entry, so that nothing is inferred twice."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations

from sweepbot.calibrate.labels import log
from sweepbot.calibrate.labels.constraints import SAFE, Record
from sweepbot.calibrate.labels.endings import Ending, beside_cover, judge, total_of
from sweepbot.calibrate.labels.log import Entry, Log
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.calibrate.labels.marks import Marks, infer_marks
from sweepbot.calibrate.labels.numbers import Numbers
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Image
from sweepbot.level import FirstClick

_WORD = re.compile("[^\\s\ufffd]+")  # characters that could not be decoded are no part of a word
_BETWEEN = " -\u2013\u2014:|()[]*"  # separators of words in titles
_LEAST_LETTERS = 4  # fewer may be part of any title

Observe = Callable[[Entry, Sequence[Image]], None]
"""Called with each observation, and with the pictures of cells that were new in it."""


class Belief:
    """All that follows from a log.

    Attributes:
        log: The log.
        numbers: The games, and the numbers that looks stand for.
        hidden: How many cells showed each picture before they were touched.
        endings: How games have ended, without those that were left out.
        ending: How the last game has ended; None if it goes on, or was left out.
        contradictions: How many games were left out because they contradict the rules.
    """

    def __init__(self, patches: PatchStore, observe: Observe = lambda _, __: None) -> None:
        self.log = Log(patches)
        self.numbers = Numbers(patches)
        self.hidden: Counter[int] = Counter()
        self.endings: list[Ending] = []
        self.ending: Ending | None = None
        self.contradictions = 0
        self._is_played = False
        self._marks: Marks | None = None
        self._observe = observe
        self._observed = 0

    def add(self, entry: Entry) -> None:
        """Add an entry to the log; after a game was left out, the rest of its entries have no effect."""
        patches = self.log.patches
        self._observe(entry, [patches[number] for number in range(self._observed, len(patches))])
        self._observed = len(patches)
        self.log.entries.append(entry)
        self._marks = None
        match entry:
            case log.Untouched(pictures):
                self.hidden = Counter(pictures)
            case log.Began(shape):
                self.numbers.games.append(Record.fresh(*shape))
                self._is_played, self.ending = True, None
            case _ if not self._is_played:
                return
            case log.Opened(cells):
                self.numbers.open(cells)
            case log.Read():
                self.numbers.take(entry)
            case log.Ended():
                self._end(entry)
            case log.Withdrawn(contradicts):
                self._leave_out(contradicts=contradicts)

    @property
    def marks(self) -> Marks:
        """What flags, question marks and mines look like."""
        if self._marks is None:
            self._marks = infer_marks(self.log, self.numbers, self.endings, self.hidden)
        return self._marks

    @property
    def states(self) -> dict[str, Counter[int]]:
        """For each state, by name, how many cells showed each of its pictures."""
        return self.numbers.shown() | self.marks.shown | {"hidden": self.hidden}

    @property
    def why(self) -> dict[str, str]:
        """The evidence for each state, in words."""
        games, has_flags = len(self.numbers.games), "flag" in self._marked
        return {name: _reason_for(name, of.total(), games, is_clicked=has_flags) for name, of in self.states.items()}

    @property
    def open_questions(self) -> list[str]:
        """What was seen and not understood, in words."""
        hidden = "it looks almost like a hidden cell"
        return [*self.numbers.open_questions(), *(f"{it}: {hidden}" for it in self._marked - {*self.states})]

    @property
    def totals(self) -> tuple[int, ...]:
        """All numbers of mines that the ends of games have shown."""
        return tuple(sorted({it.mines for it in self.endings if it.mines is not None and it.seen}))

    @property
    def total(self) -> int | None:
        """How many mines a board has; None if that is unknown or differs from game to game."""
        return None if len(self.totals) > 1 else total_of(self.endings)

    @property
    def first_click(self) -> FirstClick | None:
        """What the client promises for the first click; None if there were too few to tell."""
        clicks = [entry for entry in self.log.entries if isinstance(entry, log.FirstOpening)]
        cells = max((game.mines.size for game in self.numbers.games), default=1)
        return first_click_of(clicks, self.states, (total_of(self.endings) or 0) / cells)

    @property
    def title(self) -> str:
        """The part of its window's title that has stayed the same; empty if there is none, or it is unknown."""
        return lasting_title([entry.title for entry in self.log.entries if isinstance(entry, log.Titled)])

    @property
    def _marked(self) -> set[str]:
        return {entry.state for entry in self.log.entries if isinstance(entry, log.Marked)}

    def conclude(self) -> None:
        """Infer all that follows from an unfinished game; leave it out if it contradicts the rules."""
        try:
            self.numbers.conclude()
        except ImpossibleBoardError:
            self._leave_out(contradicts=True)

    def _end(self, last: log.Ended) -> None:
        """Judge how the current game has ended; leave it out if it contradicts the rules.

        If it does, a picture was taken too early, or something was in front of the board.
        """
        numbers = self.numbers
        try:
            numbers.conclude()  # only known numbers can confirm an ending
            knowledge = numbers.knowledge(numbers.game)
            knowledge.probe_cells()
            known = knowledge.mines()
            if not last.is_covered:
                ending = judge(numbers, last, known, self.marks.of("flag"))
                numbers.games[-1] = ending.game
                numbers.conclude()
                self.ending = ending
                self.endings.append(ending)
            elif known[last.clicked] != SAFE:
                self.endings.append(beside_cover(numbers, last, known))
        except ImpossibleBoardError:
            self._leave_out(contradicts=True)
        self._marks = None

    def _leave_out(self, *, contradicts: bool) -> None:
        self._is_played = False
        self.contradictions += contradicts
        self.numbers.withdraw()
        self.numbers.conclude()


def infer(patches: PatchStore, entries: Iterable[Entry]) -> Belief:
    """Infer all that follows from observations, and from the pictures that they name."""
    belief = Belief(patches)
    for entry in entries:
        belief.add(entry)
    belief.conclude()
    return belief


def first_click_of(
    clicks: Sequence[log.FirstOpening], states: Mapping[str, Collection[int]], density: float
) -> FirstClick | None:
    """Return what the client promises for the first click; None if that is unknown.

    It promises nothing if one hit a mine. It is safe if none did and that would be very unlikely by chance.
    """
    if any(click.picture in states.get(name, ()) for click in clicks for name in ("exploded", "mine")):
        return FirstClick.NONE
    if len(clicks) >= EVIDENCE.opening_games and min(click.opened for click in clicks) > 1:
        return FirstClick.OPEN
    return FirstClick.SAFE if (1 - density) ** len(clicks) <= EVIDENCE.most_chance else None


def _reason_for(name: str, count: int, games: int, *, is_clicked: bool) -> str:
    """Return the evidence for a state, in words."""
    shown = f"{count} cell{'s' * (count != 1)}"
    at_win = f"{shown} of won games that hold a mine, and look different in lost ones"
    others = {
        "hidden": "what every cell shows before it is touched",
        "flag": "a right click on a hidden cell" if is_clicked else at_win,
        "question": "a second right click",
        "mine": f"{shown} of lost games, with all numbers around them in agreement",
        "exploded": "the cell clicked when a game was lost",
        "wrong_flag": "a flag on a safe cell after the game was lost",
        "0": f"{shown} with no hidden cell beside them",
    }
    return others.get(name, f"{shown}, the only number consistent with {games} games")


def lasting_title(titles: Sequence[str]) -> str:
    """Return the longest run of words that all titles share; empty if it is too short to mean anything.

    Words with digits are left out, as a level, a time or a version may change.
    """
    words = _WORD.findall(titles[0]) if titles else []
    runs = (" ".join(words[start:stop]).strip(_BETWEEN) for start, stop in combinations(range(len(words) + 1), 2))
    lasting = [run for run in runs if not any(map(str.isdigit, run)) and all(run in title for title in titles)]
    longest = max(lasting, key=len, default="")
    return longest if sum(map(str.isalpha, longest)) >= _LEAST_LETTERS else ""
