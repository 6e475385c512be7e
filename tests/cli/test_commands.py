"""The commands as a person or a program calls them: exit codes, JSON and error messages."""

import io
import json
import os
import shutil
import sys
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image as Picture

from sweepbot.board import Board
from sweepbot.demo.client import Client
from sweepbot.desktop.windows import Window, with_words
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import Level
from sweepbot.player.loop import Player
from sweepbot.render.files import save_image
from sweepbot.sessions.recognised import client_by_window, target_client
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Solver
from sweepbot.solver.kernel_cache import compile_now
from sweepbot.vision.calibration import Calibration, find_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import UNKNOWN, Reading
from tests.commands import Command, run
from tests.nightly import by_turns
from tests.standins.fake_desktop import FakeMachine, monitor, together
from tools.drawing.demo import draw_cell
from tools.drawing.skins import Skin, SkinDesktop
from tools.places import FIXTURES
from tools.recording.demo import record_person
from tools.recording.reviewed import played, write_screenshots

SHOTS = sorted(FIXTURES.glob("*/*.png"))
BOARD = "112#\n####\n####\n"


@pytest.fixture
def board_file(tmp_path: Path) -> Path:
    """A small position in a file."""
    file = tmp_path / "board.txt"
    file.write_text(BOARD)
    return file


def test_help_names_every_command(sweepbot: Command) -> None:
    """The help lists the commands, and each has its own help."""
    overview = sweepbot("--help")
    assert overview.exit_code == 0
    for name in ("demo", "play", "read", "solve", "simulate", "replay", "clients", "doctor"):
        assert f"\n  {name} " in overview.out
        assert sweepbot(name, "--help").exit_code == 0


DEMO = FIXTURES / "demo"

MISUSES: dict[str, tuple[str, ...]] = {
    "dance": ("there is no command 'dance'; there are: demo, play",),
    "slove board.txt": ("did you mean solve?",),
    "solve": ("--help",),
    "play --games 0": ("--games",),
    "play --level exprt": ("'exprt'", "expert"),  # before a screen is opened
    "play --client winemin": ("did you mean winemine",),
    "play --client minesweeper-online": ("bans bots", "--allowed"),  # it asks, and nobody is there to answer
    "simulate --level expert --games no": ("'no'",),
    "read DEMO/expert_middle.png --client nonsense": ("nonsense",),
    "assist --client nonsense": ("nonsense",),
    "clients nonsense": ("nonsense",),
    "stats --client nonsense": ("nonsense",),
    "calibrate nonsense --check": ("nonsense",),
    "solve DEMO/beginner_fresh.txt --mines 10 --client demo": ("board text",),
    "replay DEMO --by-step": ("for traces",),
    "replay DEMO --html out.html": ("for traces",),
    "replay DEMO --to-fixture 1": ("for traces",),
}
"""Command lines that make no sense, and what the answer says, among other things; DEMO is its fixtures."""


