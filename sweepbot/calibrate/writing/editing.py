"""The text of a calibration.yaml: its entries, and additions that leave the rest of it as somebody wrote it."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import yaml

from sweepbot.calibrate.learned import Label
from sweepbot.vision.calibration import STATE_NAMES

_ORDER = list(STATE_NAMES)


def entry(key: str | int, value: Any, note: str = "") -> str:  # noqa: ANN401  (any data that YAML can say)
    """A key with its value, in one line."""
    quoted = f'"{key}"' if isinstance(key, str) and key.isdigit() else key
    flow = str(yaml.safe_dump(value, default_flow_style=True, width=1000)).strip().removesuffix("...").strip()
    return f"{quoted}: {flow}" + (f"  # {note}" if note else "")


def today() -> str:
    """The date by a person's calendar."""
    return f"{date.today():%Y-%m-%d}"  # noqa: DTZ011  (no instant that others would compare)


def with_entry(
    text: str,
    key: str | int,
    value: Any,  # noqa: ANN401  (any data that YAML can say)
    *,
    section: str = "",
    comment: str = "",
    after: str = "",
) -> str:
    """The text of a YAML mapping with a new entry or another value for one; all else stays as somebody wrote it.

    Args:
        text: The text.
        key: The key.
        value: The value.
        section: The key of the mapping that it belongs to, where it is not the outermost one.
        comment: What a line above the entry says.
        after: The key that a new entry comes after, the last one by default.
    """
    mapping: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    if section:
        mapping = next((of for name, of in mapping.value if name.value == section), None)
        if mapping is None or mapping.flow_style:
            whole: dict[Any, Any] = yaml.safe_load(text).get(section, {}) | {key: value}
            return with_entry(text, section, whole, comment=comment, after="states")
    entries: dict[str, tuple[int, int]] = {name.value: (name.start_mark.index, _end(of)) for name, of in mapping.value}
    first: int = mapping.start_mark.index
    margin = "\n" + " " * (first - text.rfind("\n", 0, first) - 1)
    new = margin.join([*([f"# {comment}"] if comment else []), entry(key, value)])
    if str(key) in entries:
        start, end = entries[str(key)]
        return text[:start] + new + text[end:]
    end = text.find("\n", entries[after][1] if after in entries else _end(mapping))
    end = len(text) if end < 0 else end
    return text[:end] + margin + new + text[end:]


def with_pictures(
    text: str, labels: Sequence[Label], names: Mapping[str, Sequence[str]], source: str = "", width: int | None = None
) -> str:
    """The text of a valid calibration.yaml with more pictures of some states.

    Args:
        text: The text.
        labels: The states.
        names: For each of them the files of its new pictures.
        source: What they were learned from, in words, for the head of the file; empty for no such line.
        width: Of the cells on them in pixels, where that is not the calibration's own.
    """
    given: dict[str, Any] = yaml.safe_load(text)
    states = given["states"] if width is None else given.get("native", {}).get(width, {})
    new = states | {of.state: [*states.get(of.state, ()), *names[of.state]] for of in labels}
    for label in labels if width is None else ():
        earlier = {*states} & {*_ORDER[: _ORDER.index(label.state)]}
        comment = f"and {label.why}" if label.state in states else label.why
        after = max(earlier, key=_ORDER.index, default="")
        text = with_entry(text, label.state, new[label.state], section="states", comment=comment, after=after)
        states = states | {label.state: new[label.state]}
    if width is not None:
        comment = "" if "native" in given else "How cells of other sizes look, by their width in pixels."
        text = with_entry(text, width, new, section="native", comment=comment)
    elif "unmet" in given:
        text = with_entry(text, "unmet", [name for name in given["unmet"] if name not in new])
    if "spread" in given:  # by how much cells differ from their pictures: more of them were seen
        spread = given["spread"]
        seen = {of.state: max(spread.get(of.state, 0.0), float(np.ceil(of.spread))) for of in labels}
        text = with_entry(text, "spread", spread | seen)
    head = f"# Completed on {today()} from {source}.\n" if source else ""
    return re.sub(f"^(?={next(iter(given))}:)", head, text, count=1, flags=re.MULTILINE)


def _end(node: yaml.Node) -> int:
    """Where a value ends; a list over several lines is said to go on until the next key."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end
