"""The table of kinds: every way in which skins, and the pictures taken of them, may differ.

A kind is a function with a group, a weight and a sentence, its docstring. Who meets a look that is not read adds a
kind here, not a branch to the reader.
"""

import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

_REGISTRY: list["Kind"] = []
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which pictures of boards may differ.

    Attributes:
        group: Which question it answers, like "hidden tiles".
        name: The name of its function.
        weight: Its share within its group; in a group of which several may occur at once, its chance in percent.
        idea: What it draws, in a sentence.
        make: The function; each group says what it takes and returns.
    """

    group: str
    name: str
    weight: float
    idea: str
    make: Callable[..., Any]


def kind(group: str, weight: float) -> Callable[[_Function], _Function]:
    """Add a function to the table."""

    def register(function: _Function) -> _Function:
        idea = (function.__doc__ or "").splitlines()[0]
        _REGISTRY.append(Kind(group, function.__name__, weight, idea, function))
        return function

    return register


class Kinds:
    """The table, or a part of it.

    Args:
        without: Names of kinds, or of whole groups, that are left out, as to measure what they are worth.

    Raises:
        ValueError: There is no kind or group of such a name.
    """

    def __init__(self, without: Collection[str] = ()) -> None:
        known = {kind.name for kind in _REGISTRY} | {kind.group for kind in _REGISTRY}
        if unknown := set(without) - known:
            raise ValueError(f"no kind of skin is called {sorted(unknown)}; there are {sorted(known)}")
        self.all = [kind for kind in _REGISTRY if kind.name not in without and kind.group not in without]

    def one(self, rng: random.Random, group: str) -> Callable[..., Any]:
        """Pick one kind of a group by weight."""
        kinds = [kind for kind in self.all if kind.group == group]
        return rng.choices(kinds, [kind.weight for kind in kinds])[0].make

    def some(self, rng: random.Random, group: str) -> Iterator[Callable[..., Any]]:
        """Pick any number of kinds of a group, each by its own chance."""
        return (kind.make for kind in self.all if kind.group == group and 100 * rng.random() < kind.weight)
