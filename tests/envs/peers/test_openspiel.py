"""The OpenSpiel games: OpenSpiel's own tests and algorithms, and what goes beyond them."""

import pickle
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import external_sampling_mccfr, generate_playthrough, ismcts, mcts
from open_spiel.python.algorithms.exploitability import exploitability
from open_spiel.python.observation import make_observation

from redouble.contract.registry import GAMES
from redouble.envs.arrays.observation import observation
from redouble.envs.peers.openspiel import load
from redouble.envs.trees.chance import ChanceEvent, Script, scripted_rules
from redouble.envs.trees.tree import OVER, TreePoint
from redouble.kernel import piles, rng
from redouble.kernel.errors import InputError, RedoubleError
from redouble.kernel.rng import seed_words
from redouble.kernel.state import EVERYONE, NOBODY

TINY = {"cards": ["66 x9", "33 x2"], "ages": [11, 30]}
"""A deck of Double Down whose games last some nine moves, with a choice in every other one."""


def tiny(deals: int, **others: Any) -> Any:
    return load("double-down", 2, TINY, deals=deals, **others)


def played(game: Any, seed: int, moves: int) -> Iterator[Any]:
    """Yield the states of a random game in which a player is to move."""
    dice, state = Random(seed), game.new_initial_state()
    while not state.is_terminal() and moves:
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(dice.choices(outcomes, chances)[0])
        else:
            yield state
            state.apply_action(dice.choice(state.legal_actions()))
            moves -= 1


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_test_passes(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=1, serialize=True, verbose=False)


def test_it_passes_for_a_game_of_few_deals_and_short_games_too() -> None:
    for game in (tiny(3), tiny(3, max_moves=6), tiny(1)):
        pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize("deals", [0, 2])
def test_a_playthrough_repeats_itself(deals: int) -> None:
    said = generate_playthrough.playthrough(str(tiny(deals)), None, seed=3)
    actions = [int(action) for action in re.findall(r"^action: (\d+)$", said, re.MULTILINE)]
    assert len(actions) >= 8
    assert generate_playthrough.playthrough(str(tiny(deals)), actions, seed=3) == said
    assert "IsTerminal() = True" in said


class Dice(Script):
    """A script that asks a real generator."""

    def __init__(self, seed: str) -> None:
        self.words = seed_words(seed)

    def below(self, n: int) -> int:
        return rng.below(self.words, n)

    def shuffle(self, cards: Any, n: int) -> None:
        piles.shuffle(self.words, cards, n)

    def shuffle_places(self, deck: Any, places: Any, n: int) -> None:
        piles.shuffle_places(self.words, deck, places, n)

    def pick(self, deck: Any, known_to: Any, hand: Any, n: int, card: int) -> int:
        return piles.pick(self.words, deck, known_to, hand, n, card)

    def first_copy(self, *given: Any) -> int:
        return piles.first_copy(self.words, *given)


@pytest.mark.parametrize("name", GAMES)
def test_rules_with_chance_from_outside_are_the_rules(name: str) -> None:
    game, dice = GAMES[name], Random(name)
    rules, scripted = game.rules, scripted_rules(game)
    state = game.header(game.usual_seats, {}, "twins")
    twin = state.copy()
    twin.rng = script = Dice("twins")
    rules.setup(state)
    scripted.setup(twin)
    out = [0] * (rules.MAX_LEGAL + 1)
    for _ in range(150):
        assert state.rng == script.words
        assert type(state).differences(state, twin) == ["rng"]
        n = rules.legal(state, out)
        if not n:
            break
        action = dice.choice(out[:n])
        rules.play(state, action)
        scripted.play(twin, action)


def leaves(point: TreePoint, chance: float = 1.0) -> Iterator[tuple[TreePoint, float]]:
    """Yield the points at which chance has decided, with their probabilities."""
    if point.event is None:
        yield point, chance
        return
    for outcome, share in point.outcomes():
        yield from leaves(point.after(outcome), chance * share)


def test_equal_cards_are_one_outcome_and_every_order_is_equally_likely() -> None:
    dealt = list(leaves(tiny(0).new_initial_state()._point))
    assert len(dealt) == 55, "the places of two cards of eleven"
    assert len({str(point.node.state.deck) for point, _ in dealt if point.node}) == 55
    assert [share for _, share in dealt] == pytest.approx([1 / 55] * 55)


def test_events_ask_only_what_is_open() -> None:
    assert ChanceEvent((4, 4, 7), 3).outcomes((4,)) == [(4, 0.5), (7, 0.5)]
    assert ChanceEvent((4, 4, 7), 3).settled((7,)) == (7, 4, 4)
    deck, known = [5, 5, 9, 5], [NOBODY] * 4
    script = Script(deck, [(3,), (9, 5)])
    assert script.pick(deck, known, [2, 0, 1], 3, 9) == 0, "the only copy"
    assert script.pick(deck, [EVERYONE, *known[1:]], [3, 0], 2, 5) == 1, "the one that all saw"
    assert script.pick(deck, known, [0, 2, 1, 3], 4, 5) == 3, "the first answer"
    assert script.first_copy(deck, known, [9, 4, 7, 8], [0, 2, 1, 3], 4, 5) == 2, "certain"
    script.shuffle_places(deck, [1, 2], 2)
    assert deck == [5, 9, 5, 5]


