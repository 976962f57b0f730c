"""Trained agents: what they play, their files, and what cannot be one."""

from __future__ import annotations

import io
import json
import pickle
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redouble
from redouble.bots import own_chance
from redouble.commands.app import main
from redouble.contract.registry import GAMES
from redouble.envs.agent import MAX_BYTES, Agent, AgentError
from redouble.envs.observation import observation, tensor_size
from redouble.kernel.errors import InputError, RedoubleError
from redouble.lab.arena.entrants import entrant, entrants
from redouble.lab.arena.tournament import Tournament
from tests.helpers.trained import ACTIONS, GAME, SIZE, trained

Arrays = dict[str, Any]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("agents") / "ada.npz"
    trained().save(path)
    return path


def test_an_agent_plays_the_legal_move_with_the_highest_score(file: Path) -> None:
    made, read = trained(), Agent.load(file)
    assert (read.name, read.seats, read.options) == ("agent ada", 2, made.options)
    (first, start), (last, bias) = read.layers
    match = redouble.new("double-down", seats=2, seed="agents")
    choices = 0
    while match.turn is not None:
        seen = match.observation()
        tensor = np.array(observation(GAME, match.state, match.turn))
        scores = np.maximum(tensor @ first + start, 0.0) @ last + bias
        best = max(seen.legal, key=lambda action: scores[action])
        choices += len(seen.legal) > 1 and int(scores.argmax()) not in seen.legal
        rng = own_chance(match.seed, match.turn, match.ply)
        assert made.choose(seen, rng) == read.choose(seen, rng) == best
        match.push_action(best)
    assert choices > 5, "no highest score was ever of an illegal move"


def test_a_file_is_smaller_where_half_precision_is_exact(tmp_path: Path) -> None:
    exact = trained(hidden=64)
    half = [(w.astype(np.float16), b.astype(np.float16)) for w, b in exact.layers]
    sizes = []
    for layers in (exact.layers, half):
        made = Agent(GAME, 2, layers)
        made.save(tmp_path / "it.npz")
        sizes.append((tmp_path / "it.npz").stat().st_size)
        for one, other in zip(made.layers, Agent.load(tmp_path / "it.npz").layers, strict=True):
            assert all(map(np.array_equal, one, other))
    assert sizes[1] < 0.6 * sizes[0]


