"""`sweepbot read`: turns screenshots into board text."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sweepbot.cli.output import PATH, json_option, print_json, results, talk
from sweepbot.cli.pictures import Screenshot, boards_in_words, read_boards, region_of, screenshot
from sweepbot.cli.regions import CELL, REGION
from sweepbot.desktop.clipboard import NAME
from sweepbot.errors import DesktopError, ImageError, SweepbotError, UntrustedReadingError, UsageError
from sweepbot.geometry import Cell, Region
from sweepbot.vision.explain import explain
from sweepbot.vision.eyes import Boards, eyes


@click.command()
@click.argument("images", nargs=-1, type=PATH)
@click.option("--clipboard", is_flag=True, help="Read the picture on the clipboard.")
@click.option(
    "--client",
    metavar="NAME",
    help="Which client to expect, or `unknown` for first sight alone; by default all known ones are tried, then that.",
)
@click.option("--region", type=REGION, help="Search only this part of the pictures for the board.")
@click.option("--explain", "asked", type=CELL, help="Say why this cell was read as it was, or not read.")
@json_option
def command(
    *,
    images: tuple[Path, ...],
    clipboard: bool,
    client: str | None,
    region: Region | None,
    asked: Cell | None,
    as_json: bool,
) -> int:
    """Turn screenshots into board text.

    If a picture shows several boards, the one with the most readable cells is read, and the others are listed.

    A cell that cannot be read is printed as `.`: it may be hidden, flagged or open.

    The exit code is 3 if a picture shows no board, and 4 if a reading cannot be trusted: the board is not seen whole,
    the cells read break the rules of the game, or at most half of them can be read.
    """
    if bool(images) == clipboard:
        raise UsageError("read takes either screenshots or --clipboard", hint="see `sweepbot read --help`")
    read = eyes(client)
    exit_code = 0
    answers: list[dict[str, Any]] = []
    for path in images or [None]:
        start = time.perf_counter()
        name = NAME if path is None else str(path)
        try:
            shot = screenshot(path)
            boards = read_boards(shot, read, region)
        except SweepbotError as error:
            answers.append({"file": name, "error": str(error)})
            exit_code = exit_code or error.exit_code
            named = str(error) if isinstance(error, ImageError | DesktopError) else f"{name}: {error}"
            talk.print(f"{named}\n  {error.hint}")
            continue
        answer = _as_json(shot, boards, (time.perf_counter() - start) * 1000)
        if asked is not None:
            answer["explain"] = {"cell": asked, **asdict(explain(boards[0][0], asked))}
        answers.append(answer)
        if not as_json:
            talk.print("\n".join(boards_in_words(boards, shot)))
            results.print("\n".join(answer["rows"] if asked is None else _explained(answer)))
        if answer["problems"]:
            exit_code = exit_code or UntrustedReadingError.exit_code
            hint = f"\n  {boards[0][0].hint}" if boards[0][0].hint else ""
            talk.print(f"{shot.name}: cannot be trusted: {'; '.join(answer['problems'])}{hint}")
    if as_json:
        print_json(answers)
    return exit_code


def _as_json(shot: Screenshot, boards: Boards, milliseconds: float) -> dict[str, Any]:
    """Return what one picture shows; `boards` is what `read_boards` returns."""
    reading = boards[0][0]
    return {
        "file": shot.name,
        "client": reading.client,
        "rows": reading.board.lines(),
        "cols": reading.board.columns,
        "cell": reading.grid.pitch,
        "origin": reading.grid.origin,
        "status": reading.phase.value,
        "mines_left": reading.mines_left,
        "clock": reading.shown.clock,
        "face": None if reading.shown.face is None else reading.shown.face.value,
        "confidence": round(reading.confidence, 4),
        "unread": reading.unread,
        "problems": reading.problems,
        "fits": {as_client.client: round(as_client.confidence, 4) for as_client in boards[0]},
        "others": [
            {
                "client": board.client,
                "size": f"{board.board.columns}x{board.board.rows}",
                "origin": board.grid.origin,
                "status": board.phase.value,
                "confidence": round(board.confidence, 4),
                "region": str(region_of(board, shot)),
            }
            for board, *_ in boards[1:]
        ],
        "ms": round(milliseconds, 2),
    }


def _explained(answer: dict[str, Any]) -> Iterator[str]:
    why, cell = answer["explain"], answer["explain"]["cell"]
    read, refused = f"read as {answer['rows'][cell.row][cell.column]}", f"not read: {why['refused']}"
    yield f"{cell} was {refused if why['refused'] else read}"
    yield from (f"  {line}" for line in (*_match_in_words(why["templates"]), *_sight_in_words(why["first_sight"])))


def _match_in_words(match: dict[str, Any] | None) -> Iterator[str]:
    """Say how a cell agrees with templates, if the board has a known look."""
    if match is None:
        return
    nearest = f"nearest template {match['best']}, {match['apart']} grey levels apart"
    near = "near" if match["near"] else "not near enough"
    yield f"{nearest}; rival {match['rival']}, {match['rival_apart']} apart: {near}"


def _sight_in_words(sight: dict[str, Any] | None) -> Iterator[str]:
    """Say what first sight saw in a cell, and what the rules made of it, if it was asked."""
    if sight is None:
        return
    seen = ", ".join(f"{state} {100 * chance:.1f}%" for state, chance in sight["likeliest"])
    yield f"the network saw: {seen}"
    alike = "alone of its look" if sight["alike"] == 1 else f"with {sight['alike'] - 1} more of its look"
    yield f"with the rules: {sight['told']}, {100 * sight['chance']:.1f}%, {alike}"
    cells = ", ".join(f"{cell.row},{cell.column}" for cell in sight["decided_by"])
    yield f"otherwise these would break the rules: {cells}" if cells else "no rule depends on it"
