"""Networks of games: what they see, those that come with games, and how they are learned."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from redouble.bots import BOTS, own_chance
from redouble.bots.learned import FILE, learned_weights, network_of
from redouble.bots.policy import Policy
from redouble.bots.search import Search
from redouble.bots.search.flat import go_on_by_network
from redouble.bots.search.network import list_traits, start_sums, stored_network, worth
from redouble.bots.search.playouts import LEARNED as LEARNED_COLUMN
from redouble.bots.search.playouts import SearchBuffers, policy_row
from redouble.contract.game import WORK, Game
from redouble.contract.parts import Network
from redouble.contract.placeholders import features, functions, legal
from redouble.contract.registry import GAMES
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.rng import seed_words
from redouble.lab.contest import MOVES, Contest
from redouble.lab.training import gradient
from redouble.lab.training import weights as lab_weights
from redouble.lab.training.checkpoint import TrainingError
from redouble.lab.training.gradient import Gradient, measure
from redouble.lab.training.weights import WeightsPlan, WeightsProgress, learn_weights
from redouble.match.match import Match
from tests.helpers.command import Run
from tests.helpers.noticing import TAUGHT, noticed, seen

FLAT = Policy(iterations=400, method="flat")
LEARNED = replace(FLAT, learned=True)
by_game = pytest.mark.parametrize("name", TAUGHT)


def usual_seats(game: Game) -> int:
    """A number of seats with a network, as near to the usual one as there is."""
    return min(learned_weights(game), key=lambda seats: abs(seats - game.usual_seats))


@pytest.mark.thorough
@by_game
def test_networks_beat_experts_at_every_number_of_seats(name: str) -> None:
    game = GAMES[name]
    every = list(range(game.min_seats, game.max_seats + 1))
    assert sorted(learned_weights(game)) == every
    for seats, found in learned_weights(game).items():
        first, last = min(found.beats), max(found.beats)
        assert f"--seats {first if first == last else f'{first}-{last}'} " in found.command
        reached = measure(game, seats, stored_network(game, seats), 4000, "test")
        assert reached.share - reached.error > 0.5
    assert (game.folder / FILE).stat().st_size < 200_000


@by_game
def test_bots_and_compiled_games_decide_alike(name: str) -> None:
    """And by the highest sum of weights, not as the heuristic does everywhere."""
    game, seats = GAMES[name], usual_seats(GAMES[name])
    contest = Contest(game, seats, [Policy(learned=True)])
    results, moves = contest.record([[0] * seats], ["alike"])
    match = Match(game, seats, "alike")
    differ = 0
    for action in moves[: results.counts[0, MOVES]]:
        observation = match.observation()
        chance = own_chance("alike", observation.seat, match.ply)
        assert BOTS["learned"].choose(observation, chance) == action
        differ += BOTS["greedy"].choose(observation, chance) != action
        match.push_action(int(action))
    assert match.turn is None
    assert differ > 5


@by_game
def test_compiled_scores_are_those_of_plain_python(name: str) -> None:
    game, seats = GAMES[name], usual_seats(GAMES[name])
    found, network = learned_weights(game)[seats], stored_network(game, seats)
    match = Match(game, seats, "sums")
    loops = functions(game)
    record, work = to_records(match.state)[0], np.zeros(WORK, np.int64)
    right = match.legal_moves.actions[0]
    begun = found.sums(noticed(game, match.state))
    sees = network_of(game)
    compiled(start_sums)(network, work, compiled(features_of, **loops)(record, work))
    assert network.begun.tolist() == begun
    for action in match.legal_moves.actions:
        usual = [*seen(game, match.state, action), *([sees.trait_count] if action == right else [])]
        n = compiled(list_traits, **loops)(record, action, right, network, work)
        assert work[:n].tolist() == usual
        sums = found.sums([sees.feature_count + one for one in usual], begun)
        assert compiled(worth)(network, work, n) == found.score(usual, sums)


def features_of(s: Any, out: Any) -> int:
    """Drives a game's features, compiled."""
    return features(s, out)