@pytest.mark.parametrize("words", MISUSES)
def test_wrong_words_exit_with_2(sweepbot: Command, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command line that makes no sense is a usage error, which names what is wrong, or what was meant."""
    monkeypatch.delenv("DISPLAY", raising=False)
    answer = sweepbot(*(word.replace("DEMO", str(DEMO)) for word in words.split()))
    assert answer.exit_code == 2
    assert [said for said in MISUSES[words] if said not in answer.err] == []


def test_read_prints_the_promised_keys(sweepbot: Command) -> None:
    """`read --json` gives the board, its place and the state of the game in the promised keys."""
    picture = DEMO / "expert_middle.png"
    answer = sweepbot("read", picture, "--client", "demo", "--json")
    assert answer.exit_code == 0
    (reading,) = answer.json
    assert reading["rows"] == picture.with_suffix(".txt").read_text().split()
    assert (reading["file"], reading["client"], reading["cols"]) == (str(picture), "demo", 30)
    assert (reading["cell"], reading["origin"]) == ([16.0, 16.0], [95.0, 112.0])
    assert reading["status"] == "playing"
    assert reading["mines_left"] == 99 - "".join(reading["rows"]).count("F")
    assert 0.9 < reading["confidence"] <= 1
    assert reading["ms"] > 0


def test_read_identifies_the_client(sweepbot: Command) -> None:
    """Without --client each picture's client is identified, and its match comes first in `fits`."""
    pictures = [FIXTURES / "winemine" / "expert_middle.png", FIXTURES / "xdemineur" / "expert_middle.png"]
    answer = sweepbot("read", *pictures, "--json")
    assert [reading["client"] for reading in answer.json] == ["winemine", "xdemineur"]
    assert [next(iter(reading["fits"])) for reading in answer.json] == ["winemine", "xdemineur"]
    assert min(max(reading["fits"].values()) for reading in answer.json) > 0.999


def test_read_without_a_board_exits_with_3(sweepbot: Command, tmp_path: Path) -> None:
    """A picture without a board exits with 3, and the other pictures are read all the same."""
    save_image(np.full((300, 400, 3), 200, dtype=np.uint8), tmp_path / "empty.png")
    good = DEMO / "beginner_won.png"
    answer = sweepbot("read", tmp_path / "empty.png", good, "--client", "demo", "--json")
    assert answer.exit_code == 3
    nothing, reading = answer.json
    assert set(nothing) == {"file", "error"}
    assert "searched 400x300 pixels" in nothing["error"]
    assert reading["status"] == "won"


def _covered(cells: int) -> Image:
    """A board with the first `cells` cells of its first column covered, from the second row down."""
    image = load_image(DEMO / "beginner_middle.png")
    image[112 + 16 : 112 + 16 * (1 + cells), 95 : 95 + 16] = np.random.default_rng(0).integers(
        0, 256, (16 * cells, 16, 3)
    )
    return image


def test_read_prints_unread_cells_as_dots(sweepbot: Command, tmp_path: Path) -> None:
    """Covered cells are printed as `.` and counted, and affect no other cell."""
    save_image(_covered(2), tmp_path / "covered.png")
    answer = sweepbot("read", tmp_path / "covered.png", "--client", "demo", "--json")
    (reading,) = answer.json
    assert (answer.exit_code, reading["unread"], reading["problems"]) == (0, 2, [])
    assert [row[0] for row in reading["rows"]][:4].count(".") == 2
    assert "2 cells not read" in sweepbot("read", tmp_path / "covered.png", "--client", "demo").err


def test_read_explains_one_cell(sweepbot: Command, tmp_path: Path) -> None:
    """`--explain` says why a covered cell was not read, else which template it is nearest to, and nothing else."""
    save_image(_covered(1), tmp_path / "covered.png")
    command = "read", tmp_path / "covered.png", "--client", "demo", "--explain"
    why = "as 3 it contradicts the cells around it"
    refused, nearest, network, *_ = sweepbot(*command, "1,0").out.splitlines()
    assert refused == f"row 1, column 0 was not read: {why}"
    assert nearest.endswith("not near enough")
    assert network.split()[:3] == ["the", "network", "saw:"]
    read, nearest, *_ = sweepbot(*command, "0,0").out.splitlines()
    assert read == "row 0, column 0 was read as #"
    assert nearest.startswith("  nearest template hidden, 0.")
    assert nearest.endswith(": near")
    told = sweepbot(*command, "1,0", "--json").json[0]["explain"]
    assert (told["refused"], told["templates"]["near"]) == (why, False)
    assert len(told["first_sight"]["likeliest"]) == 4
    assert sweepbot(*command, "9,0").exit_code == 2


def test_solve_proposes_no_unread_cell(sweepbot: Command, tmp_path: Path) -> None:
    """Covered cells are reported as unread, and none is called safe or proposed."""
    save_image(_covered(2), tmp_path / "covered.png")
    answer = sweepbot("solve", tmp_path / "covered.png", "--client", "demo", "--json")
    assert answer.exit_code == 0
    assert "2 cells not read" in " ".join(answer.err.split())
    assert not {(1, 0), (2, 0)} & {tuple(cell) for cell in answer.json["safe"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "the file is empty"), (b"GIF89a", "is no picture"), (None, "cannot be read")],
)
def test_a_file_that_is_no_picture_is_named(
    sweepbot: Command, tmp_path: Path, content: bytes | None, message: str
) -> None:
    """An empty, damaged or missing file is an error that names it."""
    picture = tmp_path / "broken.png"
    if content is not None:
        picture.write_bytes(content)
    sweepbot("read", picture, "--client", "demo").says(1, message, "broken.png")


def test_a_picture_that_is_too_large_is_refused(sweepbot: Command, tmp_path: Path) -> None:
    """A picture 20,000 pixels wide is refused, and the error gives its size."""
    save_image(np.zeros((10, 20_000, 3), dtype=np.uint8), tmp_path / "wide.png")
    sweepbot("read", tmp_path / "wide.png", "--client", "demo").says(1, "20000x10 pixels is too large")


def test_solve_prints_the_promised_keys(sweepbot: Command, board_file: Path) -> None:
    """`solve --json` gives chances, certain cells, best move and exact count in the promised keys."""
    answer = sweepbot("solve", board_file, "--mines", 4, "--json")
    assert answer.exit_code == 0
    solved = answer.json
    assert solved["mine_probability"][0] == [None, None, None, pytest.approx(10 / 16)]
    assert solved["safe"] == [{"row": 1, "col": 2}]
    assert solved["mines"] == []
    assert (solved["layouts"], solved["exact"]) == ("16", True)
    assert {"row": 1, "col": 2, "mine_probability": 0.0}.items() <= solved["best"].items()
    assert solved["best"]["reason"]
    assert "win_probability" in solved["best"]
    assert solved["ms"] > 0


