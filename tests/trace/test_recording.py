"""Recording a run: what the folder holds whenever the run ends, and what it must not show."""

import json
import logging
import math
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from msgspec.structs import replace

from sweepbot.behaviour import Dialog
from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame, MaskedScreen, Screen
from sweepbot.desktop.windows import Window, Windows
from sweepbot.errors import NoBoardFoundError, SweepbotError, TraceError, UntrustedReadingError
from sweepbot.geometry import Image, Point, Region
from sweepbot.player.as_events import read_event
from sweepbot.player.states import Position
from sweepbot.replay.steps import steps_of
from sweepbot.replay.strict import Replay
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace import sinks
from sweepbot.trace.entries import Click, Grab, Scene, Start
from sweepbot.trace.events import Ended, Finished, Moved, Read, Rested, Shows, box
from sweepbot.trace.trace import SeenScreen, Trace, open_trace
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader
from tests.standins.fake_windows import CLIENT, FakeWindows
from tools.recording.demo import demo_desktop, record_demo, trace_of

StartProcess = Callable[..., BaseProcess]


@pytest.fixture(scope="module")
def start_process() -> StartProcess:
    """Start a function in a process of its own; where processes can be forked, in one that has loaded everything."""
    new: StartProcess = multiprocessing.get_context("spawn").Process
    if "forkserver" in multiprocessing.get_all_start_methods():
        forked = multiprocessing.get_context("forkserver")
        forked.set_forkserver_preload(["tools.recording.demo"])
        new = forked.Process

    def start(target: Callable[..., object], *args: object, **options: object) -> BaseProcess:
        run = new(target=target, args=args, kwargs=options)
        run.start()
        return run

    return start


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """A game of the demo."""
    folder = tmp_path_factory.mktemp("trace") / "game"
    assert record_demo(folder) == folder
    return open_trace(folder)


def pictures_of(trace: Trace) -> list[Image]:
    """The whole screen after each look that changed anything."""
    seen_screen = SeenScreen(trace)
    seen = []
    for entry in trace.entries():
        seen_screen.show(entry)
        if isinstance(entry, Grab | Scene) and entry.patches:
            seen.append(seen_screen.part(trace.screen))
    return seen


def test_other_programs_can_read_a_trace(game: Trace) -> None:
    """Every line is JSON with a kind and a time, and every named picture is a PNG of the stated size."""
    data = (game.folder / "pictures.bin").read_bytes()
    lines = [json.loads(line) for line in (game.folder / "events.jsonl").read_text().splitlines()]
    patches = [patch for line in lines for patch in line.get("patches", ())]
    assert all({"do", "t"} <= line.keys() for line in lines)
    assert len(patches) > 10
    for _, _, width, height, offset, length in patches:
        png = data[offset : offset + length]
        assert png.startswith(b"\x89PNG")
        assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (width, height)


def test_a_trace_has_every_kind_of_event(game: Trace) -> None:
    """Clicks, readings, the result and the end are there, with the calibration used."""
    entries = list(game.entries())
    kinds = {type(entry) for entry in entries}
    assert kinds >= {Grab, Click, Read, Ended, Finished}
    assert entries[-1] == Finished(t=entries[-1].t, exit=0)
    assert (game.run.command, game.run.client, game.run.complete) == ("demo", "demo", True)
    assert (game.folder / "calibration" / "calibration.yaml").is_file()


def test_pictures_are_kept_without_loss(tmp_path: Path) -> None:
    """The last picture of a trace is, to the pixel, what was seen last."""
    last: list[Frame] = []

    def watched(frame: Frame) -> Frame:
        last.append(frame)
        return frame

    record_demo(tmp_path / "trace", whole_screen=True, watch_screen=partial(MaskedScreen, masked=watched))
    final = pictures_of(open_trace(tmp_path / "trace"))[-1]
    region = last[-1].region
    assert np.array_equal(final[region.slices], last[-1].image)


def test_nothing_but_the_client_is_shown(tmp_path: Path) -> None:
    """The rest of the screen is in no picture, unless --trace-screen asks for it."""
    secret = (1, 2, 3)

    def private(screen: Screen) -> Screen:
        """A screen with something private in its corner."""

        def with_corner(frame: Frame) -> Frame:
            if screen.region.end - Point(1, 1) in frame.region:
                frame.image[-9:, -9:] = secret
            return frame

        return MaskedScreen(screen, with_corner)

    shown = {}
    for whole_screen in (False, True):
        folder = tmp_path / str(whole_screen)
        record_demo(folder, whole_screen=whole_screen, watch_screen=private)
        shown[whole_screen] = any((image == secret).all(axis=2).any() for image in pictures_of(open_trace(folder)))
    assert shown == {False: False, True: True}


