"""The picture of each cell state as a PNG file, named as calibrations name them."""

from pathlib import Path

from sweepbot.board import State
from sweepbot.demo.drawing import draw_cell
from sweepbot.geometry import Image
from sweepbot.render.files import save_image


def templates() -> dict[str, Image]:
    """What each state looks like, by the state's name: `0` to `8`, `hidden`, `flag`, `question`, `mine`, ..."""
    numbers = {str(number): draw_cell(number) for number in range(9)}
    others = {state.name.lower(): draw_cell(state) for state in State if state is not State.UNKNOWN}
    return numbers | others


def write_templates(folder: Path) -> None:
    """Write `templates()` as PNG files into `folder`, which must exist.

    Raises:
        ImageError: A file cannot be written.
    """
    for name, image in templates().items():
        save_image(image, folder / f"{name}.png")