@pytest.mark.parametrize("name", GAMES)
def test_players_are_given_what_they_see_and_no_more(name: str) -> None:
    game = load(name)
    tensor, memory = make_observation(game), game.new_initial_state().information_state_string(0)
    assert memory == "seat 0:", "nothing is seen before the deal"
    for state in played(game, 5, moves=12):
        position = state._point.node.state
        for player in range(game.num_players()):
            tensor.set_from(state, player)
            seen = observation(GAMES[name], position, player)
            assert tensor.tensor.tolist() == seen == state.observation_tensor(player)
            world = state.resample_from_infostate(player, Random(1).random)
            assert world.information_state_string(player) == state.information_state_string(player)
            assert world.observation_string(player) == state.observation_string(player)
            assert world.observation_tensor(player) == seen
            assert world.current_player() == state.current_player()
        assert world.clone().serialize() == world.serialize()
        assert str(pickle.loads(pickle.dumps(world))) == str(world)
        mover = state.current_player()
        world = state.resample_from_infostate(mover, Random(2).random)
        assert world.legal_actions() == state.legal_actions()
        assert state.information_state_string(mover).startswith(memory if mover == 0 else "seat")
        memory = state.information_state_string(0)


def test_in_a_game_of_few_deals_every_deal_that_fits_is_imagined_with_its_history() -> None:
    game = tiny(30)
    for state in played(game, 8, moves=5):
        player = state.current_player()
        told = state.information_state_string(player)
        fitting = set()
        for deal in range(30):
            other = game.new_initial_state()
            for action in (deal, *state.history()[1:]):
                if action in other.legal_actions():
                    other.apply_action(action)
            if other.information_state_string(player) == told:
                fitting.add(deal)
        draws = np.linspace(0, 0.999, 60).tolist()
        worlds = [state.resample_from_infostate(player, lambda d=d: d) for d in draws]
        assert {world.history()[0] for world in worlds} == fitting
        assert all(world.information_state_string(player) == told for world in worlds)


def test_in_a_game_of_few_deals_hidden_moves_are_imagined_too() -> None:
    game = load("three-up", 2, deals=2, seed="hidden")
    state = game.new_initial_state()
    state.apply_action(0)
    rules = GAMES["three-up"].rules
    mover = state.current_player()
    assert rules.hidden(state._point.node.state, state.legal_actions()[0])
    state.apply_action(state.legal_actions()[0])
    draws = np.linspace(0, 0.999, 200).tolist()
    worlds = [state.resample_from_infostate(1 - mover, lambda d=d: d) for d in draws]
    assert len({world.history()[1] for world in worlds}) > 1
    told = {world.information_state_string(1 - mover) for world in worlds}
    assert told == {state.information_state_string(1 - mover)}
    assert "?:" in told.pop()


def test_a_short_game_has_tensors_of_all_that_was_seen() -> None:
    game = tiny(4, max_moves=5)
    assert game.get_type().provides_information_state_tensor
    assert not tiny(4).get_type().provides_information_state_tensor
    rows: dict[bytes, set[str]] = {}
    for seed in range(6):
        for number, state in enumerate(played(game, seed, moves=9)):
            mover = state.current_player()
            seen = np.array(state.information_state_tensor(mover)).reshape(6, -1)
            assert [bool(row.any()) for row in seen] == [True] * (number + 1) + [False] * (
                5 - number
            )
            assert seen[number, -217:].tolist() == state.observation_tensor(mover)
            rows.setdefault(seen.tobytes(), set()).add(str(state.legal_actions()))
    assert all(len(legal) == 1 for legal in rows.values())
    with pytest.raises(InputError, match="lower max_moves"):
        make_observation(tiny(4), pyspiel.IIGObservationType(perfect_recall=True)).set_from(
            state, 0
        )


def test_a_resampled_short_game_keeps_its_tensors_and_hides_the_others_past() -> None:
    state = next(islice(played(tiny(0, max_moves=5), 2, moves=3), 2, None))
    mover = state.current_player()
    world = state.resample_from_infostate(mover, Random(4).random)
    assert world.information_state_tensor(mover) == state.information_state_tensor(mover)
    others = world.information_state_tensor(1 - mover)
    rows = np.array(others).reshape(6, -1).any(axis=1).tolist()
    assert rows == [False] * 2 + [True] + [False] * 3
    assert world.information_state_string(1 - mover).startswith(f"from ply 2, seat {1 - mover}: ")
    world.apply_action(world.legal_actions()[0])
    while world.is_chance_node():
        world.apply_action(world.legal_actions()[0])
    assert f"\n{mover} " in world.information_state_string(1 - mover)


