"""Read what is written on a control: a few words tell which ones begin a game, and which do something else.

Tesseract reads them where it is installed; elsewhere no control has a meaning. It is started once for all controls of
a picture, each a page of its own: a start takes longer than reading twenty of them, and lines that stand on one sheet
are left out or joined. Words are compared without accents, which Tesseract's English data does not know.
"""

import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Phase
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Image, Region

_ENLARGED_TIMES = 3  # Tesseract expects letters of 20 to 40 pixels, and buttons have some of 8
_MARGIN_PX = 20  # of the control's own ground, added around it
_RIM_LEVELS, _RIM_SHARE, _MAX_RIM_PX = 24, 0.9, 4  # by which, and in how many of its pixels, an outer line is a rim
_ONE_LINE, _LINES = "7", "6"  # Tesseract's modes for pages with a single line of text, or with several
_END_OF_PAGE = "\f"
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}  # on a busy machine its threads wait for each other, sixteen times as long
_READING_S = 20.0  # that Tesseract may take: half a second for thirty controls, on a busy machine five
_MAX_WORDS = 3  # of a button that begins a game: longer text only speaks of one
_KEPT_CONTROLS = 500  # whose words are remembered
_kept: dict[tuple[bytes, int, str], str] = {}  # what was read on them, by their pixels, width and mode, the latest last

_STARTS = re.compile(
    r"\b(new game|new|restart|reset|replay|retry|again|start|play|begin|ok|yes|"
    r"neues spiel|neu|neustart|nochmal|spielen|starten|nouvelle partie|rejouer|recommencer|jouer|commencer|oui|"
    r"nueva partida|nuevo juego|nuevo|reiniciar|otra vez|jugar|empezar|comenzar|iniciar|"
    r"nuova partita|ricomincia|riprova|gioca|inizia|"
    r"novo jogo|novo|recomecar|jogar|comecar|sim|nieuw spel|nieuw|opnieuw|spelen|nowa gra|ponownie|graj|tak|"
    r"nytt spel|nytt spill|nyt spil|igen|spela|uusi peli|pelaa|yeni oyun|yeniden|oyna|nova hra|znovu|hrat)\b"
)
"""What begins a game, or agrees to one, in a dozen languages."""

_ANOTHER = re.compile(
    r"\b(new game|restart|reset|replay|retry|again|neues spiel|neustart|nochmal|nouvelle partie|rejouer|recommencer|"
    r"nueva partida|nuevo juego|reiniciar|otra vez|nuova partita|ricomincia|riprova|novo jogo|recomecar|nieuw spel|"
    r"opnieuw|nowa gra|ponownie|nytt spel|nytt spill|nyt spil|igen|uusi peli|yeni oyun|yeniden|nova hra|znovu)\b"
)
"""What begins another game, after one: what merely says play or start may be of an advertisement."""

_DOES_ELSE = re.compile(
    r"\b(^(no|nein|non|nao|nee|nie|nej|nei)|"
    r"solve\w*|hints?|auto\w*|bot|ai|cheat|reveal|undo|redo|quit|exit|close|leave|cancel|give up|surrender|"
    r"help|about|rules|settings|options|preferences|menu|home|back|scores?|ranking|leaderboard|send|share|submit|"
    r"buy|donate|log ?in|sign \w+|register|download|install|pause|save|load|"
    r"easy|medium|hard|beginner|intermediate|expert|advanced|custom|levels?|"
    r"losen|tipp|hilfe|beenden|schliessen|abbrechen|einstellungen|leicht|mittel|schwer|anfanger|"
    r"aide|quitter|fermer|annuler|facile|difficile|pista|ayuda|salir|cerrar|cancelar|facil|dificil|"
    r"aiuto|esci|chiudi|annulla|dica|ajuda|sair|fechar|hulp|afsluiten|sluiten|pomoc|wyjdz|zamknij|"
    r"hjalp|avsluta|avslutt|afslut|lopeta|cikis|hayir|konec|napoveda)\b"
)
"""What does something else: refuses (as the first word: "oh no" complains), plays, helps, ends, leads elsewhere, or
deals another level."""


_WON = re.compile(
    r"\b(won|win|wins|winner|victory|congratulations?|cleared|gewonnen|gagne|victoire|ganaste|ganado|victoria|"
    r"vinto|vittoria|ganhou|venceu|vitoria|wygrana|wygrales|vann|vant|vandt|voitit|kazandin\w*|vyhral\w*)\b"
)
_LOST = re.compile(
    r"\b(lost|lose|loser|boom|exploded|died|dead|verloren|perdu|perdiste|perdido|perso|perdeu|przegrana|przegrales|"
    r"forlorade|tapte|tabte|havisit|kaybett\w*|prohral\w*)\b"
)
"""What a client says of a game that is over; "game over" alone may be either."""


_PRESS = re.compile(r"\b(?:press|hit|pulsa|appuyez sur|drucke|premi) (?:the )?(enter|return|space|any)\b")
_PRESSED = {"return": "enter", "any": "enter"}  # by another name on the keyboard; any key that does nothing elsewhere


class Meaning(Enum):
    """What the words on a control say that it does; in the order in which controls are better clicked."""

    BEGINS_GAME = 0
    UNKNOWN = 1
    DOES_ELSE = 2


