"""Combinations of parameters, most of which only run each night."""

from collections.abc import Iterable
from itertools import product

import pytest
from _pytest.mark.structures import ParameterSet


def at_night(*cases: object) -> list[ParameterSet]:
    """Cases of a test that only run each night: each a tuple of its parameters, or its only parameter."""
    marks = [pytest.mark.nightly]
    return [pytest.param(*case if isinstance(case, tuple) else [case], marks=marks) for case in cases]


def by_turns(*axes: Iterable[object], one_in: int = 2) -> list[ParameterSet]:
    """Every combination of some values, of which one in `one_in` runs always and the rest `nightly`.

    Values are taken by turns: each stays in use if another axis has at least `one_in` values. With three axes and
    `one_in=2`, so does every pair of values of two axes.
    """
    combined = product(*(list(enumerate(axis)) for axis in axes))
    return [
        pytest.param(
            *(value for _, value in combination),
            marks=[pytest.mark.nightly] if sum(number for number, _ in combination) % one_in else [],
        )
        for combination in combined
    ]
