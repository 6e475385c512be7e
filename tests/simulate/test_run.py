import itertools
import json
import multiprocessing
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.errors import SweepbotError, UsageError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.intervals import wilson
from sweepbot.level import FirstClick, Level
from sweepbot.simulate import ListedDeals, Record, SeededDeals, Summary, simulate, summarise
from sweepbot.simulate.deals import Deal
from sweepbot.simulate.match import play
from sweepbot.solver import Choice, Decision, Solver
from sweepbot.solver.decision import KnownGrounds
from tests.nightly import by_turns
from tools.places import PROJECT


def boards_file(folder: Path, *lines: object) -> Path:
    path = folder / "boards.jsonl"
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def strip(*mines: int, first: int = 0, width: int = 5) -> dict[str, object]:
    """A board of one row."""
    return {"w": width, "h": 1, "mines": [[x, 0] for x in mines], "first": [first, 0]}


def without_times(summary: Summary) -> Summary:
    return replace(summary, ms_per_game=replace(summary.ms_per_game, mean=0.0, p50=0.0, p99=0.0))


class Scripted:
    """Calls the cells of `safe` certain at once; then guesses `guess`."""

    def __init__(self, safe: list[Cell], guess: Cell | None = None) -> None:
        self.safe = safe
        self.guess = guess

    def decide(self, board: Board) -> Decision:
        safe = tuple(cell for cell in self.safe if board[cell] == State.HIDDEN)
        return Decision(
            safe=safe,
            mines=(),
            guess=None if safe or self.guess is None else Choice(self.guess, "scripted", 0.5, None),
            mine_probability=np.full(board.cells.shape, np.nan),
            exact=False,
            grounds=KnownGrounds({}),
        )


def test_seeded_games_depend_on_seed_and_number_only() -> None:
    """The same number of the same seed always has the same mines; another seed has others."""

    def mines(seed: int, number: int) -> frozenset[Cell]:
        deal = SeededDeals(Level.parse("expert"), FirstClick.OPEN, 100, seed).deal(number)
        deal.game.open(deal.first)
        return deal.game.mines

    assert mines(7, 42) == mines(7, 42)
    assert len({mines(seed, number) for seed in range(5) for number in range(5)}) == 25


@pytest.mark.parametrize("first_click", [FirstClick.SAFE, FirstClick.OPEN])
@pytest.mark.parametrize("level", ["beginner", "expert", "24x20/99", "2x1/1", "3x3/8"])
def test_first_click_keeps_its_promise(level: str, first_click: FirstClick) -> None:
    """The first cell is never a mine, and under `open` a 0 where the board has room."""
    deals = SeededDeals(Level.parse(level), first_click, 20)
    for number in range(20):
        deal = deals.deal(number)
        deal.game.open(deal.first)
        shown = deal.game.board[deal.first]
        assert shown <= 8
        if first_click is FirstClick.OPEN and deal.game.board.cells.size > 9:
            assert shown == 0


def test_listed_board_has_its_mines_where_the_file_says(tmp_path: Path) -> None:
    """Coordinates in a boards file are x, y, `first` is the first click, and blank lines are skipped."""
    board = {"w": 4, "h": 2, "mines": [[3, 0], [2, 1]], "first": [1, 1]}
    deals = ListedDeals.read(boards_file(tmp_path, board, "", "  ", strip(3), ""))
    assert len(deals) == 2
    deal = deals.deal(0)
    assert deal.first == Cell(1, 1)
    assert deal.game.mines == {Cell(0, 3), Cell(1, 2)}
    assert deal.game.board.cells.shape == (2, 4)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "truncated"),
        ("[]", "array"),
        ({"w": 5, "h": 1, "mines": []}, "first"),
        ({"w": "5", "h": 1, "mines": [], "first": [0, 0]}, "`$.w`"),
        (strip(5), "mines: [5, 0] is not on a board of 5x1"),
        (strip(1, first=-1), "first: [-1, 0] is not on a board of 5x1"),
        (strip(2, 2), "mines: [2, 0] is listed twice"),
        (strip(0, 1, 2, 3, 4), "cannot have 5 mines"),
        ({"w": 0, "h": 3, "mines": [], "first": [0, 0]}, "0x3"),
        ({"w": 5, "h": 1, "mines": [[1]], "first": [0, 0]}, "`$.mines[0]`"),
        ("\ufffd", "malformed"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, line: object, said: str) -> None:
    """An invalid line is an error with file, line and reason."""
    path = boards_file(tmp_path, strip(4), line)
    with pytest.raises(SweepbotError) as error:
        ListedDeals.read(path)
    assert str(error.value).startswith(f"{path}:2: ")
    assert said in str(error.value)


