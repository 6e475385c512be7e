"""Learning a client on the screen: find its board, make sure that it is one, play, and collect the findings."""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from sweepbot.behaviour import Settle
from sweepbot.calibrate.labels.belief import Belief, Observe
from sweepbot.calibrate.labels.looks import PatchStore, kinds_of
from sweepbot.calibrate.learned import Label, Learned
from sweepbot.calibrate.live.board_tracker import BoardTracker, check_rows
from sweepbot.calibrate.live.findings import findings_of
from sweepbot.calibrate.live.fronts import clear_view
from sweepbot.calibrate.live.session import LearningSession
from sweepbot.calibrate.live.times import Times
from sweepbot.calibrate.live.touch import Touch
from sweepbot.calibrate.seeing.followed import followed
from sweepbot.calibrate.seeing.untouched_boards import cells_of, find_places, is_as_large
from sweepbot.calibrate.thresholds import CHANGE, LIKENESS, PACE
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.controls import Controls
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Cell, Image, same_pixels
from sweepbot.vision.grid import LEAST_CELLS, Grid
from sweepbot.vision.pictures.difference import difference

_ASPECT_FACTOR = 2.0  # the most that one side of a cell may be longer than the other; a longer one is part of a cell


def find_board(frame: Frame) -> Grid:
    """Find the likeliest board in a frame; return its whole grid, in pixels of the desktop.

    Raises:
        NoBoardFoundError: Nothing repeats like the cells of a board.
    """
    places = [place for place in find_places(frame.image) if max(place.pitch) < _ASPECT_FACTOR * min(place.pitch)]
    if not places:
        raise NoBoardFoundError(
            f"no board found: nothing in {frame.region} repeats both ways over {LEAST_CELLS} cells or more",
            hint="show the whole board, with no cell opened, and nothing in front of it",
        )
    place = followed(frame.image, places[0])
    return (place.whole() or place).moved(frame.region.origin)  # beside open cells a line may be a pixel off


def calibrate_live(
    desk: Desk,
    place: Grid,
    *,
    max_games: int,
    times: Times,
    tell: Callable[[str], None],
    show: Callable[[Sequence[Label]], None] = lambda _: None,
    observe: Observe = lambda _, __: None,
) -> Learned:
    """Learn the client whose board is at `place`.

    Args:
        desk: The desk.
        place: The board's grid, as `find_board` found it.
        max_games: The most games to play.
        times: How long to wait for reactions at first.
        tell: Called with messages on the progress.
        show: Called about every second with the states so far, each with its commonest picture.
        observe: Called with each observation.

    Raises:
        NoBoardFoundError: Clicks do not change the board, it changes by itself, or something in front of it stays.
        StuckError: The board does not react, or no new game can be started, before enough was learned.
        UntrustedReadingError: What is seen cannot be Minesweeper, or too little was understood.
        StoppedByUserError: A person took over.
    """
    window = ClientWindow(desk)
    window.adopt(place.region)
    settle = Settle(notice_ms=1000 * times.limit, quiet_ms=1000 * times.quiet, limit_ms=1000 * times.limit)
    touch = Touch(Controls(desk, window, settle, sees_board=_sees_board), times, place.region)
    touch.guard.park(place.region)  # a cell under the pointer may look different
    if clear_view(touch, place, tell):  # more of the board may be visible now
        found = find_board(desk.screen.grab(None))
        place = found if found.region.intersection(place.region) else place
    window.remember()
    calm = touch.desktop()
    untouched, clicked = _first_reaction(touch, place)
    belief = Belief(PatchStore(), observe)
    tracker = BoardTracker(touch, place, belief.log.patches, untouched, clicked)
    learner = LearningSession(tracker, belief, calm, tell)
    learner.learn(max_games, show)
    return findings_of(learner)


def _sees_board(desktop: Image, place: Grid) -> bool:
    """Whether a board of the same size is anywhere in a picture, even if it looks different."""
    return any(is_as_large(found, place) for found in find_places(desktop))


def _first_reaction(touch: Touch, place: Grid) -> tuple[Frame, Cell]:
    """Click cells, one of each look, until one changes, which must have been hidden.

    Returns:
        A picture of the board and its surroundings before that click, and the cell that was clicked.

    Raises:
        NoBoardFoundError: No cell changes, or some change by themselves.
    """
    touch.watch(place.region, int(max(place.pitch)))
    # Patiently, as the pointer was on a cell until now, and some clients are slow at first.
    start = touch.clock.now()
    before = Frame(touch.look(patiently=True), touch.around)
    within = place.moved(-touch.around.origin)
    if touch.clock.now() - start >= PACE.slow_s:  # it has not come to rest
        _check_still(before.image, touch.look(patiently=True), within)
    cells = _one_of_each_look(before.image, within)
    for hold_s, cell in itertools.product(PACE.holds_s, cells):  # a client that has just started may be slow as well
        after = touch.click(place.centre(cell), "left", hold_s)
        if same_pixels(after, before.image):  # a busy machine may be late
            after = touch.look(patiently=True)
        check_rows(before.image, after, within)
        own = within.region_of(cell)
        changed = difference(after, before.image)[own.slices] > 0
        # Only the cell counts, as a clock beside the board, or the pointer, may change at the same time.
        if np.count_nonzero(changed) >= CHANGE.least_px:
            return before, cell
    raise NoBoardFoundError(
        f"clicks change nothing: what is at {place.region} is not a board, or its game is over",
        hint="start a new game, or give the board's place: --region WxH+X+Y",
    )


def _check_still(before: Image, later: Image, place: Grid) -> None:
    """Check that no cell changes by itself, in two pictures taken patiently before the first click.

    Raises:
        NoBoardFoundError: One does.
    """
    changed = cells_of(difference(later, before)[:, :, None], place).max(axis=(2, 3, 4)) > LIKENESS.distinct_levels
    if changed.any():
        row, column = np.argwhere(changed)[0].tolist()
        raise NoBoardFoundError(
            f"{np.count_nonzero(changed)} cells change by themselves, such as the one in row {row}, column {column}",
            hint="a board with a clock or a moving picture on it cannot be learned",
        )


def _one_of_each_look(image: Image, place: Grid) -> list[Cell]:
    """Return a cell near the middle for each look, the commonest first; most of a new board may already be open."""
    patches = PatchStore()
    kinds = kinds_of(patches.numbers(cells_of(image, place)), patches)
    middle, found = (place.rows // 2, place.columns // 2), []
    for kind, _ in Counter(kinds.ravel().tolist()).most_common(PACE.looks_tried):
        alike = np.argwhere(kinds == kind)
        found.append(Cell(*alike[np.abs(alike - middle).sum(axis=1).argmin()].tolist()))
    return found
