"""The parts that every game of this package needs; a failure says what to add and how.

Nothing here names a game: a new one is asked for its parts as soon as it is registered.
CONTRIBUTING.md explains them.
"""

import json
import re
import tomllib
from collections import Counter

import pytest

from redouble.contract.registry import GAMES
from tests.helpers.places import ROOT
from tests.helpers.worlds import own_games

OURS = own_games()
RULING = re.compile(r"\*\*([A-Z]{2})(\d+)\*\*")
MIN_POSITIONS = 12

PUZZLES = "src/redouble/games/{folder}/puzzles.jsonl"
PARTS = {
    "src/redouble/games/{folder}/rulebook.md": "write the rules in your own words",
    "src/redouble/games/{folder}/guide.toml": "write the steps of a first game",
    "src/redouble/games/{folder}/cover.svg": "draw the cover for the home page",
    PUZZLES: "run scripts/puzzles.py {name} --write",
    "docs/games/{name}.md": "run scripts/sheets.py",
    "docs/pictures/{name}.svg": "run scripts/pictures",
    "tests/games/test_{folder}.py": "write an example test for each ruling of the rulebook",
    "tests/mutants/{folder}.toml": "list plausible bugs in the rules, as the other games do",
    "tests/golden/{name}.txt": "run python -m tests.test_golden",
    "tests/golden/search/{name}.txt": "run python -m tests.bots.test_search",
}
"""The files of a game, and how to make them."""


def filled(text: str, name: str) -> str:
    return text.format(name=name, folder=GAMES[name].folder.name)


def rulings(name: str) -> dict[str, str]:
    """Return the rulings of a game's rulebook, such as ``TU11``, each with its two letters."""
    return {f"{a}{n}": a for a, n in RULING.findall(GAMES[name].rulebook())}


def example_tests(name: str) -> str:
    file = ROOT / "tests" / "games" / f"test_{GAMES[name].folder.name}.py"
    return file.read_text(encoding="utf-8") if file.exists() else ""


@pytest.mark.parametrize(
    ("name", "part"),
    [(n, p) for n in OURS for p in PARTS if p != PUZZLES or GAMES[n].max_seats > 1],
)
def test_a_game_has_all_its_parts(name: str, part: str) -> None:
    path, advice = filled(part, name), filled(PARTS[part], name)
    assert (ROOT / path).exists(), f"{path} is missing: {advice}"


@pytest.mark.parametrize("name", OURS)
def test_a_game_is_in_the_readme(name: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    sheet = f"docs/games/{name}.md"
    assert f"({sheet})" in readme, f"README.md: add a row to the table of games, linked to {sheet}"


@pytest.mark.parametrize("name", OURS)
def test_a_game_has_brute_force_positions_and_golden_reviews(name: str) -> None:
    golden = ROOT / "tests" / "golden"
    lines = (golden / "brute.jsonl").read_text(encoding="utf-8").splitlines()
    positions = Counter[str]()
    for line in map(json.loads, lines):
        positions[line["record"]["game"]] += len(line["positions"])
    assert positions[name] >= MIN_POSITIONS, (
        f"{name} has {positions[name]} small positions of {MIN_POSITIONS}: add settings to"
        " tests/helpers/small_positions.py and run python -m tests.helpers.small_positions"
    )
    reviews = json.loads((golden / "reviews.json").read_text(encoding="utf-8"))
    assert name in reviews, f"reviews.json lacks {name}: run python -m tests.analysis.test_review"


@pytest.mark.parametrize("name", OURS)
def test_a_rulebook_numbers_its_rulings_with_its_own_two_letters(name: str) -> None:
    mine = rulings(name)
    letters = set(mine.values())
    assert len(letters) == 1, (
        f"{name}: number the rulings in rulebook.md with two letters, as in **AB1**; found"
        f" {sorted(letters)}"
    )
    others = {letter for other in OURS if other != name for letter in rulings(other).values()}
    assert not letters & others, f"{name}: another game numbers its rulings with {letters}"
    numbers = sorted(int(ruling[2:]) for ruling in mine)
    assert numbers == list(range(1, len(numbers) + 1)), f"{name}: rulings are {numbers}"


@pytest.mark.parametrize("name", OURS)
def test_a_rulebook_states_every_ruling_that_the_code_cites(name: str) -> None:
    stated = set(rulings(name))
    letters = {ruling[:2] for each in OURS for ruling in rulings(each)}
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(letters))})\d+\b")
    for file in GAMES[name].folder.glob("*.py"):
        cited = set(pattern.findall(file.read_text(encoding="utf-8")))
        assert cited <= stated, f"{file.name} cites {sorted(cited - stated)}: add to rulebook.md"


@pytest.mark.parametrize("name", OURS)
def test_every_ruling_has_an_example_test(name: str) -> None:
    tests = example_tests(name)
    missing = [ruling for ruling in rulings(name) if f"test_{ruling.lower()}_" not in tests]
    assert not missing, (
        f"{filled('tests/games/test_{folder}.py', name)}: add an example test for each of"
        f" {missing}, called test_{missing[0].lower()}_..."
    )


@pytest.mark.parametrize("name", OURS)
def test_a_rulebook_names_every_option(name: str) -> None:
    for option in GAMES[name].options:
        assert f"`{option.name}`" in GAMES[name].rulebook(), (
            f"rulebook.md of {name}: explain the option `{option.name}`"
        )


@pytest.mark.parametrize("name", OURS)
def test_every_mutant_changes_an_existing_line(name: str) -> None:
    file = ROOT / filled("tests/mutants/{folder}.toml", name)
    for mutant in tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]:
        source = (GAMES[name].folder / mutant["file"]).read_text(encoding="utf-8")
        assert source.count(mutant["old"]) == 1, (
            f"{file.name}: {mutant['why']!r}: its old text must stand once in {mutant['file']}"
        )


def test_no_files_are_left_from_removed_games() -> None:
    for part in PARTS:
        if "folder}" not in part.rpartition("/")[0]:
            expected = {filled(part, name) for name in OURS}
            pattern = part.format(name="*", folder="*")
            found = {str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)}
            kept = {path for path in found if path.endswith(("index.md", "_page.py"))}
            assert found - kept <= expected, f"remove {sorted(found - kept - expected)}"
