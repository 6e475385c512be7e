"""Starting new games of an unknown client, in the least harmful way."""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import structs

from sweepbot.behaviour import Restart
from sweepbot.board import Phase, State
from sweepbot.calibrate.map.boxes import Boxes
from sweepbot.calibrate.map.shown import is_shown_anew, shown_way
from sweepbot.calibrate.map.situation import Situation
from sweepbot.calibrate.map.ways import CLOSES, Possible, click_at, is_nearly, point_of, untried_keys, ways
from sweepbot.calibrate.seeing.surroundings import Surroundings, moved_along
from sweepbot.calibrate.seeing.untouched_boards import find_places, is_as_large
from sweepbot.calibrate.seeing.words import can_read, ends_by_words, plainest
from sweepbot.calibrate.thresholds import CHANGE, PACE
from sweepbot.control.widgets.blobs import find_changes
from sweepbot.errors import StuckError
from sweepbot.geometry import Image, Region, same_pixels
from sweepbot.solver.unknown_total import may_be_over
from sweepbot.vision.grid import Grid
from sweepbot.vision.reading import Reading

_TEXT_MARGIN_PX = 3  # around what has changed, so that its outermost letters are whole
_MAX_TEXT_PX = 900, 500  # width and height of what has changed and may say something
_MAX_TEXTS = 12  # that are read, the widest


