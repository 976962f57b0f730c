"""Games as WebAssembly modules and object files play as everywhere else.

The usual run compiles one game for WebAssembly; what is made is kept in the cache of compiled code.
"""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wasmtime

from redouble.bots.levels import LEVELS
from redouble.contract.driver import playouts, quick_move
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import functions
from redouble.contract.registry import GAMES
from redouble.exports import build, loops
from redouble.exports.build import c_files, wasm_files
from redouble.kernel import engine
from redouble.kernel.rng import seed_words
from redouble.match.match import Match
from redouble.testing.laws import engines_agree
from redouble.testing.settings import Setting, settings_of
from tests.helpers.command import Run
from tests.helpers.decisions import decisions
from tests.helpers.in_tab import run_in_tab
from tests.helpers.places import EXAMPLES
from tests.helpers.programs import finished, installed
from tests.helpers.random_games import games_of_moves, random_games
from tests.helpers.wasm import compiled_game, wasm_engine

USUAL = "double-down"
"""The game of the usual run."""


def by_game(values: Callable[[Game], Iterator[Any]]) -> list[Any]:
    """Return parameters of every game; those of all games but one are thorough."""
    return [
        pytest.param(value, id=value.name if isinstance(value, Game) else str(value), marks=marks)
        for name, game in GAMES.items()
        for marks in ([] if name == USUAL else [pytest.mark.thorough],)
        for value in values(game)
    ]


every_game = pytest.mark.parametrize("game", by_game(lambda game: iter([game])))


@pytest.mark.parametrize("setting", by_game(lambda game: settings_of(game, spread=1)))
def test_webassembly_obeys_l8(setting: Setting, effort: int) -> None:
    engines_agree(setting, effort, wasm_engine(setting.game).compiled)


@every_game
def test_a_module_needs_nothing_and_is_small(game: Game) -> None:
    code = compiled_game(game).code
    assert [each.name for each in wasmtime.Module(wasmtime.Engine(), code).imports] == []
    assert len(code) < 160_000


@every_game
def test_random_games_end_in_the_same_state(game: Game) -> None:
    found = []
    for compiled in (engine.compiled, wasm_engine(game).compiled):
        loop = compiled(playouts, **functions(game))
        for setting in settings_of(game, spread=2):
            states = engine.to_records(setting.header("random"), 2)
            rng = np.array(seed_words(str(setting)), np.uint64)
            out = np.zeros(game.rules.MAX_LEGAL + 1, np.int16)
            moves = loop(states, rng, out, 5, 20_000)
            found.append((moves, states.tobytes(), rng.tobytes()))
    half = len(found) // 2
    assert found[:half] == found[half:]


@every_game
def test_levels_that_do_not_search_decide_alike(game: Game) -> None:
    loops = [
        compiled(quick_move, **functions(game))
        for compiled in (engine.compiled, wasm_engine(game).compiled)
    ]
    for seats in sorted({game.min_seats, game.usual_seats, game.max_seats}):
        match = Match(game, seats, "levels", game.needed_options(seats))
        while match.turn is not None and match.ply < 60:
            legal = match.observation().legal
            for policy in LEVELS.values():
                out = np.zeros(game.rules.MAX_LEGAL + 1, np.int16)
                out[: len(legal)] = legal
                records = engine.to_records(match.state, 2)
                words, work = np.array(seed_words("quick"), np.uint64), np.zeros(WORK, np.int64)
                given = records[0], out, len(legal), words, records[1:], work, policy.mistakes
                one, other = [loop(*copies(given)) for loop in loops]
                assert one == other
            match.push(match.legal_moves[match.ply % len(legal)])


@every_game
def test_a_tab_decides_as_a_server_does(game: Game, tmp_path: Path) -> None:
    """In a process without NumPy and Numba, which runs the modules."""
    found = run_in_tab(game, tmp_path, "-m", "tests.helpers.decisions", game.name)
    assert found.splitlines() == list(decisions(game))


def copies(values: Any) -> list[Any]:
    return [value.copy() if isinstance(value, (np.ndarray, np.void)) else value for value in values]


def test_a_c_program_plays_the_same_games(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = installed("cc", package="gcc")
    if request.config.option.markexpr == "not thorough":  # most of the time goes into the search
        monkeypatch.setattr(loops, "_search", lambda game: iter(()))
    for name, content in c_files(GAMES[USUAL]).items():
        (tmp_path / name).write_bytes(content)
    for line in _built("random_games", tmp_path), _built("billion_moves", tmp_path):
        subprocess.run([compiler, *line], cwd=tmp_path, check=True)
    played = finished(tmp_path / "random_games", check=True)
    assert played.stdout == random_games(GAMES[USUAL])
    program = str(tmp_path / "billion_moves")
    counted = finished(program, "4", "2000", check=True)
    assert counted.stdout.startswith(f"2000 moves in {games_of_moves(GAMES[USUAL], 2000)} games: ")
    alone = finished(program, "1", "9")
    assert (alone.returncode, alone.stderr.count("\n")) == (2, 1)


def _built(example: str, folder: Path) -> list[str]:
    """Return how the compiler makes a program of an example."""
    source = EXAMPLES / f"{example}.c"
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 30
    flags = ["-std=c11", "-Wall", "-Werror", "-I.", f"-DGAME={USUAL.replace('-', '_')}"]
    return [*flags, "-include", f"{USUAL}.h", "-o", example, str(source), f"{USUAL}.o"]


def test_files_are_made_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wasm_files(GAMES[USUAL])
    monkeypatch.setattr(build, "object_code", None)
    made = run("build", "wasm", USUAL, "--out", str(tmp_path / "new" / "folder"))
    assert made.code == 0, made.err
    assert f"{USUAL}.wasm: " in made.out
    assert (tmp_path / "new" / "folder" / f"{USUAL}.json").is_file()


def test_what_cant_be_built_is_one_sentence(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    run("build", "c", USUAL, "--out", str(tmp_path / "file")).refusal()
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    monkeypatch.setattr(build, "which", lambda name: None)
    assert "no linker for WebAssembly is installed: " in run("build", "wasm", USUAL).refusal()
