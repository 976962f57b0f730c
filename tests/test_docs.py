"""What the documents say, a test repeats: spec sheets, rulebooks, links and commands."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from redouble.contract.registry import GAMES

from .worlds import own_games

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
OURS = own_games()


def test_the_spec_sheets_are_fresh() -> None:
    script = ROOT / "scripts" / "sheets.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", OURS)
def test_a_rulebook_states_every_ruling_that_the_code_cites(name: str) -> None:
    game = GAMES[name]
    book = game.rulebook()
    cited: set[str] = set()
    for file in game.folder.glob("*.py"):
        cited |= set(re.findall(r"\b(?:DD|DQ|DM|DK|TU)\d+\b", file.read_text(encoding="utf-8")))
    stated = set(re.findall(r"\*\*((?:DD|DQ|DM|DK|TU)\d+)\*\*", book))
    assert cited
    assert cited <= stated
    numbers = sorted(int(ruling[2:]) for ruling in stated)
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("name", OURS)
def test_a_rulebook_names_every_option(name: str) -> None:
    game = GAMES[name]
    for option in game.options:
        assert f"`{option.name}`" in game.rulebook()


@pytest.mark.parametrize("name", OURS)
def test_every_ruling_has_an_example_test(name: str) -> None:
    folder = GAMES[name].folder.name
    tests = (ROOT / "tests" / "games" / f"test_{folder}.py").read_text(encoding="utf-8")
    for ruling in set(re.findall(r"\*\*((?:DD|DQ|DM|DK|TU)\d+)\*\*", GAMES[name].rulebook())):
        assert f"test_{ruling.lower()}_" in tests, ruling


def test_every_game_has_mutants() -> None:
    folders = {GAMES[name].folder.name for name in OURS}
    assert folders == {file.stem for file in (ROOT / "tests" / "mutants").glob("*.toml")}


@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_the_python_in_the_documents_is_true(page: str) -> None:
    result = doctest.testfile(str(ROOT / page), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_the_registry_keeps_its_name_when_games_are_loaded() -> None:
    code = "import redouble; redouble.new('double-down', seats=2); print(len(redouble.GAMES))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert int(result.stdout) == len(GAMES)
