"""Where a pixel of a scaled monitor's frame is put, as desktops take what they are told."""

from collections.abc import Callable

import numpy as np
import pytest

from sweepbot.desktop import portal_desk, wayland_mouse
from sweepbot.desktop.pointing import MAPPINGS, Mapping, Motion, Size, in_frame, in_pixels, in_region, in_units, upright
from sweepbot.desktop.portal_desk import reported_size
from sweepbot.desktop.screen import Frame, part_of
from sweepbot.desktop.wayland_mouse import WaylandMouse, by_picture, by_report, first_accurate
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region

Landing = Callable[[Motion, Size, Size], tuple[float, float]]

SCALED = [((1280, 960), 1.0), ((1600, 1200), 1.25), ((1920, 1440), 1.5), ((2560, 1920), 2.0), ((2048, 1152), 1.5)]


def on_gnome(motion: Motion, frame: Size, monitor: Size) -> tuple[float, float]:
    """Where mutter puts the pointer, in pixels: what it is told is in pixels, and what it is moved by in units."""
    assert all(0 <= told < limit for told, limit in zip(motion.to, monitor, strict=True)), "the portal refuses that"
    return motion.to[0] + motion.by[0] * frame[0] / monitor[0], motion.to[1] + motion.by[1] * frame[1] / monitor[1]


def as_described(motion: Motion, frame: Size, monitor: Size) -> tuple[float, float]:
    """Where a desktop puts it that takes units, as the portal's description has it."""
    assert all(0 <= told < limit for told, limit in zip(motion.to, monitor, strict=True)), "the portal refuses that"
    across, down = motion.to[0] + motion.by[0], motion.to[1] + motion.by[1]
    return across * frame[0] / monitor[0], down * frame[1] / monitor[1]


