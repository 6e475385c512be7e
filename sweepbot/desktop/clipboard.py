"""Read the picture on the clipboard, where most screenshots go."""

from pathlib import Path

import numpy as np

from sweepbot.desktop.server import display_server, no_desktop
from sweepbot.errors import DesktopError
from sweepbot.geometry import Image

NAME = "clipboard"
"""The name shown for it in place of a file name."""


def image_on_clipboard() -> Image | Path:
    """Return the copied picture, uint8 of shape (height, width, 3) in BGR order, or the path of the copied file.

    On Linux this runs `wl-paste` (Wayland) or `xclip` (X11).

    Raises:
        DesktopError: There is no picture on the clipboard, or it cannot be read.
    """
    # Slow to load, and few commands need it.
    from PIL import Image as Pictures  # noqa: PLC0415
    from PIL import ImageGrab  # noqa: PLC0415

    if (lacking := no_desktop(display_server())) is not None:
        raise lacking
    try:
        copied = ImageGrab.grabclipboard()
    except NotImplementedError as error:
        raise DesktopError(
            f"{NAME}: cannot be read on this desktop", hint="install xclip (X11) or wl-clipboard (Wayland)"
        ) from error
    except (OSError, ValueError, Pictures.DecompressionBombError) as error:  # the tool failed, or the picture is bad
        raise DesktopError(f"{NAME}: cannot be read: {error}", hint="take the screenshot again") from error
    if isinstance(copied, list) and copied:
        return Path(copied[0])
    if not isinstance(copied, Pictures.Image):
        raise DesktopError(f"{NAME}: there is no picture on it", hint="copy a screenshot first")
    return np.ascontiguousarray(np.asarray(copied.convert("RGB"), dtype=np.uint8)[:, :, ::-1])
