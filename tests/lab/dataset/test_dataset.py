"""Data sets: values are what searches and the solver find, and files say all that they hold."""

import hashlib
import re
import resource
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

import redouble
from redouble.analysis.puzzle import puzzles_of
from redouble.analysis.solve import solving_for
from redouble.bots.search import Search
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.arrays.observation import observation
from redouble.kernel.errors import MissingExtra, RedoubleError
from redouble.kernel.files import UnwritableFile
from redouble.kernel.rng import seed_words
from redouble.lab.dataset import job as job_module
from redouble.lab.dataset.card import CARD
from redouble.lab.dataset.columns import KNOWN_BY, pack, tables, unpack
from redouble.lab.dataset.files import Dataset, build
from redouble.lab.dataset.job import GAMES_SERIES, PUZZLES_SERIES, DatasetJob
from redouble.lab.dataset.values import PLAYOUTS, searched
from redouble.lab.shards import Shard, Threads
from redouble.match.match import LegalMoves
from tests.helpers.command import Run
from tests.helpers.interrupting import CtrlC
from tests.helpers.known import known
from tests.helpers.places import EXAMPLES
from tests.helpers.programs import python
from tests.helpers.worlds import own_games

WORLDS = 5
SETTINGS = [
    (name, seats)
    for name in own_games()
    for seats in sorted({GAMES[name].min_seats, GAMES[name].usual_seats, 5})
    if seats <= GAMES[name].max_seats
]
SMALL: dict[str, Any] = {"games": 3, "positions": 2, "worlds": 4, "seed": "small", "seats": 2}
GAME = "double-down"


def rows_of(name: str, seats: int) -> tuple[Game, DatasetJob, dict[str, list[dict[str, Any]]]]:
    """Make the rows of two games."""
    game = GAMES[name]
    job = DatasetJob(
        name, seats, ("casual", "random"), 2, "rows", game.as_played({}), 3, WORLDS, False
    )
    job.warm()
    made: dict[str, list[dict[str, Any]]] = {}
    play = job.player(lambda: False)
    for shard in job.shards():
        for table, rows in play(shard).items():
            made.setdefault(table, []).extend(rows)
    return game, job, made


