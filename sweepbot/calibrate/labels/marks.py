"""Inferring what flags, question marks and mines look like from the whole log."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sweepbot.calibrate.labels.constraints import SAFE
from sweepbot.calibrate.labels.endings import EITHER, Ending
from sweepbot.calibrate.labels.log import Log, Marked
from sweepbot.calibrate.labels.looks import PatchStore, same_figure, same_shape, shows_through
from sweepbot.calibrate.labels.numbers import Numbers
from sweepbot.calibrate.thresholds import EVIDENCE, LIKENESS


@dataclass(frozen=True, slots=True)
class Marks:
    """The pictures that do not show a number.

    Attributes:
        shown: For each state, how many cells showed each of its pictures.
        hit_looks_usual: Whether a mine that was hit was seen to look like any other.
    """

    shown: dict[str, Counter[int]]
    hit_looks_usual: bool

    def of(self, state: str) -> Counter[int]:
        """Return the pictures of a state, with how many cells showed each; empty if it was not seen."""
        return self.shown.get(state, Counter())


def infer_marks(log: Log, numbers: Numbers, endings: Sequence[Ending], hidden: Collection[int]) -> Marks:
    """Infer the pictures of marks and mines; `hidden` are those of hidden cells."""
    patches = log.patches
    shown: dict[str, Counter[int]] = defaultdict(Counter)
    for entry in log.entries:
        # A mark almost like a hidden cell is left out, as boards can be read without it, but not without hidden cells.
        if isinstance(entry, Marked) and not _resembles(patches, entry.picture, hidden):
            shown[entry.state][entry.picture] += 1
    for state, picture, cells in _marks_at_ends(numbers, endings, hidden, flags=[*shown["flag"]]):
        shown[state][picture] += cells
    flags, mines = [*shown["flag"]], [*shown["mine"]]
    for picture, count in shown.pop(EITHER, Counter()).items():
        if not _may_be_beneath(patches, picture, hidden):  # hidden cells may be dimmed once a game is won
            shown[_flag_or_mine(patches, picture, flags, mines)][picture] += count
    shown.pop("", None)
    hit_looks_usual = any(ending.shown.get(ending.last.clicked) == "mine" for ending in endings)
    # If a client shows the mine that was hit, or a wrong flag, like any other, it has no separate look.
    for state, others in (("exploded", "mine"), ("wrong_flag", "flag")):
        own = Counter(own_looks(patches, shown[state], shown[others]))
        hit_looks_usual |= state == "exploded" and bool(shown[state]) and not own
        shown[state] = own
    return Marks({state: pictures for state, pictures in shown.items() if pictures}, hit_looks_usual)


def own_looks(patches: PatchStore, shown: Mapping[int, int], usual: Collection[int]) -> dict[int, int]:
    """Return those pictures of a state, with how many cells showed each, that do not resemble the usual ones."""
    return {picture: count for picture, count in shown.items() if not _resembles(patches, picture, usual)}


def _flag_or_mine(patches: PatchStore, picture: int, flags: Collection[int], mines: Collection[int]) -> str:
    """Return whether a won game shows a `flag` or a `mine` in the place of a mine; empty if that is unclear.

    If pictures of flags are known, a picture unlike them is a mine; or else one unlike those of mines is a flag.
    """
    known, same, other = (flags, "flag", "mine") if flags else (mines, "mine", "flag")
    difference = min(patches.distances(picture, list(known)), default=LIKENESS.distinct_levels + 1)
    # A figure may be shifted by a pixel, if the width of cells is not a whole number, and a win may colour the ground.
    if difference <= LIKENESS.distinct_levels or any(same_shape(patches[it], patches[picture]) for it in known):
        return same
    return other if difference >= LIKENESS.other_figure_levels else ""


def _marks_at_ends(
    numbers: Numbers, endings: Sequence[Ending], hidden: Collection[int], flags: Collection[int]
) -> Iterator[tuple[str, int, int]]:
    """Yield the marks at the ends of games for which there is enough evidence: state, picture, number of cells.

    Numbers and hidden cells are never marks. A picture is doubtful if it was only seen in the middle of a change,
    beside a cover, or, without numbers to confirm it, while open cells had changed too. It must then be seen in another
    game, on no safe cell beside a cover, and not be a hidden cell or a flag beneath something; beside a cover,
    moreover, a mine must be seen on several cells, and a hit mine on several cells in games that show mines. A single
    hit mine in a game without others may be a number that a slow client has not drawn, unless one was hit in another
    cell too.
    """
    patches = numbers.patches
    bare = [ending for ending in endings if not ending.last.is_covered]
    hit = {cell for ending in bare for cell, state in ending.shown.items() if state == "exploded"}
    seen: dict[tuple[str, int, bool], list[tuple[int, tuple[int, int]]]] = defaultdict(list)
    sure: set[tuple[str, int]] = set()
    elsewhere: set[int] = set()
    for number, ending in enumerate(endings):
        last, opened = ending.last, ~ending.game.unopened
        is_undisturbed = bool((last.pictures[opened] == ending.game.looks[opened]).all())
        is_alone = not last.is_covered and "mine" not in ending.shown.values() and len(hit) == 1
        if last.is_covered:
            elsewhere.update(last.pictures[ending.game.mines == SAFE].tolist())
        for cell, state in ending.shown.items():
            if (last.is_covered or cell not in last.behind) and not (state == "exploded" and is_alone):
                picture = int(last.pictures[cell])
                seen[state, picture, last.is_covered].append((number, cell))
                is_sure = last.is_rested and not last.is_covered and (state in ("mine", EITHER) or is_undisturbed)
                sure |= {(state, picture)} if is_sure else set()
    lost: set[int] = set()
    for (state, picture, is_covered), at in sorted(seen.items(), key=lambda item: item[0][0] != "mine"):
        games, cells = {number for number, _ in at}, {cell for _, cell in at}
        if picture in numbers.looks or _resembles(patches, picture, hidden):
            continue
        if (state, picture) not in sure and (
            picture in elsewhere
            or numbers.looks.includes(picture)
            or _may_be_beneath(patches, picture, (*hidden, *flags))
            or any(same_figure(patches[flag], patches[picture]) for flag in flags)
            or len(games) < EVIDENCE.times
            or (is_covered and state == "mine" and len(at) < EVIDENCE.witnesses)
            or (is_covered and state == "exploded" and not (games <= lost and len(cells) >= EVIDENCE.times))
        ):
            continue
        lost |= games if state == "mine" else set()
        yield state, picture, len(at)


def _resembles(patches: PatchStore, picture: int, others: Collection[int]) -> bool:
    return bool((patches.distances(picture, list(others)) <= LIKENESS.distinct_levels).any())


def _may_be_beneath(patches: PatchStore, picture: int, others: Collection[int]) -> bool:
    """Whether a picture may be one of some others, dimmed or beneath a translucent layer."""
    return any(shows_through(patches[picture], patches[other]) for other in others)
