"""What many stories begin with is looked at once: most of their time is finding boards and judging their cells."""

import pickle
from collections import OrderedDict
from collections.abc import Callable
from copy import copy
from hashlib import blake2b
from typing import TypeVar

from sweepbot.geometry import Image
from sweepbot.vision.first_sight.network import Network
from sweepbot.vision.reader import Reader

_Eye = TypeVar("_Eye")
_Seen = TypeVar("_Seen")


def _looked_once(
    look: Callable[[_Eye, Image], _Seen], settings: Callable[[_Eye], object], max_kept: int
) -> Callable[[_Eye, Image], _Seen]:
    """Keep what was last seen in pictures, by the picture and all that it is looked at with; errors are not kept."""
    kept = OrderedDict[bytes, _Seen]()

    def look_once(self: _Eye, image: Image) -> _Seen:
        key = blake2b(pickle.dumps((settings(self), image))).digest()
        if key not in kept:
            kept[key] = look(self, image)
        kept.move_to_end(key)
        if len(kept) > max_kept:
            kept.popitem(last=False)
        return copy(kept[key])

    return look_once


READ_ALL_ONCE = _looked_once(Reader.read_all, lambda reader: (type(reader).__name__, vars(reader)), max_kept=64)
"""Boards take up to a megabyte."""

JUDGE_ONCE = _looked_once(Network.judge, lambda _: None, max_kept=1024)
"""There is one network, and what it says of a board takes up to 30 kB."""