def test_a_file_says_how_its_agent_was_trained(file: Path, tmp_path: Path) -> None:
    assert Agent.load(file).training is None
    told = {"seed": "1", "rounds": [{"agreed": 0.5}]}
    made = Agent(GAME, 2, trained().layers, training=told)
    made.save(tmp_path / "told.npz")
    assert Agent.load(tmp_path / "told.npz").training == made.training == told
    for wrong in ("text", [1], {"it": trained()}, {"it": float("nan")}):
        with pytest.raises(AgentError, match="training"):
            Agent(GAME, 2, trained().layers, training=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_agents_play_every_game(game: Any, tmp_path: Path) -> None:
    seats = game.usual_seats
    dice = np.random.default_rng(2)
    first = dice.normal(0, 1, (tensor_size(game, seats), 2)), np.zeros(2)
    last = dice.normal(0, 1, (2, game.actions(None, seats))), np.zeros(game.actions(None, seats))
    Agent(game, seats, [first, last]).save(tmp_path / "it.npz")
    agent = Agent.load(tmp_path / "it.npz")
    match = redouble.new(game.name, seats=seats, seed="every")
    while match.turn is not None and match.ply < 20:
        chance = own_chance(match.seed, match.turn, match.ply)
        match.push_action(agent.choose(match.observation(), chance))
    assert match.ply


def test_scores_of_many_tensors_are_those_of_each() -> None:
    agent = trained()
    tensors = np.random.default_rng(3).integers(-5, 6, (2, 3, SIZE)).astype(np.int8)
    together = agent.scores(tensors)
    assert together.shape == (2, 3, ACTIONS)
    np.testing.assert_allclose(together[1, 2], agent.scores(tensors[1, 2]), rtol=1e-12)
    for wrong in (tensors[..., 1:], np.float64(1), "tensor", np.full(SIZE, np.nan), [[1], [1, 2]]):
        with pytest.raises(InputError, match="observations"):
            agent.scores(wrong)  # type: ignore[arg-type]


# Where it plays


def test_a_tournament_with_an_agent_is_the_same_each_time(file: Path) -> None:
    def play() -> Any:
        bots = entrants([f"agent:{file}", f"one=agent:{file}", "random"])
        assert [(bot.name, bot.kind) for bot in bots[:2]] == [
            ("agent ada", "agent"),
            ("one", "agent"),
        ]
        return Tournament(GAME, bots, 3, seats=2, seed="agents").play().to_dict()

    first = play()
    assert first == play()
    assert not any(bot["failures"] for bot in first["bots"])


@pytest.mark.parametrize(
    ("game", "seats", "options", "reason"),
    [
        ("double-down", 3, {}, "agent ada plays with 2 seats, not 3: choose 2"),
        ("double-decker", 2, {}, "agent ada plays Double Down, not Double Decker"),
        ("double-down", 2, {"forgetful": True}, "plays with forgetful=False, not True"),
    ],
)
def test_an_agent_is_refused_where_it_was_not_trained(
    file: Path, game: str, seats: int, options: dict[str, Any], reason: str
) -> None:
    bots = entrants([f"agent:{file}", "random"])
    with pytest.raises(AgentError, match=reason):
        Tournament(GAMES[game], bots, 4, seats, options)


def test_an_agent_chooses_in_no_other_game(file: Path) -> None:
    agent = Agent.load(file)
    for match in (redouble.new("double-down", seats=3), redouble.new("double-or-quits")):
        with pytest.raises(AgentError, match="agent ada plays Double Down with 2 seats"):
            agent.choose(match.observation(), own_chance("x", 0, 0))


def test_an_agent_plays_in_the_terminal(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(bot: str, seats: int) -> tuple[object, str, str]:
        words = f"double-down --people 0 --seed agents --bot {bot} --seats {seats}"
        monkeypatch.setattr(sys, "argv", ["redouble", "play", *words.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    code, out, _ = play(f"agent:{file}", 2)
    assert not code
    assert "(agent ada)" in out
    code, out, err = play(f"agent:{file}", 3)
    assert (code, out) == (2, "")
    assert "not 3: choose 2" in err
    code, out, err = play("agent:nothing.npz", 2)
    assert (code, out) == (2, "")
    assert "there is no file nothing.npz" in err


# Files that cannot be used


def changed(file: Path, target: Path, change: Callable[[Arrays], object]) -> Path:
    """A file whose arrays were changed."""
    with np.load(file) as archive:
        arrays = dict(archive)
    change(arrays)
    np.savez(target, allow_pickle=True, **arrays)
    return target


def about(**changes: Any) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        said = json.loads(str(arrays["about"]))
        arrays["about"] = np.array(json.dumps({**said, **changes}))

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (about(game="chess"), "is for the game 'chess', which isn't installed"),
        (about(agent=2), "has the format 2, not 1"),
        (about(rules=99), "was trained with other rules or observations of Double Down"),
        (about(observation="0"), "was trained with other rules or observations"),
        (about(seats=3), r"can't play Double Down: layer 0 has weights \(217, 8\)"),
        (about(seats=99), "can't play Double Down: .*99"),
        (about(seats="2"), "seats"),
        (about(options={"colour": 1}), "can't play Double Down: there is no option 'colour'"),
        (about(more=1), "more"),
        (lambda a: a.update(about=np.array("{")), "JSON"),
        (lambda a: a.update(about=np.array(3.0)), "an array holds float64: agents hold"),
        (lambda a: a.pop("bias1"), "isn't an agent: it holds"),
        (lambda a: a.update(more=np.zeros(1)), "isn't an agent: it holds"),
        (lambda a: a.update(bias1=np.zeros(3)), r"layer 1 has weights \(8, 21\) and biases"),
        (lambda a: a.update(weights0=np.zeros(3)), r"layer 0 has weights \(3,\)"),
        (lambda a: a.update(bias0=np.full(8, np.nan)), "layer 0 has a number that isn't from"),
        (lambda a: a.update(bias0=np.full(8, np.inf)), "layer 0 has a number that isn't from"),
        (lambda a: a.update(bias0=np.array([None] * 8)), "an array holds object: .* never objects"),
        (lambda a: a.update({f"bias{i}": np.zeros(1) for i in range(30)}), "it holds 33 arrays"),
    ],
)
def test_a_wrong_file_is_refused(
    file: Path, tmp_path: Path, change: Callable[[Arrays], object], reason: str
) -> None:
    wrong = changed(file, tmp_path / "wrong.npz", change)
    with pytest.raises(AgentError, match=reason) as error:
        entrant(f"agent:{wrong}")
    assert str(wrong) in str(error.value)


def header(shape: tuple[int, ...]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f4", "fortran_order": False, "shape": shape}
    )
    return out.getvalue()


def archive(first: bytes, name: str = "weights0.npy") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as entries:
        text = io.BytesIO()
        np.save(text, np.array("{}"))
        entries.writestr("about.npy", text.getvalue())
        entries.writestr(name, first)
        entries.writestr("bias0.npy", header((1,)) + bytes(4))
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "isn't an agent, or it is damaged"),
        (b"text", "isn't an agent, or it is damaged"),
        (pickle.dumps({"game": "double-down"}), "isn't an agent, or it is damaged"),
        (archive(pickle.dumps([1])), "isn't an agent, or it is damaged"),
        (archive(header((10**12,))), "isn't an agent, or it is damaged"),
        (archive(b"\x93NUMPY\x01\x00\x04\x00((((" * 9), "isn't an agent, or it is damaged"),
        (archive(bytes(MAX_BYTES)), "holds more than 134,217,728 bytes"),
        (archive(b"", "../weights0.npy"), "isn't an agent: it holds"),
    ],
    ids=["empty", "text", "pickle", "pickled entry", "claims", "header", "bomb", "name"],
)
def test_a_hostile_file_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "it.npz").write_bytes(data)
    with pytest.raises(AgentError, match=reason):
        Agent.load(tmp_path / "it.npz")


