"""A window behind all others that logs every click on it: `python -m tools.live.witness FILE`."""

import sys
from pathlib import Path
from typing import Any

from sweepbot.desktop.x11.connection import xlib_opening


def main() -> None:
    """Cover the whole screen below everything, and write a line for each press."""
    with xlib_opening():
        from Xlib import X, display  # noqa: PLC0415  (it opens the display)

        screen: Any = display.Display()

    root = screen.screen().root
    size = root.get_geometry()
    window = root.create_window(
        0,
        0,
        size.width,
        size.height,
        0,
        screen.screen().root_depth,
        override_redirect=True,
        background_pixel=0x335577,
        event_mask=X.ButtonPressMask,
    )
    window.map()
    window.configure(stack_mode=X.Below)
    screen.sync()
    with Path(sys.argv[1]).open("w", encoding="ascii", buffering=1) as seen:
        seen.write("ready\n")
        while True:
            event = screen.next_event()
            if event.type == X.ButtonPress:
                seen.write(f"{event.root_x} {event.root_y}\n")


if __name__ == "__main__":
    main()
