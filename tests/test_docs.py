"""The documents: their claims are true, their examples run, and nothing is left out."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

import click
import pytest
import yaml
from _pytest.mark.structures import ParameterSet

from sweepbot.cli import sweepbot
from sweepbot.player.states import LEADS_TO
from sweepbot.trace.entries import Entry
from sweepbot.trace.events import GameResult
from tests.commands import Command
from tests.test_imports import FLOOR_OF, INSIDE
from tools.places import FIXTURES, PROJECT
from tools.recording.reviewed import played, write_screenshots

README = PROJECT / "README.md"
DOCS = sorted((PROJECT / "sweepbot" / "docs").glob("*.md"))
PAGES = [README, *DOCS, PROJECT / ".github" / "CONTRIBUTING.md"]
COMMANDS = sweepbot.list_commands(click.Context(sweepbot))
SHOTS = FIXTURES / "demo"


def blocks(kind: str) -> list[ParameterSet]:
    """Every block of code of a kind, as parameters named by page and line."""
    found: list[ParameterSet] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            line = text[: block.start()].count("\n") + 1
            found.append(pytest.param(block[1], id=f"{page.name}:{line}"))
    assert found
    return found


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with the files that the examples name."""
    for suffix in ("png", "txt"):
        shutil.copy(SHOTS / f"beginner_middle.{suffix}", tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # open files
@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(code: str, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python example runs to its end, and its assertions hold."""
    monkeypatch.chdir(desk)
    (desk / "example.py").write_text(code, encoding="utf-8")
    runpy.run_path(str(desk / "example.py"), run_name="__main__")


@pytest.mark.skipif(sys.platform == "win32", reason="the examples are for a POSIX shell")
@pytest.mark.parametrize("session", blocks("console"))
def test_console_examples_print_what_they_show(session: str, desk: Path) -> None:
    """Each command shown with output prints exactly that."""
    for part in session.split("$ ")[1:]:
        command, _, shown = part.partition("\n")
        assert "sweepbot" in command
        real = command.replace("sweepbot", f"{shlex.quote(sys.executable)} -m sweepbot")
        done = subprocess.run(["sh", "-c", real], cwd=desk, capture_output=True, text=True, check=False)
        assert done.stdout == shown


@pytest.mark.parametrize("script", blocks("sh"))
def test_shell_examples_name_commands_and_options_that_exist(script: str) -> None:
    """Every `sweepbot` line uses an existing command and existing options."""
    for line in script.splitlines():
        for part in re.split(r"&&|\|", line.partition("#")[0]):
            words = shlex.split(part)
            if not words or words[0] != "sweepbot":
                continue
            assert words[1] in COMMANDS, line
            command = import_module(f"sweepbot.cli.{words[1]}").command
            options = {name for parameter in command.params for name in parameter.opts}
            assert {word for word in words[2:] if word.startswith("-")} <= options, line


@pytest.mark.parametrize("name", COMMANDS)
def test_the_reference_leaves_nothing_out(name: str) -> None:
    """Each command has a section in the reference, each option a line with its choices, and none is made up."""
    text = (PROJECT / "sweepbot" / "docs" / "reference.md").read_text(encoding="utf-8")
    section = re.search(rf"^## sweepbot {name}\b(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert section is not None
    command = import_module(f"sweepbot.cli.{name}").command
    there = {max(option.opts, key=len): option.type for option in command.params if isinstance(option, click.Option)}
    described = dict(re.findall(r"^\| `(?:-\w, )?(--[\w-]+)(.*?)`", section[1], re.MULTILINE))
    assert set(described) == set(there) - {"--verbose"}
    choices = {option: list(kind.choices) for option, kind in there.items() if isinstance(kind, click.Choice)}
    assert {option: described[option].strip().split(r"\|") for option in choices} == choices


def test_links_lead_somewhere() -> None:
    """Every relative link and picture is a file in this tree; so is each test and tool that a page names."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
        for name in re.findall(r"\b(?:tests|tools)(?:[./]\w+)+", text):
            places = (name, f"{name.replace('.', '/')}.py", name.replace(".", "/"))
            assert any((PROJECT / place).exists() for place in places), f"{page.name}: {name}"


def test_the_design_names_what_exists() -> None:
    """Each path in the design and CONTRIBUTING exists; the design has all parts of some rooms, and all states."""
    there = {path.relative_to(PROJECT).as_posix() for path in PROJECT.rglob("*") if "__pycache__" not in path.parts}
    design = PROJECT / "sweepbot" / "docs" / "design.md"
    for page in (design, PROJECT / ".github" / "CONTRIBUTING.md"):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"`([\w./-]+(?:\.py|\.md|/))`", text):
            wanted = name.rstrip("/")
            is_there = any(path == wanted or path.endswith(f"/{wanted}") for path in there)
            assert is_there or "NAME" in name, f"{page.name}: {name}"
    picture = design.read_text(encoding="utf-8").partition("## The floors")[2].partition("\n## ")[0]
    drawn = set(re.findall(r"\w+(?=/|\.py)", picture))
    assert {part for steps in INSIDE.values() for parts in steps for part in parts} <= drawn
    assert set(FLOOR_OF) - {"__init__", "__main__"} <= drawn
    rows = re.findall(r"^\| `([A-Z]\w+)` \|[^|]*\|(.*)\|$", design.read_text(encoding="utf-8"), re.MULTILINE)
    told = {state: set(re.findall(r"`(\w+)`", following)) for state, following in rows}
    assert told == {state.__name__: {one.__name__ for one in following} for state, following in LEADS_TO.items()}


def test_names_in_documents_about_the_code_exist() -> None:
    """Each type, function and constant that design, CONTRIBUTING, glossary or decisions name is defined somewhere."""
    files = (file for top in ("sweepbot", "tests", "tools") for file in PROJECT.glob(f"{top}/**/*.py"))
    code = "\n".join(file.read_text(encoding="utf-8") for file in files)
    defined = set(re.findall(r"^ *(?:class |def )?(\w+)(?=[:(\[]| = )", code, re.MULTILINE))
    for page in PAGES:
        if page.stem in {"design", "CONTRIBUTING", "glossary", "decisions"}:
            text = page.read_text(encoding="utf-8")
            for name in re.findall(
                r"`@?(?!\w+\.(?:py|md|txt))([A-Z]\w{2,}(?:\.\w+)?|[a-z]\w*_\w+)(?:\([^`]*\))?`", text
            ):
                assert set(name.split(".")) <= defined, f"{page.name}: {name}"


def test_the_readme_is_short() -> None:
    """The README has at most 900 words, code included."""
    assert len(README.read_text(encoding="utf-8").split()) <= 900


def test_help_lists_and_prints_every_document(sweepbot: Command) -> None:
    """`help` lists each document with its title, and prints it whole; an unknown name lists them too."""
    listed = sweepbot("help").out
    for page in DOCS:
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        assert re.search(rf"^{page.stem}  +{re.escape(title)}$", listed, re.MULTILINE)
    page = PROJECT / "sweepbot" / "docs" / "json.md"
    assert sweepbot("help", "json").out.strip() == page.read_text(encoding="utf-8").strip()
    unknown = sweepbot("help", "nothing")
    assert (unknown.exit_code, "trace" in unknown.err) == (2, True)


KEYS = {
    "read": ["read", "beginner_middle.png", "--explain", "4,4", "--json"],
    "solve": ["solve", "board.txt", "--mines", "4", "--explain", "0,3", "--json"],
    "play, demo": ["demo", "--headless", "--games", "1", "--level", "beginner", "--json"],
    "review": ["review", "shots", "--json"],
    "stats": ["stats", "--json"],
    "simulate": ["simulate", "--level", "beginner", "--rule", "safe", "--games", "2", "--json"],
    "calibrate": ["calibrate", "demo", "--check", "--fixtures", "demo", "--json"],
    "replay": ["replay", ".", "--json"],
    "clients": ["clients", "--json"],
    "doctor": ["doctor", "--json"],
}


@pytest.mark.parametrize("title", KEYS)
def test_every_key_of_the_json_is_documented(
    title: str, desk: Path, sweepbot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every key that a command prints, at any depth, is in its section of `help json`."""
    monkeypatch.chdir(desk)
    monkeypatch.delenv("DISPLAY", raising=False)
    (desk / "board.txt").write_text("112#\n####\n####\n")
    text = (PROJECT / "sweepbot" / "docs" / "json.md").read_text(encoding="utf-8")
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", section)) | set(re.findall(r"\w+", " ".join(re.findall(r"`{[^}]*}`", section))))
    if title == "review":
        write_screenshots(desk / "shots", played("beginner", 3, share=0.3).positions)
    if title in {"calibrate", "replay"}:
        (desk / "demo").mkdir()
        for file in desk.glob("beginner_middle.*"):
            file.rename(desk / "demo" / file.name)
    assert keys_of(sweepbot(*KEYS[title]).json) <= named


FREE = {"fits", "levels"}
"""Objects whose keys are names chosen by users."""


def keys_of(value: object) -> set[str]:
    """Every key of some JSON, at any depth."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if isinstance(value, dict):
        return set(value).union(*(keys_of(part) for key, part in value.items() if key not in FREE))
    return set()


def test_workflows_and_forms_are_valid() -> None:
    """Every file that GitHub reads is YAML; all systems and Pythons of the classifiers are tested."""
    github = PROJECT / ".github"
    for file in github.rglob("*.yml"):
        assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict), file
    tests = yaml.safe_load((github / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    matrix = tests["jobs"]["systems"]["strategy"]["matrix"]
    assert matrix["os"] == ["ubuntu-latest", "windows-latest", "macos-latest"]
    classified = re.findall(r"Python :: (3\.\d+)", (PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    assert matrix["python"] == classified


def test_every_line_of_traces_is_documented() -> None:
    """Each kind of line in a trace is named in `help trace`, and no other; so is each of its fields."""
    text = (PROJECT / "sweepbot" / "docs" / "trace.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*)", text, re.MULTILINE))
    rows |= dict(re.findall(r"`(scene|start|log|gave_up)` \(([^)]*)", text))
    kinds = {str(kind.__struct_config__.tag): kind for kind in get_args(Entry)}
    assert set(rows) - {"do"} == set(kinds)
    for name, kind in kinds.items():
        fields = set(kind.__struct_fields__) - {"t", "failed", *GameResult.__struct_fields__}
        assert fields <= set(re.findall(r"`(\w+)`", rows[name])), name
