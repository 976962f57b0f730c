"""Self-play: its games are records that replay, and its samples are what the seats saw and did."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redouble.commands.arguments import BETWEEN_BOTS
from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import placings
from redouble.envs.arrays.observation import observation
from redouble.kernel.errors import RedoubleError
from redouble.lab import selfplay
from redouble.lab.contest import Contest
from redouble.lab.selfplay import Samples, SelfPlay, self_play
from redouble.lab.shards import Threads
from redouble.match.record import read_records
from redouble.match.replay import replay
from tests.helpers.command import Run

GAME, BOTS = "double-down", ("club", "random")


def equal(one: Samples, other: Samples) -> bool:
    return all(np.array_equal(vars(one)[name], vars(other)[name]) for name in vars(one))


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_samples_are_what_the_seats_of_the_records_saw_and_did(game: Any) -> None:
    found = self_play(game, BOTS, 2, seed="samples", executor=Threads(1))
    samples = found.samples()
    at = choice = 0
    for number, record in enumerate(found.records()):
        match = replay(record)
        assert record.ranks == tuple(found.results.ranks[number])
        assert record.seats == tuple(BOTS[(seat + number) % 2] for seat in range(len(record.seats)))
        rewards = placings(game, match.state)
        again = match.restarted()
        for move in record.moves:
            before, seat, legal = again.copy(), again.turn, again.legal_moves.actions
            again.push(move)
            if len(legal) == 1:
                continue
            assert seat is not None
            assert (samples.games[at], samples.seats[at]) == (number, seat)
            assert samples.counts[at] == len(legal)
            assert samples.legal[choice : choice + len(legal)].tolist() == list(legal)
            assert before.legal_moves.action(move) == samples.actions[at]
            assert observation(game, before.state, seat) == samples.observations[at].tolist()
            assert samples.rewards[at] == pytest.approx(rewards[seat])
            at, choice = at + 1, choice + len(legal)
    assert (at, choice) == (len(samples), len(samples.legal))
    assert at == found.decisions > 0


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"bots": []}, "bots is empty: name at least one bot"),
        ({"bots": ["nobody"]}, "there is no bot 'nobody'"),
        ({"bots": ["cmd:true"]}, "cmd:true can't play in self-play: name a level"),
        ({"seats": 99}, "99"),
        ({"executor": 2}, "executor"),
        ({"watch": 2}, "watch"),
    ],
)
def test_what_cannot_be_played_is_refused(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(RedoubleError, match=reason):
        self_play(GAME, **({"seats": 2, "games": 1} | wrong))


def test_samples_that_take_too_much_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = self_play(GAME, BOTS, 2, 2)
    monkeypatch.setattr(selfplay, "MAX_BYTES", 1000)
    with pytest.raises(RedoubleError, match="play fewer games at once"):
        found.samples()


def test_the_command_writes_arrays(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.npz"
    words = (GAME, "--seats", "2", "--games", "5", "--bots", "club, random")
    code, out, err = run("selfplay", *words, "--seed", "x", "--out", str(file))
    found = self_play(GAME, BOTS, 5, 2, seed="x")
    assert not code
    assert out == f"5 games with {found.decisions:,} decisions. Digest: {found.digest()}\n"
    assert err == f"Written: {file}\n"
    assert BETWEEN_BOTS.split("search:flat,iterations=9,horizon=2,club") == [
        "search:flat,iterations=9,horizon=2",
        "club",
    ]
    with np.load(file) as arrays:
        about = json.loads(str(arrays["about"]))
        names = vars(found.samples())
        assert equal(Samples(**{name: arrays[name] for name in names}), found.samples())
        assert arrays["ranks"].tolist() == found.results.ranks.tolist()
    assert (about["bots"], about["digest"]) == (list(BOTS), found.digest())


def test_the_command_writes_records(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    assert not run("selfplay", GAME, "--seats", "3", "--games", "2", "--out", str(file))[0]
    with file.open(encoding="utf-8") as lines:
        records = list(read_records(lines))
    assert records == list(self_play(GAME, ["expert"], 2, 3).records())


def test_a_file_of_no_known_form_is_refused(run: Run, tmp_path: Path) -> None:
    said = run("selfplay", GAME, "--out", str(tmp_path / "games.csv")).refusal()
    assert said.endswith("games.csv has no known format: end its name in .npz or .jsonl.\n")


def test_a_result_that_does_not_fit_its_moves_is_refused() -> None:
    found = self_play(GAME, BOTS, 2, 2)
    with pytest.raises(RedoubleError, match="actions and results don't fit"):
        SelfPlay(found.job, found.results, found.actions[1:], False)


def test_a_game_that_never_ends_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = self_play(GAME, BOTS, 2, 2).results
    given_up = replace(ended, ranks=ended.ranks * np.array([[1], [0]]))
    monkeypatch.setattr(Contest, "record", lambda *games: (given_up, np.zeros(0, np.int16)))
    for out in (tmp_path / "games.npz", tmp_path / "games.jsonl"):
        said = run("selfplay", GAME, "--games", "2", "--out", str(out)).refusal()
        assert "game 2 did not end within 1,000,000 moves: choose options" in said
        assert not out.exists()