def test_sampled_chances_have_standard_errors(sweepbot: Command, board_file: Path) -> None:
    """Sampled chances lie within a few of their standard errors of the exact ones; exact ones have none."""
    exact = sweepbot("solve", board_file, "--mines", 4, "--json").json
    assert exact["standard_error"] is None
    sampled = sweepbot("solve", board_file, "--mines", 4, "--method", "walksat", "--json").json
    assert not sampled["exact"]
    error = sampled["standard_error"][1][0]
    assert 0 < error < 0.05
    assert sampled["mine_probability"][1][0] == pytest.approx(4 / 16, abs=5 * error)
    assert "standard errors up to" in sweepbot("solve", board_file, "--mines", 4, "--method", "walksat").out


def test_solve_reads_standard_input(sweepbot: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash stands for standard input."""
    monkeypatch.setattr("sys.stdin", io.StringIO(BOARD))
    answer = sweepbot("solve", "-", "--mines", 4)
    assert answer.exit_code == 0
    assert "safe: row 1, column 2" in answer.out


def test_solve_identifies_the_client(sweepbot: Command) -> None:
    """Without --client a picture is solved like its board text with the total of its level, and its client is named."""
    answer = sweepbot("solve", FIXTURES / "xdemineur" / "expert_middle.png", "--json")
    text = sweepbot("solve", FIXTURES / "xdemineur" / "expert_middle.txt", "--mines", 99, "--json")
    assert answer.json["layouts"] == text.json["layouts"]
    assert "xdemineur, 30x16 cells at +216+250, playing" in answer.err


def test_solve_refuses_a_doubtful_screenshot(sweepbot: Command, tmp_path: Path) -> None:
    """A picture without a board exits with 3, one with impossible cells with 4; nothing is solved."""
    save_image(np.full((300, 400, 3), 200, dtype=np.uint8), tmp_path / "empty.png")
    shown = load_image(DEMO / "beginner_middle.png")
    impossible = shown.copy()
    impossible[112 + 16 : 112 + 32, 95 : 95 + 16] = draw_cell(2)
    save_image(impossible, tmp_path / "impossible.png")
    for name, exit_code, said in (
        ("empty.png", 3, "no board found"),
        ("impossible.png", 4, "no placement of mines"),
    ):
        answer = sweepbot("solve", tmp_path / name, "--client", "demo")
        assert (answer.exit_code, answer.out) == (exit_code, "")
        assert said in answer.err


def test_solve_asks_for_an_unknown_total(sweepbot: Command, tmp_path: Path) -> None:
    """A board of no level, without a counter, needs `--mines`."""
    image = load_image(DEMO / "beginner_middle.png")
    save_image(image[112 : 112 + 9 * 16, 95 : 95 + 8 * 16], tmp_path / "part.png")
    sweepbot("solve", tmp_path / "part.png", "--client", "demo").says(2, "--mines")


def test_solve_draws_the_chances(sweepbot: Command, board_file: Path, tmp_path: Path) -> None:
    """The heatmap is a picture; a missing folder is an error that leaves nothing behind."""
    picture = tmp_path / "chances.png"
    assert sweepbot("solve", board_file, "--mines", 4, "--heatmap", picture).exit_code == 0
    assert load_image(picture).size
    sweepbot("solve", board_file, "--mines", 4, "--heatmap", tmp_path / "nowhere" / "chances.png").says(
        1, "cannot be written"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.txt", "chances.png"]


@pytest.mark.parametrize(
    ("text", "mines", "expected"),
    [
        ("11\n1", ["--mines", 1], (1, "row 1 has 1 cells, the first row has 2")),
        ("11\n1x", ["--mines", 1], (1, "row 1, column 1: 'x'")),
        ("118#\n####\n####", ["--mines", 4], (1, "row 0, column 2")),
        (BOARD, ["--mines", 40], (2, "40 mines do not fit")),
        ("1#", [], (2, "--mines")),
    ],
)
def test_a_bad_position_is_an_error(
    sweepbot: Command, board_file: Path, text: str, mines: list[object], expected: tuple[int, str]
) -> None:
    """Ragged rows, unknown characters, impossible numbers and too many mines are errors that give the place."""
    board_file.write_text(text)
    answer = sweepbot("solve", board_file, *mines)
    exit_code, message = expected
    assert answer.exit_code == exit_code
    assert message in answer.err


def test_simulate_prints_the_promised_keys(sweepbot: Command) -> None:
    """`simulate --json` gives counts, rate, interval, times and each game's outcome."""
    answer = sweepbot("simulate", "--level", "beginner", "--rule", "safe", "--games", 30, "--seed", 5, "--json")
    assert answer.exit_code == 0
    summary = answer.json
    assert summary["games"] == len(summary["outcomes"]) == 30
    assert summary["won"] == summary["outcomes"].count("1") == round(summary["win_rate"] * 30)
    low, high = summary["ci95"]
    assert low < summary["win_rate"] < high
    assert 0 <= summary["no_guess_rate"] <= summary["win_rate"]
    assert {"mean", "p50", "p99"} <= set(summary["ms_per_game"])


def test_simulate_plays_given_boards(sweepbot: Command, tmp_path: Path) -> None:
    """Boards from a file are played as they are: an opening that wins, and a mine at the first click."""
    boards = tmp_path / "boards.jsonl"
    won, lost = {"mines": [[4, 4]], "first": [0, 0]}, {"mines": [[2, 1]], "first": [2, 1]}
    boards.write_text("".join(json.dumps({"w": 5, "h": 5} | board) + "\n" for board in (won, lost)))
    assert sweepbot("simulate", "--boards", boards, "--json").json["outcomes"] == "10"


def test_simulate_scores_by_expected_outcomes(sweepbot: Command, tmp_path: Path) -> None:
    """--expected adds each game's expected outcome to the JSON and to the comparison of methods."""
    words = ("simulate", "--level", "6x6/7", "--games", 8, "--method", "best", "--method", "exact", "--expected")
    answer = sweepbot(*words, "--journal", tmp_path, "--json").json
    assert len(answer["expected"]["outcomes"]) == 8
    low, high = answer["expected"]["ci95"]
    assert low < answer["expected"]["win_rate"] < high
    difference = answer["compared"][0]["expected"]["win_rate"] - answer["expected"]["win_rate"]
    assert answer["compared"][0]["against_first"]["expected_difference"] == pytest.approx(difference)
    assert sweepbot(*words, "--journal", tmp_path, "--json").json["expected"] == answer["expected"]
    assert f"expected      {answer['expected']['win_rate']:.2%}" in sweepbot(*words, "--journal", tmp_path).out


@pytest.mark.parametrize("shot", by_turns(SHOTS, one_in=10), ids=lambda shot: f"{shot.parent.name}/{shot.stem}")
def test_no_fixture_is_misread(sweepbot: Command, shot: Path) -> None:
    """No cell of a fixture is read as another than its board text says."""
    (fixture,) = sweepbot("replay", shot, "--json").json
    assert {difference["got"] for difference in fixture["differences"]} <= {"."}
    assert not fixture["error"] or shot.stem.startswith("gr")  # themes of pictures that no network knows


def test_replay_takes_a_folder_of_fixtures(sweepbot: Command, tmp_path: Path) -> None:
    """Each picture in a folder is compared and named by its file."""
    folder = tmp_path / "demo"
    folder.mkdir()
    for file in DEMO.glob("beginner_[fw]*"):
        shutil.copy(file, folder)
    fixtures = sweepbot("replay", folder, "--json").json
    assert len(fixtures) >= 2
    assert [Path(fixture["file"]) for fixture in fixtures] == sorted(folder.glob("*.png"))


def test_replay_names_each_cell_that_differs(sweepbot: Command, tmp_path: Path) -> None:
    """A fixture with another board text is reported cell by cell, with exit 1."""
    folder = tmp_path / "demo"
    folder.mkdir()
    for ending in (".png", ".txt"):
        shutil.copy(DEMO / f"beginner_fresh{ending}", folder)
    truth = folder / "beginner_fresh.txt"
    truth.write_text("F" + truth.read_text()[1:])
    answer = sweepbot("replay", folder)
    assert answer.exit_code == 1
    assert "row 0, column 0: '#' was read, 'F' is there" in answer.out


@pytest.mark.usefixtures("own_folders")
def test_a_no_is_told_from_a_stop(sweepbot: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever answers a question with no has pressed no key to stop: that is what is said, with the same exit code."""
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    picture, board = (DEMO / f"beginner_middle.{ending}" for ending in ("png", "txt"))
    answer = sweepbot("calibrate", "mine", "--image", picture, "--board", board).says(5, "stopped: the answer was no")
    assert "Ctrl-C" not in answer.err


def test_the_list_of_clients_has_a_line_for_each(sweepbot: Command) -> None:
    """Without NAME people get one line for each client, whose files exist, and are told how to get more."""
    answer, listed = sweepbot("clients"), sweepbot("clients", "--json").json
    assert {"demo", "winxp", "winemine", "xdemineur"} <= {client["name"] for client in listed}
    assert all(Path(client["file"]).is_file() for client in listed)
    assert len(answer.out.splitlines()) == len(listed)
    assert "clients NAME" in answer.err
    assert [client["name"] for client in sweepbot("clients", "kmines", "--json").json] == ["kmines"]


def test_clients_show_how_to_begin_a_new_game(sweepbot: Command) -> None:
    """All ways to a new game are listed in order, for people and for programs."""
    ways = {client["name"]: client["restart"] for client in sweepbot("clients", "--json").json}
    assert ways["demo"] == [{"click": [-1, -28]}, {"key": "f2"}]
    assert ways["google"] == [{"on_board": [0.5, 0.64]}]
    told = sweepbot("clients", "demo").out + sweepbot("clients", "google").out
    assert "a click at -1,-28 px from the middle of the board's upper edge, or the key f2" in told
    assert "a click on the board, 50% across and 64% down" in told


def test_demo_plays_in_memory(sweepbot: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a display the demo plays in memory, says so, and reports each game in the promised keys."""
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    answer = sweepbot("demo", "--games", 2, "--level", "beginner", "--json").says(0, "no display")
    report = answer.json
    assert report["won"] + report["lost"] == 2
    keys = {"result", "seconds", "clicks", "reads", "guesses", "misreads", "retries"}
    assert all(keys <= set(game) and game["misreads"] == 0 for game in report["games"])


def test_demo_goes_on_until_it_has_won_at_each_level(sweepbot: Command, tmp_path: Path) -> None:
    """By default there is a game of each level, then as many at expert as it takes."""
    answer = sweepbot("demo", "--headless", "--trace", tmp_path / "T", "--json")
    assert answer.exit_code == 0
    games = answer.json["games"]
    assert len(games) >= 3
    assert [game["result"] for game in games[2:]] == ["lost"] * (len(games) - 3) + ["won"]
    assert sorted(folder.name for folder in (tmp_path / "T").iterdir()) == ["beginner", "expert", "intermediate"]
    assert answer.json["trace"] == str(tmp_path / "T" / "expert")


@pytest.mark.parametrize("words", [("play", "--client", "winxp"), ("calibrate", "mine", "--live")], ids=" ".join)
def test_without_a_display_it_is_said(words: Sequence[str], sweepbot: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a screen what clicks is refused with advice, even if standard input is closed."""
    monkeypatch.setattr("sys.stdin", None)
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    sweepbot(*words).says(1, "DISPLAY is not set")


def test_play_names_what_it_leaves_out(sweepbot: Command, monkeypatch: pytest.MonkeyPatch, own_folders: Path) -> None:
    """A broken calibration that hides a shipped one of its name is said once to be left out."""
    FakeMachine("Linux", together([monitor(0, 0, 800, 600)])).install(monkeypatch)
    broken = own_folders / "sweepbot" / "calibrations" / "sgt-mines" / "calibration.yaml"
    broken.parent.mkdir(parents=True)
    broken.write_text("nothing: here\n", encoding="ascii")
    answer = sweepbot("play")
    assert answer.exit_code == 3
    assert answer.err.replace("\n", "").count(f"left out: {broken}") == 1


class OneWindow:
    """A desktop of one window, with a title and a program's name."""

    def __init__(self, title: str, program: str) -> None:
        self._title, self._program = title, program

    def under(self, _: Point) -> Window:
        return Window(1, Region(0, 0, 100, 100))

    def title(self, _: int) -> str:
        return self._title

    def of_programs(self, words: Sequence[str]) -> list[int]:
        return [1] if any(word in with_words(self._program) for word in words) else []


def told_by_window(client: str, found: Reading, title: str, program: str, *, is_named: bool = False) -> str:
    """The name of the client that a board read as one of `client` belongs to, in a window."""
    windows = cast("Any", OneWindow(title, program))
    return client_by_window(find_calibration(client), windows, found, is_named=is_named).name


def test_clients_with_the_same_pictures_are_told_by_their_windows() -> None:
    """A site that bans bots is known by its window's title, or where that says nothing by a browser."""
    found = Reader(find_calibration("winxp")).read(load_image(FIXTURES / "demo" / "beginner_fresh.png"))

    def told(title: str, program: str, *, is_named: bool = False) -> str:
        return told_by_window("winxp", found, title, program, is_named=is_named)

    assert told("Minesweeper Online - Play Free - Chromium", "chromium") == "minesweeper-online"
    assert told("Minesweeper Online - Play Free - Chromium", "chromium", is_named=True) == "minesweeper-online"
    assert told("Buscaminas en línea", "firefox") == "minesweeper-online"
    assert told("Minesweeper", "firefox", is_named=True) == "winxp"
    assert told("Minesweeper Arbiter", "wine") == "arbiter"
    assert told("Minesweeper", "wine") == "winxp"
    assert client_by_window(find_calibration("winxp"), None, found, is_named=False).name == "winxp"


def test_a_board_is_a_clients_only_in_its_window_or_if_it_is_drawn_alike() -> None:
    """A board that is only like a client's is nobody's in a window of another title, unless the client is named."""
    reader, picture = Reader(find_calibration("winxp")), FIXTURES / "demo" / "beginner_fresh.png"
    with Picture.open(picture) as drawn:
        larger = drawn.convert("RGB").resize((drawn.width * 3 // 2, drawn.height * 3 // 2), Picture.Resampling.BILINEAR)
    like = reader.read(np.asarray(larger)[..., ::-1])
    assert told_by_window("winxp", like, "Minen", "tk") == UNKNOWN
    assert told_by_window("winxp", like, "Minesweepers", "tk") == UNKNOWN
    assert told_by_window("winxp", like, "Minen", "tk", is_named=True) == "winxp"
    assert told_by_window("winxp", like, "Minesweeper", "tk") == "winxp"
    assert told_by_window("winxp", like, "Minesweeper", "firefox") == UNKNOWN
    assert told_by_window("winxp", like, "Document", "firefox") == UNKNOWN
    assert told_by_window("winxp", like, "Minen", "winxp.exe") == "winxp"
    assert told_by_window("winxp", reader.read(load_image(picture)), "a remote desktop", "viewer") == "winxp"


def test_a_board_that_only_resembles_a_client_is_nobodys() -> None:
    """A skin that only resembles a known client's is played as one that nobody knows."""
    stranger = SkinDesktop(Skin.of(33), Level(12, 10, 18)).grab().image
    settings, settled = PlaySettings(games=1), list[str]()

    def settle(calibration: Calibration, _: Reading) -> tuple[Calibration, PlaySettings]:
        settled.append(calibration.name)
        return calibration, settings

    target = target_client(None, settings, settle, print)
    target.settled(target.read(stranger))
    assert settled == [UNKNOWN]


def test_ctrl_c_exits_with_5(sweepbot: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C stops at once, says so, and reports what was played."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Player, "play", interrupted)
    answer = sweepbot("demo", "--headless", "--json").says(5, "stopped by Ctrl-C")
    assert answer.json == {"games": [], "won": 0, "lost": 0, "expected": 0, "trace": None}


def test_a_board_with_thousands_of_digits_of_layouts_is_solved(sweepbot: Command, tmp_path: Path) -> None:
    """The layouts of a 200x200 board are counted and printed to the last digit."""
    file = tmp_path / "large.txt"
    file.write_text("\n".join(["#" * 200] * 200))
    answer = sweepbot("solve", file, "--mines", 8000, "--json", "--method", "exact")
    assert answer.exit_code == 0
    assert answer.json["layouts"] == str(comb(40_000, 8_000))


@pytest.mark.skipif(sys.platform == "win32", reason="no code can run there between fork and exec")
def test_solve_says_that_standard_input_is_closed() -> None:
    """`solve -` without standard input is an error without a traceback."""
    done = run("solve", "-", preexec_fn=lambda: os.close(0))
    assert done.returncode == 1
    assert "standard input is closed" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32" or not Path("/dev/full").exists(), reason="no device is always full")
@pytest.mark.parametrize("words", [["clients"], ["clients", "--json"], ["--help"]])
def test_a_full_device_is_an_error(words: list[str]) -> None:
    """A result that cannot be written is exit 1 with the reason, without a traceback."""
    with Path("/dev/full").open("w") as full:
        done = run(*words, stdout=full)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32" or not Path("/dev/zero").exists(), reason="there is no endless file")
@pytest.mark.parametrize("command", ["read", "solve"])
def test_an_endless_file_is_refused(command: str, sweepbot: Command) -> None:
    """An endless device is refused before anything is read of it."""
    sweepbot(command, "/dev/zero", *(["--mines", 1] if command == "solve" else [])).says(
        1, "/dev/zero: is no regular file"
    )


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are always Unicode there")
def test_file_names_may_be_any_bytes(tmp_path: Path) -> None:
    """A picture whose name is not UTF-8 is read; JSON keeps the name, and plain output escapes it."""
    name = os.fsdecode(bytes(tmp_path) + b"/shot-\xff.png")
    shutil.copy(next((FIXTURES / "winemine").glob("*.png")), name)
    for path, code in ((name, 0), (name.replace("shot", "no shot"), 1)):
        read = run("read", path, "--client", "winemine", "--json", errors="surrogateescape")
        assert read.returncode == code, read.stderr
        assert json.loads(read.stdout)[0]["file"] == path
        assert "Traceback" not in read.stderr


def test_a_played_trace_can_be_replayed(sweepbot: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--trace DIR` is named in the report, and replaying it finds no difference, by step or not."""
    monkeypatch.delenv("DISPLAY", raising=False)
    folder = tmp_path / "trace"
    played = sweepbot("demo", "--headless", "--games", 1, "--level", "beginner", "--trace", folder, "--json")
    assert played.json["trace"] == str(folder)
    for words in ([], ["--by-step"]):
        replayed = sweepbot("replay", folder, "--json", *words)
        assert replayed.exit_code == 0
        assert replayed.json["steps"] > 0
        assert replayed.json["differences"] == []
    film = sweepbot("replay", folder, "--gif", tmp_path / "game.gif", "--html", tmp_path / "game.html")
    written = [tmp_path / name for name in ("game.html", "game.gif")]
    assert film.err.splitlines() == [f"written: {path}" for path in written]
    assert all(path.is_file() for path in written)


def test_a_difference_exits_with_1(sweepbot: Command, tmp_path: Path) -> None:
    """A difference is reported with step, kind, old and new value, and the exit code is 1."""
    folder = tmp_path / "trace"
    sweepbot("demo", "--headless", "--games", 1, "--level", "beginner", "--trace", folder)
    events = folder / "events.jsonl"
    events.write_text(events.read_text().replace('"button":"left"', '"button":"right"', 1))
    replayed = sweepbot("replay", folder, "--json")
    (difference,) = replayed.json["differences"]
    assert replayed.exit_code == 1
    assert (difference["step"], difference["kind"]) == (1, "click")
    assert difference["was"].startswith("right click at ")
    assert difference["now"].startswith("left click at ")


def test_no_trace_is_kept_without_a_reason(sweepbot: Command, own_folders: Path) -> None:
    """A run without problems keeps no trace, by default and with `off`."""
    for words in ([], ["--trace", "off"]):
        played = sweepbot("demo", "--headless", "--games", 1, "--level", "beginner", "--json", *words)
        assert played.json["trace"] is None
    assert list(own_folders.rglob("run.json")) == []


def test_a_trace_is_not_overwritten(sweepbot: Command, tmp_path: Path) -> None:
    """A folder that is not empty is refused before anything is played."""
    (tmp_path / "mine.txt").write_text("kept")
    sweepbot("demo", "--headless", "--trace", tmp_path).says(2, "this folder is not empty")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_game_goes_on_where_its_trace_cannot_be_written(sweepbot: Command, tmp_path: Path) -> None:
    """A trace that cannot be started is reported, and the game is played."""
    (tmp_path / "file").write_text("no folder")
    answer = sweepbot(
        "demo", "--headless", "--games", 1, "--level", "beginner", "--json", "--trace", tmp_path / "file" / "T"
    )
    assert answer.exit_code == 0
    assert "no trace: the trace cannot be written" in answer.err
    assert answer.json["trace"] is None


@pytest.mark.parametrize(("words", "said"), [(["-v"], {"found"}), (["-vv"], {"found", "read", "guess"})])
def test_verbose_output(sweepbot: Command, words: list[str], said: set[str]) -> None:
    """-v reports events on stderr, -vv readings and decisions too, and results stay the same."""
    answer = sweepbot("demo", "--headless", "--games", 1, "--level", "beginner", "--json", *words)
    lines = [line for line in answer.err.splitlines() if line.startswith("sweepbot.player: ")]
    assert {word for word in ("found", "read", "guess") if any(word in line for line in lines)} == said
    assert answer.json["won"] + answer.json["lost"] == 1


def test_solve_measures_a_certain_board(sweepbot: Command, tmp_path: Path) -> None:
    """`solve` gives 3BV, openings and ZiNi only where every cell is certain."""
    known, unknown = tmp_path / "known.txt", tmp_path / "unknown.txt"
    known.write_text("1#1\n111\n000\n", encoding="utf-8")
    unknown.write_text("1##\n###\n###\n", encoding="utf-8")
    told = json.loads(sweepbot("solve", known, "--mines", 1, "--json").out)["measures"]
    assert told == {"three_bv": 3, "openings": 1, "zini": 3, "human_zini": 3}
    assert "3BV 3, 1 opening, ZiNi 3" in sweepbot("solve", known, "--mines", 1).out
    assert "measures" not in json.loads(sweepbot("solve", unknown, "--mines", 1, "--json").out)


def test_a_position_goes_to_jsminesweeper_and_back(sweepbot: Command, board_file: Path) -> None:
    """`solve` reads the address that `solve --link` prints, as an argument and as text."""
    told = sweepbot("solve", board_file, "--mines", 3, "--json", "--link").json
    again = sweepbot("solve", told["link"], "--json").json
    board_file.write_text(told["link"], encoding="utf-8")
    as_text = sweepbot("solve", board_file, "--json").json
    for answer in (again, as_text):
        assert {key: answer[key] for key in ("safe", "layouts")} == {key: told[key] for key in ("safe", "layouts")}
    assert told["link"] in sweepbot("solve", board_file, "--link").out


def test_a_certain_board_is_written_as_mbf(sweepbot: Command, tmp_path: Path) -> None:
    """`solve --mbf` writes a file that `simulate --boards` plays, unless a mine is uncertain."""
    known, board = tmp_path / "known.txt", tmp_path / "board.mbf"
    known.write_text("1#1\n111\n000\n", encoding="utf-8")
    assert sweepbot("solve", known, "--mines", 1, "--mbf", board).exit_code == 0
    assert board.read_bytes() == bytes([3, 3, 0, 1, 1, 0])
    assert sweepbot("simulate", "--boards", board, "--json").json["games"] == 1
    known.write_text("1##\n###\n###\n", encoding="utf-8")
    assert sweepbot("solve", known, "--mines", 1, "--mbf", board).exit_code == 2


def test_explain_names_the_most_efficient_click(sweepbot: Command, tmp_path: Path) -> None:
    """`--explain` gives one certain click, its flags if it is a chord, and the clicks still to come."""
    compile_now()
    file = tmp_path / "board.txt"
    file.write_text("01#1####\n", encoding="utf-8")
    told = sweepbot("solve", file, "--mines", 1, "--explain", "0,4", "--json").json["efficient"]
    assert told == {
        "row": 0,
        "col": 4,
        "kind": "open",
        "flags": [],
        "opens": [{"row": 0, "col": 4}],
        "clicks_to_end": 1.0,
    }
    line = "any safe cell will do; for the fewest clicks, about 1 to the end: open row 0, column 4"
    assert line in sweepbot("solve", file, "--mines", 1, "--explain", "0,2").out
    assert "fewest clicks" not in sweepbot("solve", file, "--mines", 1, "--explain", "0,4").out


def test_a_persons_recorded_game_is_reviewed(sweepbot: Command, tmp_path: Path) -> None:
    """A game that `assist` recorded is graded: the blunder, its proof, and the totals."""
    blunders: list[Cell] = []

    def plays(client: Client) -> bool:
        game = client.game
        if game.over:
            return False
        decision = Solver().decide(game.board)
        unsure = [cell for cell in game.board if 0 < decision.mine_probability[cell] < 1]
        safe_ones = [cell for cell in unsure if cell not in game.mines and game.mines & {*game.board.neighbours(cell)}]
        if decision.safe and safe_ones and not blunders:
            blunders.append(safe_ones[0])
            game.open(safe_ones[0])
        else:
            assert decision.best is not None
            game.open(decision.best.cell)
        return True

    folder = tmp_path / "game"
    record_person(folder, plays)
    answer = sweepbot("review", folder, "--json")
    (game,) = json.loads(answer.out)["games"]
    (mistake,) = [opening for opening in game["openings"] if opening["grade"] == "missed"]
    assert (mistake["row"], mistake["col"]) == blunders[0]
    assert mistake["proof"]["certain"] == "safe"
    words = sweepbot("review", folder, "--html", tmp_path / "review.html")
    assert words.exit_code == 0
    assert "was certainly safe" in words.out
    assert "skill:" in words.out
    assert (tmp_path / "review.html").is_file()


def test_screenshots_in_order_are_reviewed(sweepbot: Command, tmp_path: Path) -> None:
    """Screenshots numbered by their names are graded like the positions they show."""
    story = played("beginner", 6, share=0.4)
    folder = tmp_path / "shots"
    write_screenshots(folder, story.positions)
    (game,) = json.loads(sweepbot("review", folder, "--json").out)["games"]
    assert game["rows"] == story.game.board.lines()
    graded = {(of["row"], of["col"]): of["grade"] for of in game["openings"] if of["better"]}
    assert graded == {tuple(cell): grade.name.lower() for cell, grade in story.blunders.items()}


def test_nothing_to_review_is_an_error(sweepbot: Command, tmp_path: Path) -> None:
    """An empty folder, a single picture, and a picture without a board are errors with advice."""
    assert "assist --record" in sweepbot("review", tmp_path).err
    write_screenshots(tmp_path / "one", [Board.hidden(9, 9, 10)])
    alone = sweepbot("review", tmp_path / "one")
    assert (alone.exit_code, "two positions" in alone.err) == (1, True)
    save_image(np.zeros((200, 200, 3), np.uint8), tmp_path / "one" / "0.png")
    none = sweepbot("review", tmp_path / "one")
    assert (none.exit_code, "0.png" in none.err) == (3, True)
