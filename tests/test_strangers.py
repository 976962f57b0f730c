"""Games from separate packages: found by their entry points, they work everywhere.

The packages stand under ``tests/`` as strangers would write them. They are put on the path with the
metadata that installing them would leave there, and then obey all laws, play in the terminal and in
the browser, are measured, studied, reviewed and solved, without an edit anywhere.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from redouble.analysis.solve import SolveError, Solving
from redouble.contract.game import Game
from redouble.match.match import Match
from redouble.testing import LAWS, settings_of
from tests.helpers.places import ROOT
from tests.helpers.strangers import PACKAGES, installed, run

MAX_LINES = {"highest-card": 700, "uphill": 1150}
"""What a game may cost: with everything that the contract offers, a few hundred lines more."""
GENERAL = (
    "bots/test_bots.py bots/test_search.py commands/test_cli.py contract/test_guides.py"
    " contract/test_words.py kernel/test_engine.py match/test_replay.py terminal",
    "web/api/test_api.py web/drawing/test_drawing.py web/drawing/test_guide_page.py"
    " web/gate/test_security.py web/live/test_tables.py web/pages/test_rules.py"
    " web/pages/test_solitaire.py web/features/study/test_replay.py web/table/test_table.py"
    " web/test_secrecy.py web/thinking/test_compiler.py"
    " web/features/study/test_solitaire_solver.py",
)
"""Files whose tests range over all installed games."""
EACH = pytest.mark.parametrize("name", PACKAGES)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return installed(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def redouble(environment: dict[str, str]) -> Any:
    """Runs a command that has to succeed; what it prints."""

    def command(*arguments: str, text: str = "", folder: Path = ROOT) -> str:
        result = run(environment, "redouble", *arguments, text=text, folder=folder)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return command


def game_of(name: str) -> Game:
    game = import_module(name.replace("-", "_")).GAME
    assert isinstance(game, Game)
    return game


def example_tests(name: str) -> str:
    return f"tests/test_{name.replace('-', '_')}.py"


@EACH
def test_it_obeys_all_laws(environment: dict[str, str], tmp_path: Path, name: str) -> None:
    """Its author runs them in the package's own folder, where there are none of our tests."""
    (tmp_path / "test_mine.py").write_text("def test_mine(): pass\n")
    result = run(
        environment, "pytest", f"--redouble-game={name}", "--redouble-spread=0", "-q",
        folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
    settings = len(list(settings_of(game_of(name), spread=0)))
    assert f"{1 + settings * len(LAWS)} passed" in result.stdout


@pytest.mark.thorough
@EACH
def test_its_project_says_which_laws_to_run(
    environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    """With its own configuration, its own tests and the laws run in one go."""
    project = tmp_path / "project"
    shutil.copytree(PACKAGES[name], project)
    options = ("-q", "--redouble-spread=0", "-k", "l1_ or l2_ or test_mine")
    (project / "tests" / "test_mine.py").write_text("def test_mine(): pass\n")
    result = run(environment, "pytest", *options, folder=project)
    assert result.returncode == 0, result.stdout
    settings = len(list(settings_of(game_of(name), spread=0)))
    assert f"{1 + 2 * settings} passed" in result.stdout


@pytest.mark.thorough
@EACH
def test_its_plausible_bugs_are_caught(
    environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    project = tmp_path / "project"
    shutil.copytree(PACKAGES[name], project)
    (source,) = (project / "src").iterdir()
    changed = environment | {"PYTHONPATH": f"{project / 'src'}:{environment['PYTHONPATH']}"}
    mutants = tomllib.loads((project / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    for mutant in mutants:
        file = source / mutant["file"]
        text = file.read_text(encoding="utf-8")
        assert text.count(mutant["old"]) == 1, mutant["why"]
        file.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
        options = ("-q", "-x", "-o", "redouble_games=", "-p", "no:cacheprovider")
        result = run(changed, "pytest", *options, example_tests(name), folder=project)
        assert result.returncode == 1, mutant["why"]
        file.write_text(text, encoding="utf-8")
    assert len(mutants) >= 3


@pytest.mark.thorough
@pytest.mark.parametrize("files", GENERAL, ids=["rooms", "web"])
def test_it_passes_the_tests_of_every_game(environment: dict[str, str], files: str) -> None:
    """Terminal, pages, interface, records, secrecy, bots and searches, of both games."""
    chosen = [f"tests/{file}" for file in files.split()]
    result = run(
        environment, "pytest", *chosen, "-q", "-n0", "-p", "no:cacheprovider",
        "-k", " or ".join(PACKAGES), "--tb=short",
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-20_000:]
    assert "passed" in result.stdout


@EACH
def test_it_is_listed(redouble: Any, name: str) -> None:
    assert name in [game["name"] for game in json.loads(redouble("games", "--json", "-"))]


def thrown(moves: int) -> str:
    """The moves of an Uphill player, alone with the deal ``s``, who throws every tile away."""
    match = Match(game_of("uphill"), 1, "s")
    typed: list[str] = []
    while match.turn is not None and len(typed) < moves:
        typed.append(next(move for move in match.legal_moves if move.startswith("throw")))
        match.push(typed[-1])
    return "".join(f"{move}\n" for move in typed)


@EACH
def test_it_plays_in_the_terminal_and_its_record_replays(
    redouble: Any, tmp_path: Path, name: str
) -> None:
    game = game_of(name)
    moves = thrown(60) if name == "uphill" else 3 * "a\n"
    first, _, rest = moves.partition("\n")
    options = ("--seats", str(game.min_seats), "--seed", "s")
    typed = f"hint\n{first}\nsave game.jsonl\n{rest}"
    said = redouble("play", name, *options, text=typed, folder=tmp_path)
    assert any(f"Game over: {reason.text}" in said for reason in game.text.REASONS[1:])
    assert "The record ends here" in redouble("replay", "game.jsonl", folder=tmp_path)


@EACH
def test_it_is_reviewed(redouble: Any, tmp_path: Path, name: str) -> None:
    """With what the solver says, where one player played a game that has a solver."""
    game = game_of(name)
    for seats in {game.min_seats, 2}:
        match = Match(game, seats, "s")
        for _ in range(2 * seats):
            match.push(match.legal_moves[0])
        (tmp_path / "game.jsonl").write_text(f"{match.record()}\n", encoding="utf-8")
        options = ("--json", "-", "--iterations", "20")
        review = json.loads(redouble("review", "game.jsonl", *options, folder=tmp_path))
        assert review["decisions"]
        assert (review["foresight"] is not None) == (seats == 1)


@pytest.mark.thorough
def test_one_of_them_is_measured(redouble: Any) -> None:
    name = "highest-card"
    said = redouble("bench", name, "--seats", "2", "--seconds", "0.05", "--json", "-")
    assert json.loads(said.splitlines()[-1])["game"] == name


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "least"), [("highest-card", False), ("uphill", True)])
def test_it_is_studied_and_its_bots_compete(redouble: Any, name: str, least: bool) -> None:
    game = game_of(name)
    seats = str(game.min_seats if least else game.max_seats)
    studied = redouble("study", name, "--seats", seats, "--games", "200", "--json", "-")
    assert json.loads(studied)["settings"][0]["figures"]
    arena = redouble("arena", name, "greedy", "random", "--seats", seats, "--games", "20")
    assert "20 games" in arena


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


def test_a_board_that_shows_a_seats_zone_is_not_followed_by_it(redouble: Any) -> None:
    said = redouble("play", "uphill", "--seats", "1", "--seed", "s", text=f"{thrown(1)}quit\n")
    assert "climbed 0 of 8; hand:" in said
    assert "path:" not in said


def test_a_game_for_one_or_two_is_solved_for_one(redouble: Any) -> None:
    found = redouble("solve", "5", "--game", "uphill", "--option", "steps=4")
    assert "Uphill, deal 5 (steps=4 redeals=1 terraces=no)" in found
    assert "It can be won" in found
    tally = redouble("solve", "--game", "uphill", "--games", "20", "--option", "terraces")
    assert tally.startswith("20 deals: ")


def test_a_game_of_two_is_not_solved(environment: dict[str, str], tmp_path: Path) -> None:
    game = game_of("uphill")
    match = Match(game, 2, "two")
    assert match.solver is None
    assert Match(game, 1, "one").solver is game.solver
    solving = Solving(game)
    for ask in (
        lambda: solving.solve(match.state),
        lambda: solving.winnable(match.state),
        lambda: solving.foresight(match),
        lambda: solving.lost_at(match),
        lambda: solving.chances(match.observation()),
    ):
        with pytest.raises(SolveError, match="2 players are too many for a solver"):
            ask()
    match.push(match.legal_moves[0])
    (tmp_path / "game.jsonl").write_text(f"{match.record()}\n", encoding="utf-8")
    result = run(
        environment, "redouble", "solve", "game.jsonl", "--game", "uphill", folder=tmp_path
    )
    assert result.returncode == 2
    assert "2 played: only a solitaire game can be solved" in result.stderr


@EACH
def test_it_costs_little(name: str) -> None:
    kinds = {".py", ".toml", ".md", ".html", ".css"}
    files = [file for file in PACKAGES[name].rglob("*") if file.suffix in kinds]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    assert lines <= MAX_LINES[name]
