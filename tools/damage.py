"""Damages files as accidents and strangers do, the same for the same seed."""

import json
import random
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import yaml

Bytes: TypeAlias = Callable[[bytes, random.Random], bytes]
"""Returns a damaged copy of a file's content."""

_STRANGE: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 7, 60, 10**6, 2**31, 2**63, 10**25, -(10**25), 0.5, -0.5, 1e300, -1e300),
    *("", "yesterday", "\x1b[31m\x1b]0;owned\x07", "../../etc/passwd", "\0", "9x9/10", "1" * 5000),
    *([], [[]], [-1, -1], [0] * 7, {}, {"key": []}),
)
"""Values that stand where others were."""


def bytes_changed(data: bytes, rng: random.Random) -> bytes:
    """Flip, cut, repeat or insert some bytes."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if not changed:
            break
        at = rng.randrange(len(changed))
        match rng.randrange(5):
            case 0:
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                changed[at] = rng.randrange(256)
            case 2:
                del changed[at : at + rng.choice((1, 2, 100))]
            case 3:
                changed[at:at] = changed[at : at + rng.choice((1, 2, 100))]
            case 4:
                changed[at:at] = rng.randbytes(rng.choice((1, 4, 50)))
    return bytes(changed[: rng.randrange(len(changed) + 1)] if rng.random() < 0.1 else changed)


def _places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401  (JSON)
    """The way to every value inside another."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*above, key)
        yield from _places(part, (*above, key))


def value_changed(value: Any, rng: random.Random) -> Any:  # noqa: ANN401  (JSON)
    """Remove, rename, retype, repeat or change a value somewhere inside another; `value` itself is changed."""
    places = list(_places(value))
    if not places:
        return rng.choice(_STRANGE)
    *way, key = rng.choice(places)
    parent = value
    for step in way:
        parent = parent[step]
    match rng.randrange(6):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, dict):
            parent[rng.choice(("", "x", str(key).upper(), "\x1b[2J"))] = parent.pop(key)
        case 2 if isinstance(parent[key], int | float) and not isinstance(parent[key], bool):
            parent[key] = rng.choice((-parent[key], parent[key] + 60, parent[key] * 1000, str(parent[key])))
        case 3 if isinstance(parent, list):
            parent.insert(key, parent[key])
        case 4 if isinstance(parent[key], str):
            parent[key] = rng.choice((parent[key] + "\x1b[31m", parent[key][:-1], parent[key] * 2, "#" + parent[key]))
        case _:
            parent[key] = rng.choice(_STRANGE)
    return value


def json_changed(data: bytes, rng: random.Random) -> bytes:
    """Change values in a JSON object, keeping it valid JSON."""
    value = json.loads(data)
    for _ in range(rng.choice((1, 1, 1, 3))):
        value = value_changed(value, rng)
    return json.dumps(value).encode()


def lines_changed(data: bytes, rng: random.Random) -> bytes:
    """Change values in, drop, repeat or move some lines of JSON."""
    lines = data.splitlines()
    for _ in range(rng.choice((1, 1, 3))):
        at = rng.randrange(len(lines))
        match rng.randrange(6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case _:
                lines[at] = json.dumps(value_changed(json.loads(lines[at]), rng)).encode()
    return b"\n".join([*lines, b""])


def yaml_changed(data: bytes, rng: random.Random) -> bytes:
    """Change values in a YAML file, keeping it valid YAML."""
    value = yaml.safe_load(data)
    for _ in range(rng.choice((1, 1, 1, 3))):
        value = value_changed(value, rng)
    return yaml.safe_dump(value, allow_unicode=True).encode()


def png(width: int, height: int, *, text: int = 0) -> bytes:
    """A black PNG of this size; with a comment of so many bytes."""
    row = bytes(1 + (width + 7) // 8)
    packer = zlib.compressobj(9)
    packed = b"".join([*(packer.compress(row) for _ in range(height)), packer.flush()])
    chunks = [b"IHDR" + struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)]
    if text:
        chunks.append(b"zTXtComment\0\0" + zlib.compress(b"x" * text, 9))
    chunks += [b"IDAT" + packed, b"IEND"]
    framed = [struct.pack(">I", len(of) - 4) + of + struct.pack(">I", zlib.crc32(of)) for of in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


def damage(file: Path, how: Bytes, rng: random.Random) -> None:
    """Damage a file in its place."""
    file.write_bytes(how(file.read_bytes(), rng))
