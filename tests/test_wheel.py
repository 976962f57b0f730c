"""The wheel built from this repository, in an environment without the repository.

The environment borrows the packages that Redouble depends on, so that nothing is downloaded.
Redouble itself, with its games, pages and plugin, comes from the wheel.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from redouble.contract.registry import GAMES
from redouble.testing import LAWS
from tests.helpers.places import ROOT
from tests.helpers.worlds import own_games
from tests.web.helpers.server import Server

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@dataclass
class Installed:
    """A virtual environment into which the wheel was installed."""

    python: Path
    folder: Path

    def run(self, *arguments: str, text: str = "") -> str:
        result = subprocess.run(
            [str(self.python), *arguments],
            cwd=self.folder,
            env=CLEAN,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources, found = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("wheel")
    useless = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", sources / "src", ignore=useless)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, sources)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(found), str(sources))
    (built,) = found.glob("redouble-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n")
    return Installed(python, folder)


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    result = subprocess.run(command, env=CLEAN, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    package = ROOT / "src" / "redouble"
    expected = {
        f"redouble/{path.relative_to(package)}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected - set(zipfile.ZipFile(wheel).namelist()) == set()


def test_the_wheel_is_what_gets_imported(installed: Installed) -> None:
    where = installed.run("-c", "import redouble; print(redouble.__file__)")
    assert where.startswith(str(installed.folder))


def test_it_plays(installed: Installed) -> None:
    assert all(name in installed.run("-m", "redouble", "games", "--json") for name in own_games())
    for name in own_games():
        assert GAMES[name].title in installed.run("-m", "redouble", "rules", name, "--plain")
    for name in own_games():
        record = ROOT / "tests" / "golden" / f"{name}.txt"
        line = record.read_text(encoding="utf-8").partition("\n")[0]
        assert "rank" in installed.run("-m", "redouble", "replay", "-", "--json", text=line)
    arguments = ("play", own_games()[0], "--seed", "wheel", "--plain")
    assert "seed wheel" in installed.run("-m", "redouble", *arguments, text="quit\n")


def test_it_serves(installed: Installed) -> None:
    server = Server(installed.folder, environment=CLEAN, python=str(installed.python))
    server.start()
    try:
        for page in (
            "",
            "rules",
            "puzzles",
            "static/table.js",
            *map("rules/{}".format, own_games()),
        ):
            with urllib.request.urlopen(f"{server.address}{page}", timeout=60) as answer:
                assert answer.status == 200
                assert answer.read()
    finally:
        server.stop()


def test_its_plugin_runs_the_laws(installed: Installed) -> None:
    alone = next(name for name in own_games() if GAMES[name].max_seats == 1)
    said = installed.run(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--redouble-spread=0",
        f"--redouble-game={alone}",
    )  # fmt: skip
    assert f"{len(LAWS)} passed" in said


def test_every_game_obeys_a_law(installed: Installed) -> None:
    code = (
        "from redouble import GAMES; from redouble.testing import check_game\n"
        "for name in GAMES: check_game(name, spread=0, laws=['l9']); print(name)"
    )
    assert installed.run("-c", code).split() == own_games()
