"""Networks of games: what they see, and those that come with games."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redouble.bots import BOTS, own_chance
from redouble.bots.learned import FILE, learned_weights, network_of
from redouble.bots.levels import EXPERT, LEVELS
from redouble.bots.policy import Policy
from redouble.bots.search import Search
from redouble.bots.search.flat import network_move
from redouble.bots.search.network import list_traits, start_sums, stored_network, worth
from redouble.bots.search.playouts import LEARNED as LEARNED_COLUMN
from redouble.bots.search.playouts import SearchBuffers, finish, policy_row
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import features, functions
from redouble.contract.registry import GAMES
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.rng import seed_words
from redouble.lab.contest import MOVES, Contest
from redouble.lab.strength import measure_strength
from redouble.match.match import Match
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
        learned, experts = Policy(learned=True), LEVELS[EXPERT]
        reached = measure_strength(game, learned, experts, seats, 2000).tally
        assert reached.share - reached.share_error > 0.5
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
    row = np.array(policy_row(replace(FLAT, horizon=1000), game, seats), np.float64)
    chance = np.array(seed_words("playout"), np.uint64)
    compiled(go_on_from, choose=network_move, **functions(game))(
        to_records(match.state, 4), seat, stored_network(game, seats), chance, buffers.buffers, row
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


def go_on_from(states: Any, seat: int, network: Any, rng: Any, buffers: Any, policy: Any) -> None:
    """Play on to the end from a position in which ``seat`` is to move."""
    finish(states, -1, rng, buffers, policy, (seat, network), buffers.rewards)


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


def test_a_game_without_features_learns_nothing_and_its_bot_plays_the_heuristic() -> None:
    for name, game in GAMES.items():
        if name not in TAUGHT:
            assert learned_weights(game) == {}
            observation = Match(game, game.usual_seats, "none").observation()
            chance = own_chance("none", observation.seat, 0)
            heuristic = BOTS["greedy"].choose(observation, list(chance))
            assert BOTS["learned"].choose(observation, list(chance)) == heuristic
            with pytest.raises(InputError, match="has no features and traits"):
                network_of(game)


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
