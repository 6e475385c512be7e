"""Files from elsewhere, damaged and hostile: each is read or refused in words, and soon."""

import json
import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.errors import CalibrationError, SweepbotError, TraceError
from sweepbot.sessions.settings import PlaySettings
from sweepbot.strangers import MAX_AREA_PX, printable, read_file
from sweepbot.trace.run import CALIBRATION
from sweepbot.vision.calibration import FILE, load_calibration, shipped_calibrations
from sweepbot.vision.pictures.image import load_image
from tests.commands import Command
from tools.damage import bytes_changed, damage, json_changed, lines_changed, png, yaml_changed
from tools.places import FIXTURES, TRACES
from tools.recording.demo import Lines, changed, demo_desktop, trace_of

SHOT = FIXTURES / "demo" / "beginner_middle.png"

SEEDS = range(8)
"""Damages of each format."""

MAX_S = 10.0
"""Of processor time, in which others on the same machine do not count."""

MAX_MB = 700
"""What the process of a command may take: the libraries alone take a third of it."""

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets only administrators make links")

Case = Callable[[Path, random.Random], list[object]]
"""Makes a damaged file in a folder, and returns the command that reads it."""

LINES = "events.jsonl"
OF_TRACES = {
    "run.json": (json_changed, bytes_changed),
    LINES: (lines_changed, lines_changed, lines_changed, bytes_changed),
    "pictures.bin": (bytes_changed,),
    f"{CALIBRATION}/{FILE}": (yaml_changed,),
}


def a_trace(folder: Path, rng: random.Random) -> list[object]:
    trace = Path(shutil.copytree(TRACES / rng.choice(("demo-lost", "demo-won", "xdemineur-lost")), folder / "trace"))
    name = rng.choice(list(OF_TRACES))
    damage(trace / name, rng.choice(OF_TRACES[name]), rng)
    outputs = ["--html", folder / "page.html", "--evf", folder / "films", "--gif", folder / "film.gif"]
    options = rng.choice(([], ["--by-step"], ["--json"], outputs))
    return ["review", trace] if rng.random() < 0.2 else ["replay", trace, *options]


def a_calibration(folder: Path, rng: random.Random) -> list[object]:
    client = rng.choice(("demo", "winemine", "arbiter", "gnome-mines"))
    made = Path(shutil.copytree(shipped_calibrations() / client, folder / "mine"))
    pictures = sorted(made.glob("*.png"))
    if pictures and rng.random() < 0.3:
        damage(rng.choice(pictures), bytes_changed, rng)
    else:
        damage(made / FILE, rng.choice((yaml_changed, yaml_changed, bytes_changed)), rng)
    return rng.choice((["calibrate", made, "--check"], ["read", SHOT, "--client", made]))


def a_picture(folder: Path, rng: random.Random) -> list[object]:
    picture = folder / f"shot{rng.choice(('.png', '.jpg', '.bmp', '.webp', '.gif'))}"
    picture.write_bytes(cv2.imencode(picture.suffix, load_image(SHOT))[1].tobytes())
    damage(picture, bytes_changed, rng)
    return ["read", picture, "--client", "demo"]


def a_text(folder: Path, rng: random.Random) -> list[object]:
    text = Path(shutil.copy(SHOT.with_suffix(".txt"), folder / "board.txt"))
    damage(text, bytes_changed, rng)
    return ["solve", text, "--mines", 10]


def a_link(folder: Path, rng: random.Random) -> list[object]:
    text = folder / "link.txt"
    text.write_text(
        "https://davidnhill.github.io/JSMinesweeper/index.html?analysis=ejejaaakLLLLLLLLLLLLeubbbbbbbccccdd"
    )
    damage(text, bytes_changed, rng)
    return ["solve", text]


def a_list(folder: Path, rng: random.Random) -> list[object]:
    boards = [{"w": 9, "h": 9, "mines": [[x, 1], [3, x]], "first": [8, 8]} for x in (4, 5, 6)]
    listed = folder / "boards.jsonl"
    listed.write_text("".join(json.dumps(board) + "\n" for board in boards))
    damage(listed, rng.choice((lines_changed, bytes_changed)), rng)
    return ["simulate", "--boards", listed]


