"""Editing the text of a calibration.yaml, leaving the rest of it as it was written."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import yaml

from sweepbot.calibrate.learned import Label
from sweepbot.vision.calibration import STATE_NAMES

_ORDER = list(STATE_NAMES)


def entry(key: str | int, value: Any, note: str = "") -> str:  # noqa: ANN401  (any data that YAML can express)
    """Return a key with its value and a comment, on one line."""
    quoted = f'"{key}"' if isinstance(key, str) and key.isdigit() else key
    flow = str(yaml.safe_dump(value, default_flow_style=True, width=1000)).strip().removesuffix("...").strip()
    return f"{quoted}: {flow}" + (f"  # {note}" if note else "")


def today() -> str:
    """Return the local date as text."""
    return f"{date.today():%Y-%m-%d}"  # noqa: DTZ011  (a date for people)


def with_entry(
    text: str,
    key: str | int,
    value: Any,  # noqa: ANN401  (any data that YAML can express)
    *,
    section: str = "",
    comment: str = "",
    after: str = "",
) -> str:
    """Set an entry in the text of a YAML mapping, new or with another value; all else stays as it was written.

    Args:
        text: The text.
        key: The key.
        value: The value.
        section: The key of the mapping to which the entry belongs, if that is not the outermost one.
        comment: A comment on a line above the entry.
        after: The key after which a new entry is put, the last one by default.
    """
    mapping: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    if section:
        mapping = next((node for name, node in mapping.value if name.value == section), None)
        if mapping is None or mapping.flow_style:
            whole: dict[Any, Any] = yaml.safe_load(text).get(section, {}) | {key: value}
            return with_entry(text, section, whole, comment=comment, after="states")
    entries: dict[str, tuple[int, int]] = {it.value: (it.start_mark.index, _end(node)) for it, node in mapping.value}
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
    """Add pictures of some states to the text of a valid calibration.yaml.

    Args:
        text: The text.
        labels: The states.
        names: For each of them, the files of its new pictures.
        source: What they were learned from, in words, for the head of the file; empty for no such line.
        width: The width of their cells in pixels, if that is not the calibration's own.
    """
    given: dict[str, Any] = yaml.safe_load(text)
    states = given["states"] if width is None else given.get("native", {}).get(width, {})
    new = states | {it.state: [*states.get(it.state, ()), *names[it.state]] for it in labels}
    for label in labels if width is None else ():
        earlier = {*states} & {*_ORDER[: _ORDER.index(label.state)]}
        comment = f"and {label.why}" if label.state in states else label.why
        after = max(earlier, key=_ORDER.index, default="")
        text = with_entry(text, label.state, new[label.state], section="states", comment=comment, after=after)
        states = states | {label.state: new[label.state]}
    if width is not None:
        comment = "" if "native" in given else "Pictures of cells of other sizes, by their width in pixels."
        text = with_entry(text, width, new, section="native", comment=comment)
    elif "unmet" in given:
        text = with_entry(text, "unmet", [name for name in given["unmet"] if name not in new])
    head = f"# Completed on {today()} from {source}.\n" if source else ""
    return re.sub(f"^(?={next(iter(given))}:)", head, text, count=1, flags=re.MULTILINE)


def _end(node: yaml.Node) -> int:
    """Return the index at which a value ends; for a block, PyYAML would give the next key."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end