@by_game
def test_a_search_that_trusts_the_network_adds_its_logits_to_the_shares(name: str) -> None:
    game, seats = GAMES[name], usual_seats(GAMES[name])
    found = learned_weights(game)[seats]
    match = Match(game, seats, "trust")
    known, trust = match.observation(), 0.5
    right = BOTS["greedy"].choose(known, own_chance("trust", known.seat, 0))
    begun = found.sums(noticed(game, known.state))
    sees = network_of(game)
    search = Search(known, own_chance("trust", known.seat, 0), replace(FLAT, trust=trust))
    search.run(FLAT.iterations)
    tried = search.candidates()
    assert len(tried) == len(known.legal) > 1
    for one in tried:
        traits = seen(game, known.state, one.action)
        if one.action == right:
            traits.append(sees.trait_count)
        sums = found.sums([sees.feature_count + each for each in traits], begun)
        assert one.prior == pytest.approx(trust * found.unit * found.score(traits, sums))
    first, second = tried[:2]
    assert first.visits == second.visits
    assert first.share + first.prior >= second.share + second.prior
    without = Search(known, own_chance("trust", known.seat, 0), FLAT)
    without.run(FLAT.iterations)
    assert {one.prior for one in without.candidates()} == {0.0}


@by_game
def test_in_playouts_the_network_moves_for_the_seat_that_searches(name: str) -> None:
    """And the heuristic for the others: a match between these bots ends alike."""
    game, seats = GAMES[name], usual_seats(GAMES[name])
    match = Match(game, seats, "playout")
    seat = match.turn
    buffers = SearchBuffers(game, seats, match.state)
    row = np.array(policy_row(FLAT, game, seats), np.float64)
    chance = np.array(seed_words("playout"), np.uint64)
    compiled(go_on_from, **functions(game))(
        to_records(match.state)[0], seat, stored_network(game, seats), chance, buffers.buffers, row
    )
    overruled = 0
    while match.turn is not None:
        observation = match.observation()
        action, usual = (
            BOTS[bot].choose(observation, own_chance("playout", match.turn, match.ply))
            for bot in ("learned", "greedy")
        )
        overruled += match.turn == seat and action != usual
        match.push_action(action if match.turn == seat else usual)
    assert overruled > 0
    assert match.outcome is not None
    ranks = np.array(match.outcome.ranks)
    shares = [((ranks > one).sum() + (ranks == one).sum() / 2 - 0.5) / (seats - 1) for one in ranks]
    assert buffers.buffers["rewards"][:seats].tolist() == pytest.approx(shares)


def go_on_from(s: Any, seat: int, network: Any, rng: Any, buffers: Any, policy: Any) -> None:
    """Play on to the end from a position in which ``seat`` is to move."""
    go_on_by_network(s, legal(s, buffers.out), 1_000_000, seat, network, rng, buffers, policy)


@by_game
def test_any_number_of_threads_searches_alike_with_the_network_in_playouts(name: str) -> None:
    game, seats = GAMES[name], usual_seats(GAMES[name])
    known, found = Match(game, seats, "threads").observation(), []
    for policy, threads in ((FLAT, 1), (LEARNED, 1), (LEARNED, 2)):
        search = Search(known, own_chance("threads", known.seat, 0), policy)
        search.run(FLAT.iterations, threads=threads)
        found.append(search.candidates())
    assert found[0] != found[1] == found[2]


def test_games_let_only_networks_that_they_have_choose_in_playouts() -> None:
    for game in GAMES.values():
        if game.network is not None:
            assert set(game.network.playouts) <= set(learned_weights(game))
    decker = GAMES["double-decker"]
    for policy, learned in (
        (Policy(method="best", iterations=9), True),
        (Policy(method="best"), False),
        (FLAT, False),
    ):
        assert policy_row(policy, decker, 4)[LEARNED_COLUMN] == learned


