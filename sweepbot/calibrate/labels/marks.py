"""What flags, question marks and mines look like, inferred from the whole log."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sweepbot.calibrate.labels.constraints import SAFE
from sweepbot.calibrate.labels.endings import EITHER, Ending
from sweepbot.calibrate.labels.log import Log, Marked
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.calibrate.labels.numbers import Numbers
from sweepbot.calibrate.labels.sameness import same_figure, same_shape, shows_through
from sweepbot.calibrate.thresholds import EVIDENCE, LIKENESS


@dataclass(slots=True)
class Marks:
    """Pictures that show no number.

    Attributes:
        shown: How many cells showed each picture, by the state that it shows.
        hit_looks_usual: Whether the mine that was hit was seen to look like the others.
    """

    shown: dict[str, Counter[int]] = field(default_factory=dict)
    hit_looks_usual: bool = False

    def __contains__(self, state: str) -> bool:
        return state in self.shown

    def of(self, state: str) -> Counter[int]:
        """The pictures of a state; none where it was not seen."""
        return self.shown.get(state, Counter())


def infer_marks(log: Log, numbers: Numbers, endings: Sequence[Ending], hidden: Collection[int]) -> Marks:
    """What pictures show that show no number."""
    shown: dict[str, Counter[int]] = defaultdict(Counter)
    for entry in log.entries:
        # One that is hardly another than a hidden cell is left out: boards are read without it, and not without those.
        if isinstance(entry, Marked) and not _resembles(log.patches, entry.picture, hidden):
            shown[entry.state][entry.picture] += 1
    seen = [ending for ending in endings if not ending.last.is_covered]
    for state, pictures in _shown_at_ends(numbers, seen, hidden).items():
        shown[state].update(pictures)
    flags, mines = [*shown["flag"]], [*shown["mine"]]
    for picture, count in shown.pop(EITHER, Counter()).items():
        if not _may_be_beneath(log.patches, picture, hidden):  # hidden cells may be dimmed once a game is won
            shown[_told_at_win(log.patches, picture, flags, mines)][picture] += count
    shown.pop("", None)
    marks = Marks({state: pictures for state, pictures in shown.items() if pictures})
    covered = [ending for ending in endings if ending.last.is_covered]
    for state, picture, count in _shown_beside_covers(numbers, covered, hidden, [*marks.of("flag")]):
        marks.shown.setdefault(state, Counter())[picture] = count
    is_dropped = _drop_usual(log.patches, marks.shown)
    marks.hit_looks_usual = is_dropped or any(ending.shown.get(ending.last.clicked) == "mine" for ending in seen)
    return marks


def _told_at_win(patches: PatchStore, picture: int, flags: Collection[int], mines: Collection[int]) -> str:
    """Whether a won game shows `flag` or `mine` in the place of a mine; empty where that cannot be told.

    Args:
        patches: Where the pictures are.
        picture: What it shows there.
        flags: Pictures of flags. Where any are known, what differs from them is a mine.
        mines: Pictures of the mines of lost games. Where no flag is known, what differs from them is a flag.
    """
    known, same, other = (flags, "flag", "mine") if flags else (mines, "mine", "flag")
    difference = min(patches.distances(picture, list(known)), default=LIKENESS.distinct_levels + 1)
    # Cells that are no whole number of pixels wide show a figure a pixel beside its place; a win may colour the ground.
    if difference <= LIKENESS.distinct_levels or any(same_shape(patches[of], patches[picture]) for of in known):
        return same
    return other if difference >= LIKENESS.other_figure_levels else ""


def _drop_usual(patches: PatchStore, shown: dict[str, Counter[int]]) -> bool:
    """Leave out what is no look of its own: some clients show the mine that was hit, or a wrong flag, like any other.

    Returns:
        Whether the mine that was hit is shown so.
    """
    dropped = False
    for state, others in (("exploded", "mine"), ("wrong_flag", "flag")):
        seen = shown.pop(state, Counter())
        own = Counter(own_looks(patches, seen, shown.get(others, ())))
        if own:
            shown[state] = own
        elif seen and state == "exploded":
            dropped = True
    return dropped


def own_looks(patches: PatchStore, shown: Mapping[int, int], usual: Collection[int]) -> dict[int, int]:
    """Of the pictures of a state, each with how many cells showed it, those unlike the usual ones on any ground."""
    known = list(usual)
    return {
        picture: count
        for picture, count in shown.items()
        if not (patches.distances(picture, known) <= LIKENESS.distinct_levels).any()
    }


def _shown_at_ends(numbers: Numbers, endings: Sequence[Ending], hidden: Collection[int]) -> dict[str, Counter[int]]:
    """How many cells showed each picture at the ends of games, as far as that is believed.

    No number and no hidden cell is a mark. What was seen in the middle of a change, or beside open cells that look
    another now and with no number to bear it out, must be seen in another game too. A mine that was hit where no other
    one was shown may be a number on a slow client, unless one was hit elsewhere too.
    """
    games: dict[tuple[str, int], set[int]] = defaultdict(set)
    hit = {cell for ending in endings for cell, state in ending.shown.items() if state == "exploded"}
    seen: list[tuple[str, int, bool]] = []
    for number, ending in enumerate(endings):
        is_alone = "mine" not in ending.shown.values() and len(hit) == 1
        for cell, state in ending.shown.items():
            if cell not in ending.last.behind and not (state == "exploded" and is_alone):
                is_sure = ending.last.is_rested and (state in ("mine", EITHER) or ending.is_undisturbed)
                seen.append((state, int(ending.last.pictures[cell]), is_sure))
                games[state, int(ending.last.pictures[cell])].add(number)
    in_play = {
        picture: picture in numbers.looks or _resembles(numbers.patches, picture, hidden) for _, picture, _ in seen
    }
    shown: dict[str, Counter[int]] = defaultdict(Counter)
    for state, picture, is_sure in seen:
        if not in_play[picture] and (is_sure or len(games[state, picture]) > 1):
            shown[state][picture] += 1
    return shown


def _shown_beside_covers(
    numbers: Numbers, endings: Sequence[Ending], hidden: Collection[int], flags: Collection[int]
) -> Iterator[tuple[str, int, int]]:
    """Pictures of `mine` and of `exploded` beside covers, and how many cells showed them.

    What mines show in several games and nowhere else is a mine; and what was clicked in games that show those is one
    that was hit.
    """
    places: dict[tuple[str, int], set[tuple[int, tuple[int, int]]]] = defaultdict(set)
    elsewhere: set[int] = set()
    for number, ending in enumerate(endings):
        elsewhere.update(ending.last.pictures[ending.game.mines == SAFE].tolist())
        for cell, state in ending.shown.items():
            places[state, int(ending.last.pictures[cell])].add((number, cell))
    lost: set[int] = set()
    for (state, picture), at in sorted(places.items(), key=lambda item: item[0][0] != "mine"):
        games, cells = {game for game, _ in at}, {cell for _, cell in at}
        if picture in elsewhere or not _may_be_mine(numbers, picture, hidden, flags):
            continue
        if state == "mine" and len(at) >= EVIDENCE.witnesses and len(games) >= EVIDENCE.times:
            lost |= games
            yield state, picture, len(at)
        elif state == "exploded" and games <= lost and len(cells) >= EVIDENCE.times:
            yield state, picture, len(at)


def _resembles(patches: PatchStore, picture: int, others: Collection[int]) -> bool:
    return bool((patches.distances(picture, list(others)) <= LIKENESS.distinct_levels).any())


def _may_be_beneath(patches: PatchStore, picture: int, others: Collection[int]) -> bool:
    """Whether a picture may be one of some others beneath what dims it or lies over it."""
    return any(shows_through(patches[picture], patches[other]) for other in others)


def _may_be_mine(numbers: Numbers, picture: int, hidden: Collection[int], flags: Collection[int]) -> bool:
    """Whether a picture is neither a number, nor a flag, nor a hidden cell, whatever lies over them."""
    patches = numbers.patches
    if numbers.looks.includes(picture) or _resembles(patches, picture, hidden):
        return False
    if _may_be_beneath(patches, picture, (*hidden, *flags)):
        return False
    return not any(same_figure(patches[flag], patches[picture]) for flag in flags)
