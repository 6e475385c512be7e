"""`sweepbot solve`: shows the chances in a position and the best move."""

import math
import sys
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.cli.output import PATH, announce, json_option, print_json, results
from sweepbot.cli.regions import CELL, REGION
from sweepbot.errors import ImpossibleBoardError, SweepbotError, UntrustedReadingError, UsageError, refused_as
from sweepbot.explaining import (
    decision_by_keys,
    efficient_by_keys,
    efficient_in_words,
    explanation_by_keys,
    explanation_in_words,
    layouts_in_words,
)
from sweepbot.formats.links import from_link, is_link, to_link
from sweepbot.formats.mbf import to_mbf
from sweepbot.geometry import Cell, Region
from sweepbot.level import LEVELS
from sweepbot.render.text import board_text, counted, percent
from sweepbot.replacing import replace_file
from sweepbot.solver import METHODS, Decision, Solver
from sweepbot.solver.efficiency import most_efficient
from sweepbot.solver.explain import explain
from sweepbot.solver.measures import measure
from sweepbot.solver.no_guess import among_deducible
from sweepbot.strangers import MAX_TEXT_BYTES, read_text

_PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp"}

_SEE_READ = "see what was read: `sweepbot read`"
_NAMED = 3  # certain cells; the table has all
_CELL_CHARACTERS = 4  # of a column of the table, and of the rows' numbers


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--clipboard", is_flag=True, help="Take the screenshot on the clipboard.")
@click.option(
    "--mines",
    type=click.IntRange(min=0),
    help="How many mines the whole board has, if neither its size nor a picture tells.",
)
@click.option(
    "--client", metavar="NAME", help="For a screenshot: which client to expect, or `unknown`; by default all are tried."
)
@click.option("--region", type=REGION, help="For a screenshot: search only this part of it for the board.")
@click.option("--method", type=click.Choice(METHODS), default=METHODS[0], help="How to decide.")
@click.option("--no-guess", is_flag=True, help="The board needs no guess: leave out all layouts that need one.")
@click.option("--link", is_flag=True, help="Print a link that opens the position in JSMinesweeper.")
@click.option("--mbf", type=PATH, help="Write a board whose mines are all known as an MBF file.")
@click.option("--heatmap", "picture", type=PATH, help="Draw the chances into this PNG file.")
@click.option(
    "--explain",
    "asked",
    type=CELL,
    help="Explain why this cell is certain, or what it is worth as a guess; and which click is most efficient.",
)
@json_option
def command(
    *,
    file: Path | None,
    clipboard: bool,
    mines: int | None,
    client: str | None,
    region: Region | None,
    method: str,
    no_guess: bool,
    link: bool,
    mbf: Path | None,
    picture: Path | None,
    asked: Cell | None,
    as_json: bool,
) -> None:
    """Show what is certain in a position, all chances, and the best move; also 3BV and ZiNi if all mines are known.

    FILE is board text or a screenshot; `-` reads board text from standard input. Rows and columns count from 0.
    Instead of board text a link of JSMinesweeper `...?analysis=...` may be given, also as FILE itself.

    The exit code is 3 if a screenshot shows no board, and 4 if its reading cannot be trusted.
    """
    sys.set_int_max_str_digits(0)  # a large board's number of layouts has tens of thousands of digits
    read_from, board = _position(file, mines, client, region, clipboard=clipboard)
    board = _with_mines(board, mines)
    solver = Solver(method)
    start = time.perf_counter()
    try:
        decision = solver.decide(board)
        decision = among_deducible(board, decision) if no_guess else decision
    except ImpossibleBoardError as error:
        if not read_from:
            raise
        raise UntrustedReadingError(f"{read_from}: cannot be trusted: {error}", hint=_SEE_READ) from error
    milliseconds = (time.perf_counter() - start) * 1000
    chances = np.where(board.cells < State.HIDDEN, 0.0, decision.mine_probability)
    # Where all mines are, if nothing is uncertain.
    mine = chances == 1.0 if ((chances == 0.0) | (chances == 1.0)).all() else None
    extra: dict[str, Any] = {}
    lines: list[str] = []
    if mine is not None:
        measures = measure(mine)
        extra["measures"] = measures._asdict()
        clicks = f"ZiNi {measures.zini}, human ZiNi {measures.human_zini}"
        lines.append(f"board: 3BV {measures.three_bv}, {counted(measures.openings, 'opening')}, {clicks}")
    if link:
        extra["link"] = to_link(board)
        lines.append(extra["link"])
    if asked is not None:
        explanation, efficient = explain(board, asked), most_efficient(board, decision, may_take_seconds=False)
        extra |= {"explain": explanation_by_keys(explanation), "efficient": efficient_by_keys(efficient)}
        lines += explanation_in_words(board, explanation)
        if efficient is not None and efficient.cell != asked:
            lines.append(efficient_in_words(efficient))
    if mbf is not None:
        _write_mbf(mine, mbf)
    if picture is not None:
        # OpenCV, which draws it, is slow to load.
        from sweepbot.render.files import save_image  # noqa: PLC0415
        from sweepbot.render.heatmap import heatmap  # noqa: PLC0415

        best = None if decision.best is None else decision.best.cell
        save_image(heatmap(board, decision.mine_probability, best), picture)
        announce(f"written: {picture}")
    if as_json:
        print_json(decision_by_keys(decision) | {"ms": round(milliseconds, 3)} | extra)
        return
    results.print("\n".join(lines if asked is not None else [*_decision_in_words(board, decision), *lines]))


