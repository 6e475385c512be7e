"""What is replaced is there until the new one stands, whatever goes wrong in between."""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepbot.calibrate.learned import Label
from sweepbot.calibrate.writing.write import add
from sweepbot.errors import CalibrationError
from sweepbot.replacing import replace_file, replace_folder, restore
from sweepbot.vision.calibration import FILE, find_calibration, shipped_calibrations, user_calibrations

MAX_STEPS = 12
"""More calls than replacing makes."""


class KilledError(BaseException):
    """Stands for a kill: nothing catches it, or would after one."""


def failing_at(
    step: int,
    error: BaseException,
    monkeypatch: pytest.MonkeyPatch,
    *,
    and_after: bool,
    names: tuple[str, ...] = ("replace", "rename", "fsync"),
) -> Callable[[], int]:
    """Let the step-th call that replaces, renames or syncs fail, and those after it too; return how many were made."""
    made = 0

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def fail(*words: Any, **named: Any) -> Any:  # noqa: ANN401  (what the call takes and returns)
            nonlocal made
            made += 1
            if made == step or (and_after and made > step):
                raise error
            return call(*words, **named)

        return fail

    for name in names:
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    return lambda: made


def filled(folder: Path, text: str) -> Path:
    folder.mkdir()
    for name in ("one", "two"):
        (folder / name).write_text(text)
    return folder


def content(folder: Path) -> set[str]:
    return {file.read_text() for file in folder.iterdir()}


@pytest.mark.parametrize("error", [OSError("a file is open"), KilledError()])
@pytest.mark.parametrize("step", range(1, MAX_STEPS))
def test_a_file_is_the_old_or_the_new_one(
    step: int, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever call fails, the file is whole, and nothing is left beside it."""
    file = tmp_path / "file"
    file.write_text("old")
    with monkeypatch.context() as patched:
        calls = failing_at(step, error, patched, and_after=False)
        try:
            replace_file(file, b"new")
        except type(error):
            assert file.read_text() == "old"
        else:
            assert calls() < step
            assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("and_after", [False, True])
@pytest.mark.parametrize("step", range(1, MAX_STEPS))
def test_a_folder_is_the_old_or_the_new_one(
    step: int, *, and_after: bool, keeps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever rename fails, once or with all after it as by a kill, the next one who opens it finds it whole."""
    folder, made = filled(tmp_path / "folder", "old"), filled(tmp_path / "made", "new")
    with monkeypatch.context() as patched:
        calls = failing_at(step, KilledError(), patched, and_after=and_after)
        try:
            replace_folder(made, folder, keeps=keeps)
        except KilledError:
            pass
        else:
            assert calls() < step
    restore(folder)
    assert content(folder) in ({"old"}, {"new"})
    assert len(list(folder.iterdir())) == 2
    if keeps and content(folder) == {"new"}:
        assert content(tmp_path / ".folder-before-1") == {"old"}


def test_a_replacement_that_fails_puts_the_old_folder_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error between both renames, as on Windows if a file is open, leaves the old folder in its place at once."""
    folder, made = filled(tmp_path / "folder", "old"), filled(tmp_path / "made", "new")
    rename = os.rename

    def refuse(source: Path, target: Path) -> None:
        if source == made:
            raise PermissionError("a file in it is open")
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(PermissionError):
        replace_folder(made, folder, keeps=False)
    assert content(folder) == {"old"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_private_file_is_private_and_others_are_as_usual(tmp_path: Path) -> None:
    """Only a private file is closed to others; a link stays one, and what it leads to is replaced."""
    replace_file(tmp_path / "private", b"token", is_private=True)
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o600
    (tmp_path / "usual").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "new")
    replace_file(tmp_path / "link", b"text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").read_text() == "text"
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such device")
def test_a_device_is_written_to_and_not_replaced() -> None:
    """A result may go to a device, which stays one."""
    replace_file(Path(os.devnull), b"nothing")
    assert Path(os.devnull).is_char_device()


def label(shade: int) -> Label:
    """A look of an open cell that no client has."""
    picture = np.full((16, 16, 3), shade, np.uint8)
    picture[3:9, 3:9] = 255 - shade
    return Label("8", [picture], "a test")


@pytest.mark.usefixtures("own_folders")
def test_a_calibration_survives_learning_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever learning in play is killed, the client is known afterwards, as before or with what was learned."""
    own, step, is_killed = user_calibrations() / "demo", 0, True
    known = len(find_calibration("demo").templates)
    while is_killed:
        step, is_killed = step + 1, False
        if own.exists():
            user_calibrations().rename(tmp_path / f"after-{step}")
        shutil.copytree(shipped_calibrations() / "demo", own)
        (own / "notes.txt").write_text("mine")
        with monkeypatch.context() as patched:
            failing_at(step, KilledError(), patched, and_after=True, names=("replace", "rename"))
            try:
                add(find_calibration("demo"), [label(10)])
            except KilledError:
                is_killed = True
        found = find_calibration("demo")
        assert found.path == own / FILE
        assert len(found.templates) - known in ((0, 1) if is_killed else (1,))
        assert any((folder / "notes.txt").exists() for folder in user_calibrations().iterdir())
    assert step > 3


@pytest.mark.usefixtures("own_folders")
def test_what_cannot_be_learned_names_the_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever write fails, the error is one of the calibration, with the system's reason, and the old one stays."""
    own, step, failed = user_calibrations() / "demo", 0, True
    while failed:
        step, failed = step + 1, False
        if own.exists():
            user_calibrations().rename(tmp_path / f"after-{step}")
        shutil.copytree(shipped_calibrations() / "demo", own)
        with monkeypatch.context() as patched:
            failing_at(step, OSError(errno.EIO, "broken"), patched, and_after=False)
            try:
                add(find_calibration("demo"), [label(10)])
            except CalibrationError as error:
                failed, said = True, str(error)
        assert not failed or said == f"{own} cannot be written: broken"
        assert find_calibration("demo").path == own / FILE
    assert step > 3


@pytest.mark.usefixtures("own_folders")
def test_a_folder_that_cannot_be_made_is_an_error_of_the_calibration() -> None:
    """Where a file stands in the way of the user's calibrations, learning is refused in words."""
    user_calibrations().parent.mkdir(parents=True, exist_ok=True)
    user_calibrations().write_text("in the way")
    with pytest.raises(CalibrationError, match="cannot be written"):
        add(find_calibration("demo"), [label(10)])
