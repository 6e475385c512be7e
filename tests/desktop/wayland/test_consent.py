"""Asking a Wayland desktop for consent again, with a scripted portal."""

from pathlib import Path

import pytest

from sweepbot.desktop.wayland import portal_desk
from sweepbot.desktop.wayland.portal import LookOnlyError, NothingSharedError
from sweepbot.errors import StoppedByUserError


@pytest.mark.parametrize("answer", [LookOnlyError("to look alone"), NothingSharedError("nothing is shown")])
def test_useless_consent_is_asked_for_again(answer: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where clicks are not allowed, or remembered consent is gone, the person is told and asked once more."""
    answers = [answer, StoppedByUserError("refused")]

    class Portal:
        def __init__(self, token: Path) -> None:
            assert token == tmp_path / "token"

        def close(self) -> None:
            pass

        def start(self) -> None:
            raise answers.pop(0)

    monkeypatch.setattr(portal_desk, "Portal", Portal)
    told: list[str] = []
    with pytest.raises(StoppedByUserError, match="refused"), portal_desk.open_portal(tmp_path / "token", told.append):
        pass
    assert "It will ask once more" in told[-1]
    assert str(answer) in told[-1]
