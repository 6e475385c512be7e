"""The text of a calibration.yaml: its entries, and additions that leave the rest of it as somebody wrote it."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import yaml

from sweepbot.calibrate.learned import Label
from sweepbot.calibrate.writing.confusion import Confusion
from sweepbot.level import Level
from sweepbot.vision.calibration import STATE_NAMES

_ORDER = list(STATE_NAMES)
_TABLE = "# Each template, how well it agrees with itself, and the state that comes nearest to it:"

Edit = tuple[int, int, str]
"""From where to where a text is replaced, and by what."""


def entry(key: str, value: Any) -> str:  # noqa: ANN401  (any data that YAML can say)
    """A key with its value, in one line."""
    quoted = f'"{key}"' if key.isdigit() else key
    return f"{quoted}: {flow(value)}"


def flow(value: Any) -> str:  # noqa: ANN401  (any data that YAML can say)
    """A value in one line."""
    return str(yaml.safe_dump(value, default_flow_style=True, width=1000)).strip().removesuffix("...").strip()


def today() -> str:
    """The date by a person's calendar."""
    return f"{date.today():%Y-%m-%d}"  # noqa: DTZ011  (no instant that others would compare)


def with_pictures(text: str, labels: Sequence[Label], names: Mapping[str, Sequence[str]], source: str) -> str:
    """The text of a valid calibration.yaml with more pictures of some states.

    Args:
        text: The text.
        labels: The states.
        names: For each of them the files of its new pictures.
        source: What they were learned from, in words, for the head of the file; empty for no such line.
    """
    file: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    given: dict[str, Any] = yaml.safe_load(text)
    keys = _extents(file)
    states = _extents(next(value for key, value in file.value if key.value == "states"))
    indent = " " * (min(states.values())[0] - text.rindex("\n", 0, min(states.values())[0]) - 1)
    edits: list[Edit] = []
    if source:
        start = min(keys.values())[0]
        edits.append((start, start, f"# Completed on {today()} from {source}.\n"))
    for label in labels:
        files = [*given["states"].get(label.state, ()), *names[label.state]]
        if label.state in states:
            edits.append((*states[label.state], f"# and {label.why}\n{indent}{entry(label.state, files)}"))
        else:
            before = max((name for name in states if _ORDER.index(name) < _ORDER.index(label.state)), key=_ORDER.index)
            end = _end_of_line(text, states[before][1])
            edits.append((end, end, f"\n{indent}# {label.why}\n{indent}{entry(label.state, files)}"))
    if "unmet" in keys:
        met = {label.state for label in labels}
        edits.append((*keys["unmet"], entry("unmet", [name for name in given["unmet"] if name not in met])))
    return "".join(_edited(text, [*edits, *_with_spread(keys, given, labels)]))


def with_size(text: str, width: int, labels: Sequence[Label], names: Mapping[str, Sequence[str]]) -> str:
    """The text of a valid calibration.yaml with pictures of cells of another width.

    Args:
        text: The text.
        width: The width in pixels.
        labels: The states.
        names: For each of them the files of its pictures at that width.
    """
    file: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    given: dict[str, Any] = yaml.safe_load(text)
    keys = _extents(file)
    known = given.get("native", {}).get(width, {})
    pictures = flow(known | {of.state: [*known.get(of.state, ()), *names[of.state]] for of in labels})
    edits: list[Edit] = []
    if known:
        sizes = _extents(next(value for key, value in file.value if key.value == "native"))
        edits.append((*sizes[str(width)], f"{width}: {pictures}"))
    else:
        place = "native" if "native" in keys else "states"
        end = _end_of_line(text, keys[place][1])
        heading = "" if "native" in keys else "\n\n# How cells of other sizes look, by their width in pixels.\nnative:"
        edits.append((end, end, f"{heading}\n  {width}: {pictures}"))
    return "".join(_edited(text, [*edits, *_with_spread(keys, given, labels)]))


def _with_spread(
    keys: Mapping[str, tuple[int, int]], given: Mapping[str, Any], labels: Iterable[Label]
) -> Iterator[Edit]:
    """By how much cells differ from their pictures, where a calibration tells that and more of them were seen."""
    if "spread" in keys:
        spread = given["spread"]
        spread |= {of.state: max(spread.get(of.state, 0.0), float(np.ceil(of.spread))) for of in labels}
        yield *keys["spread"], entry("spread", spread)


def with_level(text: str, name: str, level: Level) -> str:
    """The text of a valid calibration.yaml with one more level; comments between levels stay where they are."""
    file: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    levels = next(value for key, value in file.value if key.value == "levels")
    if levels.flow_style:
        given: dict[str, str] = yaml.safe_load(text)["levels"]
        return "".join(_edited(text, [(*_extents(file)["levels"], entry("levels", given | {name: str(level)}))]))
    first = levels.start_mark.index
    indent = " " * (first - text.rindex("\n", 0, first) - 1)
    end = _end_of_line(text, _end(levels))
    return "".join(_edited(text, [(end, end, f"\n{indent}{entry(name, str(level))}")]))


def with_table(text: str, confusions: Iterable[Confusion]) -> str:
    """The text with a table at its end, or where it had one, of how well its states can be told apart."""
    before, heading, old = text.partition(_TABLE)
    after = itertools.dropwhile(lambda line: line.startswith("#"), old.splitlines()[1:])
    lines = [before.rstrip(), "", _TABLE, *(f"# {confusion}" for confusion in confusions)]
    return "\n".join([*lines, *(after if heading else ())]) + "\n"


def _edited(text: str, edits: Sequence[Edit]) -> Iterator[str]:
    """The pieces of a text with each edit in its place, those of one place in the order in which they were made."""
    done = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        yield text[done:start]
        yield new
        done = end
    yield text[done:]


def _extents(mapping: yaml.MappingNode) -> dict[str, tuple[int, int]]:
    """Where each entry of a mapping begins and ends."""
    return {key.value: (key.start_mark.index, _end(value)) for key, value in mapping.value}


def _end(node: yaml.Node) -> int:
    """Where a value ends; a list over several lines is said to go on until the next key."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