def test_file_without_boards_is_an_error(tmp_path: Path) -> None:
    """An empty file and a missing one are errors that name the file."""
    with pytest.raises(SweepbotError, match="there are no boards in it"):
        ListedDeals.read(boards_file(tmp_path, ""))
    with pytest.raises(SweepbotError, match=r"missing\.jsonl: cannot be read: No such file"):
        ListedDeals.read(tmp_path / "missing.jsonl")


def strip_deal(*mines: int, first: int = 0) -> Deal:
    return Deal(Game.with_mines(5, 1, [Cell(0, x) for x in mines]), Cell(0, first))


@pytest.mark.parametrize(
    ("mines", "solver", "expected"),
    [
        ([4], Scripted([]), (True, 0, False)),
        ([0], Scripted([]), (False, 0, False)),
        ([1, 3], Scripted([Cell(0, 4)], Cell(0, 2)), (True, 1, False)),
        ([1], Scripted([], Cell(0, 1)), (False, 1, False)),
        ([1], Scripted([Cell(0, 1)]), (False, 0, True)),
    ],
    ids=["won at once", "lost at once", "a good guess", "a bad guess", "a mine that was called safe"],
)
def test_a_game_is_recorded(mines: list[int], solver: Scripted, expected: tuple[bool, int, bool]) -> None:
    """A record tells whether the game was won, its guesses, and whether a mine was called safe."""
    record = play(strip_deal(*mines), solver)
    assert (record.won, record.guesses, record.lost_on_certain) == expected


def test_solver_without_a_move_is_an_error() -> None:
    """A solver that proposes nothing is an error that shows the board, not a hang."""
    with pytest.raises(SweepbotError, match="1####"):
        play(strip_deal(1), Scripted([]))


def test_results_known_by_hand(tmp_path: Path) -> None:
    """Boards of one row: all open at once, a mine first, one step of logic, nothing but mines left."""
    path = boards_file(tmp_path, strip(4), strip(0), strip(1, width=3), strip(1, 2, width=3))
    summary = summarise(simulate(ListedDeals.read(path)))
    assert summary.outcomes == "1011"
    assert (summary.games, summary.won, summary.win_rate, summary.no_guess_rate) == (4, 3, 0.75, 0.75)
    assert summary.lost_on_certain == 0


def test_one_of_three(tmp_path: Path) -> None:
    """On 2x2 with one mine and an open corner any play wins one of the three boards."""
    lines = [{"w": 2, "h": 2, "mines": [mine], "first": [0, 0]} for mine in ([1, 0], [0, 1], [1, 1])]
    summary = summarise(simulate(ListedDeals.read(boards_file(tmp_path, *lines))))
    assert (summary.won, summary.no_guess_rate) == (1, 0.0)


def test_single_mine_is_never_lost() -> None:
    """With one mine and an opening at the first click, no game is lost."""
    summary = summarise(simulate(SeededDeals(Level.parse("9x9/1"), FirstClick.OPEN, 50)))
    assert summary.outcomes == "1" * 50
    assert summary.no_guess_rate == 1.0


