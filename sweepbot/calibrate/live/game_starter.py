"""Beginning new games of an unknown client, in the way that does least harm."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from sweepbot.behaviour import Restart
from sweepbot.calibrate.labels.log import Pictures
from sweepbot.calibrate.live.board_tracker import BoardTracker
from sweepbot.calibrate.live.dialog_dismisser import DialogDismisser
from sweepbot.calibrate.live.game import LiveGame
from sweepbot.calibrate.live.restart_ways import CLOSES, is_nearly, point_of, ways
from sweepbot.calibrate.thresholds import CHANGE, LIKENESS, PACE
from sweepbot.errors import StuckError
from sweepbot.geometry import Image, Region, same_pixels
from sweepbot.vision.lattices.untouched_boards import cell_size, is_as_large
from sweepbot.vision.pictures.difference import difference
from sweepbot.vision.widgets.surroundings import Surroundings


class GameStarter:
    """Begins new games.

    A way that has not begun one is not tried again where it has changed anything, and never written down. What it has
    changed is undone where that is possible; where not, nothing more is clicked or pressed.

    Attributes:
        restart: What has begun new games, in the order in which it was found.
        starts_open: Whether the last new board had an open region.
    """

    def __init__(
        self, tracker: BoardTracker, dismisser: DialogDismisser, calm: Image, tell: Callable[[str], None]
    ) -> None:
        self.restart: list[Restart] = []
        self.starts_open = not tracker.hidden_in(tracker.began).all()
        self._tracker = tracker
        self._touch = tracker.touch
        self._dismisser = dismisser
        self._calm = calm
        self._tell = tell
        self._home = tracker.place
        self._given_up: list[Restart] = []

    def begin(self, last: LiveGame, *, is_last: bool) -> None:
        """Begin a new game; after the last one leave a new board behind, where that is over or a known way does it.

        Raises:
            StuckError: Nothing begins one, or what should have has led elsewhere.
        """
        self._tracker.look()
        # A board on which no click had an effect may be that of a lost game.
        if self._tracker.is_fresh and (is_last or last.clicked is not None):
            closing = None if is_last else self._dismisser.last  # what closed a dialog has begun a game
            self.restart += [] if closing is None or closing in self.restart else [closing]
        elif not any(map(self._begins, self.restart * PACE.tries)) and (last.over or not is_last):
            self._seek(PACE.last_search_s if is_last else PACE.search_s)

    def _seek(self, limit_s: float) -> None:
        """Begin a new game in a way that was not tried yet, within so many seconds.

        Raises:
            StuckError: Nothing begins one.
        """
        begun, tried = self._touch.clock.now(), list(self.restart)
        while (way := self._next_way(tried)) is not None and self._touch.clock.now() - begun < limit_s:
            tried.append(way)
            if way.key is None and self._touch.is_link(point_of(way, self._home)):
                continue
            if self._begins_at_last(way):
                # What lies beyond the last board has never looked like one of its cells: none there may be clicked.
                home = self._home.region.grown(round(max(self._home.pitch)) // 2)
                boards = [found for found in self._touch.boards() if found.region.intersection(self._home.region)]
                larger = [found for found in boards if found.region.intersection(home) != found.region]
                if larger and not any(is_as_large(found, self._home) for found in boards):
                    raise self._led_elsewhere(way, f"a board of {larger[0].columns}x{larger[0].rows} cells")
                self.restart.append(way)
                self._tell(f"a new game begins with {way}")
                return
            self._dismisser.dismiss_windows()
        raise StuckError(
            "no new game begins: no button near the board and no key that is usual begins one",
            hint="begin one by hand and calibrate again",
        )

    def _next_way(self, tried: list[Restart]) -> Restart | None:
        """The least harmful way that was not tried, by what is to be seen now."""
        window, screen = self._touch.window, self._touch.screen.region
        page = window.visible or screen
        place = self._tracker.place.moved(-screen.origin)
        around = Surroundings(self._touch.desktop(), self._calm, place, page.moved(-screen.origin))
        done = [*tried, *self._given_up]
        possible = ways(around, is_page=window.is_browser)
        return next((way for way in possible if not any(is_nearly(way, other) for other in done)), None)

    def _begins_at_last(self, way: Restart) -> bool:
        """Follow a way, again where that changes a board that is nearly all open; whether there is a new board now.

        Raises:
            StuckError: It has opened another window, or led to something else that cannot be undone.
        """
        window = self._touch.window
        before, desktop, others, title = self._tracker.now, self._touch.desktop(), window.others(), window.title
        for _ in range(PACE.tries if self.starts_open else 1):
            shown = self._tracker.now
            begins = self._begins(way)
            if begins or not (self._tracker.now != shown).any():
                break
        if not begins and _words(window.title) != _words(title):
            raise self._led_elsewhere(way, f"a window titled {window.title!r}")
        is_alone = window.others() <= others
        if is_alone and (begins or same_pixels(self._touch.desktop(), desktop)):
            return begins
        self._given_up += [] if begins else [way]
        is_switched = is_alone and self._is_switched(way, desktop)
        if is_alone and not is_switched and self._is_there(before):
            return False
        for undo in self._undoings(way if is_alone else None, is_switched=is_switched):
            undo()
            self._tracker.look()
            if window.others() <= others and (begins or self._is_there(before)):
                return begins
        raise self._led_elsewhere(
            way, "something that is not this board" if window.others() <= others else "another window"
        )

    def _begins(self, way: Restart) -> bool:
        """Follow a way; whether there is a new board now."""
        before, is_known = self._tracker.now, way in self.restart
        self._tracker.expect_new_game()
        self._touch.follow(way, self._home)
        for patiently in (False, True):
            self._tracker.look(patiently=patiently)
            if self._has_begun():
                return True
            if not is_known and not (self._tracker.now != before).any():
                return False
        return self._has_moved() and self._has_begun()

    def _has_begun(self) -> bool:
        """Whether there is a new board, be it one that begins with an open region."""
        tracker = self._tracker
        until = self._touch.clock.now() + PACE.slow_s
        while self.starts_open and tracker.is_fresh and self._touch.clock.now() < until:
            self._touch.rest(PACE.undone_s)  # a busy client draws its open region after the board
            tracker.look()
        if tracker.is_fresh:
            self.starts_open = False
            tracker.take_as_hidden()
            return True
        began = np.isin(tracker.now, np.union1d(tracker.began, tracker.baseline)) | tracker.hidden
        # A smaller board may be in a corner of ours.
        return bool(self.starts_open and began.mean() >= CHANGE.left_share and tracker.is_hidden_again)

    # ------------------------------------------------------------------ what a way has changed

    def _undoings(self, way: Restart | None, *, is_switched: bool) -> Iterator[Callable[[], None]]:
        """What may undo what a way has led to: time, a key that takes away what asks, and the same click again.

        A switch is clicked again at once. The way is None where it has opened a window: a link opens another each time.
        """
        again = [] if way is None or way.click is None else [partial(self._touch.follow, way, self._home)]
        yield from again if is_switched else []
        until = self._touch.clock.now() + PACE.slow_s
        while self._touch.clock.now() < until:
            yield partial(self._touch.rest, PACE.undone_s)
        if self._touch.window.is_known:  # else nothing tells where the key would go
            yield partial(self._touch.follow, Restart(key=CLOSES), self._home)
        yield from [] if is_switched else again

    def _is_there(self, before: Pictures) -> bool:
        """Whether the board is to be seen: most cells as before, any as hidden or open ones were, or all elsewhere."""
        tracker = self._tracker
        is_same = (tracker.now == before).mean() >= CHANGE.left_share
        return (
            bool(is_same or tracker.hidden.any() or np.isin(tracker.now, tracker.baseline).any()) or self._has_moved()
        )

    def _is_switched(self, way: Restart, before: Image) -> bool:
        """Whether what was clicked looks another than before, as a switch does; False where a key was pressed."""
        at = point_of(way, self._home) - self._touch.screen.region.origin
        seen = None if way.click is None else Region.around(at, CHANGE.control_px).intersection(Region.of(before))
        now = self._touch.desktop()
        return seen is not None and bool(difference(now, before)[seen.slices].max() > LIKENESS.distinct_levels)

    def _led_elsewhere(self, way: Restart, where: str) -> StuckError:
        """Give up a way that has led elsewhere: what is told of it."""
        self._given_up.append(way)
        return StuckError(
            f"{way} leads to {where}: it is given up",
            hint="begin a game by hand and calibrate again",
        )

    def _has_moved(self) -> bool:
        """Find the board where it now is, if it is another place."""
        for place in self._touch.boards():
            fits = is_as_large(place, self._home) and cell_size(place) == cell_size(self._home)
            if fits and not place.nearly(self._tracker.place, CHANGE.still_px):
                self._touch.guard.park(place.region)  # a button may have been where the board now is
                self._tracker.move_to(place)
                self._home = place
                return True
        return False


def _words(title: str) -> str:
    """A title without the numbers in it, as clocks and counters are."""
    return "".join(filter(str.isalpha, title))
