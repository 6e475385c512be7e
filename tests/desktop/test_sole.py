"""Only one program at a time clicks on a display."""

import errno
import os
import stat
import sys
import tempfile
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
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A user's state folder on an X11 display."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":7")
    for name, folder in user_folders(tmp_path / "state").items():
        monkeypatch.setenv(name, folder)
    return tmp_path / "state"


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, own_state: Path, tmp_path: Path) -> Path:
    """A user whose state folder cannot be written, and a temporary folder of the system, in which anybody can write."""
    own_state.touch()  # in the way
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777 | stat.S_ISVTX)
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
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


@pytest.mark.parametrize("has_runtime", [True, False])
def test_without_a_state_folder_the_lock_goes_elsewhere(
    monkeypatch: pytest.MonkeyPatch, elsewhere: Path, tmp_path: Path, *, has_runtime: bool
) -> None:
    """Into the session's runtime folder, else into an own one in the system's temporary folder."""
    expected = elsewhere
    if has_runtime:
        expected = tmp_path / "runtime"
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(expected))
    with sole_on_display():
        expect_refusal()
    (lock,) = expected.glob("sweepbot*/playing--7.lock")
    if sys.platform != "win32":  # there it is already in a folder of the user's own
        assert stat.S_IMODE(lock.parent.stat().st_mode) == 0o700


def test_each_folder_that_refuses_the_lock_has_its_cause_in_the_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any of them would do, so what helps for each is said."""
    codes = iter((errno.ENOSPC, errno.EROFS, errno.EACCES))

    def refuse(_: Path) -> None:
        code = next(codes)
        raise OSError(code, os.strerror(code))

    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    monkeypatch.setattr(sole, "open_lock", refuse)
    with pytest.raises(DesktopError, match=r"No space.*ead-only.*denied") as refused, sole_on_display():
        pass
    assert all(it in refused.value.hint for it in ("free some space", "read-only", "check your rights"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has a temporary folder for each user")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_no_link_in_a_shared_folder_is_followed(elsewhere: Path, tmp_path: Path, what: str) -> None:
    """A link that somebody else has put there leads nowhere: there is no lock, and so no click."""
    with sole_on_display():
        pass
    (lock,) = elsewhere.glob("*/*.lock")
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
