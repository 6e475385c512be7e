"""Calibrations from pictures, and the command: labels from board text, questions for the rest, checks."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sweepbot.board import Board
from sweepbot.calibrate.offline import from_images
from sweepbot.calibrate.place import Image
from sweepbot.cli.calibrate import command
from sweepbot.demo.templates import templates
from sweepbot.errors import CalibrationError, NoBoardFoundError, UsageError
from sweepbot.vision.calibration import load_calibration, shipped_calibrations
from sweepbot.vision.image import load_image

FIXTURES = Path(__file__).parent.parent / "fixtures" / "demo"


def shot(name: str, *, with_board: bool = True) -> tuple[Image, Board | None]:
    """A fixture of the demo."""
    text = (FIXTURES / f"{name}.txt").read_text(encoding="ascii")
    return load_image(FIXTURES / f"{name}.png"), Board.parse(text) if with_board else None


def nobody(_picture: Image, _count: int) -> str | None:
    """Leaves every question open."""
    return None


def test_board_text_labels_every_cell() -> None:
    """With the board beside the picture nothing is asked, and each state looks as the demo draws it."""
    learned = from_images([shot("beginner_middle"), shot("beginner_lost")], nobody)
    drawn = templates()
    assert {"hidden", "0", "1", "2", "3", "mine", "exploded"} <= {label.state for label in learned.labels}
    for label in learned.labels:
        assert all(np.array_equal(picture, drawn[label.state]) for picture in label.pictures), label.state


def test_a_person_is_asked_once_for_each_look() -> None:
    """Without board text every look is asked for once, the commonest first."""
    drawn = {picture.tobytes(): state for state, picture in templates().items()}
    asked: list[str] = []

    def ask(picture: Image, _count: int) -> str:
        asked.append(drawn[picture.tobytes()])
        return asked[-1]

    learned = from_images([shot("beginner_middle", with_board=False)], ask)
    assert len(asked) == len(set(asked)) == len(learned.labels)


def test_boards_that_contradict_each_other_are_refused() -> None:
    """Two board texts that call one look by two names are an error."""
    image, board = shot("beginner_middle")
    assert board is not None
    other = Board.parse(str(board).replace("1", "2", 1))
    with pytest.raises(CalibrationError, match="another cell that looks just so"):
        from_images([(image, other)], nobody)


def test_a_picture_without_a_board_is_refused() -> None:
    """A picture that shows no board is an error that says which one."""
    with pytest.raises(NoBoardFoundError, match="picture 1"):
        from_images([(np.full((300, 300, 3), 80, dtype=np.uint8), None)], nobody)


def test_the_command_writes_what_it_was_told(tmp_path: Path) -> None:
    """Pictures and boards on the command line become a calibration that can be loaded."""
    words = [f"--image={FIXTURES / 'beginner_middle.png'}", f"--board={FIXTURES / 'beginner_middle.txt'}"]
    done = CliRunner().invoke(command, ["mine", *words, "--yes", f"--output={tmp_path}"])
    assert done.exit_code == 0, done.output
    assert load_calibration(tmp_path / "mine").cell == (16, 16)


def test_nothing_is_written_without_a_yes(tmp_path: Path) -> None:
    """A person who says no to the last question finds nothing written."""
    words = [f"--image={FIXTURES / 'beginner_middle.png'}", f"--board={FIXTURES / 'beginner_middle.txt'}"]
    done = CliRunner().invoke(command, ["mine", *words, f"--output={tmp_path}"], input="n\n")
    assert done.exit_code == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [[], ["--live", "--check"], ["--image=a.png", "--live"]])
def test_one_thing_at_a_time(words: list[str]) -> None:
    """Without a way to learn, or with two, the command says which there are."""
    done = CliRunner().invoke(command, ["mine", *words])
    assert isinstance(done.exception, UsageError)
    assert "--live" in done.exception.hint


def test_a_shipped_calibration_checks_out() -> None:
    """The demo's own calibration tells all its states apart and reads all its fixtures."""
    folder = shipped_calibrations() / "demo"
    done = CliRunner().invoke(command, [str(folder), "--check", f"--fixtures={FIXTURES}"])
    assert done.exit_code == 0, done.output
    assert "sound" in done.output


def test_a_misreading_is_found(tmp_path: Path) -> None:
    """A fixture whose board says otherwise makes the check fail and is named."""
    text = (FIXTURES / "beginner_fresh.txt").read_text(encoding="ascii")
    (tmp_path / "odd.txt").write_text(text.replace(text[0], "F", 1), encoding="ascii")
    (tmp_path / "odd.png").write_bytes((FIXTURES / "beginner_fresh.png").read_bytes())
    words = [str(shipped_calibrations() / "demo"), "--check", f"--fixtures={tmp_path}"]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.return_value == 1
    assert "1 wrong" in done.output


def test_a_check_as_json() -> None:
    """With --json the check is one object that says whether the calibration is sound."""
    words = [str(shipped_calibrations() / "demo"), "--check", "--json"]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    report = json.loads(done.output)
    assert report["sound"] is True
    assert {confusion["state"] for confusion in report["confusions"]} >= {"0", "8", "hidden"}
