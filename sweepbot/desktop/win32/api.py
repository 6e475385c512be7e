"""The Win32 API for windows, pointer and keyboard, with Python types.

Only this file and `overlay.py` use ctypes for it, except that the doctor asks at what scale windows are drawn.
Nothing is loaded until `Win32` is created, which is only possible on Windows.
"""

import ctypes
import sys
from collections.abc import Sequence
from ctypes import wintypes
from pathlib import PureWindowsPath
from typing import Any

from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region
from sweepbot.interrupts import uninterrupted

Handle = int
"""A window's handle. It contains a counter of the system, so that handles are not reused."""

PER_MONITOR_AWARE_V2 = -4  # DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2
_VIRTUAL_SCREEN = (76, 77, 78, 79)  # SM_XVIRTUALSCREEN, SM_YVIRTUALSCREEN, SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN
_SWAPPED_BUTTONS = 23  # SM_SWAPBUTTON
_ROOT, _OWNER = 2, 4  # GA_ROOT, GW_OWNER
_EXTENDED_STYLE, _TRANSPARENT, _LAYERED = -20, 0x20, 0x80000  # GWL_EXSTYLE, WS_EX_TRANSPARENT, WS_EX_LAYERED
_FRAME_BOUNDS, _CLOAKED = 9, 14  # DWMWA_EXTENDED_FRAME_BOUNDS, DWMWA_CLOAKED
_NEAREST_MONITOR = 2  # MONITOR_DEFAULTTONEAREST
_RESTORE = 9  # SW_RESTORE
_CLOSE = 0x10  # WM_CLOSE
_NO_ORDER_NO_FOCUS_NO_WAIT = 0x4 | 0x10 | 0x4000  # SWP_NOZORDER, SWP_NOACTIVATE, SWP_ASYNCWINDOWPOS
_LIMITED_INFORMATION = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
_SCAN_CODE = 0  # MAPVK_VK_TO_VSC
_MAX_CHARACTERS = 1024  # of a title or a path
_MOUSE, _KEYBOARD = 0, 1  # INPUT_MOUSE, INPUT_KEYBOARD
_KEY_UP = 2  # KEYEVENTF_KEYUP


