"""`sweepbot calibrate`: makes or checks a calibration of a client that nobody has described."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click
import platformdirs

from sweepbot.board import Board
from sweepbot.calibrate.confusion import check
from sweepbot.calibrate.learned import Label, Learned
from sweepbot.calibrate.screenshots.labelling import from_images
from sweepbot.calibrate.writing.write import check_writable, complete, own_folder, write, write_fixtures
from sweepbot.cli.asking import Asker, live_picture
from sweepbot.cli.output import announce, json_option, print_json, results, talk
from sweepbot.cli.regions import GRID, REGION
from sweepbot.cli.tracing import recording, trace_options
from sweepbot.desktop.session import open_desktop
from sweepbot.errors import BoardTextError, CalibrationError, StuckError, UsageError
from sweepbot.geometry import Image, Region
from sweepbot.sessions.learn import board_in_view, learn
from sweepbot.sessions.settings import LearnSettings
from sweepbot.trace.events import Event, Lesson
from sweepbot.vision.calibration import (
    FILE,
    STATE_NAMES,
    Calibration,
    calibration_folders,
    find_calibration,
    load_calibration,
    user_calibrations,
)
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.started_boards import Shot
from sweepbot.vision.pictures.image import load_image


@click.command()
@click.argument("name")
@click.option("--live", is_flag=True, help="Play the client that is on the screen and learn it by its rules.")
@click.option("--image", "images", multiple=True, type=click.Path(path_type=Path), help="Learn from a screenshot.")
@click.option("--board", "boards", multiple=True, type=click.Path(path_type=Path), help="What the screenshot shows.")
@click.option("--check", "checking", is_flag=True, help="Check the calibration NAME, or that in the folder NAME.")
@click.option("--region", type=REGION, help="Look for the board in this part of the screen, or picture, only.")
@click.option("--grid", "grids", multiple=True, type=GRID, help="Where the screenshot's board is, in pixels.")
@click.option("--max-games", type=click.IntRange(min=1), default=15, show_default=True, help="Stop after so many.")
@click.option("--yes", is_flag=True, help="Do not ask before the first click, or before writing.")
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR", help="Write to DIR/NAME.")
@click.option("--force", is_flag=True, help="Write over a calibration of that name.")
@click.option("--fixtures", type=click.Path(path_type=Path), metavar="DIR", help="Where pictures with boards are kept.")
@trace_options
@json_option
def command(
    *,
    name: str,
    live: bool,
    images: tuple[Path, ...],
    boards: tuple[Path, ...],
    checking: bool,
    region: Region | None,
    grids: tuple[Grid, ...],
    max_games: int,
    yes: bool,
    output: Path | None,
    force: bool,
    fixtures: Path | None,
    trace: str | None,
    trace_screen: bool,
    as_json: bool,
) -> int:
    """Learn the look and the manners of a Minesweeper client, or check what was learned.

    With --live it needs nobody: it finds the board, plays, and works out by the rules of the game what each look
    means. With --image it takes what --board says, works out what it can by the rules, and asks for the rest; the
    first --board is that of the first --image, and so on. Where it finds no board, --grid says where it is: one for
    all, or one for each --image. What was answered is kept until the calibration is written.
    Where NAME is known already, what the screenshots show beyond that is added to it, or with --live cells of a size
    that it does not know, unless --force is given.
    What was learned before no further game could be begun is written too, with exit code 6.
    """
    if live + bool(images) + checking != 1:
        raise UsageError("calibrate has one thing to do at a time", hint="give --live, --image or --check")
    if grids and not images:
        raise UsageError("--grid is for pictures", hint="give --image, or --region with --live")
    if checking:
        return _check(name, fixtures, as_json=as_json)
    if Path(name).name != name or name.startswith(".") or "\0" in name:
        raise UsageError(f"{name!r} is no name of a client", hint="give a plain name, and --output DIR for the place")
    folder = (output or user_calibrations()) / name
    known = None
    if not force and images:
        known = _known(name, output)
        folder = own_folder(known) if known is not None and output is None else folder
    elif not force and (folder / FILE).is_file():
        known = load_calibration(folder)
    if known is None:
        check_writable(folder, force=force)
    target = _Target(name, folder, fixtures, force, as_json, yes, known)
    if live:
        _live(region, max_games, target, trace=trace, trace_screen=trace_screen)
    else:
        _from_pictures(_shots(images, boards, grids, region), target)
    return 0


@dataclass(frozen=True, slots=True)
class _Target:
    """Where what was learned goes; into `known`, where that is a calibration that it completes."""

    name: str
    folder: Path
    fixtures: Path | None
    force: bool
    as_json: bool
    yes: bool
    known: Calibration | None


def _write(learned: Learned, how: str, target: _Target) -> Calibration:
    """Write what was learned, and how."""
    if target.known is None:
        calibration = write(learned, target.folder, f"{target.name}, learned {how}", force=target.force)
    else:
        calibration = complete(target.known, learned, target.folder)
    if target.fixtures is not None:
        write_fixtures(learned.fixtures, target.fixtures)
    return calibration


def _say_written(calibration: Calibration, learned: Learned, trace: Path | None, *, as_json: bool) -> None:
    """Say where what was learned is, and where the trace of that is."""
    if not as_json:
        done = f"written: {calibration.path}"
        results.print(done if learned.labels else f"nothing new: {calibration.path} knows all that they show")
        return
    seen = {"open": learned.open_questions, "unmet": learned.unmet, "games": learned.games}
    path = None if trace is None else str(trace)
    print_json({"path": str(calibration.path), "states": _reasons(learned.labels), **seen, "trace": path})


def _from_pictures(shots: list[Shot], target: _Target) -> None:
    """Learn from pictures, and keep what was learned; what was answered is kept until then."""
    if target.known is not None:
        talk.print(f"adding to {target.known.path.parent}; --force begins anew")
    asker = Asker(platformdirs.user_state_path("sweepbot", appauthor=False) / "calibrate" / f"{target.name}.json")
    learned = from_images(shots, asker, target.known)
    if not target.as_json:
        _report(learned)
    if learned.labels and not target.yes:
        click.confirm(f"Write {target.folder}?", abort=True, err=True)
    _say_written(_write(learned, "from pictures", target), learned, None, as_json=target.as_json)
    asker.forget()


def _live(
    region: Region | None,
    max_games: int,
    target: _Target,
    *,
    trace: str | None,
    trace_screen: bool,
) -> None:
    """Learn the client that is on the screen, and keep what was learned."""
    settings = LearnSettings(max_games=max_games, region=None if region is None else str(region))
    with open_desktop(announce) as desktop:
        record = recording("calibrate", settings, desktop, trace=trace, trace_screen=trace_screen)
        with record, board_in_view(record.desk, settings) as board:
            across, down = board.pitch
            talk.print(f"board: {board.columns}x{board.rows} cells of {across:g}x{down:g} pixels at {board.region}")
            if (known := target.known) is not None:
                widths = " and ".join(map(str, sorted(known.widths)))
                if known.shows_width(across):
                    hint = "give another NAME, or --force to write over it; or show a board with cells of another size"
                    raise CalibrationError(
                        f"{known.path.parent} exists already, and knows cells of {widths} pixels", hint=hint
                    )
                talk.print(f"adding to {known.path.parent}, which knows cells of {widths} pixels; --force begins anew")
            if not target.yes:
                click.confirm("Play there, and try what begins a new game?", abort=True, err=True)

            def observe(event: Event, image: Image | None) -> None:
                record.observe(event, image)
                if isinstance(event, Lesson):
                    talk.print(event.text)

            with live_picture(talk) as show:
                learned = learn(record, board, settings, observe, show=show)
            if not target.as_json:
                _report(learned)
            calibration = _write(learned, "by playing it", target)
            record.played_with(calibration)
            error = None
            if learned.stuck is not None:
                hint = "mend `restart` in what was written, or try again"
                error = StuckError(f"learned in part: {learned.stuck}", hint=hint)
            _say_written(calibration, learned, record.finish(error), as_json=target.as_json)
            if error is not None:
                raise error


def _known(name: str, output: Path | None) -> Calibration | None:
    """The calibration that is there already: below `output` where that is given, else anywhere."""
    if output is not None:
        return load_calibration(output / name) if (output / name).exists() else None
    return load_calibration(calibration_folders()[name]) if name in calibration_folders() else None


def _shots(
    images: tuple[Path, ...], boards: tuple[Path, ...], grids: tuple[Grid, ...], region: Region | None
) -> list[Shot]:
    if len(boards) > len(images):
        raise UsageError(f"{len(boards)} boards for {len(images)} pictures", hint="give an --image for every --board")
    if len(grids) not in (0, 1, len(images)):
        raise UsageError(f"{len(grids)} grids for {len(images)} pictures", hint="give one for all, or one for each")
    shown: list[Board | None] = [_board(path) for path in boards]
    shown += [None] * (len(images) - len(boards))
    places = grids if len(grids) == len(images) else (grids or (None,)) * len(images)
    shots = [Shot(load_image(path), board, place) for path, board, place in zip(images, shown, places, strict=True)]
    return shots if region is None else [_within(region, shot, path) for shot, path in zip(shots, images, strict=True)]


def _within(region: Region, shot: Shot, path: Path) -> Shot:
    """A part of a picture alone."""
    whole = Region.of(shot.image)
    if region.intersection(whole) != region:
        raise UsageError(f"{path}: the region {region} is not within its {whole.width}x{whole.height} pixels")
    return Shot(shot.image[region.slices], shot.board, shot.place and shot.place.moved(-region.origin))


def _board(path: Path) -> Board:
    try:
        return Board.parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", hint="check the path") from error
    except BoardTextError as error:
        raise UsageError(f"{path}: {error}", hint=error.hint) from error


def _reasons(labels: Iterable[Label]) -> dict[str, str]:
    return {label.state: label.why for label in labels}


def _report(learned: Learned) -> None:
    for state, why in _reasons(learned.labels).items():
        results.print(f"{state:>10}: {why}")
    for question in learned.open_questions:
        talk.print(question)
    if learned.unmet:
        talk.print(f"not seen: {', '.join(learned.unmet)}; what looks unlike the rest is refused until it is learned")


def _check(name: str, fixtures: Path | None, *, as_json: bool) -> int:
    calibration = find_calibration(name)
    done = check(calibration, fixtures)
    if as_json:
        files = [
            {"file": str(of.file), "right": of.right, "refused": of.refused, "wrong": of.wrong} for of in done.fixtures
        ]
        states = {"confusions": done.confusions, "misleading": done.misleading}
        print_json({"sound": done.sound, **states, "fixtures": files})
        return 0 if done.sound else 1
    results.print(
        f"{calibration.path}: in order, {len({t.state for t in calibration.templates})} of {len(STATE_NAMES)} states"
    )
    if calibration.unmet:
        unmet = [name for name, state in STATE_NAMES.items() if state in calibration.unmet]
        results.print(f"not met yet, and refused: {', '.join(unmet)}")
    for number, confusion in enumerate(done.confusions):
        doubt = "  <- read as another state by all other pictures" if number in done.misleading else ""
        results.print(f"{confusion}{doubt}")
    for fixture in done.fixtures:
        counts = fixture.error or f"{fixture.right} right, {fixture.refused} refused, {fixture.wrong} wrong"
        results.print(f"{fixture.file}: {counts}")
    results.print("sound" if done.sound else "NOT sound: see what is read as something else above")
    return 0 if done.sound else 1
