"""The history of games: kept and read by several programs at once, and robust against broken files."""

import errno
import math
import os
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from sweepbot.errors import SweepbotError, refused_as
from sweepbot.geometry import Image
from sweepbot.history import PastGame, Stretch, games, history_file, keep, over_time, sum_up
from sweepbot.render.chart import rates_chart
from sweepbot.vision.pictures.image import load_image
from tests.commands import Command


def game(result: str = "won", risk: float = 0.0, number: int = 0, client: str = "winemine") -> PastGame:
    return PastGame(
        ended=f"2026-05-{1 + number // 100:02}T12:{number % 100 // 60:02}:{number % 60:02}+00:00",
        client=client,
        columns=9,
        rows=9,
        mines=10,
        result=result,
        seconds=2.0 + number % 7,
        clicks=30,
        guesses=1,
        misreads=0,
        risk=risk,
        three_bv=20 if result == "won" else None,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "new" / "games.sqlite"


def test_kept_games_are_read_again(file: Path) -> None:
    """Games are read as they were kept, by time, for all clients or one; no file means no games."""
    assert games(file=file) == []
    kept = [game("won", number=2), game("lost", 0.5, number=1), game("aborted", client="kmines", number=3)]
    for one in kept:
        keep(one, file)
    assert games(file=file) == [kept[1], kept[0], kept[2]]
    assert games("kmines", file) == [kept[2]]


def test_several_programs_keep_games_at_once(file: Path) -> None:
    """Four programs that each write twenty games at once lose none."""
    script = (
        "import sys; from pathlib import Path; from sweepbot.history import keep, PastGame\n"
        "for n in range(20): keep(PastGame(ended=f'{n:02}', client=sys.argv[2], columns=9, rows=9, mines=10,"
        " result='won', seconds=1.0, clicks=1, guesses=0, misreads=0, risk=0.0), Path(sys.argv[1]))"
    )
    programs = [subprocess.Popen([sys.executable, "-c", script, file, str(number)]) for number in range(4)]
    assert [program.wait(120) for program in programs] == [0] * 4
    kept = games(file=file)
    assert sorted((one.client, one.ended) for one in kept) == sorted(
        (str(program), f"{number:02}") for program in range(4) for number in range(20)
    )


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be looked at " * 20, b"SQLite format 3\0"]
)
def test_a_broken_file_is_named_and_left_alone(file: Path, content: bytes) -> None:
    """A file that is no history is an error that names it, and is not overwritten."""
    file.parent.mkdir()
    file.write_bytes(content)
    for act in (lambda: keep(game(), file), lambda: games(file=file)):
        with pytest.raises(SweepbotError, match=r"games\.sqlite"):
            act()
    assert file.read_bytes() == content


def test_who_has_locked_the_file_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked history is not said to lack space: the program that holds it is named, where the system tells."""
    keep(game(), file)
    monkeypatch.setattr("sweepbot.history._PATIENCE_S", 0.01)
    code = (
        f"import sqlite3, sys; held = sqlite3.connect({str(file)!r}); held.execute('BEGIN EXCLUSIVE');"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"held"
        with pytest.raises(SweepbotError, match="database is locked") as caught:
            keep(game(), file)
        other.kill()
    by = rf"python[\w.]* \(process {other.pid}\)" if sys.platform == "linux" else "another program"
    assert re.fullmatch(rf"it is locked by {by}: end that first", caught.value.hint)


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    """A file in the folder's place is an error that says so."""
    (tmp_path / "new").write_text("")
    with pytest.raises(SweepbotError, match="cannot be written"):
        keep(game(), tmp_path / "new" / "games.sqlite")


def test_expected_wins_are_a_fair_forecast() -> None:
    """Over games with three guesses at 30% each, the wins match the expected ones."""
    rng = random.Random(1)
    played = []
    for number in range(4000):
        risk, result = 0.0, "won"
        for _ in range(3):
            risk += 0.3
            if rng.random() < 0.3:
                result = "lost"
                break
        played.append(game(result, risk, number % 2000))
    stats = sum_up(played)
    assert stats.games == 4000
    assert stats.won == pytest.approx(4000 * 0.7**3, rel=0.1)
    assert abs(stats.luck) < 3 * stats.luck_sd
    assert stats.luck_sd < 80
    assert math.isclose(stats.luck, stats.won - stats.expected)


