"""Kinds of programs by parts of their names, in lower case; which a window belongs to, and what may be done to each."""

import re
from collections.abc import Sequence

from sweepbot.desktop.windows import WindowId, Windows
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Region

BROWSERS = ("firefox", "navigator", "chrom", "brave", "edge", "opera", "vivaldi", "safari", "epiphany", "librewolf")
"""Web browsers."""

TERMINALS = (
    *("term", "console", "konsole", "conhost", "rxvt", "kitty", "alacritty", "foot", "ghostty", "tilix", "ptyxis"),
    *("kgx", "cmd", "powershell"),
)
"""Programs in which a key may be a command."""

EDITORS = ("vim", "emacs", " code ", "edit", "kate", "kwrite", "mousepad", "notepad", "pluma")
"""Programs in which a key may change a text; a word with spaces at its sides is no part of another word."""

SHOW_PICTURES = (
    *("eog", "loupe", "feh", "gwenview", "gthumb", "geeqie", "ristretto", "nomacs", "qview", "qimgv", "sxiv", "imv"),
    *("viewnior", "xviewer", "lximage", "gpicview", "shotwell", "digikam", "display-im", "imagemagick", "photos"),
    *("irfanview", "i_view", "xnview", "honeyview", "imageglass", "preview", "picasa"),
    *("gimp", "krita", "inkscape", "paint", "pinta", "photoshop", "drawing", "darktable", "ksnip", "flameshot"),
    *("spectacle", "screenshot", "snipping", "mpv", "vlc", "mplayer", "smplayer", "totem", "celluloid", "haruna"),
    *("kodi", "dragonplayer", "ffplay", "quicktime", "wmplayer", "obs-studio", "obs64", "evince", "okular", "zathura"),
    *("xpdf", "mupdf", "atril", "xreader", "acrobat", "acrord", "soffice", "libreoffice", "winword", "powerpnt"),
)
"""Viewers and editors of pictures, players of videos, and viewers of documents: a board in them is a picture of one."""

_FILE = re.compile(r"\.(png|jpe?g|gif|bmp|webp|tiff?|svg|pdf|mp4|mkv|webm|avi|mov)\b", re.IGNORECASE)
"""In a title: the file that is shown."""


def is_of(window: WindowId | None, kinds: Sequence[str], windows: Windows) -> bool:
    """Whether a window is that of a program of a kind; a browser is not, whatever the address of its page contains.

    Chromium shows a page as an application whose name is that address.
    """
    return window in windows.of_programs(kinds) and window not in windows.of_programs(BROWSERS)


def check_client(windows: Windows, board: Region) -> None:
    """Check, before anything is clicked, that a board is in a client's window, and not in a picture of one.

    Raises:
        NoBoardFoundError: Its window is that of a program that shows pictures or edits text, or its title names a
            picture.
    """
    window = windows.under(board.centre)
    if window is None:
        return
    title = windows.title(window.id)
    if is_of(window.id, (*SHOW_PICTURES, *EDITORS), windows) or _FILE.search(title):
        raise NoBoardFoundError(
            f"the board at {board} is in a window that shows a picture or a text: nothing was clicked",
            hint=f"show the client's own window; if {title!r} is the client, name its place: --region WxH+X+Y",
        )
