"""``scripts/new-game``: in a copy of the repository, the skeleton plays and obeys the laws."""

import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from redouble.testing import LAWS
from tests.helpers.places import ROOT
from tests.helpers.programs import python
from tests.helpers.strangers import installed

NAME = "new-moon-2"


@dataclass
class Copy:
    """A copy of the repository in which ``scripts/new-game`` has written a game."""

    root: Path
    environment: dict[str, str]
    said: str

    def run(self, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        return python("-m", *arguments, cwd=self.root, env=self.environment, input=text)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    root = tmp_path_factory.mktemp("copy")
    useless = shutil.ignore_patterns("__pycache__", ".*_cache", "pictures", "*.webp")
    for part in ("src", "tests", "scripts", "docs"):
        shutil.copytree(ROOT / part, root / part, ignore=useless)
    for part in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / part, root)
    made = new_game(root, NAME)
    assert made.returncode == 0, made.stderr
    site = tmp_path_factory.mktemp("site")
    environment = installed(site, [root])
    environment["PYTHONPATH"] = os.pathsep.join([str(site), str(root / "src")])
    return Copy(root, environment, made.stdout)


def new_game(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(str(root / "scripts" / "new-game"), *arguments)


def test_it_lists_what_it_wrote(copy: Copy) -> None:
    listed = copy.said.partition("\nNext:")[0].split()
    assert "src/redouble/games/new_moon_2/rules.py" in listed
    assert all((copy.root / path).exists() for path in listed)
    project = tomllib.loads((copy.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    games = project["entry-points"]["redouble.games"]
    assert games[NAME] == "redouble.games.new_moon_2:GAME"
    assert len(games) == 6


def test_the_skeleton_contains_no_names_of_its_model(copy: Copy) -> None:
    for path in copy.said.partition("\nNext:")[0].split():
        text = (copy.root / path).read_text(encoding="utf-8")
        for word in ("highest_card", "highest-card", "Highest Card", "HC1", "hc1"):
            assert word not in text, f"{path}: {word}"


def test_the_skeleton_is_well_formed(copy: Copy) -> None:
    for command in (["check"], ["format", "--check"]):
        result = copy.run("ruff", *command, "--no-cache", "src/redouble/games", "tests/games")
        assert result.returncode == 0, result.stdout


def test_the_skeleton_obeys_the_laws(copy: Copy) -> None:
    result = copy.run(
        "pytest", "-q", f"--redouble-game={NAME}", "--redouble-spread=0",
        "tests/games/test_new_moon_2.py", "-p", "no:cacheprovider", "-p", "no:xdist",
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
    seat_counts, examples = 3, 3
    assert f"{seat_counts * len(LAWS) + examples} passed" in result.stdout


def test_the_skeleton_plays(copy: Copy) -> None:
    result = copy.run("redouble", "play", NAME, "--seed", "s", text="a\na\na\nquit\n")
    assert result.returncode == 0, result.stderr
    assert NAME in copy.run("redouble", "games").stdout
    assert "all cards played" in result.stdout


def test_failing_tests_say_what_is_still_missing(copy: Copy) -> None:
    result = copy.run(
        "pytest", "-q", "tests/test_every_game.py", "-k", NAME, "-p", "no:cacheprovider",
        "-p", "no:xdist",
    )  # fmt: skip
    assert result.returncode == 1, result.stderr
    for missing in (
        "docs/games/new-moon-2.md is missing: run scripts/sheets.py",
        "docs/pictures/new-moon-2.svg is missing: run scripts/pictures",
        "tests/golden/new-moon-2.txt is missing: run python -m tests.test_golden",
        "README.md: add a row to the table of games",
        "new-moon-2 has 0 small positions of 12",
    ):
        assert missing in result.stdout
    assert "rulebook.md" not in result.stdout.partition("short test summary")[2]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("New Game", "a game can't be called 'New Game': use lower-case words with hyphens."),
        ("double-down", "src/redouble/games/double_down is there already: choose another name."),
    ],
)
def test_a_name_is_refused_in_one_sentence(copy: Copy, name: str, said: str) -> None:
    result = new_game(copy.root, name)
    assert result.returncode == 2
    assert result.stderr == f"new-game: {said}\n"