def worlds_with(made: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield each position with its worlds, as rows."""
    for row, columns in zip(made["positions"], made["worlds"], strict=True):
        assert (columns["game"], columns["ply"]) == (row["game"], row["ply"])
        assert columns["world"].tolist() == list(range(WORLDS))
        states = [{"state": one.tobytes()} for one in columns["state"]]
        others = [name for name in ("cards", "shares", "winnable") if name in columns]
        for i, state in enumerate(states):
            state |= {name: columns[name][i] for name in others}
        yield row, states


@pytest.mark.parametrize(("name", "seats"), SETTINGS)
def test_rows_say_what_the_games_and_the_searches_say(name: str, seats: int) -> None:
    """Everything is found again from a row alone."""
    game, job, made = rows_of(name, seats)
    assert len(made["positions"]) > 1
    for row in made["games"]:
        match = redouble.replay(row["record"])
        assert (match.seed, match.ply) == (job.selfplay.seed_of(row["game"]), row["plies"])
        assert known(match.outcome).ranks == row["ranks"]
    for row, worlds in worlds_with(made):
        match = redouble.replay(row["record"])
        assert (match.ply, match.turn) == (row["ply"], row["seat"])
        assert unpack(game, row["state"]) == match.state
        assert list(row["observation"]) == observation(game, match.state, row["seat"])
        assert row["moves"] == list(match.legal_moves)
        whole = redouble.replay(made["games"][row["game"]]["record"])
        played = match.legal_moves.name(row["action"])
        assert whole.moves[: row["ply"] + 1] == (*match.moves, played)
        assert row["bot"] == made["games"][row["game"]]["bots"][row["seat"]]
        seen = match.observation()
        seed = job.seed_of(row["game"], row["ply"])
        if seats == 1:
            chances = solving_for(game).chances(seen, seed, WORLDS)
            assert dict(zip(row["moves"], row["shares"], strict=True)) == pytest.approx(chances)
        else:
            search = Search(seen, seed_words(seed), PLAYOUTS)
            search.run(WORLDS * len(row["legal"]))
            found = {one.action: one.share for one in search.candidates()}
            assert dict(zip(row["legal"], row["shares"], strict=True)) == pytest.approx(found)
        shares = np.array([world["shares"] for world in worlds])
        assert row["shares"] == pytest.approx(shares.mean(axis=0))
        assert row["errors"] == pytest.approx(shares.std(axis=0, ddof=1) / WORLDS**0.5)


@pytest.mark.parametrize(("name", "seats"), SETTINGS)
def test_no_world_can_be_told_from_the_real_position(name: str, seats: int) -> None:
    game, _, made = rows_of(name, seats)
    hidden = 0
    for row, worlds in worlds_with(made):
        real = unpack(game, row["state"])
        known = game.redacted(real, row["seat"])
        for one in worlds:
            world = unpack(game, one["state"])
            assert game.redacted(world, row["seat"]) == known
            assert list(LegalMoves(game, world).actions) == row["legal"]
            assert observation(game, world, row["seat"]) == list(row["observation"])
            cards = [game.text.CARDS[card] for card in world.deck[: world.deck_n]]
            assert one["cards"].tolist() == cards
            hidden += world.deck != real.deck
    assert hidden


@pytest.mark.parametrize("name", [name for name in own_games() if GAMES[name].solver])
def test_exact_values_are_the_solvers(name: str) -> None:
    game, _, made = rows_of(name, 1)
    solving, told = solving_for(game), set()
    for row, worlds in worlds_with(made):
        for one in (row, *worlds):
            for action, winnable in zip(row["legal"], one["winnable"], strict=True):
                state = unpack(game, one["state"])
                game.rules.play(state, action)
                exact = solving.winnable(state)
                assert winnable == (-1 if exact is None else exact)
                told.add(int(winnable))
    assert told >= {1}


def test_a_solitaire_that_is_lost_says_so() -> None:
    """With no redeal left, some deals can't be won."""
    job = DatasetJob(
        "double-or-quits", 1, ("expert",), 3, "lost", {"free-flip": True, "redeals": 0}, 4, 4
    )
    play = job.player(lambda: False)
    rows = [row for shard in job.shards() for row in play(shard)["positions"]]
    assert 0 in {int(one) for row in rows for one in row["winnable"]}


def test_puzzles_come_with_their_reasons() -> None:
    job = DatasetJob(GAME, 2, ("random",), 1, "p", {})
    row = job.player(lambda: False)(Shard(PUZZLES_SERIES, 0, 1))["puzzles"][0]
    puzzle = next(one for one in puzzles_of(GAMES[GAME]) if one.seats == 2)
    assert row["number"] == puzzle.number
    assert dict(zip(row["moves"], row["shares"], strict=True)) == dict(puzzle.shares)
    assert row["moves"][row["legal"].index(row["answer"])] == puzzle.answer
    assert row["why"] == puzzle.verdict(puzzle.answer).why != ""
    assert redouble.replay(row["record"]).state == unpack(GAMES[GAME], row["state"])
    puzzles = [shard for shard in job.shards() if shard.series == PUZZLES_SERIES]
    assert len(puzzles) == sum(one.seats == 2 for one in puzzles_of(GAMES[GAME]))
    other = DatasetJob(GAME, 2, ("random",), 1, "p", {"forgetful": True})
    assert {shard.series for shard in other.shards()} == {GAMES_SERIES}


@pytest.fixture
def few_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    two = [one for one in puzzles_of(GAMES[GAME]) if one.seats == 2][:2]
    monkeypatch.setattr(job_module, "puzzles_of", lambda game: tuple(two))


@pytest.mark.usefixtures("few_puzzles")
def test_files_are_what_the_card_says(tmp_path: Path) -> None:
    import pyarrow.parquet

    built = build(GAME, tmp_path / "data", **SMALL)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    card = (tmp_path / "data" / CARD).read_text(encoding="utf-8")
    digests = dict(re.findall(r"^([0-9a-f]{64})  (\S+)$", card, re.MULTILINE))
    files = {path for path in (tmp_path / "data").iterdir() if path.name != CARD}
    assert {hashlib.sha256(path.read_bytes()).hexdigest(): path.name for path in files} == digests
    assert built.rows == {"positions": 6, "worlds": 24, "games": 3, "puzzles": 2}
    for path in files:
        table = pyarrow.parquet.read_table(path)
        columns = tables(GAMES[GAME], 2)[path.stem]
        assert table.column_names == [column.name for column in columns]
        assert f"| `{path.name}` | {table.num_rows} | {path.stat().st_size:,} |" in card
        for column in columns:
            assert table.schema.field(column.name).metadata[b"known by"].decode() in KNOWN_BY
            assert f"| `{column.name}` | `{column.kind}` | {column.known_by} |" in card
            if column.name != "scores":
                assert table[column.name].null_count == 0
    positions = pyarrow.parquet.read_table(tmp_path / "data" / "positions.parquet").to_pylist()
    worlds = pyarrow.parquet.read_table(tmp_path / "data" / "worlds.parquet").to_pylist()
    for row in positions:
        match = redouble.replay(row["record"])
        mine = [one for one in worlds if (one["game"], one["ply"]) == (row["game"], row["ply"])]
        known = GAMES[GAME].redacted(match.state, row["seat"])
        for number, world in enumerate(mine):
            state = unpack(GAMES[GAME], world["state"])
            assert world["world"] == number
            assert GAMES[GAME].redacted(state, row["seat"]) == known
            names = [GAMES[GAME].text.CARDS[card] for card in state.deck[: state.deck_n]]
            assert world["cards"] == names
        shares = [world["shares"] for world in mine]
        assert np.mean(shares, axis=0) == pytest.approx(row["shares"])
        assert unpack(GAMES[GAME], row["state"]) == match.state
        assert row["observation"] == observation(GAMES[GAME], match.state, row["seat"])


@pytest.mark.usefixtures("few_puzzles")
def test_the_command_of_the_card_writes_the_same_files(tmp_path: Path, run: Run) -> None:
    """On another number of threads, and after Ctrl-C."""
    built = build(GAME, tmp_path / "one", executor=Threads(1), **SMALL)
    card = (tmp_path / "one" / CARD).read_text(encoding="utf-8")
    command = known(re.search(r"^redouble (dataset .*)$", card, re.MULTILINE))
    words = command[1].replace("FOLDER", str(tmp_path / "two")).split()
    code, out, err = run(*words, "--workers", "3")
    assert (code, err) == (0, f"Written: {tmp_path / 'two'}\n")
    assert out.splitlines()[-1] == f"Digest of the card: {built.digest()}"
    other = build(GAME, tmp_path / "three", **SMALL | {"seed": "other"})
    assert other.digest() != built.digest()


@pytest.mark.usefixtures("few_puzzles")
def test_ctrl_c_writes_the_games_so_far(tmp_path: Path) -> None:
    many = SMALL | {"games": 1000}
    stopped = build(GAME, tmp_path / "part", executor=Threads(1), watch=AfterPuzzles(), **many)
    assert stopped.stopped
    games = stopped.rows["games"]
    assert 0 < games < 1000
    whole = build(GAME, tmp_path / "whole", **SMALL | {"games": games})
    assert whole.digest() == stopped.digest()
    slow = many | {"bots": ["master"]}
    with pytest.raises(KeyboardInterrupt):
        build(GAME, tmp_path / "none", executor=Threads(1), watch=CtrlC(), **slow)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part", "whole"]


class AfterPuzzles(CtrlC):
    """Ctrl-C once games are written."""

    def __call__(self, done: int, of: int = 0) -> None:
        super().__call__(max(done - 4, 0))


@pytest.mark.usefixtures("few_puzzles")
def test_a_full_disk_leaves_no_folder(tmp_path: Path) -> None:
    """A limit on the size of files has the same effect."""
    words = ("--games", "2", "--positions", "2", "--worlds", "4", "--no-puzzles", "--seats", "2")
    result = python(
        "-m",
        "redouble",
        "dataset",
        GAME,
        "--out",
        "data",
        *words,
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048)),
    )
    assert result.returncode == 2
    assert re.fullmatch(r"redouble: .*File too large.*\n", result.stderr)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few_puzzles")