@pytest.mark.parametrize(("frame", "scale"), SCALED)
@pytest.mark.parametrize(("mapping", "desktop"), [(in_pixels, on_gnome), (in_units, as_described)])
def test_every_pixel_is_reached(mapping: Mapping, desktop: Landing, frame: tuple[int, int], scale: float) -> None:
    """On each desktop its own mapping puts the pointer into the middle of any pixel, the last ones too."""
    monitor = frame[0] / scale, frame[1] / scale
    for x in {0, 1, frame[0] // 3, int(monitor[0]) - 1, int(monitor[0]) % frame[0], frame[0] - 1}:
        for y in {0, int(monitor[1]) % frame[1], frame[1] - 1}:
            at = desktop(mapping(Point(x, y), frame, monitor), frame, monitor)
            assert at == pytest.approx((x + 0.5, y + 0.5))


def test_libei_counts_from_where_a_monitor_is() -> None:
    """Places for libei are in units of the whole desktop, of which the monitor is a part."""
    right = Region(1280, 40, 1280, 960)
    assert in_region(Point(0, 0), (1600, 1200), right) == pytest.approx((1280.4, 40.4))
    assert in_region(Point(1599, 1199), (1600, 1200), right) == pytest.approx((2559.6, 999.6))


@pytest.mark.parametrize("transform", range(8))
def test_a_turned_monitor_is_seen_upright(transform: int) -> None:
    """However a monitor is turned and mirrored, each pixel that is seen is found in the frame of the compositor."""
    frame = np.arange(12, dtype=np.uint8).reshape(3, 4)
    seen = upright(frame, transform)
    height, width = seen.shape
    for y in range(height):
        for x in range(width):
            at, size = in_frame(Point(x, y), (width, height), transform)
            assert frame[at.y, at.x] == seen[y, x]
            assert size == (4, 3)


class Monitor:
    """A monitor on which nothing but the pointer is to be seen, which is an arrow or the bar that it is over text."""

    def __init__(self, scale: float, desktop: Landing, *, is_bar: bool = False) -> None:
        self._up_left = (4, 8) if is_bar else (0, 0)
        self.units = (400.0, 300.0)
        self.region = Region(0, 0, round(400 * scale), round(300 * scale))
        self.shown = self.region
        self._desktop = desktop
        self._tip = (0, 0)

    def grab(self, region: Region | None = None) -> Frame:
        """What is to be seen."""
        wanted = part_of(self.region, region)
        image = np.zeros((self.region.height, self.region.width, 3), np.uint8)
        across, down = (max(0, at - by) for at, by in zip(self._tip, self._up_left, strict=True))
        image[down : down + 16, across : across + 10] = 255
        image[: self.shown.y], image[:, : self.shown.x] = 0, 0
        image[self.shown.bottom :], image[:, self.shown.right :] = 0, 0
        return Frame(image[wanted.y : wanted.bottom, wanted.x : wanted.right], wanted)

    def pointer(self) -> Point:
        """Where the pointer is."""
        return Point(*self._tip)

    def mouse(self, mapping: Mapping) -> WaylandMouse:
        """A mouse that takes this desktop to have a mapping."""
        return WaylandMouse(Told(self, mapping))

    def put(self, at: Point, mapping: Mapping) -> None:
        """What the desktop makes of what it is told."""
        frame = self.region.width, self.region.height
        across, down = self._desktop(mapping(at, frame, self.units), frame, self.units)
        self._tip = max(0, int(across)), max(0, int(down))


class Told:
    """The inputs of such a monitor."""

    way = "a test's"

    def __init__(self, monitor: Monitor, mapping: Mapping) -> None:
        self._monitor = monitor
        self._mapping = mapping

    def move(self, to: Point) -> None:
        """Told by the mapping."""
        self._monitor.put(to, self._mapping)

    def button(self, code: int, *, is_down: bool) -> None:
        """Not pressed."""

    def key(self, name: str, *, is_down: bool) -> None:
        """Not pressed."""


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LATENCY_S", "_SHOWN_S", "_LANDED_S"):
        monkeypatch.setattr(wayland_mouse, name, 0.001)
    for name in ("LATENCY_S", "_REPORTED_S"):
        monkeypatch.setattr(portal_desk, name, 0.001)


@pytest.mark.parametrize("is_bar", [False, True])
@pytest.mark.parametrize("scale", [1.25, 1.5, 1.75, 2.0, 3.0])
@pytest.mark.parametrize(("number", "desktop"), [(0, on_gnome), (1, as_described)])
def test_what_is_seen_decides_how_it_is_told(
    scale: float,
    number: int,
    desktop: Landing,
    is_bar: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the mappings that one is used with which the pointer, an arrow or a bar, is seen where it was put."""
    monkeypatch.setattr(wayland_mouse, "_LANDED_S", 2.0)
    monitor = Monitor(scale, desktop, is_bar=is_bar)
    mice = [monitor.mouse(mapping) for mapping in MAPPINGS]
    assert first_accurate(by_picture(monitor), mice, monitor.region, scale, monitor.region) is mice[number]


class LateMonitor(Monitor):
    """A monitor that at first shows where the pointer was put two movements before."""

    def __init__(self) -> None:
        super().__init__(2.0, on_gnome)
        self._tips = [(0, 0), (0, 0)]

    def put(self, at: Point, mapping: Mapping) -> None:
        """Shown at once from the sixth movement on."""
        super().put(at, mapping)
        self._tips.append(self._tip)
        if len(self._tips) < 8:
            self._tip = self._tips[-3]


def test_a_late_picture_speaks_for_no_other_mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pointer that shows only while the next mapping is tried is not taken for that one's."""
    monkeypatch.setattr(wayland_mouse, "_LANDED_S", 2.0)
    monitor = LateMonitor()
    mice = [monitor.mouse(in_pixels), monitor.mouse(in_units)]
    assert first_accurate(by_picture(monitor), mice, monitor.region, 2.0, monitor.region) is mice[0]


class FadingMonitor(Monitor):
    """A monitor that shows no pointer, and each time another shade all over."""

    shade = 0

    def grab(self, region: Region | None = None) -> Frame:
        """All in one shade."""
        self.shade = (self.shade + 1) % 256
        wanted = part_of(self.region, region)
        return Frame(np.full((wanted.height, wanted.width, 3), self.shade, np.uint8), wanted)


def test_what_fades_is_no_pointer() -> None:
    """Where all around a place changes, as where a dialog fades away, the pointer is not taken to be there."""
    monitor = FadingMonitor(2.0, on_gnome)
    with pytest.raises(DesktopError, match="does not land where it is put"):
        first_accurate(by_picture(monitor), [monitor.mouse(in_pixels)], monitor.region, 2.0, monitor.region)


def test_the_pointer_is_looked_for_in_a_shared_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only a window is shown, the places in which the pointer must be seen are those of the window."""
    monkeypatch.setattr(wayland_mouse, "_LANDED_S", 2.0)
    window = Monitor(2.0, as_described)
    window.shown = Region(52, 46, 400, 300)
    mice = [window.mouse(mapping) for mapping in MAPPINGS]
    assert first_accurate(by_picture(window), mice, window.shown, 2.0, window.region) is mice[1]
    with pytest.raises(DesktopError, match="in the shared window: it is not seen there"):
        first_accurate(by_picture(window), [window.mouse(in_pixels)], Region(460, 350, 300, 200), 2.0, window.region)


def test_a_pointer_that_is_told_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the desktop tells where the pointer is, the mapping with which it comes down as put is used, unseen."""
    monkeypatch.setattr(wayland_mouse, "_LANDED_S", 2.0)
    monitor = Monitor(1.5, as_described)
    mice = [monitor.mouse(mapping) for mapping in MAPPINGS]
    assert first_accurate(by_report(monitor.pointer), mice, monitor.region, 1.5, monitor.region) is mice[1]
    with pytest.raises(DesktopError, match="does not land where it is put"):
        first_accurate(by_report(lambda: None), mice, monitor.region, 1.5, monitor.region)


@pytest.mark.parametrize(("frame", "scale"), SCALED)
def test_the_size_is_found_out_where_the_pointer_is_told(frame: tuple[int, int], scale: float) -> None:
    """KDE's portal 5.27.5 tells sizes in pixels, yet takes places in units: how many there are is found out by two."""
    at = [Point(3, 3)]

    def put(to: Size) -> None:
        across, down = (min(int(told * scale), limit - 1) for told, limit in zip(to, frame, strict=True))
        at.append(Point(across, down))

    size = reported_size(put, lambda: at[-1], frame)
    assert size is not None
    assert size == pytest.approx((frame[0] / scale, frame[1] / scale), abs=1)


def test_a_pointer_that_is_not_told_tells_no_size() -> None:
    """Where the desktop does not tell where the pointer is, nothing is made up of it."""
    assert reported_size(lambda _: None, lambda: None, (100, 100)) is None
    assert reported_size(lambda _: None, lambda: Point(50, 50), (100, 100)) is None


def test_a_pointer_that_lands_elsewhere_is_refused() -> None:
    """Where no mapping holds the run ends before anything is clicked, and says where the pointer was to be."""

    def elsewhere(motion: Motion, frame: Size, monitor: Size) -> tuple[float, float]:
        across, down = on_gnome(motion, frame, monitor)
        return across * 0.9, down

    monitor = Monitor(1.25, elsewhere)
    with pytest.raises(DesktopError, match=r"does not land where it is put, at \d+,\d+ on a monitor at 125%"):
        first_accurate(by_picture(monitor), [monitor.mouse(in_pixels)], monitor.region, 1.25, monitor.region)
