"""A picture that many stories begin with is searched for its boards once: most of their time is this search."""

import pickle
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b

from sweepbot.geometry import Image
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading

_MAX_KEPT = 64
"""Pictures, whose boards take up to a megabyte."""


def _found_once(search: Callable[[Reader, Image], list[Reading]]) -> Callable[[Reader, Image], list[Reading]]:
    """Keep what `Reader.read_all` has found, by the picture and all that it is read with; errors are not kept."""
    kept = OrderedDict[bytes, list[Reading]]()

    def read_all(self: Reader, image: Image) -> list[Reading]:
        key = blake2b(pickle.dumps((type(self).__name__, vars(self), image))).digest()
        if key not in kept:
            kept[key] = search(self, image)
        kept.move_to_end(key)
        if len(kept) > _MAX_KEPT:
            kept.popitem(last=False)
        return list(kept[key])

    return read_all


READ_ALL_ONCE = _found_once(Reader.read_all)