def test_what_everyone_sees_and_what_one_player_sees_can_be_told_apart() -> None:
    def observer(public: bool, recall: bool, hands: str) -> Any:
        private = getattr(pyspiel.PrivateInfoType, hands)
        kind = pyspiel.IIGObservationType(
            public_info=public, perfect_recall=recall, private_info=private
        )
        return make_observation(tiny(0), kind)

    everyone, own = observer(True, True, "NONE"), observer(False, False, "SINGLE_PLAYER")
    assert everyone.tensor is own.tensor is None
    state = next(played(tiny(0), 4, moves=1))
    assert "deck[0:]=-1,-1,-1" in everyone.string_from(state, 0)
    cards = state._point.node.state.deck[0:10:2]
    assert own.string_from(state, 0).startswith(f"seat 0: deck[0:]={cards[0]},-1,{cards[1]},-1")
    for public, recall, hands in (
        (True, False, "ALL_PLAYERS"),
        (False, True, "SINGLE_PLAYER"),
        (False, False, "NONE"),
    ):
        with pytest.raises(InputError, match="there is no such observation"):
            observer(public, recall, hands)


def test_a_game_that_is_cut_off_is_a_tie() -> None:
    game = load("double-down", 3, max_moves=2)
    state = list(played(game, 1, moves=5))[-1]
    assert state.is_terminal()
    assert state._point.turn == OVER
    assert state.returns() == [0.0, 0.0, 0.0]
    alone = list(played(load("double-or-quits", max_moves=8), 1, moves=20))[-1]
    assert 0.0 < alone.returns()[0] < 1.0


def test_cfr_plus_solves_a_tiny_double_down() -> None:
    game = tiny(8)
    solver = pyspiel.CFRPlusSolver(game)
    before = pyspiel.exploitability(game, solver.average_policy())
    for _ in range(20):
        solver.evaluate_and_update_policy()
    after = pyspiel.exploitability(game, solver.average_policy())
    assert before > 0.4
    assert after < 0.004


def test_external_sampling_mccfr_learns() -> None:
    game = tiny(2)
    np.random.seed(1)  # the solver draws from NumPy's own generator
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    before = exploitability(game, solver.average_policy())
    for _ in range(60):
        solver.iteration()
    assert exploitability(game, solver.average_policy()) < before / 2


@pytest.mark.parametrize("deals", [0, 8])
def test_is_mcts_plays_a_game(deals: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = pyspiel.UniformProbabilitySampler(3, 0.0, 1.0)
    # The bots make samplers without a seed: their games would be others in every run.
    monkeypatch.setattr(pyspiel, "UniformProbabilitySampler", lambda low, high: sampler)
    game = tiny(deals)
    dice = np.random.RandomState(4)
    bots = [
        ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, dice), 1.0, 8, random_state=dice)
        for _ in range(2)
    ]
    for bot in bots:
        bot._random_state = dice
    moves: Counter[int] = Counter()
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(dice.choice(outcomes, p=chances))
        else:
            mover = state.current_player()
            moves[mover] += 1
            state.apply_action(bots[mover].step(state))
    assert sum(state.returns()) == 0.0
    assert min(moves.values()) >= 3


def test_games_are_registered_with_their_options_and_read_back() -> None:
    names = set(pyspiel.registered_names())
    assert {f"redouble_{name.replace('-', '_')}" for name in GAMES} <= names
    game = pyspiel.load_game("redouble_double_down(players=3,forgetful=True,ages=11;30;7)")
    assert game.num_players() == 3
    assert str(game) == str(load("double-down", 3, {"forgetful": True, "ages": [11, 30, 7]}))
    again = pickle.loads(pickle.dumps(tiny(5, seed="a seed")))
    assert str(again) == str(tiny(5, seed="a seed"))
    assert [len(list(leaves(each.new_initial_state()._point))) for each in (again, tiny(0))] == [
        5,
        55,
    ]


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    state = next(played(tiny(2), 1, moves=1))
    before = str(state), state.history()
    with pytest.raises(InputError, match=r"action cannot be 20: give one of \d+ \('"):
        state.apply_action(20)
    assert (str(state), state.history()) == before
    with pytest.raises(InputError, match="while chance is to move"):
        tiny(2).new_initial_state().resample_from_infostate(0, Random(1).random)
    with pytest.raises(InputError, match="player_id cannot be 2"):
        state.resample_from_infostate(2, Random(1).random)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"game": "double-down", "options": {"luck": 1}}, "luck"),
        ({"game": "double-down", "deals": -1}, "deals cannot be -1"),
        ({"game": "double-down", "max_moves": 0}, "max_moves cannot be 0"),
        ({"game": "double-down", "seed": "a,b"}, "leave out"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RedoubleError, match=complaint):
        load(**arguments)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(RedoubleError, match="2 to 7"):
        pyspiel.load_game("redouble_double_down(players=9)")
    with pytest.raises(RedoubleError, match="11 cards, but 3 players need at least 16"):
        pyspiel.load_game("redouble_double_down(players=3,cards=66 x9;33 x2)")
