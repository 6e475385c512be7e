"""The place of the pointer in a PipeWire stream, which the compositor sends beside the pictures.

The only file that uses libpipewire, which calls back from its own thread. The pictures are ignored here:
pipewire-capture is faster.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_void_p
from typing import Any

from sweepbot.desktop.wayland import pods
from sweepbot.errors import DesktopError, refused_as
from sweepbot.geometry import Point

_LIBRARY = "libpipewire-0.3.so.0"

_INPUT, _AUTOCONNECT = 0, 1
_FORMAT_KIND, _BUFFERS_KIND, _META_KIND = 0x40003, 0x40004, 0x40005
_ENUM_FORMAT, _FORMAT, _BUFFERS, _META = 3, 4, 5, 6
_MEDIA_TYPE, _MEDIA_SUBTYPE, _VIDEO_FORMAT, _VIDEO_SIZE, _VIDEO_RATE = 1, 2, 0x20001, 0x20003, 0x20004
_VIDEO, _RAW = 2, 1
_FORMATS = 8, 12, 7, 11  # BGRx, BGRA, RGBx, RGBA
_DATA_TYPE, _IN_MEMORY = 6, 1 << 1 | 1 << 2  # this process's, or shared by a descriptor; not on a graphics card
_META_TYPE, _META_SIZE, _CURSOR = 1, 2, 5
_CURSOR_BYTES, _MAX_CURSOR_BYTES = 28, 28 + 20 + 4 * 1024 * 1024  # the place alone; with an arrow of 1024x1024


class _Meta(Structure):
    _fields_ = (("type", c_uint32), ("size", c_uint32), ("memory", c_void_p))


class _Cursor(Structure):
    _fields_ = (("id", c_uint32), ("flags", c_uint32), ("x", c_int32), ("y", c_int32))


class _SpaBuffer(Structure):
    _fields_ = (("metas_count", c_uint32), ("datas_count", c_uint32), ("metas", POINTER(_Meta)))


class _Buffer(Structure):
    _fields_ = (("buffer", POINTER(_SpaBuffer)),)


_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "pw_init": (None, c_void_p, c_void_p),
    "pw_thread_loop_new": (c_void_p, c_char_p, c_void_p),
    "pw_thread_loop_get_loop": (c_void_p, c_void_p),
    **{f"pw_thread_loop_{what}": (None, c_void_p) for what in ("stop", "destroy")},
    "pw_thread_loop_start": (c_int, c_void_p),
    "pw_context_new": (c_void_p, c_void_p, c_void_p, c_size_t),
    "pw_context_connect_fd": (c_void_p, c_void_p, c_int, c_void_p, c_size_t),
    "pw_context_destroy": (None, c_void_p),
    "pw_core_disconnect": (c_int, c_void_p),
    "pw_properties_new_string": (c_void_p, c_char_p),
    "pw_stream_new": (c_void_p, c_void_p, c_char_p, c_void_p),
    "pw_stream_add_listener": (None, c_void_p, c_void_p, c_void_p, c_void_p),
    "pw_stream_connect": (c_int, c_void_p, c_int, c_uint32, c_int, c_void_p, c_uint32),
    "pw_stream_update_params": (c_int, c_void_p, c_void_p, c_uint32),
    "pw_stream_dequeue_buffer": (c_void_p, c_void_p),
    "pw_stream_queue_buffer": (c_int, c_void_p, c_void_p),
    "pw_stream_destroy": (None, c_void_p),
}
"""The return type and the argument types of each function."""

_ON_PARAM = CFUNCTYPE(None, c_void_p, c_uint32, c_void_p)
_ON_PROCESS = CFUNCTYPE(None, c_void_p)


class _Events(Structure):
    _fields_ = (
        ("version", c_uint32),
        ("destroy", c_void_p),
        ("state_changed", c_void_p),
        ("control_info", c_void_p),
        ("io_changed", c_void_p),
        ("param_changed", _ON_PARAM),
        ("add_buffer", c_void_p),
        ("remove_buffer", c_void_p),
        ("process", _ON_PROCESS),
        ("drained", c_void_p),
    )


class PointerStream:
    """A stream of a monitor or a window, of which only the pointer's place is used.

    Args:
        descriptor: The connection to PipeWire, which is closed with this object.
        node: The number of the stream.

    Raises:
        DesktopError: libpipewire is missing, or PipeWire does not answer.
    """

    def __init__(self, descriptor: int, node: int) -> None:
        self._library = functions = load_library()
        self.size: tuple[int, int] | None = None
        """Width and height of the pictures; None until they are negotiated."""
        self.pointer: Point | None = None
        """The pixel under the pointer; None if it is outside the pictures."""
        functions.pw_init(None, None)
        self._loop = _required(functions.pw_thread_loop_new(b"sweepbot", None), "loop")
        self._context = _required(
            functions.pw_context_new(functions.pw_thread_loop_get_loop(self._loop), None, 0), "context"
        )
        self._core = _required(functions.pw_context_connect_fd(self._context, descriptor, None, 0), "connection")
        about = functions.pw_properties_new_string(b"media.type=Video media.category=Capture media.role=Screen")
        self._stream = _required(functions.pw_stream_new(self._core, b"sweepbot", about), "stream")
        self._events = _Events(0, param_changed=_ON_PARAM(self._on_param), process=_ON_PROCESS(self._on_process))
        self._hook = (ctypes.c_uint64 * 6)()  # a struct spa_hook, which libpipewire fills in
        functions.pw_stream_add_listener(self._stream, self._hook, ctypes.byref(self._events), None)
        functions.pw_stream_connect(self._stream, _INPUT, node, _AUTOCONNECT, *_as_array(_wanted_format()))
        functions.pw_thread_loop_start(self._loop)

    def close(self) -> None:
        """Close the stream and the connection."""
        self._library.pw_thread_loop_stop(self._loop)
        self._library.pw_stream_destroy(self._stream)
        self._library.pw_core_disconnect(self._core)
        self._library.pw_context_destroy(self._context)
        self._library.pw_thread_loop_destroy(self._loop)

    def _on_param(self, _: int, param: int, pod: int | None) -> None:
        """Note the negotiated size, and request how pictures and the pointer's place are handed over."""
        if param != _FORMAT or not pod:
            return
        agreed = pods.properties(ctypes.string_at(pod, pods.length(ctypes.string_at(pod, 8))))
        width, height = agreed[_VIDEO_SIZE]
        self.size = width, height
        self._library.pw_stream_update_params(self._stream, *_as_array(*_wanted_buffers()))

    def _on_process(self, _: int) -> None:
        while (address := self._library.pw_stream_dequeue_buffer(self._stream)) is not None:
            buffer = _Buffer.from_address(address).buffer.contents
            for meta in buffer.metas[: buffer.metas_count]:
                if meta.type == _CURSOR:
                    cursor = _Cursor.from_address(meta.memory)
                    self.pointer = Point(cursor.x, cursor.y) if cursor.id else None
            self._library.pw_stream_queue_buffer(self._stream, address)


