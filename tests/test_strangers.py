"""Games from separate packages: found by their entry points, they work everywhere.

The packages stand under ``tests/`` as strangers would write them. They are put on the path with the
metadata that installing them would leave there, and then obey all laws, play in the terminal and in
the browser, are measured, studied, reviewed and solved, without an edit anywhere.
"""

import json
import shutil
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from redouble import new
from redouble.analysis.solve import SolveError, Solving
from redouble.contract.game import Game
from redouble.match.match import Match
from redouble.testing import LAWS, settings_of
from tests.helpers.command import Run
from tests.helpers.strangers import ONLY_OURS, PACKAGES, installed, run_module
from tests.helpers.tables import push

MAX_LINES = {"highest-card": 700, "uphill": 1100}
"""What a game may cost: with everything that the contract offers, a few hundred lines more."""
EACH = pytest.mark.parametrize("name", PACKAGES)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return installed(tmp_path_factory.mktemp("site"))


@pytest.fixture
def redouble(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs a command that has to succeed, in a folder of its own; what it prints."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, text: str = "") -> str:
        ran = run(*arguments, typed=text)
        assert not ran.code, ran.err
        return ran.out

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
    result = run_module(
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
    result = run_module(environment | ONLY_OURS, "pytest", *options, folder=project)
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
    path = f"{project / 'src'}:{environment['PYTHONPATH']}"
    changed = environment | ONLY_OURS | {"PYTHONPATH": path}
    mutants = tomllib.loads((project / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    for mutant in mutants:
        file = source / mutant["file"]
        text = file.read_text(encoding="utf-8")
        assert text.count(mutant["old"]) == 1, mutant["why"]
        file.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
        options = ("-q", "-x", "-o", "redouble_games=", "-p", "no:cacheprovider")
        result = run_module(changed, "pytest", *options, example_tests(name), folder=project)
        assert result.returncode == 1, mutant["why"]
        file.write_text(text, encoding="utf-8")
    assert len(mutants) >= 3


def test_they_are_listed(environment: dict[str, str]) -> None:
    listed = json.loads(run_module(environment, "redouble", "games", "--json", "-").stdout)
    assert {game["name"] for game in listed} >= set(PACKAGES)


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
    redouble: Callable[..., str], name: str
) -> None:
    game = game_of(name)
    moves = thrown(60) if name == "uphill" else 3 * "a\n"
    first, _, rest = moves.partition("\n")
    options = ("--seats", str(game.min_seats), "--seed", "s")
    typed = f"hint\n{first}\nsave game.jsonl\n{rest}"
    said = redouble("play", name, *options, text=typed)
    assert any(f"Game over: {reason.text}" in said for reason in game.text.REASONS[1:])
    assert "The record ends here" in redouble("replay", "game.jsonl")


@EACH
def test_it_is_reviewed(redouble: Callable[..., str], tmp_path: Path, name: str) -> None:
    """With what the solver says, where one player played a game that has a solver."""
    game = game_of(name)
    for seats in {game.min_seats, 2}:
        match = Match(game, seats, "s")
        for _ in range(2 * seats):
            match.push(match.legal_moves[0])
        (tmp_path / "game.jsonl").write_text(f"{match.record()}\n", encoding="utf-8")
        options = ("--json", "-", "--iterations", "20")
        review = json.loads(redouble("review", "game.jsonl", *options))
        assert review["decisions"]
        assert (review["foresight"] is not None) == (seats == 1)


@pytest.mark.thorough
def test_one_of_them_is_measured(redouble: Callable[..., str]) -> None:
    name = "highest-card"
    said = redouble("bench", name, "--seats", "2", "--seconds", "0.05", "--json", "-")
    assert json.loads(said.splitlines()[-1])["game"] == name


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "least"), [("highest-card", False), ("uphill", True)])
def test_it_is_studied_and_its_bots_compete(
    redouble: Callable[..., str], name: str, least: bool
) -> None:
    game = game_of(name)
    seats = str(game.min_seats if least else game.max_seats)
    studied = redouble("study", name, "--seats", seats, "--games", "200", "--json", "-")
    assert json.loads(studied)["settings"][0]["figures"]
    arena = redouble("arena", name, "greedy", "random", "--seats", seats, "--games", "20")
    assert "20 games" in arena


def test_its_own_option_works() -> None:
    deck = [str(number) for number in range(1, 13)]
    match = push(new("highest-card", seats=2, lowest_wins=True, deck=deck), "1", "2")
    assert (match.tell(0), match.turn) == ("lays 2; {0} takes the round", 0)


def test_a_board_that_shows_a_seats_zone_is_not_followed_by_it(
    redouble: Callable[..., str],
) -> None:
    said = redouble("play", "uphill", "--seats", "1", "--seed", "s", text=f"{thrown(1)}quit\n")
    assert "climbed 0 of 8; hand:" in said
    assert "path:" not in said


def test_a_game_for_one_or_two_is_solved_for_one(redouble: Callable[..., str]) -> None:
    found = redouble("solve", "5", "--game", "uphill", "--option", "steps=4")
    assert "Uphill, deal 5 (steps=4 redeals=1 terraces=no)" in found
    assert "It can be won" in found
    tally = redouble("solve", "--game", "uphill", "--games", "20", "--option", "terraces")
    assert tally.startswith("20 deals: ")


def test_a_game_of_two_is_not_solved(run: Run, tmp_path: Path) -> None:
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
    said = run("solve", str(tmp_path / "game.jsonl"), "--game", "uphill").refusal()
    assert "2 played: only a solitaire game can be solved" in said


@EACH
def test_it_costs_little(name: str) -> None:
    kinds = {".py", ".toml", ".md", ".html", ".css"}
    files = [file for file in PACKAGES[name].rglob("*") if file.suffix in kinds]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    assert lines <= MAX_LINES[name]
