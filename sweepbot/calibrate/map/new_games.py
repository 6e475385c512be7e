"""Starting new games of an unknown client, in the least harmful way."""

from collections.abc import Callable, Iterator
from functools import partial

from sweepbot.behaviour import Restart
from sweepbot.board import Phase, State
from sweepbot.calibrate.map.boxes import Boxes
from sweepbot.calibrate.map.situation import Situation
from sweepbot.calibrate.map.ways import CLOSES, is_nearly, point_of, ways
from sweepbot.calibrate.seeing.surroundings import Surroundings
from sweepbot.calibrate.seeing.untouched_boards import find_places, is_as_large
from sweepbot.calibrate.thresholds import CHANGE, LIKENESS, PACE
from sweepbot.errors import StuckError
from sweepbot.geometry import Image, Region, same_pixels
from sweepbot.solver.unknown_total import may_be_over
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.difference import difference
from sweepbot.vision.reading import Reading


class NewGames:
    """Starts new games.

    A way that changes something without starting a game is not tried again, and never written to the calibration. Its
    effect is undone if possible; if not, nothing more is clicked or pressed.

    Attributes:
        restart: The ways that have started new games, in the order in which they were found.
        home: Where the board is, unless the end of a game has moved it.
    """

    def __init__(self, situation: Situation, boxes: Boxes, tell: Callable[[str], None]) -> None:
        self.restart: list[Restart] = []
        self._situation = situation
        self._touch = situation.touch
        self._boxes = boxes
        self._tell = tell
        self.home = situation.place
        self._given_up: list[Restart] = []
        self._needs_flags = False

    def start(self, over: Reading) -> None:
        """Start a game after one that is over, in a way that has started one before, or else in the least harmful one.

        Raises:
            StuckError: No way starts one, or one has led elsewhere.
        """
        self.home = over.grid
        if self._needs_flags:
            self._marks_mines()
        if not any(map(self._try_way, self.restart * PACE.tries)):
            self._seek()

    def note_begun(self) -> None:
        """Note that what has closed a dialog has started a game."""
        way = self._boxes.last
        self.restart += [] if way is None or way in self.restart else [way]

    def _seek(self) -> None:
        """Start a new game in a way that was not tried yet.

        Raises:
            StuckError: No way starts one.
        """
        start, tried = self._touch.clock.now(), list(self.restart)
        while (way := self._next_way(tried)) is not None and self._touch.clock.now() - start < PACE.search_s:
            tried.append(way)
            if way.key is None and self._touch.is_link(point_of(way, self.home)):
                continue
            if self._try_new_way(way):
                # On a larger board, cells beyond the last one may not be clicked, as their looks are unknown.
                home = self.home.region.grown(round(max(self.home.pitch)) // 2)
                boards = [found for found in self._boards() if found.region.intersection(self.home.region)]
                larger = [found for found in boards if found.region.intersection(home) != found.region]
                if larger and not any(is_as_large(found, self.home) for found in boards):
                    raise self._led_elsewhere(way, f"a board of {larger[0].columns}x{larger[0].rows} cells")
                self.restart.append(way)
                self._tell(f"a new game begins with {way}")
                return
            self._boxes.dismiss_windows()
        if not self._needs_flags and self._marks_mines():  # the client may not have taken the game for won before
            self._needs_flags = True
            if not any(map(self._try_way, self.restart)):
                self._seek()
            return
        raise StuckError(
            "no new game starts: no button near the board and no usual key starts one",
            hint="start one by hand, and play again; or give a way by `restart` in its calibration",
        )

    def _marks_mines(self) -> bool:
        """Flag what a won game has left hidden, as some clients require; stop at the first cell that shows no flag.

        Returns:
            Whether any does.
        """
        place, guard, board = self._situation.place, self._touch.guard, self._situation.now.board
        is_won = self._situation.is_legible and self._situation.now.phase is not Phase.LOST and may_be_over(board)
        has_marked = False
        for cell in board.where(State.HIDDEN) if is_won else ():
            before = self._touch.screen.grab(place.region_of(cell))
            guard.click(place.centre(cell), "right", place.region)
            if same_pixels(guard.wait_for_change(before, PACE.limit_s).image, before.image):
                break
            has_marked = True
        guard.park(place.region)
        self._situation.look()
        return has_marked

    def _next_way(self, tried: list[Restart]) -> Restart | None:
        """Return the least harmful way that was not tried, given what is on the screen now; None if there is none."""
        window, screen = self._touch.window, self._touch.screen.region
        page = window.visible or screen
        place = self._situation.place.moved(-screen.origin)
        around = Surroundings(self._touch.desktop(), self._boxes.calm, place, page.moved(-screen.origin))
        done = [*tried, *self._given_up]
        possible = ways(around, is_page=window.is_browser)
        return next((way for way in possible if not any(is_nearly(way, other) for other in done)), None)

    def _try_new_way(self, way: Restart) -> bool:
        """Try a way that is not known to work; return whether there is a new board now, and undo any other effect.

        Raises:
            StuckError: It has opened another window, or had another effect that cannot be undone.
        """
        window = self._touch.window
        before, desktop, others, title = self._situation.now, self._touch.desktop(), window.others(), window.title
        starts = self._try_way(way)
        if not starts and _words(window.title) != _words(title):
            raise self._led_elsewhere(way, f"a window titled {window.title!r}")
        is_alone = window.others() <= others
        if is_alone and (starts or same_pixels(self._touch.desktop(), desktop)):
            return starts
        self._given_up += [] if starts else [way]
        is_switched = is_alone and self._is_switched(way, desktop)
        if is_alone and not is_switched and self._is_there(before):
            return False
        for undo in self._ways_to_undo(way if is_alone else None, is_switched=is_switched):
            undo()
            self._situation.look()
            if window.others() <= others and (starts or self._is_there(before)):
                return starts
        raise self._led_elsewhere(
            way, "something that is not this board" if window.others() <= others else "another window"
        )

    def _try_way(self, way: Restart) -> bool:
        """Press or click; return whether there is a new board now."""
        before, is_known = self._situation.now, way in self.restart
        self._touch.follow(way, self.home)
        for patiently in (False, True):
            self._situation.look(patiently=patiently)
            if self._situation.has_begun_anew:
                return True
            if not is_known and not self._situation.is_unlike(before):
                return False
        return self._has_moved() and self._situation.has_begun_anew

    # ------------------------------------------------------------------ undoing other effects

    def _ways_to_undo(self, way: Restart | None, *, is_switched: bool) -> Iterator[Callable[[], None]]:
        """Yield what may undo the effect of a way: waiting, a key that closes dialogs, and the same click again.

        A switch is clicked again at once. The way is None if it has opened a window, as a link would open another one.
        """
        again = [] if way is None or way.click is None else [partial(self._touch.follow, way, self.home)]
        yield from again if is_switched else []
        until = self._touch.clock.now() + PACE.slow_s
        while self._touch.clock.now() < until:
            yield partial(self._touch.rest, PACE.undone_s)
        if self._touch.window.is_known:  # else it is unknown where the key would go
            yield partial(self._touch.follow, Restart(key=CLOSES), self.home)
        yield from [] if is_switched else again

    def _is_there(self, before: Reading) -> bool:
        """Whether the board is visible: most cells look as before, it can be read, or it has moved."""
        is_same = (self._situation.now.board.cells == before.board.cells).mean() >= CHANGE.left_share
        return bool(is_same) or self._situation.is_legible or self._has_moved()

    def _is_switched(self, way: Restart, before: Image) -> bool:
        """Whether the clicked place has changed, as a switch does; False for a key."""
        at = point_of(way, self.home) - self._touch.screen.region.origin
        seen = None if way.click is None else Region.around(at, CHANGE.control_px).intersection(Region.of(before))
        now = self._touch.desktop()
        return seen is not None and bool(difference(now, before)[seen.slices].max() > LIKENESS.distinct_levels)

    def _led_elsewhere(self, way: Restart, where: str) -> StuckError:
        """Give up a way that has led elsewhere, and return the error to raise."""
        self._given_up.append(way)
        return StuckError(
            f"{way} leads to {where}, and is not tried again",
            hint="start a game by hand, and play again",
        )

    def _has_moved(self) -> bool:
        """Find the board, and look at it there if it has moved; return whether it has."""
        if not self._situation.has_moved():
            return False
        self.home = self._situation.place
        return True

    def _boards(self) -> list[Grid]:
        """Return where on the desktop something repeats like the cells of a board."""
        origin = self._touch.screen.region.origin
        return [found.moved(origin) for found in find_places(self._touch.desktop())]


def _words(title: str) -> str:
    """Return the letters of a title, without clocks and counters."""
    return "".join(filter(str.isalpha, title))
