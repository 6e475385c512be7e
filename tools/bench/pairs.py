"""Compares two versions of the solver on the same boards, in pairs, from the outputs of `simulate --json`.

sweepbot simulate --level expert --games 20000 --seed 1 --expected --json >old.json
git switch changed && sweepbot simulate --level expert --games 20000 --seed 1 --expected --json >new.json
python tools/bench/pairs.py new.json old.json
"""

import argparse
from pathlib import Path

import msgspec

from sweepbot.simulate import Summary, compare


def main() -> None:
    """Print how much more the first file's version wins than the second's, with 95% intervals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    words = parser.parse_args()
    first, second = (msgspec.json.decode(path.read_bytes(), type=Summary) for path in (words.first, words.second))
    found = compare(first, second)
    lines = [("outcomes", first.win_rate, second.win_rate, found.difference, found.ci95)]
    if first.expected and second.expected and found.expected_difference is not None and found.expected_ci95:
        rates = first.expected.win_rate, second.expected.win_rate
        lines.append(("expected", *rates, found.expected_difference, found.expected_ci95))
    for name, one, other, difference, (low, high) in lines:
        rates_and_difference = f"{one:.2%} against {other:.2%}: {difference:+.2%} ({low:+.2%} to {high:+.2%})"
        print(f"{name} of {found.games:,} games: {rates_and_difference}")
    print(f"ms a game: {first.ms_per_game.mean:.1f} against {second.ms_per_game.mean:.1f}")


if __name__ == "__main__":
    main()
