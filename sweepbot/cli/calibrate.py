"""`sweepbot calibrate`: makes or checks the calibration of a client."""

from dataclasses import dataclass
from pathlib import Path

import click
import platformdirs

from sweepbot.board import Board
from sweepbot.calibrate.confusion import check
from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.screenshots.labelling import Shot, from_images
from sweepbot.calibrate.writing.write import check_writable, complete, own_folder, write, write_fixtures
from sweepbot.cli.asking import Asker
from sweepbot.cli.output import PATH, announce, is_attended, json_option, print_json, results, talk
from sweepbot.cli.pictures import cut
from sweepbot.cli.regions import GRID, REGION
from sweepbot.cli.session import Sums, play_games
from sweepbot.cli.tracing import recording, trace_options
from sweepbot.cli.unknown import is_plain
from sweepbot.desktop.session import open_desktop
from sweepbot.errors import BoardTextError, CalibrationError, StuckError, UntrustedReadingError, UsageError
from sweepbot.geometry import Region
from sweepbot.plan import Style
from sweepbot.sessions.recognised import target_client
from sweepbot.sessions.settings import PlaySettings
from sweepbot.strangers import read_text
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
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import unknown_client
from sweepbot.vision.reading import Reading

_ENOUGH_S = 120.0  # after which no new game is started: what was not met by then is rare


@click.command()
@click.argument("name")
@click.option("--live", is_flag=True, help="Learn the client that is on the screen by playing it.")
@click.option("--image", "images", multiple=True, type=PATH, help="Learn from a screenshot.")
@click.option("--board", "boards", multiple=True, type=PATH, help="The screenshot's board text.")
@click.option("--check", "checking", is_flag=True, help="Check the calibration NAME, or the one in the folder NAME.")
@click.option("--region", type=REGION, help="Search only this part of the screen, or picture, for the board.")
@click.option("--grid", "grids", multiple=True, type=GRID, help="Where the screenshot's board is, in pixels.")
@click.option("--max-games", type=click.IntRange(min=1), default=15, help="How many games at most.")
@click.option("--yes", is_flag=True, help="Do not ask before the first click, or before writing.")
@click.option("--output", type=PATH, metavar="DIR", help="Write to DIR/NAME.")
@click.option("--force", is_flag=True, help="Overwrite a calibration of that name.")
@click.option(
    "--fixtures",
    type=PATH,
    metavar="DIR",
    help="Write the pictures with their boards to DIR; with --check, read those in DIR.",
)
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
    """Learn the look and the behaviour of a Minesweeper client, or check what was learned.

    With --live it works alone: it finds the board, plays it as read at first sight, and keeps what the ends of games
    confirm. With --image it uses the boards given by --board, takes what first sight has no doubt about, and asks for
    the rest. The first --board belongs to the first --image, and so on. If it finds no board, --grid gives its place:
    one for all, or one for each --image. Your answers are kept until the calibration is written.
    If NAME exists already, new looks in the screenshots are added to it, or with --live cells of a new size, unless
    --force is given.
    If no further game can be started, what was learned so far is written, with exit code 6.
    """
    if live + bool(images) + checking != 1:
        raise UsageError("calibrate does one thing at a time", hint="give one of --live, --image or --check")
    if grids and not images:
        raise UsageError("--grid is for pictures", hint="give --image, or use --region with --live")
    if fixtures is not None and live:
        raise UsageError("--fixtures is for pictures", hint="record a game with --trace DIR instead")
    if checking:
        return _check(name, fixtures, as_json=as_json)
    if not is_plain(name):
        raise UsageError(f"{name!r} is not a client's name", hint="give a plain name, and the folder by --output DIR")
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
    """Where to write what is learned; `known` is the existing calibration that it completes, if any."""

    name: str
    folder: Path
    fixtures: Path | None
    force: bool
    as_json: bool
    yes: bool
    known: Calibration | None


def _write(learned: Learned, how: str, target: _Target) -> Calibration:
    """Write what was learned; `how` goes into the description."""
    if target.known is None:
        calibration = write(learned, target.folder, f"{target.name}, learned {how}", force=target.force)
    else:
        calibration = complete(target.known, learned, target.folder)
    if target.fixtures is not None:
        write_fixtures(learned.fixtures, target.fixtures)
    return calibration


def _say_written(calibration: Calibration, learned: Learned, trace: Path | None, *, as_json: bool) -> None:
    """Say where the calibration was written; as JSON also what was learned, and where the trace is."""
    if not as_json:
        done = f"written: {calibration.path}"
        results.print(done if learned.labels else f"nothing new: {calibration.path} already has all that they show")
        return
    states = {label.state: label.why for label in learned.labels}
    seen = {"open": learned.open_questions, "unmet": learned.unmet, "games": learned.games}
    print_json({"path": calibration.path, "states": states, **seen, "trace": trace})


def _from_pictures(shots: list[Shot], target: _Target) -> None:
    """Learn from pictures, and write what was learned; the answers are kept until then."""
    if target.known is not None:
        talk.print(f"adding to {target.known.path.parent}; use --force to start over")
    asker = Asker(platformdirs.user_state_path("sweepbot", appauthor=False) / "calibrate" / f"{target.name}.json")
    learned = from_images(shots, asker, target.known)
    if not target.as_json:
        _report(learned)
    if learned.labels and not target.yes:
        click.confirm(f"Write {target.folder}?", abort=True, err=True)
    _say_written(_write(learned, "from pictures", target), learned, None, as_json=target.as_json)
    asker.forget()


