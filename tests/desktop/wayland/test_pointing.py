"""Mapping pixels of a scaled monitor's frame to what each desktop expects."""

from collections.abc import Callable

import numpy as np
import pytest

from sweepbot.desktop.keys import KeyCodes
from sweepbot.desktop.screen import Frame, part_of
from sweepbot.desktop.wayland import mouse as wayland_mouse
from sweepbot.desktop.wayland import pointing, portal_desk
from sweepbot.desktop.wayland.mouse import WaylandMouse, by_picture, by_report, first_accurate
from sweepbot.desktop.wayland.pointing import MAPPINGS, Mapping, Motion, Size, in_pixels, in_units
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region

Landing = Callable[[Motion, Size, Size], tuple[float, float]]

SCALED = [((1280, 960), 1.0), ((1600, 1200), 1.25), ((1920, 1440), 1.5), ((2560, 1920), 2.0), ((2048, 1152), 1.5)]


def on_gnome(motion: Motion, frame: Size, monitor: Size) -> tuple[float, float]:
    """Where mutter puts the pointer: positions are in pixels, movements in units."""
    assert all(0 <= told < limit for told, limit in zip(motion.to, monitor, strict=True)), "the portal refuses that"
    return motion.to[0] + motion.by[0] * frame[0] / monitor[0], motion.to[1] + motion.by[1] * frame[1] / monitor[1]


def as_described(motion: Motion, frame: Size, monitor: Size) -> tuple[float, float]:
    """Where a desktop puts it that takes units, as the portal's description says."""
    assert all(0 <= told < limit for told, limit in zip(motion.to, monitor, strict=True)), "the portal refuses that"
    across, down = motion.to[0] + motion.by[0], motion.to[1] + motion.by[1]
    return across * frame[0] / monitor[0], down * frame[1] / monitor[1]