def test_a_kill_leaves_a_hidden_folder_that_the_next_run_replaces(tmp_path: Path) -> None:
    words = ("--games", "100000", "--worlds", "2000", "--no-puzzles", "--seats", "2")
    command = [sys.executable, "-m", "redouble", "dataset", GAME, "--out", "data", *words]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        until = monotonic() + 200
        while not list(tmp_path.glob(".data.partial/*.parquet")) and monotonic() < until:
            sleep(0.05)
        with pytest.raises(UnwritableFile, match="another process writes"):
            build(GAME, tmp_path / "data", games=1)
        process.kill()
    (left,) = tmp_path.iterdir()
    assert left.name == ".data.partial"
    assert {path.suffix for path in left.iterdir()} == {".parquet"}  # no card
    build(GAME, tmp_path / "data", games=1, worlds=2, puzzles=False)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"positions": -1}, "positions"),
        ({"worlds": 1}, "worlds"),
        ({"bots": ["cmd:true"]}, "can't play in self-play"),
        ({"options": {"colour": 1}}, "there is no option 'colour'"),
        ({"executor": 2}, "executor"),
        ({"watch": 2}, "watch"),
        ({"puzzles": 2}, "puzzles"),
        ({"seed": 2}, "seed"),
    ],
)
def test_what_cannot_be_written_is_refused(
    wrong: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(RedoubleError, match=reason):
        build(GAME, tmp_path / "data", **SMALL | wrong)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few_puzzles")
def test_folders_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    for name, reason in (
        ("", "isn't empty: give the name of a new one"),
        ("file", "is a file: give the name of a new folder"),
        ("no/data", "cannot be written: there is no folder"),
        ("a\0b", "zero byte"),
    ):
        with pytest.raises(RedoubleError, match=reason):
            build(GAME, tmp_path / name, **SMALL)
    assert (tmp_path / "file").read_text() == "kept"
    (tmp_path / "empty").mkdir()
    assert isinstance(build(GAME, tmp_path / "empty", **SMALL), Dataset)


def test_a_missing_package_is_named_before_games_are_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra):
        build(GAME, tmp_path / "data", **SMALL)
    said = run("dataset", GAME, "--out", str(tmp_path / "data")).refusal()
    assert "a data set needs the package pyarrow" in said
    assert "[data]" in said
    assert list(tmp_path.iterdir()) == []


def test_states_and_observations_of_other_games_are_refused() -> None:
    game = GAMES[GAME]
    wrong: Any = np.zeros(2)
    with pytest.raises(RedoubleError, match="give the column state of this game"):
        unpack(game, b"short")
    with pytest.raises(RedoubleError, match="records"):
        pack(game, wrong)
    match = redouble.new(GAME, seats=2, seed="refused")
    with pytest.raises(RedoubleError, match="worlds"):
        searched(match.observation(), seed_words("x"), 1)


def test_the_example_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It rates the moves of new positions better than chance does."""
    plenty = {"games": 60, "positions": 6, "worlds": 40, "bots": ["expert"], "puzzles": False}
    build(GAME, tmp_path / "data", **SMALL | plenty)
    path = EXAMPLES / "learn_from_data.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 30
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path / "data")])
    runpy.run_path(str(path), run_name="__main__")
    said = known(re.search(r"learned ([\d.]+), random ([\d.]+)", capsys.readouterr().out))
    assert float(said[1]) < 0.8 * float(said[2])
