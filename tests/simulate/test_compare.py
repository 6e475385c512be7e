import sys

import pytest

from sweepbot.errors import SweepbotError, UsageError
from sweepbot.extras import load
from sweepbot.level import FirstClick, Level
from sweepbot.simulate import Record, SeededDeals, Summary, compare, simulate, summarise
from sweepbot.simulate.summary import paired


def run(outcomes: str) -> Summary:
    return summarise(Record(won == "1", 0, lost_on_certain=False, milliseconds=1.0) for won in outcomes)


def test_counts_pairs() -> None:
    """Only boards that one method wins and the other loses make a difference."""
    found = compare(run("1101100"), run("1000101"))
    assert (found.games, found.only_first, found.only_second) == (7, 2, 1)
    assert found.difference == pytest.approx(1 / 7)
    back = compare(run("1000101"), run("1101100"))
    assert back.difference == -found.difference
    assert back.ci95 == pytest.approx((-found.ci95[1], -found.ci95[0]))


def test_interval_by_hand() -> None:
    """With 20 against 10 of 98 boards, half a game is added to each of four outcomes: 10 of 100, +-10.6."""
    # b = 20.5, c = 10.5, n = 100: variance (31 - 1) / 100**2, so 0.10 +- 1.95996 * 0.0547723.
    assert paired(20, 10, 98) == pytest.approx((0.10 - 0.107352, 0.10 + 0.107352), abs=1e-6)


def test_no_difference_is_in_the_interval_of_equals() -> None:
    """A method compared with itself differs by 0, within a narrow interval."""
    low, high = compare(run("1100" * 50), run("1100" * 50)).ci95
    assert -0.02 < low < 0 < high < 0.02


def test_different_numbers_of_games_are_an_error() -> None:
    """Runs of different lengths cannot be compared."""
    with pytest.raises(UsageError, match="2 and 3 games"):
        compare(run("10"), run("101"))


def test_methods_play_the_same_boards() -> None:
    """A stronger method wins every board that a weaker one wins without a guess."""
    deals = SeededDeals(Level.parse("9x9/10"), FirstClick.OPEN, 40)
    weak, strong = list(simulate(deals, "single-point")), list(simulate(deals, "exact"))
    surely_won = [record.won and not record.guesses for record in weak]
    assert sum(surely_won) > 5
    assert all(record.won and not record.guesses for record, sure in zip(strong, surely_won, strict=True) if sure)
    assert compare(summarise(strong), summarise(weak)).difference > 0


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """If an optional package is missing, the error says what installs it."""
    monkeypatch.setitem(sys.modules, "ms_toollib", None)
    with pytest.raises(SweepbotError, match="needs the package ms_toollib") as error:
        load("ms_toollib", "videos")
    assert error.value.hint == "python3 -m pip install 'sweepbot[videos]'"
