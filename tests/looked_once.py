"""What many tests begin with is looked at once: most of their time is finding boards and judging their cells."""

import pickle
from collections import OrderedDict
from collections.abc import Callable
from copy import copy
from hashlib import blake2b
from typing import ParamSpec, TypeVar

from sweepbot.geometry import Image
from sweepbot.vision.boards import boards_in
from sweepbot.vision.first_sight.network import Network
from sweepbot.vision.places.offset import Known

_Given = ParamSpec("_Given")
_Seen = TypeVar("_Seen")


def _looked_once(
    look: Callable[_Given, _Seen], decisive: Callable[..., object], max_kept: int
) -> Callable[_Given, _Seen]:
    """Keep what was last seen, by all that decides on it; errors are not kept."""
    kept = OrderedDict[bytes, _Seen]()

    def look_once(*given: _Given.args, **named: _Given.kwargs) -> _Seen:
        key = blake2b(pickle.dumps(decisive(*given, **named))).digest()
        if key not in kept:
            kept[key] = look(*given, **named)
        kept.move_to_end(key)
        if len(kept) > max_kept:
            kept.popitem(last=False)
        return copy(kept[key])

    return look_once


def _seen_with(image: Image, known: Known, *, named: bool = False) -> object:
    looks = [(look.calibration, look.theme, look.width, look.remembered, look.light) for look in known.looks]
    return image, looks, named


BOARDS_ONCE = _looked_once(boards_in, _seen_with, max_kept=128)
"""Boards take up to a megabyte."""

JUDGE_ONCE = _looked_once(Network.judge, lambda _, lattice: lattice, max_kept=2048)
"""There is one network, and what it says of a board takes up to 30 kB."""
