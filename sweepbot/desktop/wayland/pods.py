"""PipeWire's plain old data (POD), in which formats are negotiated: values, choices and objects with size and type."""

import struct
from collections.abc import Mapping

INT, RECTANGLE, FRACTION = 4, 10, 11
"""Types of values: one word of four bytes, or two."""

_ID, _OBJECT, _CHOICE = 3, 15, 19
_RANGE, _ANY_OF, _FLAGS = 1, 3, 4
_HEADER = struct.Struct("=II")
_ALIGNMENT_BYTES = 8


def enum(value: int) -> bytes:
    """Encode an enumerated value (SPA_TYPE_Id)."""
    return _pod(_ID, struct.pack("=I", value))


def any_of(*values: int) -> bytes:
    """Encode a choice of enumerated values, the first preferred."""
    return _choice(_ANY_OF, _ID, [struct.pack("=I", value) for value in (values[0], *values)])


def flags(bits: int) -> bytes:
    """Encode a choice of any of these bits."""
    return _choice(_FLAGS, INT, [struct.pack("=I", bits)])


def between(kind: int, preferred: tuple[int, ...], least: tuple[int, ...], most: tuple[int, ...]) -> bytes:
    """Encode a range of values of a type; each value is given as its words."""
    return _choice(_RANGE, kind, [struct.pack(f"={len(value)}I", *value) for value in (preferred, least, most)])


def make_object(kind: int, param: int, properties: Mapping[int, bytes]) -> bytes:
    """Encode an object of a type, describing a parameter by properties."""
    body = b"".join(_HEADER.pack(key, 0) + value for key, value in properties.items())
    return _pod(_OBJECT, _HEADER.pack(kind, param) + body)


def properties(pod: bytes) -> dict[int, tuple[int, ...]]:
    """Decode an object into the words of each property; a choice counts as its first value."""
    found: dict[int, tuple[int, ...]] = {}
    at = 2 * _HEADER.size
    while at < len(pod):
        key, _ = _HEADER.unpack_from(pod, at)
        size, kind = _HEADER.unpack_from(pod, at + _HEADER.size)
        body = at + 2 * _HEADER.size
        at = body + _padded(size)
        if kind == _CHOICE:
            size, _ = _HEADER.unpack_from(pod, body + _HEADER.size)
            body += 2 * _HEADER.size
        found[key] = struct.unpack_from(f"={size // 4}I", pod, body)
    return found


def length(header: bytes) -> int:
    """Return the size in bytes, header included, of the value with this header of eight bytes."""
    return _HEADER.size + int(_HEADER.unpack(header)[0])


def _choice(how: int, kind: int, values: list[bytes]) -> bytes:
    return _pod(_CHOICE, _HEADER.pack(how, 0) + _HEADER.pack(len(values[0]), kind) + b"".join(values))


def _pod(kind: int, body: bytes) -> bytes:
    return _HEADER.pack(len(body), kind) + body.ljust(_padded(len(body)), b"\0")


def _padded(size: int) -> int:
    return (size + _ALIGNMENT_BYTES - 1) // _ALIGNMENT_BYTES * _ALIGNMENT_BYTES