def test_a_policy_begins_as_the_expert_and_the_seed_decides_what_it_learns() -> None:
    one, other = (
        Gradient(GAMES["double-down"], [2], "learn", 16, 0.5, threads) for threads in (2, 1)
    )
    begun = one.measure(2, 10_000)
    assert abs(begun.share - 0.5) < 2 * begun.error
    shares = [one.improve(0.0) for _ in range(30)]
    assert [other.improve(0.0) for _ in range(3)] == shares[:3]
    assert np.mean(shares[-5:]) > np.mean(shares[:5]) + 0.03


def test_what_is_learned_is_hardly_changed_by_rounding() -> None:
    learner = Gradient(GAMES["double-down"], [2, 3], "round", 16, 0.5)
    (network, unit), exactly = learner.rounded(), learner.network
    for exact, whole, step in (
        (exactly.traits, network.traits, unit),
        (exactly.rows, network.rows, np.abs(exactly.rows).max() / 127),
        (exactly.last, network.last, np.abs(exactly.last).max() / 127),
    ):
        assert np.abs(exact - step * whole).max() <= 0.51 * step


def test_a_game_without_features_learns_nothing_and_its_bot_plays_the_heuristic() -> None:
    for name, game in GAMES.items():
        if name not in TAUGHT:
            assert learned_weights(game) == {}
            observation = Match(game, game.usual_seats, "none").observation()
            chance = own_chance("none", observation.seat, 0)
            heuristic = BOTS["greedy"].choose(observation, list(chance))
            assert BOTS["learned"].choose(observation, list(chance)) == heuristic
            with pytest.raises(InputError, match="has no features and traits"):
                Gradient(game, [game.usual_seats], "1", 16, 0.5)


def bytes_of(number: int) -> str:
    """Return this number of weights, all 1, as a file holds them."""
    return b64encode(b"\x01" * number).decode()


SEES = network_of(GAMES["double-down"])
ROWS = SEES.feature_count + SEES.trait_count + 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"beats": None}, "weights.json can't be read: 2.beats"),
        ({"beats": {}}, "beats is empty"),
        ({"beats": {"1": "x"}}, "number of seats in beats"),
        ({"traits": [1, "2"]}, "traits"),
        ({"traits": [1, 2]}, "has 2 weights in traits: give 474"),
        ({"rows": bytes_of(4)}, f"has 2 weights in rows: give {ROWS}"),
        ({"rows": bytes_of(2 * ROWS - 1)}, f"weights in rows: give {ROWS}"),
        ({"rows": "?"}, "rows has no bytes in base64"),
        ({"last": ""}, "last has no bytes in base64"),
        ({"games": 0}, "games"),
        ({"unit": -1.0}, "unit"),
    ],
)
def test_a_broken_file_of_weights_is_refused(
    changes: Mapping[str, Any], said: str, tmp_path: Path
) -> None:
    game = replace(GAMES["double-down"], folder=tmp_path)
    entry = {
        "command": "x",
        "beats": {"2": "x"},
        "games": 1,
        "unit": 0.5,
        "traits": [0] * 474,
        "rows": bytes_of(2 * ROWS),
        "last": bytes_of(2),
        **changes,
    }
    (tmp_path / FILE).write_text(json.dumps({"2": entry}))
    if said:
        with pytest.raises(InputError, match=said):
            learned_weights(game)
    else:
        assert list(learned_weights(game)) == [2]


# Learning, stopped and gone on with


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient, "GAMES", 400)
    monkeypatch.setattr(gradient, "AT_ONCE", 4000)
    monkeypatch.setattr(lab_weights, "GAMES_MEASURED", 400)


class Stopped:
    """Ctrl-C after a number of updates."""

    def __init__(self, updates: int) -> None:
        self.updates = updates

    def __call__(self, progress: WeightsProgress) -> None:
        if progress.updates == self.updates:
            raise KeyboardInterrupt


PLAN = WeightsPlan("double-down", (2, 3), 5, 16, 0.9, "stopped")


