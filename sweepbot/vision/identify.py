"""Which client is it? Every known calibration is tried, and the one that agrees best is believed."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

import msgspec
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import CalibrationError, NoBoardFoundError
from sweepbot.vision.calibration import FILE, calibration_folders, load_calibration
from sweepbot.vision.cells.ink import InkClassifier
from sweepbot.vision.detect.fit import rehearsed, sampled
from sweepbot.vision.detect.locate import LARGEST_CELL, SMALLEST_CELL, same_place
from sweepbot.vision.detect.painted import rehearsed_in_ink
from sweepbot.vision.detect.unknown import unknown_board
from sweepbot.vision.lattices.align import LEAST_CORRELATION, Sample
from sweepbot.vision.lattices.lattice import STRICTLY_PERIODIC, Lattice, searches
from sweepbot.vision.lattices.tiles import Tiling, find_tilings
from sweepbot.vision.reader import Look, Reader, Reading, without_doubts

_log = logging.getLogger("sweepbot.vision")

_BUNDLED = "demo"  # looks like Windows XP's client, which more pictures are of
_TIE = 0.03  # the share by which the agreement of two calibrations must differ to tell them apart
_SAME_FIGURES = 0.1  # the same for two themes of the same figures: where nothing is open they differ by little else
_SAME_STRAIN = 0.05  # of a channel's gain: looks that strain colours more alike are not told apart by that
_ALIKE = 0.7  # of the highest resemblance: what the client itself has at least, whose colours count for nothing there
_NEAR_ITS_BEST = 0.9  # of the highest resemblance of a client's looks: one of less is not what it is seen in
_LEAST_LIKELIHOOD = 0.15  # what is read by none of a client's templates is not its board


def identify(image: NDArray[uint8]) -> Reading:
    """Read a picture with the calibration whose board has the most cells in agreement.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Raises:
        NoBoardFoundError: No known client's board is in the picture.
    """
    return identify_all(image)[0][0]


def identify_all(image: NDArray[uint8]) -> list[list[Reading]]:
    """Read every board in a picture with each calibration whose client it may be.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Returns:
        For each board, the one with most cells in agreement first, its readings, that of the likeliest client first;
        `confidence` is the score of a client.

    Raises:
        NoBoardFoundError: No known client's board is in the picture.
    """
    boards: list[list[Reading]] = []
    tilings = cache(lambda: find_tilings(image))
    for reading in read_with_all(image, tilings):
        region = reading.grid.region
        board = next((board for board in boards if same_place(region, board[0].grid.region)), None)
        if board is None:
            boards.append([reading])
        elif all(reading.client != other.client for other in board):
            board.append(reading)
    if not boards:
        raise _nothing_found(image, tilings)
    return boards


def tied(board: Sequence[Reading]) -> list[str]:
    """The clients that a board is of as likely as not: the first one, and those that agree with it about as much.

    Args:
        board: Its readings, as `identify_all` gives them. The bundled client, which looks like another, ties with none.
    """
    least = (1 - _TIE) * board[0].classified.agreement
    others = [
        reading.client for reading in board[1:] if reading.client != _BUNDLED and reading.classified.agreement >= least
    ]
    return [board[0].client, *others]


def _nothing_found(image: NDArray[uint8], tilings: Callable[[], list[Tiling]]) -> NoBoardFoundError:
    """What to say of a picture without a board of any known client: it may show one that can be learned."""
    searched = (
        f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for {', '.join(calibration_folders())}"
    )
    unknown = unknown_board(image, tilings())
    if not unknown:
        return NoBoardFoundError(searched, hint="name the client to be told what came nearest: --client NAME")
    return NoBoardFoundError(
        f"{searched}; there is {unknown} that no calibration knows",
        hint="`sweepbot calibrate NAME --live` learns it in about a minute",
    )


def read_with_all(image: NDArray[uint8], tilings: Callable[[], list[Tiling]] | None = None) -> list[Reading]:
    """Read every board with every calibration whose client it may be, the likeliest first.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        tilings: Finds the tilings of the picture; asked only where its lattices show no board.
    """
    readers = list(_readers())
    chequered = [reading for reader in readers for reading in reader.read_chequers(image)]
    readings: list[Reading] = []
    # What is regular in a picture is the same for all of them.
    for lattices in searches(image, SMALLEST_CELL, LARGEST_CELL):
        readings = without_doubts(readings, _read_with_likely_ones(image, lattices, readers, chequered))
        if readings and not any(reading.doubts for reading in readings):
            break
    else:
        found = find_tilings(image) if tilings is None else tilings()
        on_tilings = [reading for reader in readers for reading in reader.read_tilings(image, found)]
        readings = without_doubts(readings, on_tilings)
    skins = {reader.calibration.name: reader.calibration.skin for reader in readers}
    readings = [one for one in readings if not any(_is_better_worn(other, one, skins) for other in readings)]
    most = max((reading.classified.agreement for reading in readings), default=0.0)

    def rank(reading: Reading) -> tuple[bool, bool, float]:
        ties = reading.classified.agreement >= (1 - _TIE) * most
        return ties, reading.client != _BUNDLED, reading.classified.agreement

    return sorted(readings, key=rank, reverse=True)


def _is_better_worn(one: Reading, other: Reading, skins: Mapping[str, str]) -> bool:
    """Whether a reading makes another of the same board needless, one client being seen in themes of the other's skin.

    Where both explain the cells, the light tells: a screen may dim what is shown, but hardly tints or brightens it.
    """
    wears, is_worn = skins[one.client] == other.client, skins[other.client] == one.client
    if not (wears or is_worn) or not same_place(one.grid.region, other.grid.region):
        return False
    agreements = one.classified.agreement, other.classified.agreement
    if min(agreements) < (1 - _SAME_FIGURES) * max(agreements):
        return agreements[0] > agreements[1]
    strains = _strain(one), _strain(other)
    return strains[0] < strains[1] - _SAME_STRAIN if wears else strains[0] <= strains[1] + _SAME_STRAIN


def _strain(reading: Reading) -> float:
    """How much a reading strains the client's colours."""
    return 0.0 if isinstance(reading.classifier, InkClassifier) else reading.classifier.strain