def _live(region: Region | None, max_games: int, target: _Target, *, trace: str | None, trace_screen: bool) -> None:
    """Learn the client that is on the screen by playing it, and write what was learned."""
    client, learned, why = unknown_client(target.name), list[Learned](), list[str]()
    settings = PlaySettings(
        games=max_games,
        max_seconds=_ENOUGH_S,
        style=Style.FLAG,
        region=None if region is None else str(region),
        until_known=True,
        is_attended=is_attended() and not target.yes,
    )
    sums, error = Sums(), None
    with open_desktop(announce) as desktop:
        record = recording("calibrate", settings, desktop, trace=trace, trace_screen=trace_screen)

        def settled(_: Calibration, found: Reading) -> tuple[Calibration, PlaySettings]:
            _agree_on(found.grid, target)
            record.played_with(client, settings)
            return client, settings

        def remember(new: Learned | None, why_nothing: str) -> None:
            learned.extend([] if new is None else [new])
            why.append(why_nothing)

        try:
            with record:
                sought = target_client(client, settings, settled, talk.print)
                play_games(sums, record, sought, countdown_s=0, remember=remember)
        except (StuckError, UntrustedReadingError) as stopped:
            error = stopped
    if not learned:
        reason = f"{target.name} was not learned: {why[0]}" if why else ""
        raise error or UntrustedReadingError(reason, hint="let it play more: --max-games N")
    learned[0].stuck = error
    if not target.as_json:
        _report(learned[0])
    _say_written(_write(learned[0], "by playing it", target), learned[0], sums.trace, as_json=target.as_json)
    if isinstance(error, StuckError):
        hint = "correct `restart` in the calibration, or try again"
        raise StuckError(f"learned only in part: {error}", hint=hint)
    if error is not None:
        raise error


def _agree_on(board: Grid, target: _Target) -> None:
    """Say where the board is, and ask whether to play there.

    Raises:
        CalibrationError: The calibration has cells of this size already.
        Abort: The answer is no.
    """
    across, down = board.pitch
    talk.print(f"board: {board.columns}x{board.rows} cells of {across:.3g}x{down:.3g} pixels at {board.region}")
    if (known := target.known) is not None:
        widths = " and ".join(map(str, sorted(known.widths)))
        if known.shows_width(across):
            hint = "give another NAME, or --force to overwrite it; or show a board with cells of another size"
            raise CalibrationError(f"{known.path.parent} already exists, and has cells of {widths} pixels", hint=hint)
        talk.print(f"adding to {known.path.parent}, which has cells of {widths} pixels; --force starts over")
    if not target.yes:
        click.confirm("Play there, and try out how to start a new game?", abort=True, err=True)


def _known(name: str, output: Path | None) -> Calibration | None:
    """Return the existing calibration of that name, in `output` if given, else in any known folder."""
    if output is not None:
        return load_calibration(output / name) if (output / name).exists() else None
    return load_calibration(calibration_folders()[name]) if name in calibration_folders() else None


def _shots(
    images: tuple[Path, ...], boards: tuple[Path, ...], grids: tuple[Grid, ...], region: Region | None
) -> list[Shot]:
    if len(boards) > len(images):
        raise UsageError(f"{len(boards)} boards for {len(images)} pictures", hint="give one --image for each --board")
    if len(grids) not in (0, 1, len(images)):
        raise UsageError(f"{len(grids)} grids for {len(images)} pictures", hint="give one for all, or one for each")
    shown = [_board(path) for path in boards] + [None] * (len(images) - len(boards))
    places = grids if len(grids) == len(images) else (grids or (None,)) * len(images)
    shots = [Shot(load_image(path), board, place) for path, board, place in zip(images, shown, places, strict=True)]
    if region is None:
        return shots
    return [
        Shot(cut(shot.image, region, str(path)), shot.board, shot.place and shot.place.moved(-region.origin))
        for shot, path in zip(shots, images, strict=True)
    ]


def _board(path: Path) -> Board:
    try:
        return Board.parse(read_text(path, kind=UsageError))
    except BoardTextError as error:
        raise UsageError(f"{path}: {error}", hint=error.hint) from error


def _report(learned: Learned) -> None:
    for label in learned.labels:
        results.print(f"{label.state:>10}: {label.why}")
    for question in learned.open_questions:
        talk.print(question)
    if learned.unmet:
        talk.print(f"not seen yet, and read at first sight: {', '.join(learned.unmet)}")


def _check(name: str, fixtures: Path | None, *, as_json: bool) -> int:
    calibration = find_calibration(name)
    checked = check(calibration, fixtures)
    if as_json:
        files = [
            {"file": fixture.file, "right": fixture.right, "refused": fixture.refused, "wrong": fixture.wrong}
            for fixture in checked.fixtures
        ]
        states = {"confusions": checked.confusions, "misleading": checked.misleading}
        print_json({"sound": checked.sound, **states, "fixtures": files})
        return 0 if checked.sound else 1
    results.print(
        f"{calibration.path}: valid, {len({t.state for t in calibration.templates})} of {len(STATE_NAMES)} states"
    )
    if calibration.unmet:
        unmet = [name for name, state in STATE_NAMES.items() if state in calibration.unmet]
        results.print(f"not seen yet, and read at first sight: {', '.join(unmet)}")
    for number, confusion in enumerate(checked.confusions):
        doubt = "  <- read as another state by all other pictures" if number in checked.misleading else ""
        results.print(f"{confusion}{doubt}")
    for fixture in checked.fixtures:
        counts = fixture.error or f"{fixture.right} right, {fixture.refused} refused, {fixture.wrong} wrong"
        results.print(f"{fixture.file}: {counts}")
    results.print("sound" if checked.sound else "NOT sound: some states are read as others, see above")
    return 0 if checked.sound else 1
