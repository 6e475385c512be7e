"""Who may import whom, checked by walking the source."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tools.places import PROJECT

FLOORS = {
    1: {"clock", "geometry", "errors", "file_lock", "interrupts", "intervals", "replacing"},
    2: {"board", "level", "desktop", "extras", "history", "strangers"},
    3: {"behaviour", "calibration_files", "outcome"},
    4: {"solver", "vision", "game", "render", "trace"},
    5: {"control", "plan", "demo", "training", "explaining", "formats"},
    6: {"player", "calibrate", "simulate"},
    7: {"sessions"},
    8: {"replay", "assist", "programs"},
    9: {"review"},
    10: {"cli", "testing"},
    11: {"__init__", "__main__"},  # the entrances for Python programs and `python -m`
}
FLOOR_OF = {unit: floor for floor, units in FLOORS.items() for unit in units}

ONLY_IN = {
    "cv2": (
        *("vision", "control/widgets", "calibrate/seeing", "render", "demo", "trace", "training"),
        *("desktop/screen.py", "strangers.py"),
    ),
    "PIL": ("training", "desktop/clipboard.py", "render/film.py", "strangers.py"),
    "mss": ("desktop/mss_screen.py",),
    "pyautogui": ("desktop/mac/mouse.py",),
    "tkinter": ("cli/asking.py", "demo/window.py", "desktop/picture_window.py", "desktop/tk_window.py"),
    "Xlib": ("desktop/x11",),
}
"""Libraries that only some rooms or files may import."""

LATE = ("mss", "pyautogui", "tkinter", "Xlib")
"""Libraries that need a display, may be missing or are slow, so that they are imported where they are used."""

PURE = {
    "calibrate/beliefs": {
        "board",
        "calibrate.beliefs",
        "calibrate.thresholds",
        "geometry",
        "level",
        "vision.calibration",
        "vision.pictures.difference",
    }
}
"""Rooms that know no device, and all of sweepbot that they may import."""

INSIDE: dict[str, tuple[set[str], ...]] = {
    "calibrate": (
        {"comparison", "seeing", "thresholds"},
        {"beliefs", "learned", "map"},
        {"confusion", "writing"},
        {"memory", "screenshots"},
    ),
    "desktop": (
        {"keys", "screen", "server", "sole", "windows"},
        {"clipboard", "glances", "mouse", "overlay"},
        {"desk", "mac", "wayland", "win32", "x11"},
        {"mss_screen", "tk_window"},
        {"picture_window", "session"},
        {"doctor"},
    ),
    "player": (
        {"between", "burst", "finding", "round"},
        {"states", "statistics"},
        {"as_events", "examining", "judging", "same_game"},
        {"causes"},
        {"hand", "machine", "watcher"},
        {"loop"},
    ),
    "vision": (
        {"grid", "trust"},
        {"pictures", "zeros"},
        {"extent"},
        {"lattices", "header"},
        {"calibration"},
        {"known", "first_sight"},
        {"places", "telling", "doubts"},
        {"settling"},
        {"boards", "reading"},
        {"reader", "explain", "missed"},
        {"eyes"},
    ),
}
"""Folders and files of a room, the lowest first: each imports only from lower ones, or inside its own folder."""


class Import(NamedTuple):
    """A module that is imported, by its full name, with its line, and whether that is on import of the file."""

    module: str
    line: int
    is_early: bool


@cache
def files(top: str = "sweepbot") -> list[tuple[Path, list[Import]]]:
    """The place of each file in a folder of the project, and what it imports anywhere."""
    folder = PROJECT / top
    return [(path.relative_to(folder), list(imports(path))) for path in sorted(folder.rglob("*.py"))]


def imports(path: Path) -> Iterator[Import]:
    """What a file imports; what is only for the type checker is not early."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    early = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, id(node) in early) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written in full"
            module = node.module or ""  # of `from sweepbot import board` the name is one, too
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "sweepbot" else [module]
            yield from (Import(name, node.lineno, id(node) in early) for name in names)


def inside(room: str) -> Iterator[tuple[Path, list[Import]]]:
    """The files of a room, by their places in it."""
    return ((place.relative_to(room), imported) for place, imported in files() if place.is_relative_to(room))


def part_of(place: Path) -> str:
    """The file or folder at the top of a room that a place in it belongs to."""
    return place.parts[0].removesuffix(".py")


@pytest.mark.parametrize(("top", "above"), [("sweepbot", {"tools", "tests"}), ("tools", {"tests"})])
def test_the_package_knows_no_tool_and_a_tool_no_test(top: str, above: set[str]) -> None:
    """Imports run from tests to tools to sweepbot, never the other way."""
    assert files(top)
    for place, imported in files(top):
        for module, line, _ in imported:
            assert module.partition(".")[0] not in above, f"{top}/{place}:{line} imports {module}"


def test_imports_run_only_downwards() -> None:
    """A file imports only from lower floors and, on its own, only from its own room."""
    for place, imported in files():
        unit = part_of(place)
        assert unit in FLOOR_OF, f"{unit} stands on no floor: give it one in FLOORS"
        for module, line, _ in imported:
            package, _, rest = module.partition(".")
            other = rest.partition(".")[0]
            if package == "sweepbot" and other != unit:
                assert other in FLOOR_OF, f"{place}:{line} imports {module}, which stands on no floor"
                floors = f"floor {FLOOR_OF[unit]} imports {module} on {FLOOR_OF[other]}"
                assert FLOOR_OF[other] < FLOOR_OF[unit], f"{place}:{line} on {floors}"


@pytest.mark.parametrize("name", INSIDE)
def test_inside_a_room_imports_run_only_downwards(name: str) -> None:
    """A desktop knows no other one, a state of a game not who acts on it; finding cells knows no calibration."""
    step_of = {part: step for step, parts in enumerate(INSIDE[name]) for part in parts}
    for place, imported in inside(name):
        part = part_of(place)
        for module, line, _ in imported:
            if module.startswith(f"sweepbot.{name}."):
                other = module.split(".")[2]
                assert part in step_of, f"{place} has no place in {name}: give it one in INSIDE"
                assert other == part or step_of[other] < step_of[part], f"{place}:{line} imports {module}"


def test_libraries_stay_in_their_rooms() -> None:
    """OpenCV and device libraries are imported only where they belong, the latter lazily."""
    for place, imported in files():
        for module, line, is_early in imported:
            library = module.partition(".")[0]
            allowed = ONLY_IN.get(library, (".",))
            assert any(map(place.is_relative_to, allowed)), f"{place}:{line} imports {library}"
            assert not (is_early and library in LATE), f"{place}:{line} imports {module} early"


@pytest.mark.parametrize("room", PURE)
def test_inference_knows_no_device(room: str) -> None:
    """Inferring from observations uses no screen, mouse, clock or file."""
    allowed = tuple(f"sweepbot.{unit}" for unit in PURE[room])
    for place, imported in inside(room):
        for module, line, _ in imported:
            if module.startswith("sweepbot"):
                assert module.startswith(allowed), f"{place}:{line} imports {module}"
