"""Learns and plays thirty-six generated kinds of client with traps around their boards, without harm."""

from collections import Counter
from pathlib import Path

import pytest

from sweepbot.calibrate.writing.write import write
from sweepbot.errors import SweepbotError
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import load_calibration
from tests.playing import Bot
from tests.standins.skins import learn, looks, mislabelled
from tests.standins.trap_clients import Kind, TrapDesktop

pytestmark = pytest.mark.bench

KINDS = 36
MIN_LEARNED = 34
GAMES = 3


def test_kinds_with_traps_are_learned_and_played_without_harm(tmp_path: Path) -> None:
    """Of 36 kinds at least 34 are learned in full; no label is wrong, no trap touched, no result false."""
    seen: Counter[str] = Counter()
    for seed in range(KINDS):
        desktop = TrapDesktop(Kind.of(seed))
        try:
            learned = learn(desktop, 8)
        except SweepbotError as error:
            seen["refused"] += 1
            seen["harm"] += len(desktop.harm)
            print(f"seed {seed}, {desktop.kind}: refused: {error}; harm: {desktop.harm}")  # noqa: T201
            continue
        wrong = mislabelled(desktop, learned, dims=desktop.kind.end == "dimmed")
        before = len(desktop.ends)
        results = played(desktop, write(learned, tmp_path / f"kind{seed}", "a kind", force=False).path.parent, tmp_path)
        ends = desktop.ends[before:]
        seen["learned" if learned.stuck is None else "in part"] += 1
        seen["wrong labels"] += len(wrong)
        seen["harm"] += len(desktop.harm)
        seen["false results"] += sum(result not in (end, "aborted") for result, end in zip(results, ends, strict=False))
        seen["false results"] += sum(result != "aborted" for result in results[len(ends) :])
        seen.update(f"games {result}" for result in results)
        kind = f"{desktop.kind.restart}, {desktop.kind.end}, {desktop.kind.mines}"
        print(  # noqa: T201  (a bench reports)
            f"seed {seed}, {kind}: {learned.games} games, {sorted(looks(learned))}, wrong: {wrong}, "
            f"harm: {desktop.harm}, played: {results}, in truth: {ends}, stuck: {learned.stuck}",
            flush=True,
        )
    print(dict(seen))  # noqa: T201
    assert seen["wrong labels"] == seen["harm"] == seen["false results"] == 0
    assert seen["learned"] >= MIN_LEARNED


def played(desktop: TrapDesktop, calibration: Path, evidence: Path) -> list[str]:
    """The results of some games played with a calibration; fewer if a reading is not trusted."""
    settings = PlaySettings(games=GAMES)
    bot = Bot(desktop, desktop, load_calibration(calibration), evidence, settings=settings)
    try:
        bot.play(GAMES)
    except SweepbotError as error:
        print(f"  broken off: {error}")  # noqa: T201
    return [result.result for result in bot.results]
