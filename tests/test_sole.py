"""Only one program at a time clicks on a display."""

from pathlib import Path

import pytest

from sweepbot.desktop.sole import sole_on_display
from sweepbot.errors import DesktopError


@pytest.mark.parametrize("other", [":7", ":7.1"])
def test_a_second_one_on_the_same_display_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, other: str
) -> None:
    """Whichever of its screens it names; once the first has ended it may run."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":7")
    with sole_on_display(tmp_path):
        monkeypatch.setenv("DISPLAY", other)
        with pytest.raises(DesktopError, match="another sweepbot"), sole_on_display(tmp_path):
            pass
    with sole_on_display(tmp_path):
        pass


def test_other_displays_are_unaffected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each display has its own lock."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":7")
    with sole_on_display(tmp_path):
        monkeypatch.setenv("DISPLAY", ":70")
        with sole_on_display(tmp_path):
            pass
