"""Marks over another program's window on Windows, which leaves them out of its pictures of the screen."""

import ctypes
import struct
from collections.abc import Sequence
from ctypes import wintypes
from threading import Event, Thread

import numpy as np

from sweepbot.desktop.overlay import Overlay
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.win32.api import Handle, Win32, library
from sweepbot.desktop.windows import WindowId
from sweepbot.errors import DesktopError
from sweepbot.geometry import Image, Region

_PICTURE = 0x80000000 | 0xE  # WS_POPUP, SS_BITMAP: the system's own class of windows that show a picture
_PASSIVE = 0x80000 | 0x20 | 0x80 | 0x8000000  # WS_EX_LAYERED, _TRANSPARENT, _TOOLWINDOW, _NOACTIVATE
_OPAQUE = 2  # LWA_ALPHA
_EXCLUDE_FROM_CAPTURE = 0x11  # WDA_EXCLUDEFROMCAPTURE
_SET_IMAGE = 0x172  # STM_SETIMAGE
_NEXT, _PREVIOUS = 2, 3  # GW_HWNDNEXT, GW_HWNDPREV
_NO_SIZE_NO_MOVE, _NO_FOCUS, _SHOW = 0x1 | 0x2, 0x10, 0x40  # SWP_NOSIZE, SWP_NOMOVE, SWP_NOACTIVATE, SWP_SHOWWINDOW
_ANY_INPUT, _REMOVE = 0x4FF, 1  # QS_ALLINPUT, PM_REMOVE
_ORDER_MS = 50  # between two looks at whether the marks are still above their window


class Win32Overlay(Win32, Overlay):
    """A window that consists of marks. See `Overlay`.

    It is not owned by the window that it marks: Windows would then tie that program's input to this one's.

    Raises:
        DesktopError: No window can be opened.
    """

    def __init__(self) -> None:
        super().__init__()
        self._gdi = library("gdi32")
        self._user.CreateWindowExW.restype = wintypes.HWND
        self._user.SendMessageW.argtypes = (wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPARAM)
        self._user.SendMessageW.restype = self._gdi.CreateDIBSection.restype = wintypes.LPARAM
        self._gdi.ExtCreateRegion.restype = wintypes.HRGN
        self._marks = wintypes.HWND()
        self._beneath: Handle | None = None
        self._is_closed = False
        opened = Event()
        self._thread = Thread(target=self._live, args=(opened,), daemon=True)
        self._thread.start()
        opened.wait()
        if not self._marks:
            raise DesktopError("Windows opens no window for marks")

    def exclude_from_capture(self) -> bool:
        """Ask for pictures of the screen without the marks; whether Windows says that it will (10, version 2004)."""
        return bool(self._user.SetWindowDisplayAffinity(self._marks, _EXCLUDE_FROM_CAPTURE))

    def show(self, marks: Sequence[Frame], window: WindowId) -> None:
        if not marks:
            self.hide()
            return
        regions = [mark.region for mark in marks]
        board = Region.spanning(regions)
        wide = Region(board.x, board.y, board.width + -board.width % 4, board.height)  # rows of bitmaps are whole words
        picture = Frame(np.zeros((wide.height, wide.width, 3), dtype=np.uint8), wide)
        for mark in marks:
            picture.part(mark.region)[:] = mark.image
        earlier = self._user.SendMessageW(self._marks, _SET_IMAGE, 0, self._bitmap(picture.image))
        self._gdi.DeleteObject(wintypes.HGDIOBJ(earlier))
        shape = self._shape([region.moved(-board.origin) for region in regions])
        self._user.SetWindowRgn(self._marks, wintypes.HRGN(shape), True)  # noqa: FBT003  (Win32's order)
        self._beneath = window
        place = (wide.x, wide.y, wide.width, wide.height)
        self._user.SetWindowPos(self._marks, self._above(window), *place, _NO_FOCUS | _SHOW)

    def hide(self) -> None:
        self._beneath = None
        self._user.ShowWindow(self._marks, 0)

    def without_marks(self, frame: Frame) -> Frame:
        """See `Overlay.without_marks`: Windows has left them out."""
        return frame

    def close(self) -> None:
        self._is_closed = True
        self._thread.join()

    def _live(self, opened: Event) -> None:
        """Open the window, let it answer the system, and keep it above the one that it marks."""
        place = (0, 0, 1, 1)
        self._marks = wintypes.HWND(
            self._user.CreateWindowExW(_PASSIVE, "Static", None, _PICTURE, *place, None, None, None, None)
        )
        self._user.SetLayeredWindowAttributes(self._marks, 0, 255, _OPAQUE)
        opened.set()
        message = wintypes.MSG()
        while not self._is_closed:
            self._user.MsgWaitForMultipleObjects(0, None, False, _ORDER_MS, _ANY_INPUT)  # noqa: FBT003  (Win32's order)
            while self._user.PeekMessageW(ctypes.byref(message), None, 0, 0, _REMOVE):
                self._user.DispatchMessageW(ctypes.byref(message))
            beneath = self._beneath
            if beneath is not None and self._user.GetWindow(self._marks, _NEXT) != beneath and self.exists(beneath):
                self._user.SetWindowPos(self._marks, self._above(beneath), 0, 0, 0, 0, _NO_SIZE_NO_MOVE | _NO_FOCUS)
        self._user.DestroyWindow(self._marks)

    def _above(self, window: Handle) -> wintypes.HWND:
        """Return what is above a window and its marks, to put these behind that; null, the top, if nothing is."""
        above = self._user.GetWindow(wintypes.HWND(window), _PREVIOUS)
        if above == self._marks.value:  # nothing can be put behind itself
            above = self._user.GetWindow(self._marks, _PREVIOUS)
        return wintypes.HWND(above)

    def _bitmap(self, picture: Image) -> Handle:
        """Make a bitmap of a picture, whose width is a multiple of 4."""
        height, width = picture.shape[:2]
        header = struct.pack("IiiHH6I", 40, width, -height, 1, 24, 0, 0, 0, 0, 0, 0)  # BITMAPINFOHEADER, the top first
        pixels = ctypes.c_void_p()
        bitmap: Handle = self._gdi.CreateDIBSection(None, header, 0, ctypes.byref(pixels), None, 0)
        ctypes.memmove(pixels, picture.tobytes(), picture.nbytes)
        return bitmap

    def _shape(self, regions: Sequence[Region]) -> Handle:
        """Make a region that consists of others; the window that gets it keeps it."""
        sides = [(it.x, it.y, it.right, it.bottom) for it in regions]
        whole = Region.spanning(regions)
        header = struct.pack("4I4i", 32, 1, len(sides), 0, 0, 0, whole.right, whole.bottom)  # RGNDATAHEADER
        data = header + np.array(sides, dtype=np.int32).tobytes()
        shape: Handle = self._gdi.ExtCreateRegion(None, len(data), data)
        return shape