def test_a_window_over_the_middle_of_the_board_is_never_shown(tmp_path: Path) -> None:
    """A run that plays around another program's window shows the client's, and that one black."""
    desktop, folder = demo_desktop(), tmp_path / "trace"
    windows, note = FakeWindows(desktop), Region.around(desktop.window.centre, 20)
    desk = Desk(desktop, desktop, windows, VirtualClock())
    record = trace_of(desk, folder)
    record.played_with(find_calibration("demo"))
    record.observe(Shows(region=box(desktop.window), window=CLIENT))
    windows.in_front = [Window(9, note, program=9)]
    corner = note.origin - Point(20, 20)
    grid = Grid.uniform((corner.x, corner.y), (20, 20), 4, 4)
    record.observe(Moved(xs=grid.xs, ys=grid.ys))
    record.desk.screen.grab(None)
    record.finish(None)
    assert [it.window for it in open_trace(folder).entries() if isinstance(it, Shows)] == [CLIENT]
    seen = pictures_of(open_trace(folder))[-1]
    assert not Frame(seen, desktop.region).part(note).any()
    assert seen.any()


def test_a_client_that_is_found_late_leaves_a_trace_that_can_be_read(tmp_path: Path) -> None:
    """However long it takes to find it, or to ask a person, between the first picture and what may be shown of it."""
    desktop, folder, clock = demo_desktop(), tmp_path / "trace", VirtualClock()
    desk = Desk(desktop, desktop, FakeWindows(desktop), clock)
    record = trace_of(desk, folder)
    record.played_with(find_calibration("demo"))
    record.desk.screen.grab(None)
    clock.sleep(600)
    record.observe(Shows(region=box(desktop.window), window=CLIENT))
    record.finish(None)
    times = [entry.t for entry in open_trace(folder).entries()]
    assert times == sorted(times)


def test_a_run_without_a_trace_sees_no_dialog() -> None:
    """With `--trace off`, too, what a run could keep as a picture shows a dialog black, until that is gone."""
    desktop = demo_desktop()
    windows, dialog = FakeWindows(desktop), Region(100, 120, 40, 30)
    record = Recording(Desk(desktop, desktop, windows, VirtualClock()))
    record.observe(Shows(region=box(desktop.window), window=CLIENT))
    windows.in_front = [Window(9, dialog, owner=CLIENT)]
    while_up = record.desk.screen.grab()
    windows.in_front = []
    as_it_went, afterwards = record.desk.screen.grab(), record.desk.screen.grab()
    assert not while_up.part(dialog).any()
    assert not as_it_went.part(dialog).any()
    assert np.array_equal(afterwards.image, desktop.grab().image)


@pytest.mark.parametrize("command", ["play", "calibrate"])
def test_a_run_sees_dialogs_as_its_trace_does(command: Literal["play", "calibrate"], tmp_path: Path) -> None:
    """A client's dialog is black for the run, too, until it is gone, or a replay would differ."""
    desktop = demo_desktop()
    windows, dialog = FakeWindows(desktop), Region(100, 120, 40, 30)

    def asking(frame: Frame) -> Frame:
        if windows.in_front:
            frame.part(dialog)[:] = 250
        return frame

    desk, folder = Desk(MaskedScreen(desktop, asking), desktop, windows, VirtualClock()), tmp_path / "trace"
    record = trace_of(desk, folder, PlaySettings(games=1, until_known=command == "calibrate"), command=command)
    record.observe(Shows(region=box(desktop.window), window=CLIENT))
    looks = []
    for in_front in ([Window(9, dialog, owner=CLIENT)], [], []):
        windows.in_front = in_front
        looks.append(record.desk.screen.grab(desktop.window).image)
    record.finish(None)
    seen, recorded = SeenScreen(open_trace(folder)), []
    for line in open_trace(folder).entries():
        seen.show(line)
        if isinstance(line, Grab):
            recorded.append(seen.part(desktop.window))
    assert all(np.array_equal(*pair) for pair in zip(looks, recorded, strict=True))
    whole = desktop.grab(desktop.window)
    assert np.array_equal(looks[-1], whole.image)
    assert not Frame(looks[0], desktop.window).part(dialog).any()