def test_a_truncated_or_flipped_file_is_refused_or_read(file: Path, tmp_path: Path) -> None:
    whole, target = file.read_bytes(), tmp_path / "it.npz"
    for length in range(0, len(whole), 97):
        target.write_bytes(whole[:length])
        with pytest.raises(AgentError):
            Agent.load(target)
    refused = 0
    for at in range(0, len(whole), 97):
        target.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            Agent.load(target)
        except AgentError:
            refused += 1
    assert refused > 10


def test_names_that_are_no_files_are_refused(tmp_path: Path) -> None:
    for path in ("", "nothing.npz", str(tmp_path), "a\0b"):
        with pytest.raises(AgentError, match="file"):
            Agent.load(path)
    with pytest.raises(AgentError, match="cannot be written"):
        trained().save(tmp_path / "no" / "folder.npz")


@pytest.mark.parametrize(
    "layers",
    [
        [],
        [1],
        [(1, 2, 3)],
        "layers",
        [(np.zeros((SIZE, ACTIONS)), "bias")],
        [(np.zeros(3),) * 2] * 9,
    ],
    ids=["none", "number", "three", "text", "texts", "nine"],
)
def test_wrong_layers_are_refused(layers: Any) -> None:
    with pytest.raises(RedoubleError):
        Agent("double-down", 2, layers)