def meanings_of(controls: Sequence[Region], image: Image) -> list[Meaning]:
    """Return what the words on each control say that it does; `UNKNOWN` where none are read.

    Args:
        controls: Where they are, without their rims.
        image: The picture, a uint8 array of shape (height, width, 3).

    Raises:
        SweepbotError: Tesseract fails.
    """
    return [_meaning(words) for words in _words_on(controls, image)]


def ends_by_words(things: Sequence[Region], image: Image) -> set[Phase]:
    """Return the ends of a game, won or lost, that words say; as `meanings_of`."""
    said = _words_on(things, image, _LINES)
    return {end for end, it in ((Phase.WON, _WON), (Phase.LOST, _LOST)) if any(it.search(words) for words in said)}


def offering_another(controls: Sequence[Region], image: Image) -> list[Region]:
    """Return the controls whose words say that they begin another game; as `meanings_of`."""
    said = zip(controls, _words_on(controls, image), strict=True)
    return [it for it, words in said if _meaning(words) is Meaning.BEGINS_GAME and _ANOTHER.search(words)]


def plainest(beginning: Sequence[Region], image: Image) -> list[Region]:
    """Return those controls that begin a game and say nothing else, if there are any, else all; as `meanings_of`."""
    said = zip(beginning, _words_on(beginning, image), strict=True)
    return [it for it, words in said if _STARTS.fullmatch(words)] or list(beginning)


def keys_to_press(things: Sequence[Region], image: Image) -> set[str]:
    """Return the keys that words say are to be pressed; as `meanings_of`."""
    told = (_PRESS.search(words) for words in _words_on(things, image))
    return {_PRESSED.get(it[1], it[1]) for it in told if it is not None}


@cache
def can_read() -> bool:
    """Whether words can be read: whether Tesseract is installed."""
    return shutil.which("tesseract") is not None


def _meaning(words: str) -> Meaning:
    if _DOES_ELSE.search(words):
        return Meaning.DOES_ELSE
    begins = len(words.split()) <= _MAX_WORDS and _STARTS.search(words)
    return Meaning.BEGINS_GAME if begins else Meaning.UNKNOWN


def _words_on(controls: Sequence[Region], image: Image, mode: str = _ONE_LINE) -> list[str]:
    """Return the words on each control, in small letters without accents; none where they cannot be read.

    Each is read in a `mode` of Tesseract's.
    """
    if not can_read():
        return [""] * len(controls)
    shown = [image[it.slices] for it in controls]
    keys = [(one.tobytes(), one.shape[1], mode) for one in shown]
    new = {key: one for key, one in zip(keys, shown, strict=True) if key not in _kept}
    if new:
        _kept.update(zip(new, _read([_page(one) for one in new.values()], mode), strict=True))
    said = [_kept[key] for key in keys]
    for key in list(_kept)[:-_KEPT_CONTROLS]:
        del _kept[key]
    return said


def _page(control: Image) -> NDArray[np.uint8]:
    """Return the page, in shades of grey, on which a control is read."""
    grey = _without_rim(np.asarray(cv2.cvtColor(control, cv2.COLOR_BGR2GRAY), dtype=np.uint8))
    large = cv2.resize(grey, None, fx=_ENLARGED_TIMES, fy=_ENLARGED_TIMES, interpolation=cv2.INTER_CUBIC)
    return np.pad(large, _MARGIN_PX, constant_values=int(np.median(large)))


def _read(pages: Sequence[NDArray[np.uint8]], mode: str) -> list[str]:
    """Return the words on each page, by one process for all. Raises SweepbotError if that fails."""
    with TemporaryDirectory() as folder:
        sheet = Path(folder) / "controls.tiff"
        cv2.imwritemulti(str(sheet), pages)
        try:
            done = subprocess.run(  # noqa: S603
                [shutil.which("tesseract") or "tesseract", sheet, "stdout", "--psm", mode],
                capture_output=True,
                check=False,
                encoding="utf-8",
                env=os.environ | _ONE_THREAD,
                timeout=_READING_S,
            )
        except subprocess.TimeoutExpired as error:
            why = f"Tesseract has not read what is on {len(pages)} buttons in {_READING_S:.0f} s"
            raise SweepbotError(why, hint="close other programs, and play again") from error
    said = done.stdout.split(_END_OF_PAGE)[: len(pages)]
    if done.returncode or len(said) < len(pages):
        why = done.stderr.strip().rpartition("\n")[-1]
        raise SweepbotError(f"Tesseract cannot read buttons: {why}", hint="is its English data installed?")
    return [_plain(one) for one in said]


def _plain(text: str) -> str:
    """Return the words of a text, in small letters without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(re.findall(r"[a-z]+", "".join(one for one in letters if not unicodedata.combining(one))))


def _without_rim(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Cut off the outermost lines of a control that are a rim: nearly all of their pixels differ from its ground."""
    ground = float(np.median(grey))
    is_other = np.abs(grey.astype(np.float64) - ground) > _RIM_LEVELS
    is_rim = [is_other.mean(axis=axis) > _RIM_SHARE for axis in (1, 0)]
    inside = []
    for lines in is_rim:
        ends = (next((n for n, rim in enumerate(side[:_MAX_RIM_PX]) if not rim), 0) for side in (lines, lines[::-1]))
        first, last = ends
        inside.append(slice(first, len(lines) - last))
    return grey[inside[0], inside[1]]
