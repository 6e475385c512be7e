"""Calibrations from pictures, and the command: labels from board text, questions for the rest, checks."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from sweepbot.board import Board, State
from sweepbot.calibrate.learned import Label, Learned
from sweepbot.calibrate.screenshots.labelling import UNDO, Question, Shot, from_images
from sweepbot.calibrate.writing.editing import with_pictures
from sweepbot.cli.calibrate import command
from sweepbot.errors import CalibrationError, NoBoardFoundError, UsageError
from sweepbot.geometry import Image
from sweepbot.render.files import save_image
from sweepbot.vision.calibration import (
    STATE_NAMES,
    find_calibration,
    load_calibration,
    shipped_calibrations,
    user_calibrations,
)
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.nightly import at_night
from tools.drawing.demo import templates
from tools.places import FIXTURES

DEMO = FIXTURES / "demo"

NAMES = {state: name for name, state in STATE_NAMES.items()}


def shot(name: str, *, with_board: bool = True) -> Shot:
    """A fixture of the demo."""
    text = (DEMO / f"{name}.txt").read_text(encoding="ascii")
    return Shot(load_image(DEMO / f"{name}.png"), Board.parse(text) if with_board else None)


def nobody(_question: Question) -> str | None:
    """Leaves every question unanswered."""
    return None


def expect_as_drawn(learned: Learned) -> None:
    """Assert that each picture is what the demo draws for its label."""
    drawn = templates()
    for label in learned.labels:
        assert all(np.array_equal(picture, drawn[label.state]) for picture in label.pictures), label.state


def test_board_text_labels_every_cell() -> None:
    """With board text beside the picture nothing is asked, and each state looks as the demo draws it."""
    learned = from_images([shot("beginner_middle"), shot("beginner_lost")], nobody)
    assert {"hidden", "0", "1", "2", "3", "mine", "exploded"} <= {label.state for label in learned.labels}
    expect_as_drawn(learned)


def place_of(image: Image) -> Grid:
    """The demo's board in a picture."""
    place = Reader(find_calibration("demo")).read(image).grid.whole()
    assert place is not None
    return place


def blotted(name: str, *states: int) -> Shot:
    """A fixture of the demo without its text, in which two cells of each of some states show a blot."""
    image, board = shot(name).image.copy(), shot(name).board
    assert board is not None
    for state in states:
        blot = np.random.default_rng(state).integers(0, 256, (16, 16, 3), np.uint8)
        for cell in board.where(state)[:2]:
            image[place_of(shot(name).image).region_of(cell).slices] = blot
    return Shot(image)


def test_what_first_sight_is_sure_of_is_not_asked() -> None:
    """Without board text nothing is asked about looks that are read without a doubt, and all are right."""
    learned = from_images([shot("beginner_middle", with_board=False)], nobody)
    assert {"hidden", "0", "1", "2"} <= {label.state for label in learned.labels}
    assert all("at first sight" in label.why for label in learned.labels)
    expect_as_drawn(learned)


def test_only_what_first_sight_leaves_open_is_asked() -> None:
    """A look that cannot be read is asked about, once."""
    asked: list[int] = []

    def ask(question: Question) -> str:
        asked.append(question.cells)
        return "1"

    learned = from_images([blotted("beginner_middle", 1)], ask)
    assert asked == [2]
    assert "by a person" in next(label.why for label in learned.labels if label.state == "1")


