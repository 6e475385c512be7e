"""Calibrations from strangers: every mistake is reported with file and key, and none can do harm."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from sweepbot.errors import CalibrationError
from sweepbot.render.files import save_image
from sweepbot.vision.calibration import (
    FILE,
    STATE_NAMES,
    Calibration,
    calibration_folders,
    find_calibration,
    known_calibrations,
    load_calibration,
    shipped_calibrations,
)

_needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need special rights there")

Change = Callable[[dict[str, object]], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the demo's calibration that may be damaged."""
    return Path(shutil.copytree(shipped_calibrations() / "demo", tmp_path / "mine"))


def damaged(folder: Path, change: Callable[[dict[str, object]], object]) -> Path:
    file = folder / FILE
    content = yaml.safe_load(file.read_text())
    change(content)
    file.write_text(yaml.safe_dump(content))
    return folder


@pytest.mark.parametrize("name", sorted(calibration_folders()))
def test_every_shipped_calibration_loads(name: str) -> None:
    """Every shipped calibration is valid, named after its folder, and has the states that every board shows."""
    calibration = find_calibration(name)
    assert calibration.name == name
    assert {STATE_NAMES["hidden"], 0, 1, 2, 3} <= {template.state for template in calibration.templates}


def test_a_level_is_found_by_its_size(folder: Path) -> None:
    """The level of a board's size is found; an unknown size has none."""
    calibration = load_calibration(folder)
    level = calibration.level_of_size(30, 16)
    assert level is not None
    assert level.mines == 99
    assert calibration.level_of_size(31, 16) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.update(colour="red"), "unknown field `colour`"),
        (lambda file: file.pop("cell"), "missing required field `cell`"),
        (lambda file: file.update(cell=[16, 3]), r"\$.cell"),
        (lambda file: file["manners"].update(first_click="lucky"), r"'lucky'.*\$.manners.first_click"),
        (lambda file: file["manners"]["restart"].append({}), r"\$.manners.restart\[2\]"),
        (lambda file: file["levels"].update(huge="9x9"), r"\$.levels"),
        (lambda file: file["manners"]["restart"].append({"key": "alt+f4"}), r"\$.manners.restart\[2\].key"),
        (lambda file: file["manners"]["restart"].append({"key": "ctrl+w"}), r"\$.manners.restart\[2\].key"),
        (lambda file: file["manners"]["restart"].append({"click": [0, 90000]}), r"\$.manners.restart\[2\].click"),
        (lambda file: file["states"].update(mine=["a\0b.png"]), r"states.mine: there is no file 'a\\x00b.png'"),
        (lambda file: file["levels"].update(full="9x9/81"), "levels.full: a board of 9x9 cells cannot have 81 mines"),
        (lambda file: file["states"].update({"9": ["8.png"]}), "'9' is no state"),
        (lambda file: file["states"].pop("hidden"), "'hidden' is missing"),
        (lambda file: file["states"].update(mine=["bomb.png"]), "states.mine: there is no file 'bomb.png'"),
        (lambda file: file["states"].update(mine=[]), r"\$.states"),
        (lambda file: file.update(variants={"dark": {"9": ["8.png"]}}), "variants.dark: '9' is no state"),
        (lambda file: file.update(native_variants={"dusk": {}}), "native_variants: there is no variant 'dusk'"),
        (lambda file: file["panel"].pop("digits"), r"a counter needs the picture of its `digits`.*\$.panel"),
        (lambda file: file["panel"].update(digits="1.png"), "panel.digits: 1.png is 16 pixels wide, not 11 characters"),
        (lambda file: file["panel"]["mines"].update(corner="top"), r"'top'.*\$.panel.mines.corner"),
        (lambda file: file["panel"]["face"].update(won=["8.png"]), "panel.face: the pictures differ in size"),
    ],
)
def test_a_bad_value_is_named(folder: Path, change: Change, message: str) -> None:
    """An unknown key, a missing one and a bad value are errors that name file and key."""
    with pytest.raises(CalibrationError, match=message) as caught:
        load_calibration(damaged(folder, change))
    assert str(folder / FILE) in str(caught.value)


@pytest.mark.parametrize("text", ["a: [", "\t- x", "!!python/object/apply:os.system ['exit 1']"])
def test_broken_yaml_is_named(folder: Path, text: str) -> None:
    """Invalid YAML, and YAML with code, is refused with file and line."""
    (folder / FILE).write_text(text)
    with pytest.raises(CalibrationError, match="no valid YAML") as caught:
        load_calibration(folder)
    assert "line 1" in str(caught.value)


@pytest.mark.parametrize("name", ["../demo/1.png", "/etc/passwd", "sub/1.png"])
def test_no_file_outside_the_folder_is_read(folder: Path, name: str) -> None:
    """A template must be in the calibration's own folder."""
    with pytest.raises(CalibrationError, match="outside the folder"):
        load_calibration(damaged(folder, lambda file: file["states"].update({"1": [name]})))  # type: ignore[attr-defined]


@_needs_links
def test_no_link_leads_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    """A template that links to a file elsewhere is refused."""
    elsewhere = shutil.copy(folder / "1.png", tmp_path)
    (folder / "1.png").unlink()
    (folder / "1.png").symlink_to(elsewhere)
    with pytest.raises(CalibrationError, match="outside the folder"):
        load_calibration(folder)


def test_a_template_has_the_size_of_a_cell(folder: Path) -> None:
    """A template of the wrong size is an error that gives both sizes."""
    save_image(np.zeros((16, 17, 3), dtype=np.uint8), folder / "3.png")
    with pytest.raises(CalibrationError, match=r"states\.3: 3\.png has 17x16 pixels, a cell has 16x16"):
        load_calibration(folder)