@pytest.mark.parametrize("first_click", by_turns(FirstClick, one_in=3))
def test_outcomes_do_not_depend_on_workers(first_click: FirstClick) -> None:
    """One process and two play the same games with the same results."""
    deals = SeededDeals(Level.parse("9x9/15"), first_click, 30, seed=3)
    one, two = (summarise(simulate(deals, workers=workers)) for workers in (1, 2))
    assert without_times(one) == without_times(two)
    assert 0 < one.won < 30
    assert one.lost_on_certain == 0


def test_games_do_not_depend_on_how_many_there_are() -> None:
    """The first games of a long run are those of a short one."""
    long, short = (
        summarise(simulate(SeededDeals(Level.parse("6x6/6"), FirstClick.SAFE, games))).outcomes for games in (20, 5)
    )
    assert long.startswith(short)


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_run_keeps_what_it_has(workers: int) -> None:
    """Stopping early keeps the first games, and leaves no process behind."""
    deals = SeededDeals(Level.parse("6x6/6"), FirstClick.SAFE, 200)
    running = simulate(deals, workers=workers)
    records = list(itertools.islice(running, 11))
    running.close()
    assert multiprocessing.active_children() == []
    solver = Solver()
    assert [record.won for record in records] == [play(deals.deal(number), solver).won for number in range(11)]


def test_workers_end_with_a_run_that_is_killed() -> None:
    """When the main process is killed, no worker stays behind holding its output open."""
    code = (
        "from sweepbot.simulate import SeededDeals, simulate\n"
        "from sweepbot.level import FirstClick, Level\n"
        "for _ in simulate(SeededDeals(Level(5, 5, 3), FirstClick.SAFE, 10**6), 'single-point', workers=2):\n"
        "    print('played', flush=True)\n"
    )
    here = PROJECT
    with subprocess.Popen([sys.executable, "-c", code], cwd=here, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "played\n"
        run.kill()
        run.communicate(timeout=60)  # returns only once no process can write any more


def test_bad_arguments_are_usage_errors() -> None:
    """An unknown method, no workers and no games are usage errors at the call."""
    with pytest.raises(UsageError, match="0 games"):
        SeededDeals(Level.parse("beginner"), FirstClick.SAFE, 0)
    with pytest.raises(SweepbotError, match="no game"):
        summarise([])
    deals = SeededDeals(Level.parse("beginner"), FirstClick.SAFE, 1)
    with pytest.raises(UsageError, match="0 workers"):
        simulate(deals, workers=0)
    with pytest.raises(UsageError, match="clairvoyance"):
        simulate(deals, "clairvoyance")


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    [(5, 10, 0.236593, 0.763407), (0, 10, 0.0, 0.277533), (10, 10, 0.722467, 1.0), (81, 263, 0.255289, 0.366193)],
)
def test_interval_as_published(won: int, games: int, low: float, high: float) -> None:
    """The interval is Wilson's; the last example is from Newcombe 1998."""
    assert wilson(won, games) == pytest.approx((low, high), abs=1e-4)


def test_a_summary_adds_up() -> None:
    """Each field counts what its name says, and the fields are the JSON's keys."""
    records = [
        Record(won=True, guesses=0, lost_on_certain=False, milliseconds=1.0),
        Record(won=False, guesses=1, lost_on_certain=True, milliseconds=2.0),
        Record(won=True, guesses=2, lost_on_certain=False, milliseconds=6.0),
        Record(won=False, guesses=0, lost_on_certain=False, milliseconds=3.0),
    ]
    summary = asdict(summarise(records))
    low, high = summary.pop("ci95")
    assert 0.14 < low < 0.16
    assert 0.84 < high < 0.86
    assert summary.pop("ms_per_game") == pytest.approx({"mean": 3.0, "p50": 2.5, "p99": 5.91})
    assert summary == {
        "games": 4,
        "won": 2,
        "win_rate": 0.5,
        "no_guess_rate": 0.25,
        "lost_on_certain": 1,
        "outcomes": "1010",
        "expected": None,
        "clicks_per_3bv": None,
    }
