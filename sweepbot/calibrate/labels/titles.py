"""What of the title of a client's window stays, whatever game is on its board."""

import re
from collections.abc import Iterator, Sequence

_WORD = re.compile("[^\\s\ufffd]+")  # what could not be decoded is no part of a word
_BETWEEN = " -\u2013\u2014:|()[]*"  # what parts words in titles
_LEAST_LETTERS = 4  # fewer may be a part of any title


def lasting_title(titles: Sequence[str]) -> str:
    """The longest run of words that is in all titles; empty where that tells nothing.

    Words with digits are left out: a level, a time or a version may be another tomorrow.
    """
    runs = [run for run in _runs(titles[0] if titles else "") if all(run in title for title in titles)]
    longest = max(runs, key=len, default="")
    return longest if sum(map(str.isalpha, longest)) >= _LEAST_LETTERS else ""


def _runs(title: str) -> Iterator[str]:
    """All runs of words without digits."""
    words = list(_WORD.finditer(title))
    for number, first in enumerate(words):
        for last in words[number:]:
            run = title[first.start() : last.end()]
            if re.search("[\\d\ufffd]", run):
                break
            yield run.strip(_BETWEEN)