def test_a_file_of_an_older_version_is_read_and_added_to(file: Path) -> None:
    """A file that does not say who played holds the bot's games, and takes a person's."""
    keep(game("won", number=1), file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("ALTER TABLE games DROP COLUMN player")
    assert games(file=file) == [game("won", number=1)]
    keep(replace(game("lost", number=2), player="you"), file)
    assert [one.player for one in games(file=file)] == ["sweepbot", "you"]


def test_stats_are_of_games_that_ended() -> None:
    """Games left to the person only count as aborted; times and 3BV/s are of wins."""
    stats = sum_up([game("won", number=0), game("won", number=2), game("lost", 0.5, 1), game("aborted", number=3)])
    assert (stats.games, stats.won, stats.aborted) == (3, 2, 1)
    assert stats.ci95 is not None
    assert stats.win_rate is not None
    assert stats.ci95[0] < stats.win_rate < stats.ci95[1]
    assert (stats.median_seconds, stats.best_seconds) == (3.0, 2.0)
    assert stats.three_bv_per_second == pytest.approx((10 + 5) / 2)
    assert stats.expected == 2.5
    nothing = sum_up([])
    assert (nothing.win_rate, nothing.ci95, nothing.median_seconds) == (None, None, None)


def test_games_are_split_into_equal_stretches() -> None:
    """Every finished game is in one of at most twenty stretches, by time."""
    parts = over_time([game("won" if number % 3 else "lost", number=number) for number in range(107)])
    assert len(parts) <= 20
    assert sum(part.games for part in parts) == 107
    assert {part.games for part in parts} <= {10, 11}
    assert [part.first for part in parts] == sorted(part.first for part in parts)


@pytest.mark.usefixtures("own_folders")
def test_stats_prints_and_plots(sweepbot: Command, tmp_path: Path) -> None:
    """The command lists clients and levels, its JSON has the documented keys, and the plot is a picture."""
    for number in range(30):
        keep(game("won" if number % 4 else "lost", 0.2, number))
    keep(game("won", number=31, client="kmines"))
    summed = sweepbot("stats", "--plot", tmp_path / "rates.png").says(0, f"written: {tmp_path / 'rates.png'}")
    assert all(name in summed.out for name in ("winemine", "kmines", "9x9/10"))
    assert load_image(tmp_path / "rates.png").shape[2] == 3
    answer = sweepbot("stats", "--client", "winemine", "--json").json
    assert answer["all"]["games"] == 30
    assert [group["client"] for group in answer["groups"]] == ["winemine"]
    assert sum(part["games"] for part in answer["over_time"]) == 30
    assert answer["file"] == str(history_file())


@pytest.mark.usefixtures("own_folders")
def test_few_games_are_not_plotted(sweepbot: Command, tmp_path: Path) -> None:
    """A rate of a few games, whose interval covers most of the chart, is not drawn, and that is said."""
    for number in range(9):
        keep(game("won", 1.2, number))
    few = sweepbot("stats", "--plot", tmp_path / "rates.png")
    assert "not drawn: 9 games ended so far" in few.err
    assert not (tmp_path / "rates.png").exists()


@pytest.mark.parametrize(("ended", "title"), [(19, "demo: 19 games"), (20, "demo: 20 games, about 10 a point")])
@pytest.mark.usefixtures("own_folders")
def test_a_plot_says_what_a_point_is_if_there_are_several(
    ended: int, title: str, sweepbot: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a single point, which has all the games, the plot says only how many there are."""
    titles: list[str] = []

    def drawn(title: str, parts: Sequence[Stretch]) -> Image:
        titles.append(title)
        return rates_chart(title, parts)

    monkeypatch.setattr("sweepbot.render.chart.rates_chart", drawn)
    for number in range(ended):
        keep(game("won", 1.2, number, client="demo"))
    assert sweepbot("stats", "--client", "demo", "--plot", tmp_path / "rates.png").exit_code == 0
    assert titles == [title]


@pytest.mark.usefixtures("own_folders")
def test_stats_counts_a_persons_games_apart(sweepbot: Command) -> None:
    """A person's games have their own row, and are in no sum of the bot's."""
    keep(game("won", number=1))
    keep(replace(game("lost", number=2), player="you"))
    answer = sweepbot("stats", "--json").json
    assert (answer["all"]["games"], answer["all"]["won"]) == (1, 1)
    assert (answer["yours"]["games"], answer["yours"]["won"]) == (1, 0)
    assert [group["player"] for group in answer["groups"]] == ["sweepbot", "you"]
    assert sum(part["games"] for part in answer["over_time"]) == 1
    rows = [line.split()[0] for line in sweepbot("stats").out.splitlines()]
    assert rows[-2:] == ["sweepbot", "you"]


@pytest.mark.usefixtures("own_folders")
def test_no_fewer_than_no_wins_are_expected(sweepbot: Command) -> None:
    """A game whose guesses were more than certain to fail, taken together, is shown as no win, not as less than one."""
    keep(game("lost", 1.2))
    head, row = (line.split() for line in sweepbot("stats").out.splitlines()[1:])
    assert head[6] == "expected"
    assert "0.0" in row
    assert "-0.2" not in row


@pytest.mark.usefixtures("own_folders")
def test_stats_of_nothing_says_so(sweepbot: Command) -> None:
    """Before the first game the command says so, and its JSON is complete."""
    nothing = sweepbot("stats")
    assert (nothing.exit_code, nothing.out) == (0, "")
    assert "no game has been played yet" in " ".join(nothing.err.split())
    assert sweepbot("stats", "--json").json["all"] is None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "free some space"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "rights"),
        (errno.EIO, "choose another"),
    ],
)
def test_the_hint_at_a_file_that_is_refused_names_the_cause(code: int, said: str) -> None:
    """The hint begins with what the system says of the cause; what the command advises is always said."""
    with (
        pytest.raises(SweepbotError) as refused,
        refused_as(SweepbotError, "a.txt cannot be written", "choose another"),
    ):
        raise OSError(code, os.strerror(code))
    assert said in refused.value.hint
    assert refused.value.hint.endswith("choose another")


def test_a_history_that_is_read_only_is_said_to_be(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that may be read but not written is not said to lack space."""
    keep(game(), file)
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    monkeypatch.setattr(sqlite3, "connect", lambda *_, **__: connection)
    with pytest.raises(SweepbotError) as refused:
        keep(game(), file)
    assert "read-only" in refused.value.hint