class NewGames:
    """Starts new games.

    A way that changes something without starting a game is not tried again, and never written to the calibration. Its
    effect is undone if possible; if not, nothing more is clicked or pressed.

    Args:
        situation: What the board shows.
        boxes: Closes what comes up.
        tell: Called with messages on what was found out.
        is_attended: Whether somebody is there to show a way, if none is found.

    Attributes:
        restart: The ways that have started new games, in the order in which they were found.
        home: Where the board is, unless the end of a game has moved it.
    """

    def __init__(self, situation: Situation, boxes: Boxes, tell: Callable[[str], None], *, is_attended: bool) -> None:
        self.restart: list[Restart] = []
        self._situation = situation
        self._touch = situation.touch
        self._boxes = boxes
        self._tell = tell
        self._is_attended = is_attended
        self.home = situation.place
        self._given_up: list[Restart] = []
        self._needs_flags = False
        self._played, self._played_at = boxes.calm, situation.place

    def end_by_words(self, now: Image) -> Phase | None:
        """Return how the game has ended by the words on a desktop that were not there in its middle, if they say."""
        window = self._touch.window.visible or self._touch.screen.region
        seen = window.moved(-self._touch.screen.region.origin)
        shown = now[seen.slices]
        changes = find_changes(self._played[seen.slices], shown)
        parts = [it.grown(_TEXT_MARGIN_PX).intersection(Region.of(shown)) or it for it in changes]
        width, height = _MAX_TEXT_PX
        texts = [it for it in parts if it.width <= width and it.height <= height]
        told = ends_by_words(sorted(texts, key=lambda it: -it.width)[:_MAX_TEXTS], shown)
        return told.pop() if len(told) == 1 else None

    def note_played(self, place: Grid) -> None:
        """Note what the client looks like in the middle of a game, with its board at `place`."""
        self._played, self._played_at = self._touch.desktop(), place

    def start(self, over: Reading) -> None:
        """Start a game after one that is over, in a way that has started one before, or else in the least harmful one.

        Raises:
            StuckError: No way starts one, or one has led elsewhere.
        """
        self.home = over.grid
        if self._needs_flags and self._marks_mines() and self._boxes.is_any_up() and self.take_away():
            return
        if not any(map(self._try_way, self.restart * PACE.tries)):
            self._seek(self._touch.clock.now() + PACE.seeking_s)

    def start_first(self) -> bool:
        """Click the control that begins a game, if one alone says so, or one alone says no more; return whether it was.

        A client may show its board before, and let nobody open a cell of it yet.
        """
        around = self._around()
        ways = [click_at(it.centre, around.place) for it in plainest(around.named(), around.image)]
        if len(ways) != 1 or self._touch.is_link(point_of(ways[0], self._situation.place)):
            return False
        self._tell(f"no cell opens: {ways[0]}, as its words say that it begins a game")
        self._touch.follow(ways[0], self._situation.place)
        return True

    def take_away(self) -> bool:
        """Remove what has come up; return whether that has begun a game, and keep how."""
        self._boxes.take_away()
        self._situation.look()
        has_begun, way = self._situation.has_begun_anew, self._boxes.last
        self.restart += [way] if has_begun and way is not None and way not in self.restart else []
        return has_begun

    def _seek(self, until_s: float) -> None:
        """Start a new game in a way that was not tried yet; no further one is tried once the clock shows `until_s`.

        Raises:
            StuckError: No way starts one.
        """
        tried = list(self.restart)
        while not (is_late := self._touch.clock.now() >= until_s) and (possible := self._next_way(tried)) is not None:
            way, why = possible
            tried.append(way)
            if way.key is None and self._touch.is_link(point_of(way, self.home)):
                continue
            before = self._touch.desktop()
            if (steps := self._try_new_way(way)) is not None:
                # On a larger board, cells beyond the last one may not be clicked, as their looks are unknown.
                larger = self._larger_board(self._touch.desktop())
                if larger is not None and self._larger_board(before) is None:
                    raise self._led_elsewhere(way, f"a board of {larger.columns}x{larger.rows} cells")
                self.restart.append(steps)
                self._tell(f"a new game begins with {steps}, tried {why}")
                return
            self._boxes.dismiss_windows()
        # The client may not have taken the game for won before.
        if not is_late and not self._needs_flags and self._marks_mines():
            self._needs_flags = True
            is_begun = self._boxes.is_any_up() and self.take_away()
            if not is_begun and not any(map(self._try_way, self.restart)):
                self._seek(until_s)
            return
        if not (self._is_attended and self._is_shown(tried)):
            why = "nothing that may be clicked without a person's word, and no usual key starts one"
            raise StuckError(
                f"no new game starts: {f'none was found in {PACE.seeking_s:.0f} s' if is_late else why}",
                hint="start one by hand, and play again; or give a way by `restart` in its calibration",
            )

    def _is_shown(self, tried: list[Restart]) -> bool:
        """Ask a person to start a new game, and keep how they do; return whether they have."""
        if not can_read():
            self._tell("what is written on buttons cannot be read: Tesseract is not installed")
        self._tell(f"how does a new game start? Start one in the client, once, within {PACE.shown_s:.0f} s")
        has_begun, at = is_shown_anew(self._situation)
        way = None if at is None else shown_way(at, self._situation)
        if way is not None and way not in self.restart:
            self.restart.append(way)
            self._tell(f"a new game begins with {way}, as was shown")
        elif has_begun and way is None:
            keys = " or ".join(untried_keys(tried))
            self._tell(f"that was no click in the client, and a key cannot be seen: as `restart` try {keys}")
        self._touch.guard.park(self._situation.place.region)
        return has_begun

    def _marks_mines(self) -> bool:
        """Flag what a won game has left hidden, as some clients require; stop at the first cell that shows no flag.

        Returns:
            Whether any does.
        """
        place, guard, board = self._situation.place, self._touch.guard, self._situation.now.board
        is_won = self._situation.is_legible and self._situation.now.phase not in (Phase.LOST, Phase.FRESH)
        is_won = is_won and may_be_over(board)
        has_marked = False
        for cell in board.where(State.HIDDEN) if is_won else ():
            before = self._touch.screen.grab(place.region_of(cell))
            guard.click(place.centre(cell), "right", place.region)
            if same_pixels(guard.wait_for_change(before, PACE.limit_s).image, before.image):
                break
            has_marked = True
        guard.park(place.region)
        self._situation.look(patiently=has_marked)
        return has_marked

    def _next_way(self, tried: list[Restart]) -> Possible | None:
        """Return the least harmful way that was not tried, given what is on the screen now; None if there is none."""
        done = [*tried, *self._given_up]
        possible = ways(self._around(), is_page=self._touch.window.is_browser)
        return next((it for it in possible if not any(is_nearly(it.way, other) for other in done)), None)

    def _around(self) -> Surroundings:
        """Return what surrounds the board now."""
        window, screen = self._touch.window, self._touch.screen.region
        page = (window.visible or screen).moved(-screen.origin)
        now, place = self._touch.desktop(), self._situation.place
        calm, played = (
            moved_along(earlier, now, place.region.origin - self._played_at.region.origin)
            for earlier in (self._boxes.calm, self._played)
        )
        board = self._situation.now.board  # a click on what is hidden might lose a game that awaits flags
        idle = [*board.where(0), *board.where(*range(1, State.HIDDEN))]
        return Surroundings(now, self._boxes.calm, calm, played, place.moved(-screen.origin), page, idle)

    def _try_new_way(self, way: Restart) -> Restart | None:
        """Try a way that is not known to work; return it with the steps after which there is a new board.

        If there is none any other effect is undone, and None returned.

        Raises:
            StuckError: It has opened another window, or had another effect that cannot be undone.
        """
        window = self._touch.window
        before, desktop, others, title = self._situation.now, self._touch.desktop(), window.others(), window.title
        starts = self._try_way(way)
        if not starts and (answer := self._boxes.answer()) is not None:  # it asks whether it is to begin one
            way = structs.replace(way, then=(answer,))
            starts = self._try_step(answer)
        if not starts and _words(window.title) != _words(title):
            raise self._led_elsewhere(way, f"a window titled {window.title!r}")
        is_alone = window.others() <= others
        if is_alone and (starts or same_pixels(self._touch.desktop(), desktop)):
            return way if starts else None
        self._given_up += [] if starts else [way]
        if is_alone and (self._is_there(before) or self._around().answers()):  # the end's own box may come up late
            return None
        for undo in self._ways_to_undo(way if is_alone else None):
            undo()
            self._situation.look()
            if window.others() <= others and (starts or self._is_there(before)):
                return way if starts else None
        raise self._led_elsewhere(
            way, "something that is not this board" if window.others() <= others else "another window"
        )

    def _try_way(self, way: Restart) -> bool:
        """Press and click, step by step, until there is a new board; return whether there is one."""
        return any(map(self._try_step, way.steps))

    def _try_step(self, step: Restart) -> bool:
        """Press or click; return whether there is a new board now."""
        before, is_known = self._situation.now, any(step in way.steps for way in self.restart)
        self._touch.follow(step, self.home)
        for patiently in (False, True):
            self._situation.look(patiently=patiently)
            if self._situation.has_begun_anew:
                return True
            if not is_known and not self._situation.is_unlike(before):
                return False
        return self._has_moved() and self._situation.has_begun_anew

    # ------------------------------------------------------------------ undoing other effects

    def _ways_to_undo(self, way: Restart | None) -> Iterator[Callable[[], None]]:
        """Yield what may undo the effect of a way: waiting, a key that closes dialogs, and the same click again.

        The way is None if it has opened a window, as a link would open another one.
        """
        until = self._touch.clock.now() + PACE.slow_s
        while self._touch.clock.now() < until:
            yield partial(self._touch.rest, PACE.undone_s)
        if self._touch.window.is_known:  # else it is unknown where the key would go
            yield partial(self._touch.follow, Restart(key=CLOSES), self.home)
        if way is not None and way.click is not None:
            yield partial(self._touch.follow, way, self.home)

    def _is_there(self, before: Reading) -> bool:
        """Whether the board is visible: most cells look as before, it can be read, or it has moved."""
        is_same = (self._situation.now.board.cells == before.board.cells).mean() >= CHANGE.left_share
        return bool(is_same) or self._situation.is_legible or self._has_moved()

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

    def _larger_board(self, desktop: Image) -> Grid | None:
        """Return what repeats in a picture like the cells of a larger board over the board; None if nothing does."""
        board = self.home.moved(-self._touch.screen.region.origin)
        home = board.region.grown(round(max(board.pitch)) // 2)
        boards = [found for found in find_places(desktop) if found.region.intersection(board.region)]
        if any(is_as_large(found, board) for found in boards):
            return None
        return next((found for found in boards if found.region.intersection(home) != found.region), None)


def _words(title: str) -> str:
    """Return the letters of a title, without clocks and counters."""
    return "".join(filter(str.isalpha, title))
