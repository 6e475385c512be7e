"""From a screen with some Minesweeper on it to a calibration: find the board, make sure of it, play, gather."""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from sweepbot.behaviour import Settle
from sweepbot.calibrate.labels.belief import Belief, Observe
from sweepbot.calibrate.labels.looks import PatchStore, kinds_of
from sweepbot.calibrate.learned import Label, Learned
from sweepbot.calibrate.live.board_tracker import BoardTracker, check_rows
from sweepbot.calibrate.live.dialog_dismisser import take_away
from sweepbot.calibrate.live.findings import findings_of, labels_so_far
from sweepbot.calibrate.live.session import LearningSession
from sweepbot.calibrate.live.touch import Times, Touch
from sweepbot.calibrate.thresholds import CHANGE, LIKENESS, PACE
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.controls import Controls
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Cell, Image, same_pixels
from sweepbot.vision.grid import LEAST_CELLS, Grid
from sweepbot.vision.lattices.followed import followed
from sweepbot.vision.lattices.untouched_boards import cells_of, find_places, is_as_large
from sweepbot.vision.pictures.difference import difference

_LONGEST = 2.0  # times as long as high may a cell be: what is longer is a part of one, as where most are open


def find_board(frame: Frame) -> Grid:
    """The likeliest place of a board in a frame, in pixels of the desktop, followed to its ends.

    Raises:
        NoBoardFoundError: Nothing repeats itself as a board does.
    """
    places = [place for place in find_places(frame.image) if max(place.pitch) < _LONGEST * min(place.pitch)]
    if not places:
        raise NoBoardFoundError(
            f"no board found: nothing in {frame.region} repeats itself both ways over {LEAST_CELLS} cells or more",
            hint="show the whole board, with no cell opened, and nothing in front of it",
        )
    place = followed(frame.image, places[0])
    return (place.whole() or place).moved(frame.region.origin)  # a line or two may be a pixel off, where it is open


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
        desk: What it plays on.
        place: The board, as `find_board` found it.
        max_games: After so many games it makes do with what it knows.
        times: How long to wait for reactions at first.
        tell: Told in words what happens.
        show: Given every second what is believed so far, with the commonest picture of each state.
        observe: Told each thing that is observed.

    Raises:
        NoBoardFoundError: A click on it changes nothing, or other things than it; or what is in front of it stays.
        StuckError: The board does not react, or no new game can be begun, before enough was learned.
        UntrustedReadingError: What is seen cannot come from Minesweeper, or too little was understood.
        StoppedByUserError: A person took over.
    """
    window = ClientWindow(desk)
    window.adopt(place.region)
    settle = Settle(notice_ms=1000 * times.limit, quiet_ms=1000 * times.quiet, limit_ms=1000 * times.limit)
    touch = Touch(Controls.of(desk, window, settle, sees_board=_sees_board), times, place.region)
    touch.guard.park(place.region)  # a cell under the pointer may look unlike the others
    if take_away(touch, place, tell):  # more of the board may be seen now
        found = find_board(desk.screen.grab(None))
        place = found if found.region.intersection(place.region) else place
    window.remember()
    calm = touch.desktop()
    untouched, clicked = _first_reaction(touch, place)
    belief = Belief(PatchStore(), observe)
    tracker = BoardTracker(touch, place, belief.log.patches, untouched, clicked)
    learner = LearningSession(tracker, belief, calm, tell)
    learner.learn(max_games, lambda learner: show(labels_so_far(learner)))
    return findings_of(learner)


def _sees_board(desktop: Image, place: Grid) -> bool:
    """Whether a board as large as one is anywhere in a picture: its client is there, though all may look another."""
    return any(is_as_large(found, place) for found in find_places(desktop))


def _first_reaction(touch: Touch, place: Grid) -> tuple[Frame, Cell]:
    """Click cells, one of each look, until one changes: only a hidden cell is changed by a click on it.

    Returns:
        A picture of the board and what is around it before that, and the cell that it was on.

    Raises:
        NoBoardFoundError: None does, or some do by themselves.
    """
    touch.watch(place.region, int(max(place.pitch)))
    # Patiently, as the pointer was over a cell until now, and some clients take their time at first.
    begun = touch.clock.now()
    before = Frame(touch.at_rest(touch.around), touch.around)
    within = place.moved(-touch.around.origin)
    if touch.clock.now() - begun >= PACE.slow_s:  # it has not come to rest
        _check_still(before.image, touch.at_rest(touch.around), within)
    cells = _one_of_each_look(before.image, within)
    for hold_s, cell in itertools.product(PACE.holds_s, cells):  # a client that has just started may be slow, too
        after = touch.click(place.centre(cell), "left", hold_s).image
        if same_pixels(after, before.image):  # a busy machine may be late
            after = touch.at_rest(touch.around)
        check_rows(before.image, after, within)
        own = within.region_of(cell)
        changed = difference(after, before.image)[own.slices] > 0
        # A clock beside the board, or a pointer that has moved on, may change something at the same time.
        if np.count_nonzero(changed) >= CHANGE.least_px:
            return before, cell
    raise NoBoardFoundError(
        f"clicks change nothing: what is at {place.region} is no board, or its game is over",
        hint="begin a new game, or name its place: --region WxH+X+Y",
    )


def _check_still(before: Image, later: Image, place: Grid) -> None:
    """Make sure that no cell changes by itself, in two pictures taken patiently before the first click.

    Raises:
        NoBoardFoundError: One does.
    """
    changed = cells_of(difference(later, before)[:, :, None], place).max(axis=(2, 3, 4)) > LIKENESS.distinct_levels
    if changed.any():
        row, column = np.argwhere(changed)[0].tolist()
        raise NoBoardFoundError(
            f"{np.count_nonzero(changed)} cells change by themselves, as that in row {row}, column {column} does",
            hint="is a clock or a moving picture drawn over the board? Then it cannot be learned",
        )


def _one_of_each_look(image: Image, place: Grid) -> list[Cell]:
    """A cell near the middle for each look, the commonest first: a client may begin with most of its board open."""
    patches = PatchStore()
    kinds = kinds_of(patches.numbers(cells_of(image, place)), patches)
    middle, found = (place.rows // 2, place.columns // 2), []
    for kind, _ in Counter(kinds.ravel().tolist()).most_common(PACE.looks_tried):
        alike = np.argwhere(kinds == kind)
        found.append(Cell(*alike[np.abs(alike - middle).sum(axis=1).argmin()].tolist()))
    return found
