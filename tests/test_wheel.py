"""The wheel built from this repository, in environments without the repository.

Each has only the packages that a base installation or an extra brings. They are links to those of
the environment that runs the tests, so that nothing is downloaded.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from redouble.contract.registry import GAMES
from redouble.testing import LAWS
from tests.helpers.extras import IN_THE_BASE, WITHOUT_EXTRAS
from tests.helpers.packages import lend, required
from tests.helpers.places import ROOT
from tests.helpers.programs import finished, python
from tests.helpers.worlds import own_games
from tests.web.helpers.server import Server

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
CLEAN["PYTHONDONTWRITEBYTECODE"] = "1"  # its packages are those of the tests


RUN_ALL = (
    "import io, json, sys; from redouble.commands import command_line, errors\n"
    "sys.stderr = sys.stdout\n"
    "for line, text in json.loads(sys.argv[1]):\n"
    "    sys.stdin = io.StringIO(text)\n"
    "    code = errors.run(lambda: command_line.invoke(line.split()))\n"
    "    assert code == int(sys.argv[2]), line\n"
    "    print(end='\\f')\n"
)


@dataclass
class Installed:
    """A virtual environment into which the wheel was installed."""

    python: Path
    folder: Path

    def run(self, *arguments: str, text: str = "") -> str:
        result = finished(str(self.python), *arguments, cwd=self.folder, env=CLEAN, input=text)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def run_all(self, commands: Sequence[tuple[str, str]], code: int = 0) -> list[str]:
        """Return what each command prints, given a text to read; each has to end with this code.

        One process runs all of them: to start one takes longer than most commands.
        """
        return self.run("-c", RUN_ALL, json.dumps(commands), str(code)).split("\f")[:-1]


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


class Environments(dict[str, Installed]):
    """An environment for each list of extras, such as ``web`` or ``web,lab``, made when needed."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        super().__init__()
        self._wheel, self._folder = wheel, folder

    def __missing__(self, extras: str) -> Installed:
        folder = self._folder / (extras or "base")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        python = folder / "venv" / "bin" / "python"
        pip("--python", str(python), "install", "--no-deps", "--no-index", str(self._wheel))
        (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
        lend(required(*filter(None, extras.split(","))), site)
        self[extras] = made = Installed(python, folder)
        return made


@pytest.fixture(scope="module")
def environments(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environments:
    return Environments(wheel, tmp_path_factory.mktemp("environments"))


@pytest.fixture(scope="module")
def installed(environments: Environments) -> Installed:
    return environments[""]


def pip(*arguments: str) -> None:
    result = python("-m", "pip", "--quiet", "--disable-pip-version-check", *arguments, env=CLEAN)
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
    commands = [("games --json -", ""), (f"play {own_games()[0]} --seed wheel --plain", "quit\n")]
    for name in own_games():
        record = ROOT / "tests" / "golden" / f"{name}.txt"
        line = record.read_text(encoding="utf-8").partition("\n")[0]
        commands += [(f"rules {name} --plain", ""), ("replay - --json -", line)]
    listed, played, *others = installed.run_all(commands)
    assert "seed wheel" in played
    for name, rules, replayed in zip(own_games(), others[::2], others[1::2], strict=True):
        assert name in listed
        assert GAMES[name].title in rules
        assert '"ranks": [' in replayed


def test_without_an_extra_a_command_says_what_to_install(installed: Installed) -> None:
    expected = {"": ("", "web"), "--port 8350": ("", "web"), **WITHOUT_EXTRAS}
    lines = [f"{name} {words}" for name, (words, _) in expected.items()]
    said = installed.run_all([(line, "") for line in lines], code=2)
    for line, (_, extra) in zip(said, expected.values(), strict=True):
        assert re.fullmatch(rf"redouble: .*pip install 'redouble\[{extra}\]'\.\n", line)


@pytest.mark.thorough
def test_every_other_command_works_without_an_extra(installed: Installed) -> None:
    """It imports what it runs first: a bot's search, the solver, a file of games."""
    lines = [(f"{name} {words}", typed) for name, (words, typed) in IN_THE_BASE.items()]
    assert all(installed.run_all(lines))


@pytest.mark.thorough
def test_the_lab_studies_and_compares(environments: Environments) -> None:
    lab, game = environments["lab"], own_games()[0]
    for line in (f"study {game} --games 20", f"arena {game} random greedy --games 4"):
        lab.run("-m", "redouble", *line.split(), "--report", "report.html")
        assert "<svg" in (lab.folder / "report.html").read_text(encoding="utf-8")


def test_it_serves(environments: Environments) -> None:
    installed = environments["web"]
    server = Server(installed.folder, environment=CLEAN, python=str(installed.python))
    server.start()
    try:
        for page in (
            "",
            "rules",
            "puzzles",
            "static/table/main.js",
            *map("rules/{}".format, own_games()),
        ):
            with urllib.request.urlopen(f"{server.address}{page}", timeout=60) as answer:
                assert answer.status == 200
                assert answer.read()
    finally:
        server.stop()


@pytest.mark.thorough
def test_its_plugin_runs_the_laws(environments: Environments) -> None:
    installed = environments["test"]
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