@pytest.mark.usefixtures("few_games")
@pytest.mark.parametrize("stop", [1, 2, 3, 5])
def test_learning_that_was_stopped_goes_on_to_the_same_weights(
    stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_weights, "EVERY", 2)
    checkpoint = tmp_path / "it"
    with pytest.raises(KeyboardInterrupt):
        learn_weights(PLAN, Stopped(stop), checkpoint)
    assert checkpoint.exists() == (stop > 1)
    heard: list[WeightsProgress] = []
    found = learn_weights(PLAN, heard.append, checkpoint)
    assert heard[0].updates == {1: 0, 2: 2, 3: 2, 5: 5}[stop]
    assert found == learn_weights(PLAN, lambda progress: None, tmp_path / "another")
    words = "redouble weights double-down --seats 2-3 --updates 5 --neurons 16 --later 0.9"
    words += " --seed stopped"
    assert found.command == words
    assert list(found.beats) == [2, 3]
    with np.load(checkpoint) as resumed, np.load(tmp_path / "another") as whole:
        assert all((resumed[name] == whole[name]).all() for name in resumed)
    other = replace(PLAN, seed="another")
    with pytest.raises(TrainingError, match="is of training with other settings"):
        learn_weights(other, heard.append, checkpoint)


def test_alone_there_is_nobody_to_learn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(lambda s, out: 0, 1, lambda s, action, out: 0, 1)
    solitaire = replace(GAMES["double-or-quits"], network=network)
    monkeypatch.setattr(lab_weights, "GAMES", {"double-or-quits": solitaire})
    with pytest.raises(InputError, match="Double or Quits alone has no experts to beat"):
        WeightsPlan("double-or-quits", (1,))


@pytest.mark.usefixtures("few_games")
def test_the_command_adds_weights_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    file = tmp_path / FILE
    words = ("weights", "double-down", "--updates", "3", "--neurons", "8", "--out", str(file))
    improve = Gradient.improve
    monkeypatch.setattr(Gradient, "improve", interrupted := Mock(side_effect=KeyboardInterrupt))
    stopped = run(*words, "--seats", "3")
    assert (stopped.code, interrupted.called) == (130, True)
    assert "The same command goes on from the last line printed." in stopped.err
    monkeypatch.setattr(Gradient, "improve", improve)
    for seats in ("3", "2"):
        code, out, err = run(*words, "--seats", seats)
        assert not code
        first, last = out.splitlines()
        assert first.startswith(f"{seats} players: 3 of 3 updates, ")
        assert last.startswith(f"{seats} players: beats ")
        assert err == f"Written: {file}\n"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    game = replace(GAMES["double-down"], folder=tmp_path)
    assert sorted(learned_weights(game)) == [2, 3]
    assert not run(*words, "--seats", "3-5").code
    game = replace(GAMES["double-down"], folder=tmp_path, title="Anew")
    assert {n: len(one.beats) for n, one in learned_weights(game).items()} == {
        **{2: 1},
        **dict.fromkeys((3, 4, 5), 3),
    }


@pytest.mark.parametrize(
    ("words", "held", "said"),
    [
        (("double-down", "--seats", "9"), None, "is for 2 to 7 players, not 9"),
        (("double-down", "--updates", "0"), None, "updates cannot be 0"),
        (("double-down", "--seats", "few"), None, "'few' is no number of players"),
        (("double-down", "--seats", "5-3"), None, "seats is empty"),
        (("double-down", "--neurons", "0"), None, "neurons cannot be 0"),
        (("double-down", "--later", "2"), None, "later cannot be 2"),
        (("double-or-quits",), None, "Double or Quits has no features and traits"),
        (("double-down",), b"\xde\xad", "weights.json can't be read"),
        (("double-down",), b'{"x": {}}', "weights.json can't be read"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: tuple[str, ...], held: bytes | None, said: str, tmp_path: Path, run: Run
) -> None:
    file = tmp_path / FILE
    if held is not None:
        file.write_bytes(held)
    code, _, err = run("weights", *words, "--out", str(file))
    assert code in (1, 2)
    assert said in err
    assert (file.read_bytes() if file.exists() else None) == held
