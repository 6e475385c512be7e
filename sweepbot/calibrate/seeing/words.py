"""Read what is written on a control: a few words tell which ones begin a game, and which do something else.

Tesseract reads them, where it and the extra `words` are installed; elsewhere no control has a meaning. Words are
compared without accents, which Tesseract's English data does not know.
"""

import re
import shutil
import unicodedata
from enum import Enum
from functools import cache, lru_cache
from importlib.util import find_spec

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.extras import load
from sweepbot.geometry import Image, Region

_ENLARGED_TIMES = 3  # Tesseract expects letters of 20 to 40 pixels, and buttons have some of 8
_MARGIN_PX = 20  # of the control's own ground, added around it
_RIM_LEVELS, _RIM_SHARE, _MOST_RIM_PX = 24, 0.9, 4  # by which, and in how many of its pixels, an outer line is a rim
_ONE_LINE = "--psm 7"  # Tesseract's mode for a single line of text
_MOST_WORDS = 3  # of a button that begins a game: longer text only speaks of one
_KEPT_CONTROLS = 500  # whose words are remembered: each takes about 0.15 s to read

_STARTS = re.compile(
    r"\b(new game|new|restart|reset|replay|retry|again|start|play|ok|yes|"
    r"neues spiel|neu|neustart|nochmal|nouvelle partie|rejouer|recommencer|oui|"
    r"nueva partida|nuevo juego|nuevo|reiniciar|otra vez|nuova partita|ricomincia|riprova|"
    r"novo jogo|novo|recomecar|sim|nieuw spel|nieuw|opnieuw|nowa gra|ponownie|tak|"
    r"nytt spel|nytt spill|nyt spil|igen|uusi peli|yeni oyun|yeniden|nova hra|znovu)\b"
)
"""What begins a game, or agrees to one, in a dozen languages."""

_ANOTHER = re.compile(
    r"\b(new game|restart|reset|replay|retry|again|neues spiel|neustart|nochmal|nouvelle partie|rejouer|recommencer|"
    r"nueva partida|nuevo juego|reiniciar|otra vez|nuova partita|ricomincia|riprova|novo jogo|recomecar|nieuw spel|"
    r"opnieuw|nowa gra|ponownie|nytt spel|nytt spill|nyt spil|igen|uusi peli|yeni oyun|yeniden|nova hra|znovu)\b"
)
"""What begins another game, after one: what merely says play or start may be of an advertisement."""

_DOES_ELSE = re.compile(
    r"\b(solve\w*|hints?|auto\w*|bot|ai|cheat|reveal|undo|redo|quit|exit|close|leave|cancel|no|give up|surrender|"
    r"help|about|rules|settings|options|preferences|menu|home|back|scores?|ranking|leaderboard|send|share|submit|"
    r"buy|donate|log ?in|sign \w+|register|download|install|pause|save|load|"
    r"easy|medium|hard|beginner|intermediate|expert|advanced|custom|levels?|"
    r"losen|tipp|hilfe|beenden|schliessen|abbrechen|nein|einstellungen|leicht|mittel|schwer|anfanger|"
    r"aide|quitter|fermer|annuler|non|facile|difficile|pista|ayuda|salir|cerrar|cancelar|facil|dificil|"
    r"aiuto|esci|chiudi|annulla|dica|ajuda|sair|fechar|nao|hulp|afsluiten|sluiten|nee|pomoc|wyjdz|zamknij|nie|"
    r"hjalp|avsluta|nej|nei|avslutt|afslut|lopeta|cikis|hayir|konec|napoveda)\b"
)
"""What does something else: plays, helps, ends, leads elsewhere, or deals another level."""


class Meaning(Enum):
    """What the words on a control say that it does; in the order in which controls are better clicked."""

    BEGINS_GAME = 0
    UNKNOWN = 1
    DOES_ELSE = 2


def meaning_of(control: Region, image: Image) -> Meaning:
    """Return what the words on a control say that it does; `UNKNOWN` where none are read.

    Args:
        control: Where it is, without its rim.
        image: The picture, a uint8 array of shape (height, width, 3).
    """
    if not can_read():
        return Meaning.UNKNOWN
    words = _words(image[control.slices].tobytes(), (control.height, control.width))
    if _DOES_ELSE.search(words):
        return Meaning.DOES_ELSE
    begins = len(words.split()) <= _MOST_WORDS and _STARTS.search(words)
    return Meaning.BEGINS_GAME if begins else Meaning.UNKNOWN


def offers_another(control: Region, image: Image) -> bool:
    """Whether the words on a control say that it begins another game; for its arguments see `meaning_of`."""
    if meaning_of(control, image) is not Meaning.BEGINS_GAME:
        return False
    return bool(_ANOTHER.search(_words(image[control.slices].tobytes(), (control.height, control.width))))


@cache
def can_read() -> bool:
    """Whether words can be read: whether Tesseract and its binding are installed."""
    return find_spec("pytesseract") is not None and shutil.which("tesseract") is not None


@lru_cache(_KEPT_CONTROLS)
def _words(pixels: bytes, size: tuple[int, int]) -> str:
    """Return the words in a small picture, given by its bytes, height and width: in small letters without accents."""
    image = np.frombuffer(pixels, dtype=np.uint8).reshape(*size, 3)
    grey = _without_rim(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8))
    large = cv2.resize(grey, None, fx=_ENLARGED_TIMES, fy=_ENLARGED_TIMES, interpolation=cv2.INTER_CUBIC)
    framed = np.pad(large, _MARGIN_PX, constant_values=int(np.median(large)))
    said = load("pytesseract", "words").image_to_string(framed, config=_ONE_LINE)
    letters = unicodedata.normalize("NFKD", said.casefold())
    return " ".join(re.findall(r"[a-z]+", "".join(one for one in letters if not unicodedata.combining(one))))


def _without_rim(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Cut off the outermost lines of a control that are a rim: nearly all of their pixels differ from its ground."""
    ground = float(np.median(grey))
    is_other = np.abs(grey.astype(np.float64) - ground) > _RIM_LEVELS
    is_rim = [is_other.mean(axis=axis) > _RIM_SHARE for axis in (1, 0)]
    inside = []
    for lines in is_rim:
        ends = (next((n for n, rim in enumerate(side[:_MOST_RIM_PX]) if not rim), 0) for side in (lines, lines[::-1]))
        first, last = ends
        inside.append(slice(first, len(lines) - last))
    return grey[inside[0], inside[1]]