def an_mbf(folder: Path, rng: random.Random) -> list[object]:
    board = folder / "board.mbf"
    board.write_bytes(bytes((9, 9, 0, 3, 1, 1, 2, 2, 3, 3)))
    damage(board, bytes_changed, rng)
    return ["simulate", "--boards", board]


CASES: tuple[Case, ...] = (*[a_trace] * 3, a_calibration, *[a_picture] * 2, a_text, a_link, a_list, an_mbf)


@pytest.fixture
def memory_mb() -> Callable[[], float]:
    """The most memory that this process has taken, in MB, beyond what it took before."""
    resource = pytest.importorskip("resource", reason="Windows has no such count")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return lambda: (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("own_folders")
def test_damaged_files_are_read_or_refused_in_words(
    seed: int, tmp_path: Path, sweepbot: Command, memory_mb: Callable[[], float]
) -> None:
    """Whatever is damaged in a file of any format, the command ends soon, in words, with a documented exit code."""
    for number, case in enumerate(CASES):
        folder = tmp_path / str(number)
        folder.mkdir()
        words = case(folder, random.Random(f"{case.__name__}/{seed}/{number}"))
        began = time.process_time()
        answer = sweepbot(*words)
        assert time.process_time() - began < MAX_S, words
        assert answer.exit_code in range(7), words
        assert "\x1b" not in answer.out + answer.err, words
    assert memory_mb() < MAX_MB


def first(lines: Lines, kind: str) -> dict[str, Any]:
    return next(line for line in lines if line["do"] == kind)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[5].update(t="soon"), "line 6: Expected `int`, got `str`"),
        (lambda lines: lines.insert(9, {"do": "pointer", "t": lines[9]["t"]}), "line 10: at: is missing"),
        (lambda lines: first(lines, "game").update(clicks=0, three_bv=5), "clicks: 0 cannot win"),
        (lambda lines: first(lines, "reading").update(phase="yesterday"), "'yesterday' is not a valid Phase"),
        (lambda lines: first(lines, "reading").update(xs=[5, 4]), "lines around 9 cells"),
        (lambda lines: first(lines, "decision").update(best=[70, 1]), "no cell of a board of 9x9"),
        (lambda lines: first(lines, "decision").update(chances=[[0.7]]), "chances: not of the size of the board"),
        (lambda lines: first(lines, "decision").update(chances=[[7]]), "Expected `float` <= 1.0 - at `$.chances"),
        (lambda lines: first(lines, "click").update(at=[10**7, 1]), "Expected `int` <= 1000000 - at `$.at[0]`"),
        (lambda lines: first(lines, "look").update(patches=[[0, 0, 60_000, 9, 0, 9]]), "is not on the screen"),
        (lambda lines: first(lines, "click").update(t=-5), "t: -5 cannot follow"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--by-step"], ["--evf"]])
def test_a_damaged_line_is_named(
    change: Callable[[Lines], object], said: str, options: list[str], tmp_path: Path, sweepbot: Command
) -> None:
    """A line that no run could have written is one error with its file and its number."""
    trace = changed(TRACES / "demo-won", tmp_path / "trace", change)
    sweepbot("replay", trace, *options, *([tmp_path / "films"] if options == ["--evf"] else [])).says(
        1, f"{trace / LINES}: line ", said
    )


def test_a_start_that_is_no_time_is_an_error(tmp_path: Path, sweepbot: Command) -> None:
    """`started` in run.json is a time, whichever output is asked for."""
    trace = Path(shutil.copytree(TRACES / "demo-won", tmp_path / "trace"))
    run = json.loads((trace / "run.json").read_text())
    for wrong in ("yesterday", "0001-01-01T00:00:00", "9999-99-99"):
        (trace / "run.json").write_text(json.dumps(run | {"started": wrong}))
        sweepbot("replay", trace, "--evf", tmp_path / "films").says(1, f"{trace / 'run.json'}: ")


@pytest.mark.parametrize("by_px", [60, -60])
@pytest.mark.parametrize("name", ["demo-won", "winemine-lost"])
def test_a_replay_ends_though_the_pointer_is_elsewhere(
    by_px: int, name: str, tmp_path: Path, sweepbot: Command
) -> None:
    """A recorded pointer that is not where it was put ends in a difference, and is not waited for without end."""

    def move_away(lines: Lines) -> None:
        for line in lines:
            if line["do"] == "pointer" and "at" in line:
                line["at"] = [line["at"][0] + by_px, line["at"][1]]

    trace = changed(TRACES / name, tmp_path / "trace", move_away)
    began = time.process_time()
    answer = sweepbot("replay", trace, "--json")
    assert time.process_time() - began < MAX_S
    assert answer.exit_code == 1
    assert answer.json["differences"]


def test_control_characters_never_reach_a_terminal(tmp_path: Path, sweepbot: Command) -> None:
    """What a trace says of a lesson, and its client's title, is shown with its control characters written out."""
    evil = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\r"

    def speak(lines: Lines) -> None:
        first(lines, "game")["client"] = evil
        lines.insert(len(lines) - 3, {"do": "doubt", "t": lines[-3]["t"], "text": evil})
        lines[-1].update(exit=1, error=evil)
        lines[5]["do"] = evil

    trace = changed(TRACES / "demo-won", tmp_path / "trace", speak)
    answer = sweepbot("replay", trace).says(1, "\\x1b")
    assert not set("\x1b\x07\x9b\u202e\r") & set(answer.out + answer.err)


@pytest.mark.parametrize("text", ["plain", "", "tab\tand\nline", "ünïcödé 雷 ⚑", "a\udc80b"])
def test_other_text_is_left_as_it_is(text: str) -> None:
    """Letters of any script, tabs and line feeds are shown as they are."""
    assert printable(text) == text


def recorded(calibration: Path, folder: Path) -> Path:
    """The trace of a run that has only found its client."""
    desktop = demo_desktop()
    settings = PlaySettings(games=1, learns=False)
    with trace_of(Desk(desktop, desktop), folder, settings) as recording:
        recording.played_with(load_calibration(calibration), settings)
    return folder


@needs_links
def test_only_what_a_calibration_names_gets_into_a_trace(tmp_path: Path) -> None:
    """Links and other files beside a calibration stay where they are, whatever they lead to."""
    calibration = Path(shutil.copytree(shipped_calibrations() / "demo", tmp_path / "mine"))
    (tmp_path / "id_ed25519").write_text("secret")
    (calibration / "notes.txt").symlink_to(tmp_path / "id_ed25519")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 10**8)  # no device: a mistake must not fill the disk of whoever runs this
    (calibration / "large.png").symlink_to(tmp_path / "large")
    (calibration / "own.txt").write_text("also secret")
    copied = recorded(calibration, tmp_path / "trace") / CALIBRATION
    names = {file.name for file in load_calibration(calibration).files}
    assert {file.name for file in copied.iterdir()} == names
    assert not any(file.is_symlink() or b"secret" in file.read_bytes() for file in copied.iterdir())
    assert load_calibration(copied).levels == load_calibration(calibration).levels


