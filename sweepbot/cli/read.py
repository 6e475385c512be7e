"""`sweepbot read`: screenshots to board text."""

import time
from pathlib import Path
from typing import Any

import click

from sweepbot.cli.output import json_option, print_json, results, talk
from sweepbot.errors import ImageError, SweepbotError, UntrustedReadingError
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.identify import identify
from sweepbot.vision.image import load_image
from sweepbot.vision.reader import Reader, Reading


@click.command()
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--client", metavar="NAME", help="Whose look to expect; without it, all known ones are tried.")
@json_option
def command(*, images: tuple[Path, ...], client: str | None, as_json: bool) -> int:
    """Turn screenshots into board text.

    Exits with 3 where a picture shows no board, and with 4 where a reading breaks the rules of the game or has
    unreadable cells, which are printed as `.`
    """
    reader = None if client is None else Reader(find_calibration(client))
    exit_code = 0
    answers: list[dict[str, Any]] = []
    for path in images:
        start = time.perf_counter()
        try:
            image = load_image(path)
            reading = identify(image) if reader is None else reader.read(image)
        except SweepbotError as error:
            answers.append({"file": str(path), "error": str(error)})
            exit_code = exit_code or error.exit_code
            named = str(error) if isinstance(error, ImageError) else f"{path}: {error}"
            talk.print(f"{named}\n  {error.hint}", markup=False)
            continue
        answer = _as_json(path, reading, (time.perf_counter() - start) * 1000)
        answers.append(answer)
        if not as_json:
            _print(answer)
        if answer["problems"]:
            exit_code = exit_code or UntrustedReadingError.exit_code
            talk.print(f"{path}: not to be trusted: {'; '.join(answer['problems'])}", markup=False)
    if as_json:
        print_json(answers)
    return exit_code


def _as_json(path: Path, reading: Reading, milliseconds: float) -> dict[str, Any]:
    return {
        "file": str(path),
        "client": reading.client,
        "rows": reading.board.lines(),
        "cols": reading.board.columns,
        "cell": reading.grid.pitch,
        "origin": reading.grid.origin,
        "status": reading.phase.value,
        "mines_left": reading.mines_left,
        "confidence": round(reading.confidence, 4),
        "problems": [problem.text for problem in reading.board.problems()],
        "ms": round(milliseconds, 2),
    }


def _print(answer: dict[str, Any]) -> None:
    place = "+".join(f"{x:g}" for x in answer["origin"])
    size = f"{answer['cols']}x{len(answer['rows'])}"
    talk.print(
        f"{answer['file']}: {answer['client']}, {size} cells at +{place}, {answer['status']},"
        f" confidence {answer['confidence']:.1%}",
        markup=False,
    )
    results.print("\n".join(answer["rows"]), markup=False)
