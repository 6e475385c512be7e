import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sweepbot.errors import SweepbotError, UsageError
from sweepbot.level import FirstClick, Level
from sweepbot.simulate import Deals, ListedDeals, Record, SeededDeals, resume, simulate
from tools.places import PROJECT

GAMES = SeededDeals(Level.parse("6x6/6"), FirstClick.SAFE, 40, seed=5)

LONG_RUN = """
import sys
from pathlib import Path
from sweepbot.level import FirstClick, Level
from sweepbot.simulate import SeededDeals, resume, simulate
deals = SeededDeals(Level.parse("16x16/40"), FirstClick.SAFE, 10**6)
for record in resume(Path(sys.argv[1]), deals, "exact", lambda rest: simulate(rest, "exact")):
    pass
"""


def outcomes(records: list[Record]) -> str:
    return "".join("01"[record.won] for record in records)


def played(journal: Path, deals: Deals = GAMES) -> list[Record]:
    """The games of a run that plays whatever its journal does not have."""
    return list(resume(journal, deals, "exact", lambda rest: simulate(rest, "exact")))


def untouched(_: Deals) -> Iterator[Record]:
    pytest.fail("a game was played")


def test_killed_run_continues(tmp_path: Path) -> None:
    """A run killed in mid-game continues and ends as if never interrupted."""
    journal = tmp_path / "run.jsonl"
    with subprocess.Popen([sys.executable, "-c", LONG_RUN, journal], cwd=PROJECT) as run:
        while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
            assert run.poll() is None
        run.kill()
    kept = journal.read_bytes().count(b"\n") - 1
    deals = SeededDeals(Level.parse("16x16/40"), FirstClick.SAFE, kept + 10)
    missing: list[Deals] = []

    def play(rest: Deals) -> Iterator[Record]:
        missing.append(rest)
        return simulate(rest, "exact")

    continued = list(resume(journal, deals, "exact", play))
    assert [len(rest) for rest in missing] == [10]
    assert outcomes(continued) == outcomes(list(simulate(deals, "exact")))
    assert list(resume(journal, deals, "exact", untouched)) == continued


def test_half_a_line_is_dropped(tmp_path: Path) -> None:
    """Wherever its last line breaks off, a continued journal has each game once."""
    journal = tmp_path / "run.jsonl"
    whole = played(journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    for kept in (1, len(lines[-1]) // 2, len(lines[-1]) - 1):
        journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:kept])
        assert outcomes(played(journal)) == outcomes(whole)
        assert journal.read_bytes().count(b"\n") == len(GAMES) + 1
    for kept in (0, 1, len(lines[0]) - 1):
        journal.write_bytes(lines[0][:kept])
        assert outcomes(played(journal)) == outcomes(whole)


def test_more_games_go_on_from_fewer(tmp_path: Path) -> None:
    """A finished run can be extended; asking for fewer games replays none."""
    journal = tmp_path / "run.jsonl"
    few = GAMES.part(range(10))
    first = played(journal, few)
    all_of_them = played(journal)
    assert all_of_them[:10] == first
    assert outcomes(all_of_them) == outcomes(list(simulate(GAMES, "exact")))
    assert list(resume(journal, few, "exact", untouched)) == first


@pytest.mark.parametrize(
    ("deals", "method", "said"),
    [
        (GAMES, "single-point", "method exact, not single-point"),
        (SeededDeals(Level.parse("6x6/6"), FirstClick.SAFE, 40, seed=6), "exact", "'seed': 5"),
        (SeededDeals(Level.parse("6x6/6"), FirstClick.OPEN, 40, seed=5), "exact", "'rule': 'safe'"),
        (SeededDeals(Level.parse("6x6/7"), FirstClick.SAFE, 40, seed=5), "exact", "'level': '6x6/6'"),
    ],
)
def test_journal_of_another_run_is_refused(tmp_path: Path, deals: Deals, method: str, said: str) -> None:
    """A journal is continued only by its own run, and stays as it is."""
    journal = tmp_path / "run.jsonl"
    played(journal)
    before = journal.read_bytes()
    with pytest.raises(UsageError, match=said):
        list(resume(journal, deals, method, untouched))
    assert journal.read_bytes() == before


def test_other_boards_are_another_run(tmp_path: Path) -> None:
    """Files of boards are identified by their content."""
    journal, boards = tmp_path / "run.jsonl", tmp_path / "boards.jsonl"
    for mine in (2, 3):
        boards.write_text(json.dumps({"w": 5, "h": 1, "mines": [[mine, 0]], "first": [0, 0]}))
        if mine == 2:
            played(journal, ListedDeals.read(boards))
    with pytest.raises(UsageError, match="sha256"):
        list(resume(journal, ListedDeals.read(boards), "exact", untouched))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda lines: [*lines[:3], b"{}\n", *lines[4:]], r"run\.jsonl:4: not a line"),
        (lambda lines: [*lines[:3], *lines[4:]], r"run\.jsonl:4: game 3 instead of game 2"),
        (lambda lines: [*lines, lines[-1]], r"run\.jsonl:42: game 39 instead of game 40"),
        (lambda _: [b"something else\n"], r"run\.jsonl:1: not a line"),
    ],
)
def test_damaged_journal_is_refused(tmp_path: Path, damage: object, said: str) -> None:
    """A broken, missing or repeated line is named, and nothing is overwritten."""
    assert callable(damage)
    journal = tmp_path / "run.jsonl"
    played(journal)
    journal.write_bytes(b"".join(damage(journal.read_bytes().splitlines(keepends=True))))
    before = journal.read_bytes()
    with pytest.raises(SweepbotError, match=said):
        list(resume(journal, GAMES, "exact", untouched))
    assert journal.read_bytes() == before


def test_two_runs_do_not_share_a_journal(tmp_path: Path) -> None:
    """While one run writes a journal a second is refused; afterwards it continues it."""
    journal = tmp_path / "run.jsonl"
    first = resume(journal, GAMES, "exact", lambda rest: simulate(rest, "exact"))
    begun = next(iter(first))
    with pytest.raises(SweepbotError, match="another run is writing"):
        played(journal)
    assert [begun, *first] == played(journal)


def test_journal_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A missing folder is reported before a game is played."""
    with pytest.raises(SweepbotError, match="cannot be written"):
        list(resume(tmp_path / "missing" / "run.jsonl", GAMES, "exact", untouched))