@needs_links
def test_a_link_that_takes_a_files_place_is_not_followed(tmp_path: Path) -> None:
    """A picture that has become a link since the calibration was loaded is not copied, nor a calibration.yaml read."""
    calibration = Path(shutil.copytree(shipped_calibrations() / "demo", tmp_path / "mine"))
    loaded = load_calibration(calibration)
    for name, kind in (("1.png", TraceError), (FILE, CalibrationError)):
        elsewhere = (calibration / name).rename(tmp_path / name)
        (calibration / name).symlink_to(elsewhere)
        with pytest.raises(kind, match="is a link"):
            read_file(loaded.path.parent / name, 10**6, kind, is_within=True)
    with pytest.raises(CalibrationError, match="is a link"):
        load_calibration(calibration)


@needs_links
@pytest.mark.parametrize("name", ["run.json", LINES, "pictures.bin", CALIBRATION])
def test_a_trace_has_no_links(name: str, tmp_path: Path, sweepbot: Command) -> None:
    """A link in a trace is refused, as it may lead to any file of the person who looks at it."""
    trace = Path(shutil.copytree(TRACES / "demo-won", tmp_path / "trace"))
    elsewhere = (trace / name).rename(tmp_path / "elsewhere")
    (trace / name).symlink_to(elsewhere)
    sweepbot("replay", trace).says(1, "is a link")


