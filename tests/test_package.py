"""The wheel: built, installed into its own environment, and run from another folder."""

import email
import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from datetime import date
from pathlib import Path

import pytest

from tools.places import CALIBRATIONS, PROJECT

REPOSITORY = {"GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "somebody/sweepbot"}
"""The environment in which a workflow builds the package."""


def run(*command: str | Path, folder: Path) -> str:
    """The stdout of a command; its stderr is quoted if it fails."""
    # Without the source tree, a desktop, or compiling, which would take half a minute beside the tests that follow.
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "DISPLAY")}
    environment |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_CACHE_DIR": str(folder / "kernels")} | REPOSITORY
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this source tree."""
    pytest.importorskip("pip", reason="this Python has no pip")
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, PROJECT, folder=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of a new environment with the wheel; dependencies are borrowed from this one."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=os.name != "nt")
    folder = home / ("Scripts" if os.name == "nt" else "bin")
    python = folder / "python"
    run(sys.executable, "-m", "pip", "--python", home, "install", "--quiet", "--no-deps", wheel, folder=home)
    library = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (library / "lent.pth").write_text("\n".join(sorted(lent)), encoding="utf-8")
    place = run(python, "-c", "import sweepbot; print(sweepbot.__file__)", folder=home)
    assert Path(place.strip()).is_relative_to(home)
    return folder


def test_the_wheel_carries_the_calibrations(wheel: Path) -> None:
    """Every file of calibrations/ is in the package, and nothing beside it: no test and no tool."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name.removeprefix("sweepbot/") for name in archive.namelist()}
        assert {name.partition("/")[0].partition("-")[0] for name in archive.namelist()} == {"sweepbot"}
    wanted = {path.relative_to(PROJECT).as_posix() for path in CALIBRATIONS.rglob("*") if path.is_file()}
    assert wanted
    assert wanted <= packed


def test_an_index_page_leads_to_the_repository_that_built_it(wheel: Path) -> None:
    """No link of the README is relative in the package, and each leads to a file of the tag of this version."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        about = email.message_from_bytes(archive.read(name))
    home = "https://git.example/somebody/sweepbot"
    assert f"Homepage, {home}" in (about.get_all("Project-URL") or [])
    assert f"git clone {home} sweepbot && cd sweepbot" in str(about.get_payload())
    links = re.findall(r"\]\(([^)]+)\)", str(about.get_payload()))
    prefixes = tuple(f"{home}/{kind}/v{about['Version']}/" for kind in ("blob", "raw"))
    assert len(links) > 10
    for link in links:
        assert link.startswith(prefixes)
        assert (PROJECT / link.split(f"v{about['Version']}/", 1)[1]).is_file()


def test_the_wheel_brings_no_plugin(wheel: Path) -> None:
    """The wheel brings the command `sweepbot` and no plugin, which would load into everybody's pytest."""
    with zipfile.ZipFile(wheel) as archive:
        (entry_points,) = (name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt"))
        said = archive.read(entry_points).decode().split()
    assert said == ["[console_scripts]", "sweepbot", "=", "sweepbot.cli:main"]


def test_the_version_has_its_section_in_the_changelog() -> None:
    """The version in pyproject.toml is the newest dated section of the changelog."""
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    text = (PROJECT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, newest, *_ = re.findall(r"^## (.*)", text, re.MULTILINE)
    assert unreleased == "Unreleased"
    name, _, day = newest.partition(" - ")
    assert name == version
    assert date.fromisoformat(day)


def test_the_installed_program_answers(programs: Path, wheel: Path, tmp_path: Path) -> None:
    """The installed command shows its help and the wheel's version in an empty folder."""
    assert "Usage" in run(programs / "sweepbot", "--help", folder=tmp_path)
    said = run(programs / "sweepbot", "--version", folder=tmp_path).split()[-1]
    assert wheel.name.startswith(f"sweepbot-{said}-")


def test_the_installed_program_plays(programs: Path, tmp_path: Path) -> None:
    """Without a display the installed demo plays a game and reports it as JSON."""
    arguments = ["demo", "--headless", "--games", "1", "--level", "beginner", "--json"]
    report = json.loads(run(programs / "sweepbot", *arguments, folder=tmp_path))
    (game,) = report["games"]
    assert game["result"] in ("won", "lost")
    assert game["misreads"] == 0
    assert report["won"] + report["lost"] == 1
