"""The fonts of drawn numbers: those of the Debian packages that `first-sight.md` names, if their digits differ."""

from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

from sweepbot.errors import SweepbotError

FOLDER = Path("/usr/share/fonts")
_EMOJI = "truetype/noto/NotoColorEmoji.ttf"
_NO_DIGITS = (
    "Emoji",
    "Symbol",
    "D050000L",
    "Dingbat",
    "Ding",
    "Webd",
    "Braille",
    "Math",
    "ymbola",
    "wingding",
    "Music",
)
_OF_NOTO = ("NotoSans-", "NotoSerif-", "NotoMono", "NotoSansMono", "NotoSansDisplay-", "NotoSerifDisplay-")
_NEEDED = "012345678"
_MISSING = "\uffff"  # no sign: what a font draws for those that it lacks
_FEWEST = 40
_TRIED_PX = 40
_TRIED_HEIGHTS_PX = 14, 60  # of digits tried at that size: a barcode's are higher


@lru_cache(maxsize=1)
def fonts() -> tuple[str, ...]:
    """Return the paths of all usable fonts, sorted.

    Raises:
        SweepbotError: Too few are installed to train with.
    """
    found = tuple(str(path) for path in sorted(FOLDER.rglob("*.[to]tf")) if _is_usable(path))
    if len(found) < _FEWEST:
        raise SweepbotError(
            f"only {len(found)} fonts with digits are installed in {FOLDER}, {_FEWEST} are needed",
            hint="install the packages listed in `sweepbot help first-sight`",
        )
    return found


@lru_cache(maxsize=4096)
def font(path: str, size_px: int) -> ImageFont.FreeTypeFont:
    """Return a font of a size."""
    return ImageFont.truetype(path, size_px)


def emoji_font() -> str:
    """Return the path of the font of coloured pictures.

    Raises:
        SweepbotError: It is not installed.
    """
    path = FOLDER / _EMOJI
    if not path.exists():
        raise SweepbotError(f"{path} is missing", hint="install fonts-noto-color-emoji")
    return str(path)


def _is_usable(path: Path) -> bool:
    """Whether all digits and the question mark are there, differ, and have a usual height."""
    if any(part in path.name for part in _NO_DIGITS):
        return False
    if path.name.startswith("Noto") and not path.name.startswith(_OF_NOTO):
        return False  # the same Latin digits once for each script
    try:
        tried = font(str(path), _TRIED_PX)
    except OSError:  # no font in spite of its name
        return False
    boxes = [tried.getbbox(sign) for sign in _NEEDED]
    masks = {bytes(tried.getmask(sign)) for sign in (*_NEEDED, "?", _MISSING)}
    low, high = _TRIED_HEIGHTS_PX
    return len(masks) == len(_NEEDED) + 2 and all(box[2] > box[0] and low < box[3] - box[1] < high for box in boxes)