def test_a_box_over_the_board_is_emptied_where_windows_are_unknown(tmp_path: Path) -> None:
    """What is written on it may name somebody: neither the run nor its trace has it, nor what is beside it."""
    desktop, folder, is_up = demo_desktop(), tmp_path / "trace", False
    known = find_calibration("demo")
    found = Reader(known).read(desktop.grab().image)
    dialog = Region.around(found.grid.region.centre, 52).intersection(desktop.region) or desktop.region
    written = Region.around(dialog.centre, 20)

    def asking(frame: Frame) -> Frame:
        if is_up:
            shown = Frame(frame.image.copy(), frame.region)
            shown.part(dialog)[:] = 250
            for part in (written, Region(desktop.window.x, desktop.window.y, 9, 9)):
                if (inside := part.intersection(frame.region)) is not None:
                    shown.part(inside)[::3] = (1, 2, 3)
            return shown
        return frame

    record = trace_of(Desk(MaskedScreen(desktop, asking), desktop, None, VirtualClock()), folder)
    behaviour = replace(known.behaviour, dialogs=(Dialog("won", keys=("esc",)),))
    record.played_with(replace(known, behaviour=behaviour))
    record.observe(Shows(region=box(desktop.window)))
    looks = []
    for is_up in (False, True, False):
        looks.append(record.desk.screen.grab(found.grid.region))
        record.observe(Rested())
        if not is_up:
            record.observe(read_event(Position(looks[-1], found, None)))
    record.finish(None)
    assert np.array_equal(looks[0].image, desktop.grab(found.grid.region).image)
    assert np.array_equal(looks[2].image, looks[0].image)
    assert (looks[1].part(dialog) == 250).all()
    assert not any((image == (1, 2, 3)).all(axis=2).any() for image in pictures_of(open_trace(folder)))


def test_what_a_trace_does_not_show_has_not_changed_for_the_run(tmp_path: Path) -> None:
    """A change elsewhere on the screen is none for the run, as a replay could not know of it; the client's is one."""
    desktop = demo_desktop()
    spots: list[Point] = []

    def busy(frame: Frame) -> Frame:
        for spot in spots:
            frame.part(Region.around(spot, 2))[:] = 255
        return frame

    desk = Desk(MaskedScreen(desktop, busy), desktop, None, VirtualClock())
    record = trace_of(desk, tmp_path / "trace")
    record.observe(Shows(region=box(desktop.window)))
    before = record.desk.screen.grab(None)
    spots.append(Point(desktop.window.right + 9, desktop.window.y))
    assert np.array_equal(record.desk.screen.grab(None).image, before.image)
    spots.append(desktop.window.centre)
    assert not np.array_equal(record.desk.screen.grab(None).image, before.image)
    record.finish(None)


def test_what_windows_answered_is_answered_again(tmp_path: Path) -> None:
    """Each question about windows gets its recorded answer, and other windows' titles are not recorded."""
    desktop = demo_desktop()
    windows = FakeWindows(desktop)
    dialog = Window(9, Region(5, 5, 40, 30), owner=CLIENT, frame=Region(4, 3, 42, 33))
    windows.in_front = [dialog]
    settings = PlaySettings(games=1, until_known=True)
    desk = Desk(desktop, desktop, windows)
    recording = trace_of(desk, tmp_path / "trace", settings, command="calibrate", whole_screen=True)

    def begun(desk: Desk) -> Windows:
        it = desk.windows
        assert it is not None
        it.focus(CLIENT)
        it.dismiss(8)
        it.place(CLIENT, Region(3, 4, 100, 100))
        return it

    def asked(desk: Desk) -> list[object]:
        it = begun(desk)
        questions = it.shown(), it.exists(CLIENT), it.exists(8), it.titled(["demo"]), it.titled(["other"])
        places = it.under(Point(10, 10)), it.under(Point(4000, 4000)), it.with_keyboard(), it.room(CLIENT)
        return [*map(list_of, questions), *places, it.title(CLIENT), list_of(it.of_programs(["demo"]))]

    def list_of(answer: object) -> object:
        return list(answer) if isinstance(answer, list | tuple) else answer

    then = asked(recording.desk)
    recording.finish(None)
    replay = Replay(open_trace(tmp_path / "trace"))
    assert asked(replay.desk) == then
    assert then[0] == [dialog, Window(CLIENT, desktop.window, program=1)]
    assert (then[1:5], then[5], then[6], then[7]) == ([True, False, [CLIENT], []], then[0][0], None, CLIENT)
    assert replay.found.differences == []
    in_another_order = begun(Replay(open_trace(tmp_path / "trace")).desk)
    assert (in_another_order.title(CLIENT), in_another_order.exists(8)) == (then[9], False)


