"""A hundred skins drawn from seeds, learned in memory: how many, and none of them wrong."""

from collections import Counter

import pytest

from sweepbot.calibrate.live.calibrate import calibrate_live, find_board
from sweepbot.calibrate.live.touch import Times
from sweepbot.desktop.desk import Desk
from sweepbot.errors import SweepbotError
from sweepbot.level import Level
from tests.skins import Skin, SkinDesktop, mislabelled

pytestmark = pytest.mark.bench

SKINS = 100
LEAST_LEARNED = 98


def test_a_hundred_skins_are_learned() -> None:
    """At least 98 of 100 skins are learned, none with a wrong label; the others are refused."""
    outcomes: Counter[str] = Counter()
    for seed in range(SKINS):
        desktop = SkinDesktop(Skin.of(seed), Level.parse("9x9/12"))
        try:
            learned = calibrate_live(
                Desk(desktop, desktop),
                find_board(desktop.grab()),
                max_games=15,
                times=Times(quiet=0, limit=0, flash=0),
                tell=lambda _: None,
            )
        except SweepbotError as error:
            outcomes["refused"] += 1
            print(f"seed {seed} refused: {error}")  # noqa: T201  (a bench reports)
            continue
        wrong = mislabelled(desktop, learned.place, {label.state: label.pictures for label in learned.labels})
        outcomes["wrong" if wrong else "learned"] += 1
        print(f"seed {seed}: {learned.games} games, {len(learned.labels)} states; wrong: {wrong}")  # noqa: T201
    print(dict(outcomes))  # noqa: T201
    assert outcomes["wrong"] == 0
    assert outcomes["learned"] >= LEAST_LEARNED