def _position(
    file: Path | None, mines: int | None, client: str | None, region: Region | None, *, clipboard: bool
) -> tuple[str, Board]:
    """Return the name of the screenshot, empty for text, and the board."""
    if (file is None) != clipboard:
        raise UsageError("solve takes either a FILE or --clipboard", hint="see `sweepbot solve --help`")
    if file is not None and file.suffix.lower() not in _PICTURES:
        if client is not None or region is not None:
            raise UsageError(f"{file} is board text; --client and --region are for screenshots", hint="leave them out")
        return "", _parse(file)
    return _read(file, mines, client, region)


def _parse(file: Path) -> Board:
    """Return the board in a text file, on standard input, or in a link of JSMinesweeper."""
    if "analysis=" in str(file):
        return from_link(str(file))
    text = _typed() if str(file) == "-" else read_text(file)
    return from_link(text) if is_link(text) else Board.parse(text)


def _typed() -> str:
    """Return the text on standard input."""
    if sys.stdin is None or sys.stdin.closed:
        raise SweepbotError("standard input is closed", hint="give a file, or pipe board text into `sweepbot solve -`")
    try:
        text = sys.stdin.read(MAX_TEXT_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise SweepbotError(f"standard input is no text: {error}", hint="pipe board text into it") from error
    if len(text) > MAX_TEXT_BYTES:
        raise SweepbotError(f"standard input is longer than {MAX_TEXT_BYTES:,} characters", hint="is it board text?")
    return text


def _read(file: Path | None, mines: int | None, client: str | None, region: Region | None) -> tuple[str, Board]:
    """Read a screenshot, for None the one on the clipboard, as `sweepbot read` does; return its name and the board.

    Raises:
        NoBoardFoundError: It shows no board.
        UntrustedReadingError: The board is not seen whole, breaks the rules of the game, or is mostly unreadable.
    """
    # OpenCV and the calibrations are slow to load, and board text needs neither.
    from sweepbot.cli.pictures import boards_in_words, read_boards, screenshot  # noqa: PLC0415
    from sweepbot.vision.eyes import eyes  # noqa: PLC0415

    shot = screenshot(file)
    boards = read_boards(shot, eyes(client), region)
    announce("\n".join(boards_in_words(boards, shot)))
    reading = boards[0][0] if mines is None else boards[0][0].with_mines(mines)
    if reading.problems:
        raise UntrustedReadingError(f"{shot.name}: cannot be trusted: {'; '.join(reading.problems)}", hint=_SEE_READ)
    return shot.name, reading.board


def _with_mines(board: Board, mines: int | None) -> Board:
    """Return the board with its number of mines: as given, as already known, or of the level of its size."""
    if mines is not None:
        return Board(board.cells, mines)
    if board.mines is not None:
        return board
    for name, level in LEVELS.items():
        if (level.columns, level.rows) == (board.columns, board.rows):
            announce(f"assuming level {name}, with {counted(level.mines, 'mine')}")
            return Board(board.cells, level.mines)
    raise UsageError(
        f"a board of {board.columns}x{board.rows} cells has no usual number of mines",
        hint="give the number: --mines N",
    )


def _write_mbf(mine: NDArray[np.bool_] | None, file: Path) -> None:
    if mine is None:
        raise UsageError("an MBF file has all mines, and some are not certain", hint="leave out --mbf")
    with refused_as(SweepbotError, f"{file}: cannot be written", "choose another place"):
        replace_file(file, to_mbf(mine))


def _decision_in_words(board: Board, decision: Decision) -> list[str]:
    """Return the chances as a table, and below it what is certain, the best move, and how many layouts there are.

    A terminal that is too narrow for all columns gets a table of the left ones, and below it one of those that follow.
    """
    room = results.width // _CELL_CHARACTERS - 1 if results.is_terminal else board.columns
    parts = [slice(start, start + room) for start in range(0, board.columns, room)]
    lines = [board_text(Board(board.cells[:, it]), decision.mine_probability[:, it], it.start) for it in parts]
    for name, cells in (("safe", decision.safe), ("mines", decision.mines)):
        if cells:
            more = f" and {len(cells) - _NAMED} more" if len(cells) > _NAMED else ""
            lines.append(f"{name}: {'; '.join(map(str, cells[:_NAMED]))}{more}")
    if decision.best is not None:
        move, why = decision.best, f"(why: --explain {decision.best.cell.row},{decision.best.cell.column})"
        guess = f", {percent(move.mine_probability)}% a mine: {move.reason}"
        lines.append(f"best: {move.cell}{guess if move.mine_probability else ' ' + why}")
    if decision.standard_error is not None:
        largest = float(np.nanmax(decision.standard_error))
        lines.append(f"chances: sampled, standard errors up to {100 * largest:.2f} percentage points")
    if decision.log_layouts is not None:
        lines.append(layouts_in_words(decision.log_layouts / math.log(2)))
    return lines
