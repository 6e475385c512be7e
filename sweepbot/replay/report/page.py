"""A run as one self-contained page: pictures, words, and what steps through them."""

import base64
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

from sweepbot.errors import ImageError, refused_as
from sweepbot.render.files import compact_picture
from sweepbot.render.heatmap import colour_of
from sweepbot.replacing import replace_file
from sweepbot.replay.differences import StepDifference
from sweepbot.replay.steps import Step
from sweepbot.trace.entries import Click, Key
from sweepbot.trace.run import Run

_SHADES = 21  # colours from a chance of 0 to one of 1


def write_page(run: Run, steps: Iterable[Step], differences: Sequence[StepDifference], path: Path) -> None:
    """Write a page of a run, of its steps and what a replay has found. See `write_steps`."""
    title = f"{run.client or 'an unknown client'}, {run.command}"
    about = f"{run.started[:19].replace('T', ' ')} UTC, sweepbot {run.sweepbot}, {run.platform}"
    write_steps(title, about, steps, differences, path)


def write_steps(
    title: str,
    about: str,
    steps: Iterable[Step],
    differences: Sequence[StepDifference],
    path: Path,
    *,
    timed: bool = True,
) -> None:
    """Write a page of steps; `timed` says whether it is known when each was.

    Raises:
        ImageError: It cannot be written.
    """
    data = {
        "title": title,
        "about": about,
        "timed": timed,
        "shades": ["#{2:02x}{1:02x}{0:02x}".format(*colour_of(chance)) for chance in np.linspace(0, 1, _SHADES)],
        "steps": [_as_json(step, [of for of in differences if of.step == step.number]) for step in steps],
    }
    # Inside a script nothing but `<` can end it, or begin a comment: a trace may come from a stranger.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    page = (files("sweepbot") / "replay" / "report" / "page.html").read_text(encoding="utf-8")
    with refused_as(ImageError, f"{path}: cannot be written", "give a place in a folder that exists"):
        replace_file(path, page.replace("__DATA__", text).encode())


def _as_json(step: Step, differences: list[StepDifference]) -> dict[str, object]:
    read, decision, origin = step.read, step.decided, step.region.origin
    return {
        "number": step.number,
        "image": base64.b64encode(compact_picture(step.image)).decode(),
        "size": [step.region.width, step.region.height],
        "xs": [round(x - origin.x, 1) for x in read.xs],
        "ys": [round(y - origin.y, 1) for y in read.ys],
        "rows": read.rows,
        "phase": read.phase,
        "mines": read.mines,
        "doubt": read.doubt,
        "confidence": read.confidence,
        "guess": step.is_guess,
        "mistake": step.mistake,
        "chances": None if decision is None else decision.chances,
        "safe": [] if decision is None else decision.safe,
        "sure": [] if decision is None else decision.mines,
        "best": None if decision is None else decision.best,
        "reason": "" if decision is None else decision.reason,
        "clicks": [
            [act.at[0] - origin.x, act.at[1] - origin.y, act.button] for act in step.acts if isinstance(act, Click)
        ],
        "oneOf": step.is_one_of,
        "keys": [act.key for act in step.acts if isinstance(act, Key)],
        "notes": step.notes,
        "at": step.rested,
        "read": read.t - step.rested,
        "decided": None if decision is None else decision.t - read.t,
        "acted": step.acts[-1].t - (decision or read).t if step.acts else None,
        "differences": [{"kind": of.kind, "was": of.was, "now": of.now} for of in differences],
    }