@pytest.mark.parametrize(("frame", "scale"), SCALED)
@pytest.mark.parametrize(("mapping", "desktop"), [(in_pixels, on_gnome), (in_units, as_described)])
def test_every_pixel_is_reached(mapping: Mapping, desktop: Landing, frame: tuple[int, int], scale: float) -> None:
    """With each desktop's own mapping the pointer reaches the middle of any pixel, the last ones too."""
    monitor = frame[0] / scale, frame[1] / scale
    for x in {0, 1, frame[0] // 3, int(monitor[0]) - 1, int(monitor[0]) % frame[0], frame[0] - 1}:
        for y in {0, int(monitor[1]) % frame[1], frame[1] - 1}:
            at = desktop(mapping(Point(x, y), frame, monitor), frame, monitor)
            assert at == pytest.approx((x + 0.5, y + 0.5))


def test_libei_counts_from_where_a_monitor_is() -> None:
    """Positions for libei are in units of the whole desktop."""
    right = Region(1280, 40, 1280, 960)
    assert pointing.in_region(Point(0, 0), (1600, 1200), right) == pytest.approx((1280.4, 40.4))
    assert pointing.in_region(Point(1599, 1199), (1600, 1200), right) == pytest.approx((2559.6, 999.6))


@pytest.mark.parametrize("transform", range(8))
def test_a_turned_monitor_is_seen_upright(transform: int) -> None:
    """However a monitor is rotated and mirrored, each pixel is found in the compositor's frame."""
    frame = np.arange(12, dtype=np.uint8).reshape(3, 4)
    seen = pointing.upright(frame, transform)
    height, width = seen.shape
    for y in range(height):
        for x in range(width):
            at, size = pointing.in_frame(Point(x, y), (width, height), transform)
            assert frame[at.y, at.x] == seen[y, x]
            assert size == (4, 3)


class Monitor:
    """A monitor that shows nothing but the pointer: an arrow, or the bar over text."""

    def __init__(self, scale: float, desktop: Landing, *, is_bar: bool = False) -> None:
        self._up_left = (4, 8) if is_bar else (0, 0)
        self.units = (400.0, 300.0)
        self.region = Region(0, 0, round(400 * scale), round(300 * scale))
        self.shown = self.region
        self._desktop = desktop
        self._tip = (0, 0)

    def grab(self, region: Region | None = None) -> Frame:
        wanted = part_of(self.region, region)
        image = np.zeros((self.region.height, self.region.width, 3), np.uint8)
        across, down = (max(0, at - by) for at, by in zip(self._tip, self._up_left, strict=True))
        image[down : down + 16, across : across + 10] = 255
        image[: self.shown.y], image[:, : self.shown.x] = 0, 0
        image[self.shown.bottom :], image[:, self.shown.right :] = 0, 0
        return Frame(image[wanted.slices], wanted)

    def pointer(self) -> Point:
        return Point(*self._tip)

    def mouse(self, mapping: Mapping) -> WaylandMouse:
        """A mouse that assumes a mapping."""
        return Told(self, mapping)

    def put(self, at: Point, mapping: Mapping) -> None:
        """What the desktop makes of what it is told."""
        frame = self.region.width, self.region.height
        across, down = self._desktop(mapping(at, frame, self.units), frame, self.units)
        self._tip = max(0, int(across)), max(0, int(down))


class Told(WaylandMouse):
    """The mouse of such a monitor."""

    way = "a test's"

    def __init__(self, monitor: Monitor, mapping: Mapping) -> None:
        self._monitor = monitor
        self._mapping = mapping

    def put(self, to: Point) -> None:
        self._monitor.put(to, self._mapping)

    def button(self, code: int, *, is_down: bool) -> None: ...

    def key(self, key: KeyCodes, *, is_down: bool) -> None: ...


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LATENCY_S", "_SHOWN_S", "_LANDED_S"):
        monkeypatch.setattr(wayland_mouse, name, 0.001)
    for name in ("LATENCY_S", "_REPORTED_S"):
        monkeypatch.setattr(portal_desk, name, 0.001)


@pytest.mark.parametrize("is_bar", [False, True])
@pytest.mark.parametrize("scale", [1.25, 1.5, 1.75, 2.0, 3.0])
@pytest.mark.parametrize(("number", "desktop"), [(0, on_gnome), (1, as_described)])
def test_the_mapping_is_found_by_looking_for_the_pointer(
    scale: float,
    number: int,
    desktop: Landing,
    is_bar: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mapping is used with which the pointer, an arrow or a bar, is seen where it was put."""
    monkeypatch.setattr(wayland_mouse, "_LANDED_S", 2.0)
    monitor = Monitor(scale, desktop, is_bar=is_bar)
    mice = [monitor.mouse(mapping) for mapping in MAPPINGS]
    assert first_accurate(by_picture(monitor), mice, monitor.region, scale, monitor.region) is mice[number]


class LateMonitor(Monitor):
    """A monitor that at first shows where the pointer was two movements before."""

    def __init__(self) -> None:
        super().__init__(2.0, on_gnome)
        self._tips = [(0, 0), (0, 0)]

    def put(self, at: Point, mapping: Mapping) -> None:
        """Shown at once from the sixth movement on."""
        super().put(at, mapping)
        self._tips.append(self._tip)
        if len(self._tips) < 8:
            self._tip = self._tips[-3]


def test_a_late_picture_is_not_credited_to_another_mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pointer that shows late is not credited to the next mapping."""
    monkeypatch.setattr(wayland_mouse, "_LANDED_S", 2.0)
    monitor = LateMonitor()
    mice = [monitor.mouse(in_pixels), monitor.mouse(in_units)]
    assert first_accurate(by_picture(monitor), mice, monitor.region, 2.0, monitor.region) is mice[0]


class FadingMonitor(Monitor):
    """A monitor without a pointer that shows another shade each time."""

    shade = 0

    def grab(self, region: Region | None = None) -> Frame:
        self.shade = (self.shade + 1) % 256
        wanted = part_of(self.region, region)
        return Frame(np.full((wanted.height, wanted.width, 3), self.shade, np.uint8), wanted)


def test_what_fades_is_no_pointer() -> None:
    """A change all around a place, as of a fading dialog, is not taken for the pointer."""
    monitor = FadingMonitor(2.0, on_gnome)
    with pytest.raises(DesktopError, match="does not land where it is put"):
        first_accurate(by_picture(monitor), [monitor.mouse(in_pixels)], monitor.region, 2.0, monitor.region)


def test_the_pointer_is_looked_for_in_a_shared_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only a window is shared, the pointer is looked for at places inside it."""
    monkeypatch.setattr(wayland_mouse, "_LANDED_S", 2.0)
    window = Monitor(2.0, as_described)
    window.shown = Region(52, 46, 400, 300)
    mice = [window.mouse(mapping) for mapping in MAPPINGS]
    assert first_accurate(by_picture(window), mice, window.shown, 2.0, window.region) is mice[1]
    with pytest.raises(DesktopError, match="in the shared window: it is not seen there"):
        first_accurate(by_picture(window), [window.mouse(in_pixels)], Region(460, 350, 300, 200), 2.0, window.region)


def test_a_reported_pointer_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the desktop reports the pointer, the mapping is found by that, without pictures."""
    monkeypatch.setattr(wayland_mouse, "_LANDED_S", 2.0)
    monitor = Monitor(1.5, as_described)
    mice = [monitor.mouse(mapping) for mapping in MAPPINGS]
    assert first_accurate(by_report(monitor.pointer), mice, monitor.region, 1.5, monitor.region) is mice[1]
    with pytest.raises(DesktopError, match="does not land where it is put"):
        first_accurate(by_report(lambda: None), mice, monitor.region, 1.5, monitor.region)


@pytest.mark.parametrize(("frame", "scale"), SCALED)
def test_a_reported_pointer_gives_the_size_in_units(frame: tuple[int, int], scale: float) -> None:
    """KDE's portal 5.27.5 gives sizes in pixels but takes units; two positions give the ratio."""
    at = [Point(3, 3)]

    def put(to: Size) -> None:
        across, down = (min(int(told * scale), limit - 1) for told, limit in zip(to, frame, strict=True))
        at.append(Point(across, down))

    size = portal_desk.reported_size(put, lambda: at[-1], frame)
    assert size is not None
    assert size == pytest.approx((frame[0] / scale, frame[1] / scale), abs=1)


def test_without_a_reported_pointer_the_size_stays() -> None:
    """Where the desktop does not report the pointer, no size is inferred."""
    assert portal_desk.reported_size(lambda _: None, lambda: None, (100, 100)) is None
    assert portal_desk.reported_size(lambda _: None, lambda: Point(50, 50), (100, 100)) is None


def test_a_pointer_that_lands_elsewhere_is_refused() -> None:
    """Where no mapping works the run ends before a click, and says where the pointer should be."""

    def elsewhere(motion: Motion, frame: Size, monitor: Size) -> tuple[float, float]:
        across, down = on_gnome(motion, frame, monitor)
        return across * 0.9, down

    monitor = Monitor(1.25, elsewhere)
    with pytest.raises(DesktopError, match=r"does not land where it is put, at \d+,\d+ on a monitor at 125%"):
        first_accurate(by_picture(monitor), [monitor.mouse(in_pixels)], monitor.region, 1.25, monitor.region)
