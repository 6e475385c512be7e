"""The title of a client's windows, as far as it stays the same."""

import re
from collections.abc import Sequence
from itertools import combinations

_WORD = re.compile("[^\\s\ufffd]+")  # characters that could not be decoded are no part of a word
_BETWEEN = " -\u2013\u2014:|()[]*"  # separators of words in titles
_MIN_LETTERS = 4  # fewer may be part of any title


def lasting_title(titles: Sequence[str]) -> str:
    """Return the longest run of words that all titles share; empty if it is too short to mean anything.

    Words with digits are left out, as a level, a time or a version may change.
    """
    words = _WORD.findall(titles[0]) if titles else []
    runs = (" ".join(words[start:stop]).strip(_BETWEEN) for start, stop in combinations(range(len(words) + 1), 2))
    lasting = [run for run in runs if not any(map(str.isdigit, run)) and all(run in title for title in titles)]
    longest = max(lasting, key=len, default="")
    return longest if sum(map(str.isalpha, longest)) >= _MIN_LETTERS else ""