def _readers() -> Iterator[Reader]:
    """The readers of all calibrations that have looks of their own; a broken one is named in the log and left out."""
    for folder in calibration_folders().values():
        try:
            reader = _reader(folder, (folder / FILE).stat().st_mtime_ns)
        except CalibrationError as error:
            _log.warning("left out: %s", error)
        else:
            if reader is not None:
                yield reader


@lru_cache(maxsize=64)
def _reader(folder: Path, _changed_ns: int) -> Reader | None:
    """The reader of the calibration in a folder, as it was when last changed: screens are searched again and again.

    Pictures that several clients share are tried once, as those of the client that they were made of.
    """
    calibration = load_calibration(folder)
    if not calibration.skin:
        return Reader(calibration)
    if not calibration.own_looks:
        return None
    first, *others = calibration.own_looks
    return Reader(msgspec.structs.replace(calibration, templates=first.templates, variants=tuple(others)))


def _read_with_likely_ones(
    image: NDArray[uint8], lattices: Sequence[Lattice], readers: Sequence[Reader], known: Sequence[Reading]
) -> list[Reading]:
    """The boards on the lattices of a picture, as the readers read them whose clients they are likely of.

    Where a board is known already, no other is looked for.
    """
    readings = list(known)
    for lattice in lattices:
        if not any(_settled_at(lattice, reading) for reading in readings):
            readings += _read_lattice(image, lattice, readers)
    return readings


def _read_lattice(image: NDArray[uint8], lattice: Lattice, readers: Sequence[Reader]) -> list[Reading]:
    """The board on a lattice, as it is read by the clients that it may be of.

    Where those that come near the best in shape see no board, of what is as strictly periodic as a board the others are
    asked: the shape of large cells with thin gaps between them tells little.
    """
    likely = _likelihoods(image, lattice, readers, _ALIKE)
    readings = _read_with(image, lattice, likely)
    if readings or lattice.score < STRICTLY_PERIODIC:
        return readings
    others = [reader for reader in readers if reader not in likely]
    return _read_with(image, lattice, _likelihoods(image, lattice, others, 0.0))


def _read_with(image: NDArray[uint8], lattice: Lattice, likelihoods: Mapping[Reader, float]) -> list[Reading]:
    """The board on a lattice, as it is read by some clients.

    What is read without doubt is asked of those only that tie with its client; what leaves something unexplained, of
    those that explain as much. The bundled one, which looks like another, must be clearly likelier than any that has
    read it.
    """
    readings: list[Reading] = []
    read_with = settled_with = 0.0
    worn_for_certain = ""

    def rank(reader: Reader) -> tuple[bool, float]:
        # Of two that wear one skin, the client itself comes first where nothing sets them apart.
        themed = _TIE if reader.calibration.skin else 0.0
        return reader.calibration.name != _BUNDLED, likelihoods[reader] - themed

    for reader in sorted(likelihoods, key=rank, reverse=True):
        if worn_for_certain and reader.calibration.skin == worn_for_certain:
            continue
        likelihood = likelihoods[reader]
        least = max(settled_with - _TIE, read_with - max(_TIE, 1 - read_with))
        if likelihood < (read_with + _TIE if reader.calibration.name == _BUNDLED else least):
            continue
        with suppress(NoBoardFoundError):
            found = reader.read_all(image, [lattice])
            readings += found
            read_with = max(read_with, likelihood)
            settled = [reading for reading in found if _settled_at(lattice, reading)]
            if settled:
                settled_with = max(settled_with, likelihood)
            # In its own light a theme of its figures could not be what is better worn, see `_is_better_worn`.
            if any(_strain(reading) <= _SAME_STRAIN for reading in settled):
                worn_for_certain = reader.calibration.name
    return readings


def _settled_at(lattice: Lattice, reading: Reading) -> bool:
    """Whether a reading leaves nothing to be asked of a lattice."""
    settled = reading.classified.is_settled or reading.chequered
    return settled and same_place(reading.grid.region, lattice.region)


def _likelihoods(
    image: NDArray[uint8], lattice: Lattice, readers: Sequence[Reader], alike: float
) -> dict[Reader, float]:
    """How well some cells of a lattice agree with the clients that it may be of, in [0, 1].

    They are compared in shape with each look of each client, and then in full with those alone that come near the best:
    to a share of `alike`.
    """
    sample = sampled(image, lattice)
    shaped = {
        reader: {look: sample.correlation(look.patterns) for look in reader.looks_on(image, lattice)}
        for reader in readers
    }
    highest = max((max(looks.values(), default=0.0) for looks in shaped.values()), default=0.0)
    least = max(LEAST_CORRELATION, alike * highest)
    likelihoods: dict[Reader, float] = {}
    for reader, looks in shaped.items():
        own = max(looks.values(), default=0.0)
        near = [look for look, likeness in looks.items() if likeness >= max(least, _NEAR_ITS_BEST * own)]
        likelihood = max((_likelihood(image, sample, look) for look in near), default=0.0)
        if likelihood >= _LEAST_LIKELIHOOD:
            likelihoods[reader] = likelihood
    return likelihoods


def _likelihood(image: NDArray[uint8], sample: Sample, look: Look) -> float:
    if isinstance(look, InkClassifier):
        return rehearsed_in_ink(image, sample, look)
    return rehearsed(image, sample, look)
