"""Learns a hundred generated skins in memory: nearly all are learned, and none wrongly."""

from collections import Counter

import pytest

from sweepbot.errors import SweepbotError
from sweepbot.level import Level
from tests.standins.skins import Skin, SkinDesktop, learn, mislabelled

pytestmark = pytest.mark.bench

SKINS = 100
MIN_LEARNED = 98


def test_a_hundred_skins_are_learned() -> None:
    """At least 98 of 100 skins are learned, none with a wrong label; the others are refused."""
    outcomes: Counter[str] = Counter()
    for seed in range(SKINS):
        desktop = SkinDesktop(Skin.of(seed), Level.parse("9x9/12"))
        try:
            learned = learn(desktop, 15)
        except SweepbotError as error:
            outcomes["refused"] += 1
            print(f"seed {seed} refused: {error}")  # noqa: T201  (a bench reports)
            continue
        wrong = mislabelled(desktop, learned)
        outcomes["wrong" if wrong else "learned"] += 1
        print(f"seed {seed}: {learned.games} games, {len(learned.labels)} states; wrong: {wrong}")  # noqa: T201
    print(dict(outcomes))  # noqa: T201
    assert outcomes["wrong"] == 0
    assert outcomes["learned"] >= MIN_LEARNED