def _wanted_format() -> bytes:
    """Describe pictures of any size and rate, with four bytes a pixel."""
    return pods.make_object(
        _FORMAT_KIND,
        _ENUM_FORMAT,
        {
            _MEDIA_TYPE: pods.enum(_VIDEO),
            _MEDIA_SUBTYPE: pods.enum(_RAW),
            _VIDEO_FORMAT: pods.any_of(*_FORMATS),
            _VIDEO_SIZE: pods.between(pods.RECTANGLE, (1 << 14, 1 << 14), (1, 1), (1 << 14, 1 << 14)),
            _VIDEO_RATE: pods.between(pods.FRACTION, (0, 1), (0, 1), (1000, 1)),
        },
    )


def _wanted_buffers() -> tuple[bytes, bytes]:
    """Describe pictures in memory with the pointer's place beside them."""
    memory = {_DATA_TYPE: pods.flags(_IN_MEMORY)}
    size = pods.between(pods.INT, (_CURSOR_BYTES,), (_CURSOR_BYTES,), (_MAX_CURSOR_BYTES,))
    place = {_META_TYPE: pods.enum(_CURSOR), _META_SIZE: size}
    return pods.make_object(_BUFFERS_KIND, _BUFFERS, memory), pods.make_object(_META_KIND, _META, place)


def _as_array(*params: bytes) -> tuple[Any, int]:
    """Return parameters as libpipewire takes them: an array of pointers, and its length."""
    return (c_char_p * len(params))(*params), len(params)


def _required(address: int | None, what: str) -> int:
    if address is None:
        raise DesktopError(f"PipeWire gives no {what}", hint="is it running? systemctl --user status pipewire")
    return address


def load_library() -> Any:  # noqa: ANN401  (its functions have no types)
    """Load libpipewire and declare its functions.

    Raises:
        DesktopError: It is not installed.
    """
    with refused_as(DesktopError, f"playing on Wayland needs {_LIBRARY}", "sudo apt-get install libpipewire-0.3-0"):
        functions = ctypes.CDLL(_LIBRARY)
    for name, (result, *arguments) in _FUNCTIONS.items():
        getattr(functions, name).restype, getattr(functions, name).argtypes = result, arguments
    return functions
