"""Reports on a run: the page in a real browser, the GIF, the terminal, and a step as a fixture."""

import html
import io
import json
import re
import subprocess
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import cv2
import numpy as np
import pytest
from rich.console import Console

from sweepbot.board import Board, State
from sweepbot.cli.replay import walk
from sweepbot.desktop.screen import Frame, MaskedScreen, Screen
from sweepbot.errors import ImageError, TraceError, UsageError
from sweepbot.geometry import Point, Region
from sweepbot.render.film import save_film
from sweepbot.render.marks import marks
from sweepbot.replay.differences import StepDifference
from sweepbot.replay.fixtures import compare_all, find_step, write_fixture
from sweepbot.replay.report.gif import drawn, write_gif
from sweepbot.replay.report.page import write_page
from sweepbot.replay.steps import Step, steps_of
from sweepbot.review import Moment, review_games
from sweepbot.review.page import write_review
from sweepbot.review.words import game_in_words, opening_in_words
from sweepbot.trace.entries import Click
from sweepbot.trace.trace import Trace, open_trace
from tests.live.conftest import need
from tools.live.display import CHROMIUM
from tools.recording.demo import record_demo
from tools.recording.reviewed import played

MAX_BYTES = 5_000_000
HOSTILE = "</script><script>document.title='taken'</script>"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """An expert game of the demo."""
    folder = tmp_path_factory.mktemp("trace") / "expert"
    record_demo(folder, level="expert", seed=4)
    return open_trace(folder)


@pytest.fixture(scope="module")
def steps(trace: Trace) -> Sequence[Step]:
    return list(steps_of(trace))


def test_steps_show_what_was_read(steps: Sequence[Step]) -> None:
    """Each step has its board's picture, a grid inside it, and clicks that are on the board."""
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert any(step.is_guess for step in steps)
    for step in steps:
        assert step.image.shape == (step.region.height, step.region.width, 3)
        assert step.region.x <= step.read.xs[0]
        assert step.read.xs[-1] <= step.region.right
        for act in step.acts:
            if isinstance(act, Click):
                assert step.read.xs[0] <= act.at[0] < step.read.xs[-1]
                assert step.read.ys[0] <= act.at[1] < step.read.ys[-1]


