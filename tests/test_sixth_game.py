"""A sixth game from a separate package: found by its entry point, it works everywhere.

The package stands under ``tests/sixth_game`` as a stranger would write it. It is put on the path
with the metadata that installing it would leave there, and then obeys all laws, plays in the
terminal, is measured and replayed, without an edit anywhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

import redouble
from redouble.testing import LAWS

HERE = Path(__file__).parent
PACKAGE = HERE / "sixth_game"
MAX_LINES = 700


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return installed(tmp_path_factory.mktemp("site"))


def installed(site: Path, projects: Sequence[Path] = (HERE.parent, PACKAGE)) -> dict[str, str]:
    """Return the environment of a machine on which Redouble and the sixth game are installed.

    ``site`` is an empty folder. It gets the metadata that installing the projects would write.
    """
    for folder in projects:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        version = project.get("version", redouble.__version__)
        info = site / f"{project['name'].replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
        )
        lines = []
        for group, points in project["entry-points"].items():
            lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    path = os.pathsep.join([str(site), str(PACKAGE / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


def run(
    environment: dict[str, str], *arguments: str, text: str = "", folder: Path = HERE.parent
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        env=environment,
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_obeys_all_laws(environment: dict[str, str], tmp_path: Path) -> None:
    """Its author runs them in the package's own folder, where there are none of our tests."""
    (tmp_path / "test_mine.py").write_text("def test_mine(): pass\n")
    result = run(
        environment,
        "pytest",
        "--redouble-game=highest-card",
        "--redouble-spread=1",
        "-q",
        folder=tmp_path,
    )
    assert result.returncode == 0, result.stdout
    settings, laws = 6, len(LAWS)
    assert f"{1 + settings * laws} passed" in result.stdout


def test_it_is_listed(environment: dict[str, str]) -> None:
    result = run(environment, "redouble", "games", "--json")
    assert "highest-card" in [game["name"] for game in json.loads(result.stdout)]


def test_it_plays_in_the_terminal_and_its_record_replays(
    environment: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "game.jsonl"
    moves = f"hint\na\na\na\nsave {file}\nquit\n"
    result = run(
        environment, "redouble", "play", "highest-card", "--seats", "3", "--seed", "s", text=moves
    )
    assert result.returncode == 0, result.stderr
    assert "all cards played" in result.stdout


def test_it_is_measured(environment: dict[str, str]) -> None:
    result = run(
        environment, "redouble", "bench", "highest-card", "--seats", "2", "--seconds", "0.05",
        "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.splitlines()[-1])["game"] == "highest-card"


def test_its_own_option_works(environment: dict[str, str]) -> None:
    code = (
        "import redouble; m = redouble.new('highest-card', seats=2, lowest_wins=True,"
        " deck=list('123456789') + ['10', '11', '12']); m.push('1'); m.push('2');"
        " print(m.tell(0), m.turn)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout == "lays 2; {0} takes the round 0\n"


def test_it_costs_little() -> None:
    files = [file for file in PACKAGE.rglob("*") if file.suffix in {".py", ".toml", ".md"}]
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= MAX_LINES