def test_a_theme_has_pictures_of_its_own_at_other_sizes(folder: Path) -> None:
    """`native_variants` lists pictures of its own variant only, each as wide as stated."""
    wide = np.full((20, 20, 3), 90, dtype=np.uint8)
    save_image(wide, folder / "wide.png")
    theme = {"variants": {"dusk": {"0": ["8.png"]}}, "native_variants": {"dusk": {20: {"0": ["wide.png"]}}}}
    calibration = load_calibration(damaged(folder, lambda file: file.update(theme)))
    assert not calibration.native
    assert [(of.state, of.image.shape) for of in calibration.variants[-1].native[20]] == [(0, (20, 20, 3))]
    theme["native_variants"] = {"dusk": {24: {"0": ["wide.png"]}}}
    with pytest.raises(CalibrationError, match=r"dusk\.24\.0: wide\.png has 20x20 pixels, a cell has 24x24"):
        load_calibration(damaged(folder, lambda file: file.update(theme)))


def test_a_template_that_is_no_picture_is_named(folder: Path) -> None:
    """A damaged template is an error with its path."""
    (folder / "3.png").write_bytes(b"not a picture")
    with pytest.raises(CalibrationError, match=r"states\.3: .*3\.png: is no picture"):
        load_calibration(folder)


def test_the_nearest_names_are_offered() -> None:
    """An unknown client is an error that suggests similar names."""
    with pytest.raises(CalibrationError, match="no client is called 'winpx'") as caught:
        find_calibration("winpx")
    assert "winxp" in caught.value.hint


def test_a_folder_can_be_named(folder: Path) -> None:
    """A path to a calibration's folder works like a name."""
    assert find_calibration(str(folder)).name == "mine"


def test_a_users_own_calibration_comes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A calibration in the user's config folder is found by name and replaces a shipped one."""
    own = folder.parent / "own"
    shutil.copytree(folder, own / "demo")
    monkeypatch.setattr("sweepbot.vision.calibration.user_calibrations", lambda: own)
    calibration: Calibration = find_calibration("demo")
    assert calibration.path == own / "demo" / FILE


def test_oversized_yaml_is_refused(folder: Path) -> None:
    """Endless nesting, aliases and files of megabytes are refused quickly, with the line."""
    file = folder / FILE
    for text, message in (
        ("a: " + 100 * "[" + 100 * "]", "line 1: more than 8 levels of nesting"),
        (5_000 * "[", "line 1: more than 8 levels of nesting"),
        ("a: &x [1, 2]\nb: [*x, *x]", r"line 2: an alias"),
        ("a: " + "x" * 300_000, "is larger than 256,000 bytes"),
    ):
        file.write_text(text, encoding="ascii")
        with pytest.raises(CalibrationError, match=message):
            load_calibration(folder)


def test_oversized_templates_are_refused(folder: Path) -> None:
    """A picture of more than 64 cells in either direction is refused by its header."""
    save_image(np.zeros((16, 16 * 65, 3), dtype=np.uint8), folder / "8.png")
    with pytest.raises(CalibrationError, match=r"8.png has 1040x16 pixels"):
        load_calibration(folder)


@_needs_links
def test_links_that_lead_in_a_circle_are_refused(folder: Path) -> None:
    """A picture that links to itself is an error that names the file."""
    (folder / "8.png").unlink()
    (folder / "8.png").symlink_to("8.png")
    with pytest.raises(CalibrationError, match=r"8\.png"):
        load_calibration(folder)


def test_a_broken_calibration_leaves_the_others_in_use(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken calibration in the user's folder is reported and left out."""
    monkeypatch.setattr("sweepbot.vision.calibration.user_calibrations", lambda: tmp_path)
    (folder / FILE).write_text("nothing: here\n", encoding="ascii")
    assert {calibration.name for calibration in known_calibrations()} >= {"demo", "kmines"}
    assert str(Path("mine", "calibration.yaml")) in caplog.text


def test_only_calibrations_of_the_skin_are_loaded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Loading the clients of one skin reads no pictures of others: a missing one goes unnoticed."""
    monkeypatch.setattr("sweepbot.vision.calibration.user_calibrations", lambda: tmp_path)
    (folder / "8.png").unlink()
    assert {calibration.name for calibration in known_calibrations(skin="winxp")} == {"arbiter", "minesweeper-online"}
    assert not caplog.text


def test_a_client_may_have_the_pictures_of_another(tmp_path: Path) -> None:
    """With `skin` a calibration uses a shipped one's pictures and its own levels and behaviour."""
    folder = tmp_path / "club"
    folder.mkdir()
    text = "description: a club's\ntitles: [Club]\nskin: winxp\nlevels: {small: 8x8/9}\n"
    manners = "manners: {first_click: open, restart: [{key: f5}], settle: {notice_ms: 1, quiet_ms: 1, limit_ms: 1}}\n"
    (folder / "calibration.yaml").write_text(text + manners, encoding="utf-8")
    club, winxp = load_calibration(folder), find_calibration("winxp")
    assert [template.state for template in club.templates] == [template.state for template in winxp.templates]
    assert (club.name, list(club.levels), club.behaviour.restart[0].key) == ("club", ["small"], "f5")


def test_a_skin_that_is_not_shipped_is_named(tmp_path: Path) -> None:
    """An unknown `skin` is an error that quotes it; it cannot name a folder elsewhere."""
    text = (shipped_calibrations() / "arbiter" / "calibration.yaml").read_text(encoding="utf-8")
    for wrong in ("nobody", "../winxp"):
        folder = tmp_path / wrong.strip("./")
        folder.mkdir()
        (folder / "calibration.yaml").write_text(text.replace("skin: winxp", f"skin: {wrong}"), encoding="utf-8")
        with pytest.raises(CalibrationError, match="skin"):
            load_calibration(folder)