class _MouseInput(ctypes.Structure):
    _fields_ = (
        ("dx", wintypes.LONG),
        ("dy", wintypes.LONG),
        ("data", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("extra", ctypes.c_size_t),
    )


class _KeyInput(ctypes.Structure):
    _fields_ = (
        ("virtual_key", wintypes.WORD),
        ("scan_code", wintypes.WORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("extra", ctypes.c_size_t),
    )


class _AnyInput(ctypes.Union):
    _fields_ = (("mouse", _MouseInput), ("key", _KeyInput))


class Input(ctypes.Structure):
    """A mouse or keyboard event: SendInput's INPUT."""

    _anonymous_ = ("what",)
    _fields_ = (("kind", wintypes.DWORD), ("what", _AnyInput))


class _MonitorInfo(ctypes.Structure):
    _fields_ = (("size", wintypes.DWORD), ("whole", wintypes.RECT), ("work", wintypes.RECT), ("flags", wintypes.DWORD))


def mouse_input(flags: int, dx: int = 0, dy: int = 0) -> Input:
    """Make a mouse event with flags MOUSEEVENTF_*, which give the meaning of dx and dy."""
    return Input(_MOUSE, _AnyInput(mouse=_MouseInput(dx, dy, 0, flags, 0, 0)))


def key_input(virtual_key: int, scan_code: int, *, is_up: bool) -> Input:
    """Make a key event: programs look at its meaning (virtual key) or its place (scan code)."""
    return Input(_KEYBOARD, _AnyInput(key=_KeyInput(virtual_key, scan_code, _KEY_UP * is_up, 0, 0)))


class Win32:
    """user32, dwmapi and kernel32. Handles of windows that have closed are accepted and give empty answers."""

    def __init__(self) -> None:
        self._user, self._kernel = library("user32"), library("kernel32")
        self._compositor = library("dwmapi")
        # ctypes would cut handles to 32 bits.
        for name in ("GetAncestor", "GetForegroundWindow", "GetWindow", "WindowFromPoint", "MonitorFromWindow"):
            getattr(self._user, name).restype = wintypes.HWND
        self._user.GetAncestor.argtypes = (wintypes.HWND, wintypes.UINT)
        self._user.GetWindow.argtypes = (wintypes.HWND, wintypes.UINT)
        self._user.WindowFromPoint.argtypes = (wintypes.POINT,)
        self._user.SendInput.argtypes = (wintypes.UINT, ctypes.POINTER(Input), ctypes.c_int)
        self._kernel.OpenProcess.restype = wintypes.HANDLE

    def windows(self) -> list[Handle]:
        """Return every window on the desktop, hidden ones too, the frontmost first."""
        found: list[Handle] = []

        def take(handle: int, _: int) -> bool:
            found.append(handle)
            return True

        with uninterrupted():  # ctypes loses exceptions raised in a callback
            self._user.EnumWindows(_enumerator(take), 0)
        return found

    def exists(self, window: Handle) -> bool:
        """Whether a window exists."""
        return bool(self._user.IsWindow(wintypes.HWND(window)))

    def is_seen(self, window: Handle) -> bool:
        """Whether a window is neither hidden, minimised, cloaked nor a transparent overlay.

        Windows on other virtual desktops and suspended Store apps are cloaked. Overlays that let clicks through are
        layered and transparent; graphics drivers put them over the whole screen.
        """
        handle = wintypes.HWND(window)
        if not self._user.IsWindowVisible(handle) or self._user.IsIconic(handle):
            return False
        cloaked = wintypes.DWORD()
        self._compositor.DwmGetWindowAttribute(handle, _CLOAKED, ctypes.byref(cloaked), ctypes.sizeof(cloaked))
        overlay = _TRANSPARENT | _LAYERED
        return not cloaked and self._user.GetWindowLongW(handle, _EXTENDED_STYLE) & overlay != overlay

    def is_minimised(self, window: Handle) -> bool:
        """Whether a window is minimised and not hidden."""
        handle = wintypes.HWND(window)
        return bool(self._user.IsWindowVisible(handle) and self._user.IsIconic(handle))

    def inside(self, window: Handle) -> Region | None:
        """Return the client area of a window; None if it is empty."""
        rectangle = wintypes.RECT()
        handle = wintypes.HWND(window)
        self._user.GetClientRect(handle, ctypes.byref(rectangle))
        self._user.MapWindowPoints(handle, None, ctypes.byref(rectangle), 2)  # may swap left and right
        return _region(rectangle)

    def outside(self, window: Handle) -> Region | None:
        """Return all of a window, with the invisible part of its frame that takes clicks; None if it is empty."""
        rectangle = wintypes.RECT()
        self._user.GetWindowRect(wintypes.HWND(window), ctypes.byref(rectangle))
        return _region(rectangle)

    def frame(self, window: Handle) -> Region | None:
        """Return the visible part of a window with its frame; None if it is empty."""
        rectangle = wintypes.RECT()
        failed = self._compositor.DwmGetWindowAttribute(
            wintypes.HWND(window), _FRAME_BOUNDS, ctypes.byref(rectangle), ctypes.sizeof(rectangle)
        )
        return self.outside(window) if failed else _region(rectangle)

    def owner(self, window: Handle) -> Handle | None:
        """Return the window that owns another one, even if it is hidden."""
        owner: Handle | None = self._user.GetWindow(wintypes.HWND(window), _OWNER)
        return owner

    def process(self, window: Handle) -> int:
        """Return the number of a window's process."""
        number = wintypes.DWORD()
        self._user.GetWindowThreadProcessId(wintypes.HWND(window), ctypes.byref(number))
        return number.value

    def executable(self, window: Handle) -> str:
        """Return the file name of a window's program; empty if it is not accessible."""
        process = self._kernel.OpenProcess(_LIMITED_INFORMATION, False, self.process(window))  # noqa: FBT003  (Win32's order)
        if not process:
            return ""
        try:
            path, length = ctypes.create_unicode_buffer(_MAX_CHARACTERS), wintypes.DWORD(_MAX_CHARACTERS)
            self._kernel.QueryFullProcessImageNameW(wintypes.HANDLE(process), 0, path, ctypes.byref(length))
        finally:
            self._kernel.CloseHandle(wintypes.HANDLE(process))
        return PureWindowsPath(path.value).name

    def title(self, window: Handle) -> str:
        """Return the title of a window; empty if it has none."""
        text = ctypes.create_unicode_buffer(_MAX_CHARACTERS)
        self._user.GetWindowTextW(wintypes.HWND(window), text, _MAX_CHARACTERS)
        return text.value

    def kind(self, window: Handle) -> str:
        """Return the name of a window's class."""
        text = ctypes.create_unicode_buffer(_MAX_CHARACTERS)
        self._user.GetClassNameW(wintypes.HWND(window), text, _MAX_CHARACTERS)
        return text.value

    def at(self, pixel: Point) -> Handle | None:
        """Return the top-level window that a click on a pixel goes to."""
        part = self._user.WindowFromPoint(wintypes.POINT(pixel.x, pixel.y))
        window: Handle | None = self._user.GetAncestor(part, _ROOT)
        return window

    def in_foreground(self) -> Handle | None:
        """Return the window that keys go to."""
        window: Handle | None = self._user.GetForegroundWindow()
        return window

    def focus(self, window: Handle) -> None:
        """Ask for the keyboard focus to move to a window."""
        # Only the process that sent the last input may do this; an empty mouse event counts. PowerToys does the same.
        self.send([mouse_input(0)])
        self._user.SetForegroundWindow(wintypes.HWND(window))

    def move(self, window: Handle, outside: Region) -> None:
        """Ask for a window, with its frame, to be moved to a region; it is no longer maximised then."""
        handle = wintypes.HWND(window)
        if self._user.IsZoomed(handle):
            self._user.ShowWindowAsync(handle, _RESTORE)
        place = (outside.x, outside.y, outside.width, outside.height)
        self._user.SetWindowPos(handle, None, *place, _NO_ORDER_NO_FOCUS_NO_WAIT)

    def dismiss(self, window: Handle) -> None:
        """Ask a window to close."""
        self._user.PostMessageW(wintypes.HWND(window), _CLOSE, 0, 0)

    def work_area(self, window: Handle) -> Region | None:
        """Return the monitor that shows most of a window, without the task bar; None if it is gone."""
        info = _MonitorInfo(ctypes.sizeof(_MonitorInfo))
        monitor = self._user.MonitorFromWindow(wintypes.HWND(window), _NEAREST_MONITOR)
        self._user.GetMonitorInfoW(wintypes.HMONITOR(monitor), ctypes.byref(info))
        return _region(info.work)

    def pointer(self) -> Point:
        """Return the pixel under the pointer.

        Raises:
            DesktopError: The desktop is not shown, as while the screen is locked.
        """
        point = wintypes.POINT()
        if not self._user.GetCursorPos(ctypes.byref(point)):
            raise _refused("does not report the pointer")
        return Point(point.x, point.y)

    def virtual_screen(self) -> Region:
        """Return the region of all monitors together."""
        return Region(*(self._user.GetSystemMetrics(index) for index in _VIRTUAL_SCREEN))

    def has_swapped_buttons(self) -> bool:
        """Whether the left and right mouse buttons are swapped."""
        return bool(self._user.GetSystemMetrics(_SWAPPED_BUTTONS))

    def scan_code(self, virtual_key: int) -> int:
        """Return the scan code of a key on the current keyboard."""
        return int(self._user.MapVirtualKeyW(virtual_key, _SCAN_CODE))

    def send(self, inputs: Sequence[Input]) -> None:
        """Send mouse and keyboard input, with none of the person's in between.

        Raises:
            DesktopError: The system accepts no input, as while the screen is locked.
        """
        if self._user.SendInput(len(inputs), (Input * len(inputs))(*inputs), ctypes.sizeof(Input)) != len(inputs):
            raise _refused("accepts no clicks and keys")


def see_real_pixels() -> None:
    """Ask Windows for real pixels on each monitor (per-monitor DPI awareness); do nothing on other systems.

    Without it Windows reports a smaller screen if it is scaled, and enlarges the program's windows. The setting is
    fixed once per process, so this is called before a screen or a window is opened.
    """
    if sys.platform == "win32":
        library("user32").SetProcessDpiAwarenessContext(ctypes.c_void_p(PER_MONITOR_AWARE_V2))


def library(name: str) -> Any:  # noqa: ANN401  (ctypes finds its functions by name)
    """Load one of Windows' libraries."""
    if sys.platform != "win32":
        raise AssertionError(f"only Windows has {name}")
    return ctypes.WinDLL(name, use_last_error=True)


def _enumerator(take: Any) -> Any:  # noqa: ANN401  (WNDENUMPROC: ctypes has no types for it)
    if sys.platform != "win32":
        raise AssertionError("only Windows has WINFUNCTYPE")
    return ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.HWND, wintypes.LPARAM)(take)


def _region(rectangle: wintypes.RECT) -> Region | None:
    left, right = sorted((rectangle.left, rectangle.right))
    top, bottom = rectangle.top, rectangle.bottom
    return Region(left, top, right - left, bottom - top) if right > left and bottom > top else None


def _refused(what: str) -> DesktopError:
    return DesktopError(
        f"Windows {what} at the moment", hint="unlock the screen, answer any request for rights, and start again"
    )