def test_equal_pictures_are_stored_once(tmp_path: Path) -> None:
    """Two games take fewer bytes than their patches have."""
    record_demo(tmp_path / "trace", games=3, seed=3)
    trace = open_trace(tmp_path / "trace")
    patches = [patch for entry in trace.entries() if isinstance(entry, Grab) for patch in entry.patches]
    assert len({patch[4:] for patch in patches}) < len(patches)


def blinded(screen: Screen, after: int = 25) -> Screen:
    """A screen that shows the board painted over after some looks."""
    looks = count(1)
    return MaskedScreen(
        screen, lambda frame: frame if next(looks) < after else Frame(np.full_like(frame.image, 77), frame.region)
    )


@pytest.mark.usefixtures("own_folders")
def test_a_run_that_goes_wrong_says_where_its_trace_is() -> None:
    """Without --trace a run that fails keeps one, and the error names it and how to view it."""
    with pytest.raises(SweepbotError) as raised:
        record_demo(None, watch_screen=blinded, games=50)
    (folder,) = sinks.traces_folder().iterdir()
    assert f"sweepbot replay {folder} --step" in raised.value.hint
    *_, end = open_trace(folder).entries()
    assert isinstance(end, Finished)
    assert end.exit == raised.value.exit_code


def test_the_messages_of_a_run_do_not_name_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path of a home has the login name; an error and the log may quote one."""
    home = tmp_path / "somebody"
    monkeypatch.setattr("os.path.expanduser", lambda _: str(home))
    desktop = demo_desktop()
    recording = trace_of(Desk(desktop, desktop), tmp_path / "trace", whole_screen=True)
    logging.getLogger("sweepbot").info("kept in %s", home / "log")
    recording.finish(UntrustedReadingError(f"its picture: {home / 'x.png'}: {OSError(2, 'No', str(home))}"))
    text = (tmp_path / "trace" / "events.jsonl").read_text(encoding="utf-8")
    assert "kept in ~" in text
    assert "its picture: ~" in text
    assert "somebody" not in text


def test_a_trace_that_cannot_be_written_is_not_pointed_to(tmp_path: Path) -> None:
    """An error about a trace without its calibration does not advise to replay it."""
    desktop = demo_desktop()
    recording = trace_of(Desk(desktop, desktop), tmp_path / "trace")
    (tmp_path / "trace" / "calibration").touch()
    with pytest.raises(TraceError) as raised:
        recording.played_with(find_calibration("demo"))
    recording.finish(raised.value)
    assert "replay" not in raised.value.hint


@pytest.mark.usefixtures("own_folders")
def test_a_run_that_found_no_client_leaves_no_trace() -> None:
    """A run that found no client keeps no trace."""
    desktop = demo_desktop()
    recording = trace_of(Desk(desktop, desktop), None)
    error = NoBoardFoundError("no board found", hint="show one")
    assert recording.finish(error) is None
    assert error.hint == "show one"
    assert not sinks.traces_folder().exists()


@pytest.mark.usefixtures("own_folders")
@pytest.mark.parametrize(
    ("limits", "most_s", "most_lines"),
    [({"TAIL_S": 0.5}, 1.0, math.inf), ({"MAX_LINES": 480}, math.inf, 480 + 1)],
    ids=["a minute", "so many lines"],
)
def test_only_the_end_of_a_long_run_is_kept(
    monkeypatch: pytest.MonkeyPatch, limits: dict[str, float], most_s: float, most_lines: float
) -> None:
    """What is older or larger than the limits is dropped, and the rest starts with a whole picture."""
    for name, limit in limits.items():
        monkeypatch.setattr(f"sweepbot.trace.sinks.{name}", limit)
    with pytest.raises(SweepbotError):
        record_demo(None, watch_screen=lambda screen: blinded(screen, 700), games=50)
    (folder,) = sinks.traces_folder().iterdir()
    trace = open_trace(folder)
    entries = list(trace.entries())
    assert not trace.run.complete
    assert isinstance(entries[0], Start)
    assert entries[0].t > 0
    assert (entries[-1].t - entries[0].t) / 1e6 < most_s
    assert (folder / "events.jsonl").read_bytes().count(b"\n") <= most_lines
    assert (pictures_of(trace)[0] != 0).any()
    assert all(step.read.xs for step in steps_of(trace))


@pytest.mark.usefixtures("own_folders")
def test_the_oldest_are_removed() -> None:
    """Beyond the limit the oldest traces go, and the newest stays whatever its size."""
    for day in ("01", "02", "03"):
        folder = sinks.traces_folder() / f"202601{day}-play"
        folder.mkdir(parents=True)
        (folder / "run.json").write_bytes(b"x" * 100)
    sinks.prune(250)
    assert sorted(path.name for path in sinks.traces_folder().iterdir()) == ["20260102-play", "20260103-play"]
    sinks.prune(0)
    assert [path.name for path in sinks.traces_folder().iterdir()] == ["20260103-play"]


LITTLE_BYTES = 30_000
"""Less than the pictures of three games."""


def record_with_little_room(folder: Path, report: Path) -> None:
    """Play where no file may exceed `LITTLE_BYTES`; report what was said, and the trace kept."""
    import resource  # noqa: PLC0415  (not on Windows)

    resource.setrlimit(resource.RLIMIT_FSIZE, (LITTLE_BYTES, LITTLE_BYTES))
    told: list[str] = []
    kept = record_demo(folder, games=3, level="expert", told=told)
    report.write_text(json.dumps({"kept": None if kept is None else str(kept), "told": told}))


def test_a_run_goes_on_where_there_is_no_room_for_its_trace(tmp_path: Path, start_process: StartProcess) -> None:
    """On a full disk the games go on, the run says so, and what was written can be opened."""
    pytest.importorskip("resource", reason="Windows cannot limit the size of files")
    report = tmp_path / "report.json"
    run = start_process(record_with_little_room, tmp_path / "trace", report)
    run.join(timeout=120)
    assert run.exitcode == 0
    answer = json.loads(report.read_text())
    assert answer["kept"] is None
    assert ["the trace is not complete" in text for text in answer["told"]] == [True]
    trace = open_trace(tmp_path / "trace")
    pictures_of(trace)
    assert sum(1 for _ in trace.entries()) > 0


KILLED = 4
"""How many runs are killed."""


def test_a_killed_run_leaves_a_trace_that_opens(tmp_path: Path, start_process: StartProcess) -> None:
    """A killed run leaves a trace with every complete line and its picture readable."""
    began = time.perf_counter()
    sizes = list[int]()
    for number in range(KILLED):
        run = start_process(record_demo, tmp_path / str(number), games=500)
        events = tmp_path / str(number) / "events.jsonl"
        while not (events.is_file() and events.stat().st_size > 2000 * number):
            assert run.is_alive(), "the run ended by itself"
            assert time.perf_counter() - began < 300
            time.sleep(0.005)
        run.kill()
        run.join()
        trace = open_trace(tmp_path / str(number))
        pictures_of(trace)
        sizes.append(sum(1 for _ in trace.entries()))
    assert max(sizes) > min(sizes)


GRABS_LEFT = 20
"""How many pictures a run that ends at once has still to write."""


class NoiseScreen:
    """A screen of other random pixels at each grab, which take long to encode."""

    region = Region(0, 0, 800, 600)

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)

    def grab(self, region: Region | None = None) -> Frame:
        """See `Screen.grab`."""
        part = region or self.region
        return Frame(self._random.integers(0, 256, (part.height, part.width, 3), dtype=np.uint8), part)


def leave_open(folder: Path) -> None:
    """Begin a trace, grab, and never close it, like a run that was interrupted while it ended."""
    desk = trace_of(Desk(NoiseScreen(), demo_desktop()), folder, whole_screen=True).desk
    for _ in range(GRABS_LEFT):
        desk.screen.grab()


def test_a_trace_that_is_never_closed_is_whole(tmp_path: Path) -> None:
    """A run that ends without closing its trace ends as it would have, and with all that it saw."""
    program = (
        f"from pathlib import Path; from {__name__} import leave_open; leave_open(Path({str(tmp_path / 'trace')!r}))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    grabs = [entry for entry in open_trace(tmp_path / "trace").entries() if isinstance(entry, Grab)]
    assert len(grabs) == GRABS_LEFT