class Browser:
    """Runs a page in headless Chromium, without a network."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, page: Path, script: str) -> tuple[str, list[str]]:
        """Run a script in a loaded page; return its value, and the console's errors."""
        probe = self._folder / "probe.html"
        # A page may not look into a file beside it; so what asks it is put at its end.
        errors = "<script>window.errors=[];window.onerror=text=>window.errors.push(String(text));</script>"
        asking = (
            f"<script>const answer=(()=>{{{script}}})();document.body.replaceChildren();"
            "document.body.append(JSON.stringify({answer,errors:window.errors}));</script>"
        )
        text = page.read_text(encoding="utf-8")
        probe.write_text(text.replace("<head>", f"<head>{errors}", 1).replace("</body>", f"{asking}</body>"))
        done = subprocess.run(
            [
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                f"--user-data-dir={self._folder / 'profile'}",
                "--dump-dom",
                probe.as_uri(),
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        found = re.search(r"<body>(.*)</body>", done.stdout, re.DOTALL)
        assert found is not None, done.stdout[-2000:]
        result = json.loads(html.unescape(found[1]))
        return json.dumps(result["answer"]), result["errors"]


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    """Chromium, if it is installed."""
    need(CHROMIUM)
    return Browser(tmp_path)


WALK = """
const press = key => document.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
const where = () => document.getElementById("where").textContent.split(",")[0];
const strip = () => document.querySelectorAll("#strip li").length;
const seen = { first: where(), all: strip(), title: document.title };
seen.overlay = document.querySelectorAll("#frame svg rect").length;
press("ArrowRight"); seen.second = where();
press("End"); seen.last = where();
press("ArrowRight"); seen.beyond = where();
press("Home"); press("o"); seen.without = document.querySelectorAll("#frame svg").length; press("o");
press("g"); seen.guesses = strip(); seen.guess = where();
press("d"); seen.doubts = strip();
press("x"); seen.differences = strip(); seen.words = document.getElementById("words").textContent;
press("a"); seen.again = strip();
const named = [...document.querySelectorAll("[src],[href]")].map(element => element.src || element.href);
seen.outside = named.filter(name => !name.startsWith("data:")).length;
return seen;
"""


def test_the_page_can_be_walked_through(trace: Trace, steps: Sequence[Step], tmp_path: Path, browser: Browser) -> None:
    """Keys lead to each step, guess, doubt and difference, without an error or a request."""
    page = tmp_path / "report.html"
    write_page(trace.run, steps, [StepDifference(3, "reading", HOSTILE, "what is read now")], page)
    answer, errors = browser.run(page, WALK)
    seen = json.loads(answer)
    guesses = [step for step in steps if step.is_guess]
    assert errors == []
    assert page.stat().st_size < MAX_BYTES
    assert seen["first"] == f"step 1 of {len(steps)} ?"
    assert seen["second"].startswith(f"step 2 of {len(steps)}")
    assert seen["last"].startswith(f"step {len(steps)} of")
    assert seen["beyond"] == seen["last"]
    assert seen["overlay"] >= 480
    assert (seen["all"], seen["again"], seen["without"], seen["outside"]) == (len(steps), len(steps), 0, 0)
    assert (seen["guesses"], seen["doubts"], seen["differences"]) == (
        len(guesses),
        sum(bool(step.read.doubt) for step in steps),
        1,
    )
    assert seen["guess"] == f"step {guesses[0].number} of {len(steps)} ?"
    assert HOSTILE in seen["words"]
    assert "taken" not in seen["title"]


REVIEWED = """
const press = key => document.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
const where = () => document.getElementById("where").textContent.split(",")[0];
const strip = () => document.querySelectorAll("#strip li").length;
const words = () => document.getElementById("words").textContent;
const seen = { all: strip(), overlay: 0, mistakes: 0, words: [], start: where() };
press("Home"); seen.firstClick = words(); seen.rings = document.querySelectorAll("#frame circle[fill=none]").length;
press("m"); seen.mistakes = strip(); seen.first = where(); seen.words.push(words());
seen.overlay = document.querySelectorAll("#frame svg rect").length;
press("ArrowRight"); seen.second = where(); seen.words.push(words());
press("a"); press("End"); seen.end = words();
const named = [...document.querySelectorAll("[src],[href]")].map(element => element.src || element.href);
seen.outside = named.filter(name => !name.startsWith("data:")).length;
return seen;
"""


def test_a_review_leads_from_mistake_to_mistake(tmp_path: Path, browser: Browser) -> None:
    """It begins at the first mistake, a key leads to each, a click inferred is shown as such, and the end sums up."""
    story = played("beginner", 5, share=0.4)
    (game,) = review_games(map(Moment, story.positions))
    page = tmp_path / "review.html"
    write_review("review", [game], page)
    answer, errors = browser.run(page, REVIEWED)
    seen = json.loads(answer)
    numbers = [number for number, graded in enumerate(game.openings, start=1) if graded.grade.is_mistake]
    assert len(numbers) > 1
    assert errors == []
    assert page.stat().st_size < MAX_BYTES
    assert (seen["all"], seen["mistakes"], seen["outside"]) == (len(game.openings), len(numbers), 0)
    for place, name in enumerate(("first", "second")):
        assert seen[name].startswith(f"step {numbers[place]} of")
        assert all(line in seen["words"][place] for line in opening_in_words(game.mistakes[place]))
    assert seen["start"] == seen["first"]
    zeros = len(game.openings[0].opening.starts)
    assert seen["rings"] == zeros > 1
    assert f"1 click, on one of {zeros} cells" in seen["firstClick"]
    assert "the first click" in seen["firstClick"]
    counts = game_in_words(game)[0].partition(": ")[2].split(", ")
    assert sum(int(count.split()[0]) for count in counts) == len(game.openings)
    assert seen["overlay"] > game.mistakes[0].before.count(State.HIDDEN)
    assert all(line in seen["end"] for line in game_in_words(game))


def test_the_film_has_every_step(steps: Sequence[Step], tmp_path: Path) -> None:
    """The GIF shows every trusted step, none of them too briefly to see, and colours what is hidden."""
    path = tmp_path / "game.gif"
    write_gif(steps, path)
    done, film = cv2.imreadanimation(str(path))
    trusted = [step for step in steps if not step.read.doubt]
    assert done
    assert len(film.frames) == len(trusted)
    assert min(film.durations) >= 100
    first = film.frames[0][: trusted[0].image.shape[0], : trusted[0].image.shape[1], :3]
    assert np.abs(first.astype(int) - trusted[0].image).mean() > 5


def test_a_film_has_the_marks_of_the_demo(steps: Sequence[Step]) -> None:
    """A cell of a film is marked as on the demo's board, and a click leaves what is marked in it to be seen."""
    step = next(step for step in steps if step.decided is not None and step.decided.safe and step.grid is not None)
    assert step.decided is not None
    assert step.grid is not None
    board, chances = Board.parse(step.read.rows), np.array(step.decided.chances, dtype=float)
    places = {cell: step.grid.region_of(cell) for cell in board if not np.isnan(chances[cell])}
    film = drawn(step)
    clicked = {step.grid.cell_at(Point(*act.at) - step.region.origin) for act in step.acts if isinstance(act, Click)}
    for cell, mark in marks(board, chances, step.decided.best, places).items():
        seen = Region.around(mark.region.centre, 1) if cell in clicked else mark.region
        assert np.array_equal(film[seen.slices], mark.part(seen))


def test_a_step_shows_what_is_around_the_board(tmp_path: Path) -> None:
    """Clock, counter and face are in its picture as they were then, though the run looks at the board alone."""
    ticks, seen, at = count(1), list[Screen](), Point(95, 112 - 20)  # above the board's left end

    def watched(screen: Screen) -> Screen:
        """A screen with a clock beside the board, which ticks at each look."""

        def ticking(frame: Frame) -> Frame:
            if at in frame.region:
                frame.part(Region.around(at, 1))[:] = next(ticks)
            return frame

        seen.append(screen)
        return MaskedScreen(screen, ticking)

    record_demo(tmp_path / "game", watch_screen=watched)
    *_, last = steps = list(steps_of(open_trace(tmp_path / "game")))
    shown = [int(step.image[at.y - step.region.y, at.x - step.region.x, 0]) for step in steps]
    assert len(set(shown)) == len(steps)
    assert shown == sorted(shown)
    face = slice(0, at.y - last.region.y - 1)
    assert np.array_equal(last.image[face], seen[0].grab(last.region).image[face])


def test_what_a_trace_leaves_out_is_cut_off(tmp_path: Path) -> None:
    """What is black in all pictures of a film is not in it."""
    image = np.zeros((40, 60, 3), np.uint8)
    image[5:30, 7:50] = 200
    save_film([(image, 100), (image[:35], 100)], tmp_path / "film.gif")
    _, film = cv2.imreadanimation(str(tmp_path / "film.gif"))
    assert film.frames[0].shape[:2] == (25, 43)


def test_a_film_needs_a_gif(steps: Sequence[Step], tmp_path: Path) -> None:
    """Another suffix, a missing folder, and a run that saw nothing are refused."""
    wrong: tuple[tuple[Sequence[Step], str], ...] = ((steps, "game.png"), (steps[:1], "no/game.gif"), ([], "game.gif"))
    for given, name in wrong:
        with pytest.raises(ImageError):
            write_gif(given, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_step_becomes_a_fixture(trace: Trace, tmp_path: Path) -> None:
    """The fixture written reads as the board that a person has confirmed."""
    step = find_step(trace, 4)
    picture = write_fixture(trace, step, Board.parse("\n".join(step.read.rows)), tmp_path)
    assert picture == tmp_path / "demo" / "expert_4.png"
    (comparison,) = compare_all([picture])
    assert comparison.agrees
    with pytest.raises(TraceError, match="exists already"):
        write_fixture(trace, step, Board.parse("\n".join(step.read.rows)), tmp_path)


def test_there_is_no_step_beyond_the_last(trace: Trace, steps: Sequence[Step]) -> None:
    """An unknown step is a usage error that names the steps."""
    with pytest.raises(UsageError, match="there is no step 999") as raised:
        find_step(trace, 999)
    assert str(len(steps)) in raised.value.hint


@pytest.mark.parametrize(
    ("keys", "comes_to"),
    [("q", 1), ("\x1b[C\x1b[Cq", 3), ("nnpq", 2), ("gq", "a guess"), ("xq", 3), ("pq", 1)],
)
def test_the_terminal_goes_where_keys_say(
    steps: Sequence[Step], keys: str, comes_to: int | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow keys step, letters jump to the next guess, doubt or difference, and q quits."""
    pressed = iter(re.findall(r"\x1b\[.|.", keys))
    monkeypatch.setattr("click.getchar", lambda: next(pressed))
    console = Console(record=True, force_terminal=True, width=120, file=io.StringIO())
    walk(steps, [StepDifference(3, "reading", "was", "now")], console)
    wanted = next(step.number for step in steps[1:] if step.is_guess) if comes_to == "a guess" else comes_to
    assert int(re.findall(r"step (\d+) of", console.export_text())[-1]) == wanted