@pytest.mark.usefixtures("own_folders")
@pytest.mark.parametrize(
    ("client", "names"),
    [
        *at_night(("kmines", ["beginner_fresh", "beginner_middle"])),
        ("xdemineur", ["12x10-15_fresh", "12x10-15_middle", "12x10-15_flags", "12x10-15_lost"]),
    ],
)
def test_real_clients_by_hand(client: str, names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Screenshots of a real client make a calibration that reads them all; a person is asked about the rest."""
    monkeypatch.setattr("sweepbot.cli.asking._has_display", lambda: False)  # Windows and macOS always have one
    pictures = [FIXTURES / client / f"{name}.png" for name in names]
    words = ["mine", *(f"--image={picture}" for picture in pictures), f"--output={tmp_path}"]
    told = " " * len(STATE_NAMES) + "y\n"
    done = CliRunner().invoke(command, [*words, f"--fixtures={tmp_path / 'fixtures'}"], input=told)
    assert done.exit_code == 0, done.output
    calibration = load_calibration(tmp_path / "mine")
    for picture in pictures:
        truth = Board.parse(picture.with_suffix(".txt").read_text(encoding="ascii")).cells
        seen = Reader(calibration).read(load_image(picture)).board.cells
        assert (seen == truth).mean() > 0.85  # a lost game's mines are unread where its lines were a pixel off
        assert not (seen[seen != truth] != State.UNKNOWN).any()
    checked = CliRunner().invoke(command, [str(tmp_path / "mine"), "--check", f"--fixtures={tmp_path / 'fixtures'}"])
    assert "0 wrong" in checked.output


def test_an_answer_that_was_taken_back_is_forgotten() -> None:
    """Going back asks the last question again and forgets its answer."""
    answers, asked = iter(["mine", UNDO, "2", "1"]), list[int]()

    def ask(question: Question) -> str:
        asked.append(question.number)
        return next(answers)

    learned = from_images([blotted("beginner_middle", 1, 2)], ask)
    assert asked == [1, 2, 1, 2]
    assert "mine" not in {label.state for label in learned.labels}


def test_answers_are_kept_until_the_calibration_is_written(
    tmp_path: Path, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that is interrupted goes on with the next question, and forgets the answers once it is done."""
    monkeypatch.setattr("sweepbot.cli.asking._has_display", lambda: False)
    save_image(blotted("beginner_middle", 1).image, tmp_path / "blotted.png")
    words = ["mine", f"--image={tmp_path / 'blotted.png'}", f"--output={tmp_path}"]
    asked = CliRunner().invoke(command, words, input="1")
    assert asked.exit_code != 0
    shown = [line for line in asked.output.splitlines() if "\u2580" in line]
    assert len(shown) <= 20, "the pictures and the question fit a terminal of 80x24"
    assert max(map(len, shown)) <= 80
    assert not (tmp_path / "mine").exists()
    done = CliRunner().invoke(command, words, input="y\n")
    assert done.exit_code == 0, done.output
    assert "kept from last time: 1" in done.output
    assert not list(own_folders.rglob("calibrate/*.json"))


def test_a_grid_by_hand_is_taken_as_it_is(tmp_path: Path) -> None:
    """A given grid is used as it is, counted from the picture's corner even where a region is given."""
    place = place_of(shot("beginner_middle").image)
    left, top = map(round, place.origin)
    around = place.region.grown(5)
    words = [f"--image={DEMO / 'beginner_middle.png'}", f"--board={DEMO / 'beginner_middle.txt'}"]
    words += [f"--output={tmp_path}", "--yes", f"--region={around}"]
    done = CliRunner().invoke(command, ["mine", *words, f"--grid={place.columns}x{place.rows}+{left}+{top}+16"])
    assert done.exit_code == 0, done.output
    drawn = templates()
    for template in load_calibration(tmp_path / "mine").templates:
        assert np.array_equal(template.image, drawn[NAMES[template.state]])
    beside = CliRunner().invoke(command, ["other", *words, f"--grid={place.columns}x{place.rows}+{left + 40}+{top}+16"])
    assert isinstance(beside.exception, UsageError)
    assert "picture 1 has" in str(beside.exception)


def test_cells_that_differ_by_a_pixel_are_one_size() -> None:
    """Cells of a fractional width may be a pixel wider in another picture."""
    narrow, other = shot("beginner_middle"), shot("beginner_lost")
    place = place_of(other.image)
    lines = [line for start in map(round, place.xs[:-1]) for line in (*range(start, start + 16), start + 15)]
    left, right = (part for part in np.split(other.image, [round(place.xs[0])], axis=1))
    wide = np.concatenate([left, other.image[:, lines], right[:, 16 * place.columns :]], axis=1)
    learned = from_images([narrow, Shot(wide, other.board)], nobody)
    assert {"hidden", "1", "mine", "exploded"} <= {label.state for label in learned.labels}
    expect_as_drawn(learned)


def test_boards_that_contradict_each_other_are_refused() -> None:
    """Two board texts that give one look two names are an error."""
    image, board = shot("beginner_middle").image, shot("beginner_middle").board
    assert board is not None
    other = Board.parse(str(board).replace("1", "2", 1))
    with pytest.raises(CalibrationError, match="another cell that looks the same"):
        from_images([Shot(image, other)], nobody)


def test_a_picture_without_a_board_is_refused() -> None:
    """A picture without a board is an error that names it."""
    with pytest.raises(NoBoardFoundError, match="picture 1"):
        from_images([Shot(np.full((300, 300, 3), 80, dtype=np.uint8))], nobody)


def made(folder: Path, *names: str) -> str:
    """Make or complete the calibration `mine` from fixtures of the demo; return what was reported."""
    words = [f"--{kind}={DEMO / name}.{end}" for name in names for kind, end in (("image", "png"), ("board", "txt"))]
    done = CliRunner().invoke(command, ["mine", *words, "--yes", f"--output={folder}"])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_writes_what_it_was_told(tmp_path: Path) -> None:
    """Pictures and boards on the command line become a calibration that loads."""
    made(tmp_path, "beginner_middle")
    assert load_calibration(tmp_path / "mine").cell == (16, 16)


def test_nothing_is_written_without_a_yes(tmp_path: Path) -> None:
    """A no to the last question leaves nothing written."""
    words = [f"--image={DEMO / 'beginner_middle.png'}", f"--board={DEMO / 'beginner_middle.txt'}"]
    done = CliRunner().invoke(command, ["mine", *words, f"--output={tmp_path}"], input="n\n")
    assert done.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_more_pictures_complete_a_calibration(tmp_path: Path) -> None:
    """Missing states are added as they are drawn, and what a person wrote into the file stays."""
    made(tmp_path, "beginner_middle")
    file = tmp_path / "mine" / "calibration.yaml"
    note = "titles: [Mine]  # by hand"
    file.write_text(file.read_text(encoding="utf-8").replace("titles: []", note) + "\n# the end\n", encoding="utf-8")
    known = load_calibration(tmp_path / "mine")
    assert {4, 8, STATE_NAMES["flag"]} <= set(known.unmet)
    made(tmp_path, "crowded_won", "beginner_lost")
    completed, drawn = load_calibration(tmp_path / "mine"), templates()
    text = file.read_text(encoding="utf-8")
    assert note in text
    assert text.endswith("# the end\n")
    assert '# 2 cells, by the board text\n  "8": [8.png]' in text
    assert set(completed.unmet) == {STATE_NAMES["question"]}
    assert len(completed.templates) == len(STATE_NAMES) - 1
    for template in completed.templates:
        assert np.array_equal(template.image, drawn[NAMES[template.state]])
    before = text
    assert "nothing new" in made(tmp_path, "crowded_won")
    assert file.read_text(encoding="utf-8") == before


def test_another_look_of_a_state_is_added() -> None:
    """Cells that look different from their state's known looks are added to it: here on a lighter ground."""
    image, board = shot("beginner_middle").image, shot("beginner_middle").board
    assert board is not None
    place = place_of(image)
    for cell in board.where(1):
        region = place.region_of(cell)
        image[region.y + 1 : region.bottom, region.x + 1 : region.right] //= 2
    (label,) = from_images([Shot(image, board)], nobody, load_calibration(shipped_calibrations() / "demo")).labels
    assert (label.state, len(label.pictures)) == ("1", 1)
    assert label.why == f"{board.count(1)} cells, by the board text"


def test_only_looks_that_are_new_are_added(tmp_path: Path) -> None:
    """A picture without board text adds only looks that are new."""
    made(tmp_path, "beginner_middle", "beginner_early")
    known = load_calibration(tmp_path / "mine")
    learned = from_images([shot("beginner_flags", with_board=False)], nobody, known)
    assert {label.state for label in learned.labels} <= {"flag", "question"}
    expect_as_drawn(learned)


def test_a_picture_at_another_scale_is_refused() -> None:
    """Pictures with cells of another size are refused, and the error gives both sizes."""
    known = load_calibration(shipped_calibrations() / "demo")
    image, board = shot("beginner_middle").image, shot("beginner_middle").board
    with pytest.raises(UsageError, match="picture 1 has cells of 32x32 pixels, and not of 16x16"):
        from_images([Shot(image.repeat(2, axis=0).repeat(2, axis=1), board)], nobody, known)


def test_a_board_that_contradicts_the_calibration_is_refused() -> None:
    """Board text that names a look differently from the calibration is an error."""
    image, board = shot("beginner_middle").image, shot("beginner_middle").board
    known = load_calibration(shipped_calibrations() / "demo")
    with pytest.raises(CalibrationError, match="another cell that looks the same is '1'"):
        from_images([Shot(image, Board.parse(str(board).replace("1", "2")))], nobody, known)


@pytest.mark.usefixtures("own_folders")
def test_a_shipped_calibration_is_completed_as_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added to a shipped calibration goes into the user's own copy."""
    folder = shipped_calibrations() / "xdemineur"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    picture = FIXTURES / "kmines" / "beginner_middle.png"
    known = load_calibration(folder)
    place = Grid.uniform((0, 0), known.cell, 9, 9)
    learned = Learned(place, [Label("1", [cell_of(folder)], "why")], [], known.behaviour, {})
    monkeypatch.setattr("sweepbot.cli.calibrate.from_images", lambda *_: learned)
    done = CliRunner().invoke(command, ["xdemineur", f"--image={picture}", "--yes"])
    assert done.exit_code == 0, done.output
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert "xdemineur/1-2.png" in " ".join(path.as_posix() for path in user_calibrations().rglob("*.png"))


def cell_of(folder: Path) -> Image:
    return load_image(folder / "2.png")


def test_a_list_over_several_lines_is_completed_too() -> None:
    """However a file is laid out, pictures are added to the right state, and comments stay."""
    text = "# mine\nstates:\n    hidden:\n    - a.png  # old\n    - b.png\n\n# more\nunmet: ['8']  # yet\n"
    label = Label("hidden", [np.zeros((16, 16, 3), dtype=np.uint8)], "1 cell")
    done = with_pictures(text, [label], {"hidden": ["c.png"]}, "")
    assert yaml.safe_load(done) == {"states": {"hidden": ["a.png", "b.png", "c.png"]}, "unmet": ["8"]}
    assert done.startswith("# mine\nstates:\n    # and 1 cell\n    hidden: [a.png, b.png, c.png]")
    assert done.endswith("\n\n# more\nunmet: ['8']  # yet\n")


@pytest.mark.parametrize("words", [[], ["--live", "--check"], ["--image=a.png", "--live"]])
def test_one_thing_at_a_time(words: list[str]) -> None:
    """With no way to learn, or with two, the command lists the ways."""
    done = CliRunner().invoke(command, ["mine", *words])
    assert isinstance(done.exception, UsageError)
    assert "--live" in done.exception.hint


def test_a_shipped_calibration_checks_out() -> None:
    """The demo's own calibration separates all its states and reads all its fixtures."""
    folder = shipped_calibrations() / "demo"
    done = CliRunner().invoke(command, [str(folder), "--check", f"--fixtures={DEMO}"])
    assert done.exit_code == 0, done.output
    assert "sound" in done.output


def test_a_misreading_is_found(tmp_path: Path) -> None:
    """A fixture whose board text is wrong fails the check and is named."""
    text = (DEMO / "beginner_fresh.txt").read_text(encoding="ascii")
    (tmp_path / "odd.txt").write_text(text.replace(text[0], "F", 1), encoding="ascii")
    (tmp_path / "odd.png").write_bytes((DEMO / "beginner_fresh.png").read_bytes())
    words = [str(shipped_calibrations() / "demo"), "--check", f"--fixtures={tmp_path}"]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.return_value == 1
    assert "1 wrong" in done.output


def test_a_check_as_json() -> None:
    """With --json the check prints one object with its verdict."""
    words = [str(shipped_calibrations() / "demo"), "--check", "--json"]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    report = json.loads(done.output)
    assert report["sound"] is True
    assert {confusion["state"] for confusion in report["confusions"]} >= {"0", "8", "hidden"}