@needs_links
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """What is no regular file is refused before it is opened."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SweepbotError, match="is no regular file"):
        read_file(tmp_path / "pipe", 10)


@needs_links
@pytest.mark.parametrize(
    "words", [("read",), ("solve",), ("review",), ("replay",), ("simulate", "--boards"), ("calibrate", "my", "--image")]
)
@pytest.mark.parametrize("name", ["pipe", "pipe.png", "pipe.evf"])
def test_what_is_no_file_is_refused_by_every_command(
    tmp_path: Path, sweepbot: Command, words: tuple[str, ...], name: str
) -> None:
    """A pipe in the place of a file, or of a folder, gives one error that names it."""
    os.mkfifo(tmp_path / name)
    answer = sweepbot(*words, tmp_path / name)
    assert answer.exit_code in (1, 2)
    assert name in answer.err


def test_what_is_no_picture_is_said_to_be_none(tmp_path: Path, sweepbot: Command) -> None:
    """A text is refused in words for a person, without the name of an object in memory."""
    (tmp_path / "notes.txt").write_text("milk, eggs\n", encoding="utf-8")
    assert "notes.txt: is no picture that can be read\n" in sweepbot("read", tmp_path / "notes.txt").err


def test_a_picture_with_a_long_text_is_no_traceback(tmp_path: Path, sweepbot: Command) -> None:
    """A PNG whose comment unpacks to megabytes is refused in words."""
    (tmp_path / "shot.png").write_bytes(png(200, 200, text=2_000_000))
    sweepbot("read", tmp_path / "shot.png").says(1, "shot.png: is no picture that can be read")


def test_a_trace_has_no_larger_pictures_than_are_read(tmp_path: Path, sweepbot: Command) -> None:
    """A small file that unpacks to hundreds of megabytes is refused by its header, in a trace as elsewhere."""
    side = 6_000
    assert side * side > MAX_AREA_PX
    packed = png(side, side)
    assert len(packed) < 500_000

    def enlarge(lines: Lines) -> None:
        first(lines, "look")["patches"] = [[0, 0, 200, 200, 0, len(packed)]]

    trace = changed(TRACES / "demo-won", tmp_path / "trace", enlarge)
    (trace / "pictures.bin").write_bytes(packed)
    sweepbot("replay", trace).says(1, "pixels are too many")
    run = json.loads((trace / "run.json").read_text())
    (trace / "run.json").write_text(json.dumps(run | {"screen": [0, 0, side, side]}))
    sweepbot("replay", trace).says(1, "screen: 6000x6000 pixels are too many")


def test_a_link_with_an_impossible_number_is_an_error(sweepbot: Command) -> None:
    """An 8 beside a mine that is known would be a 9, which no cell shows; it is not read as hidden."""
    of_two_by_two, eight, mine, hidden = "acacaaad", "M", "O", "T"
    link = f"https://davidnhill.github.io/JSMinesweeper/index.html?analysis={of_two_by_two}{eight}{mine}{hidden}"
    sweepbot("solve", link).says(2, "shows 8 beside 1 known mines at row 0, column 0: no cell has 9")


def test_a_board_of_an_absurd_size_is_refused_at_once(tmp_path: Path, sweepbot: Command) -> None:
    """A list of boards with a giant one is refused by its line, before anything is played."""
    listed = tmp_path / "boards.jsonl"
    listed.write_text('{"w": 20000, "h": 20000, "mines": [[1, 1]], "first": [0, 0]}\n')
    began = time.process_time()
    answer = sweepbot("simulate", "--boards", listed)
    assert time.process_time() - began < 2
    answer.says(1, f"{listed}:1: a board of 20000x20000 cells is too large")
