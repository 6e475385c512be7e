import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepbot.geometry import PixelMap, Point, Region

points = st.builds(Point, st.integers(-5000, 5000), st.integers(-5000, 5000))
regions = st.builds(
    Region, st.integers(-5000, 5000), st.integers(-5000, 5000), st.integers(1, 5000), st.integers(1, 5000)
)


@given(regions)
def test_region_text_round_trips(region: Region) -> None:
    """Any region, printed and parsed again, is the same region."""
    assert Region.parse(str(region)) == region


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("800x600+0+40", Region(0, 40, 800, 600)),
        ("10x20-30+5", Region(-30, 5, 10, 20)),
        ("10x20+-30+5", Region(-30, 5, 10, 20)),
    ],
)
def test_regions_are_written_as_x11_writes_them(text: str, region: Region) -> None:
    """Width and height come first, then x and y with their signs."""
    assert Region.parse(text) == region


@pytest.mark.parametrize("text", ["", "800x600", "0x5+1+1", "axb+1+1", "1x1+1"])
def test_invalid_regions_are_refused(text: str) -> None:
    """Text of another form, and an empty region, are refused."""
    with pytest.raises(ValueError, match="region"):
        Region.parse(text)


@given(regions, regions)
def test_intersection_holds_what_both_hold(one: Region, other: Region) -> None:
    """The intersection's corners lie in both regions, and it is symmetric."""
    both = one.intersection(other)
    assert both == other.intersection(one)
    if both is not None:
        for corner in (both.origin, Point(both.right - 1, both.bottom - 1)):
            assert corner in one
            assert corner in other


@given(points, st.sampled_from([1.0, 1.5, 2.0, 3.0]), points)
def test_a_pixel_map_is_reversible(point: Point, scale: float, origin: Point) -> None:
    """From a pointer's place to its pixel and back is the same place, negative monitors included."""
    pixels = PixelMap(scale, origin, Point(round(origin.x * scale), round(origin.y * scale)))
    assert pixels.to_point(pixels.to_pixel(point)) == point
