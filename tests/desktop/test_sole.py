"""Only one program at a time clicks on a display."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from sweepbot.desktop import sole
from sweepbot.desktop.session import open_desktop
from sweepbot.desktop.sole import sole_on_display
from sweepbot.errors import DesktopError
from tests.commands import Command
from tests.standins.fake_desktop import FakeMachine, monitor, together
from tests.user_folders import user_folders


@pytest.fixture(autouse=True)
def shared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The system's temporary folder, in which anybody can write, of a user of an X11 display."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":7")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777 | stat.S_ISVTX)
    monkeypatch.setenv("TMPDIR", str(shared))
    return shared


def expect_refusal() -> None:
    """Assert that another one is refused."""
    with pytest.raises(DesktopError, match="another sweepbot"), sole_on_display():
        pass


@pytest.mark.parametrize("other", [":7", ":7.1"])
def test_a_second_one_on_the_same_display_is_refused(monkeypatch: pytest.MonkeyPatch, other: str) -> None:
    """Whichever of its screens it names; once the first has ended it may run."""
    with sole_on_display():
        monkeypatch.setenv("DISPLAY", other)
        expect_refusal()
    with sole_on_display():
        pass


def test_other_displays_are_unaffected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each display has its own lock."""
    with sole_on_display():
        monkeypatch.setenv("DISPLAY", ":70")
        with sole_on_display():
            pass


@pytest.mark.parametrize("command", ["play", "demo", "calibrate another --live --yes"])
def test_whatever_clicks_takes_the_lock(monkeypatch: pytest.MonkeyPatch, sweepbot: Command, command: str) -> None:
    """Each command that clicks is refused while another one does, before anything is shown or asked."""
    FakeMachine("Linux", together([monitor(0, 0, 800, 600)])).install(monkeypatch)
    with open_desktop():
        answer = sweepbot(*command.split())
    assert answer.exit_code == 1
    assert "another sweepbot is already clicking on this display (:0)" in answer.err


def test_whatever_only_looks_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A desk on which nothing is clicked can be opened beside another, in either order."""
    FakeMachine("Linux", together([monitor(0, 0, 800, 600)])).install(monkeypatch)
    with open_desktop(clicks=False), open_desktop(), open_desktop(clicks=False):
        pass


def test_another_home_is_no_way_around_the_lock(monkeypatch: pytest.MonkeyPatch, shared: Path, tmp_path: Path) -> None:
    """Two sweepbots see each other whatever their homes are, or though they have none; the lock is nobody else's."""
    with sole_on_display():
        for name, folder in user_folders(tmp_path / "another").items():
            monkeypatch.setenv(name, folder)
        expect_refusal()
        for name in ("HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
            monkeypatch.delenv(name, raising=False)
        expect_refusal()
    (lock,) = shared.glob("sweepbot*/playing--7.lock")
    if sys.platform != "win32":  # there it is already in a folder of the user's own
        assert stat.S_IMODE(lock.parent.stat().st_mode) == 0o700


def test_a_display_of_wayland_is_known_by_its_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each session has a display of the same name, in a runtime folder of its own."""
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    with sole_on_display():
        monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/8")
        with sole_on_display():
            pass
        monkeypatch.setenv("WAYLAND_DISPLAY", "/run/user/7/wayland-0")
        expect_refusal()


def test_why_the_lock_cannot_be_written_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the system's reason, and what helps."""

    def refuse(_: Path) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(sole, "open_lock", refuse)
    with pytest.raises(DesktopError, match=r"-7\.lock: .* be written: Read-only") as refused, sole_on_display():
        pass
    assert "make it writable" in refused.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has a temporary folder for each user")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_no_link_in_a_shared_folder_is_followed(shared: Path, tmp_path: Path, what: str) -> None:
    """A link that somebody else has put there leads nowhere: there is no lock, and so no click."""
    with sole_on_display():
        pass
    (lock,) = shared.glob("*/*.lock")
    target = tmp_path / "target"
    lock.unlink()
    if what == "folder":
        target.mkdir()
        lock.parent.rmdir()
        lock.parent.symlink_to(target)
    else:
        lock.symlink_to(target)
    with pytest.raises(DesktopError, match="the lock of this display cannot be written") as caught, sole_on_display():
        pass
    assert str(lock.parent) in str(caught.value)
    assert not target.exists() or not list(target.iterdir())
