import sys

import pytest
from click.testing import CliRunner

from sweepbot.demo.__main__ import main
from sweepbot.demo.process import demo_window
from sweepbot.errors import DesktopError
from sweepbot.level import LEVELS


@pytest.mark.skipif(sys.platform != "linux", reason="windows need no DISPLAY elsewhere")
def test_without_a_display_the_process_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no window can be opened, the error quotes the process."""
    pytest.importorskip("tkinter", reason="this Python has no tkinter")
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(DesktopError, match="display"), demo_window(LEVELS["beginner"]):
        pass


def test_an_unknown_level_is_a_usage_error() -> None:
    """An unknown level exits with 2 and lists the known names."""
    result = CliRunner().invoke(main, ["--level", "hard"])
    assert result.exit_code == 2
    assert "'hard'" in result.stderr
    assert "expert" in result.stderr
