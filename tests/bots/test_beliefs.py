"""Beliefs: worlds come the more often, the better they explain what the others played."""

import pickle
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from redouble.bots import BOTS, own_chance
from redouble.bots.policy import BEST, FLAT, Policy
from redouble.bots.search import Search, think
from redouble.bots.search.beliefs import as_arrays, believe, likelihood, remember
from redouble.bots.search.playouts import SearchBuffers, policy_row
from redouble.contract.game import WORK
from redouble.contract.placeholders import functions
from redouble.contract.registry import GAMES
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.errors import IllegalMove, InputError
from redouble.kernel.piles import IN_SIGHT, MAX_PLACES
from redouble.kernel.rng import seed_words
from redouble.lab.contest import Contest
from redouble.match.match import Match, Observation, SeenMove

RECALLING = [name for name, game in GAMES.items() if game.beliefs is not None]
DECKER = GAMES["double-decker"]
by_game = pytest.mark.parametrize("name", RECALLING)


def played(name: str, plies: int, seed: str = "beliefs") -> Match:
    """A match between experts that stands before a decision."""
    match = Match(GAMES[name], GAMES[name].usual_seats, seed)
    while match.ply < plies or len(match.legal_moves) == 1:
        chance = own_chance(seed, match.turn or 0, match.ply)
        match.push_action(BOTS["expert"].choose(match.observation(), chance))
    return match


class Worlds:
    """What :func:`believe` draws in a position."""

    def __init__(self, match: Match) -> None:
        game, observation = match.game, match.observation()
        self._seats = match.seats
        self._arrays = SearchBuffers(game, match.seats, observation.state)
        self._arrays.states[1] = to_records(observation.state)[0]
        self._past = as_arrays(match.seen_moves(), observation.state)
        self._game, self._loops = game, functions(game)
        self._rng = np.array(seed_words("worlds"), np.uint64)
        assert game.beliefs is not None
        holding = np.full(MAX_PLACES, IN_SIGHT)
        game.beliefs.holders(observation.state, holding)
        self._held = np.flatnonzero(holding >= 0)
        self._holders = holding[self._held]

    def draw(self, exchanges: int, worlds: int, slips: float = 0.05) -> tuple[Any, Any]:
        """Draw worlds; return how many cards of each kind the others hold, and the likelihoods.

        Shapes (worlds, seats * kinds) and (worlds,).
        """
        policy = Policy(method="flat", beliefs=exchanges, slips=slips)
        row = np.array(policy_row(policy, self._game, self._seats))
        a, past, rng = self._arrays, self._past, self._rng
        draw, weigh = compiled(believe, **self._loops), compiled(likelihood, **self._loops)
        hands = np.zeros((worlds, self._seats, 128))
        found = np.ones(worlds)
        for i in range(worlds):
            draw(a.states, *past, rng, a.buffers, row)
            for seat in range(self._seats):
                found[i] *= weigh(a.states, *past, seat, rng, a.buffers, slips, 0.0)
            kinds = a.states[3]["deck"][self._held]
            np.add.at(hands[i], (self._holders, kinds), 1)
        return hands.reshape(worlds, -1), found


@by_game
def test_worlds_that_explain_the_past_come_more_often(name: str) -> None:
    worlds = Worlds(played(name, 16))
    _, uniform = worlds.draw(0, 400)
    _, believed = worlds.draw(64, 400)
    assert uniform.min() < uniform.max()
    assert believed.mean() > 2 * uniform.mean()


@by_game
def test_worlds_come_as_often_as_the_model_says(name: str) -> None:
    """Exchanges lead to the same hands as weighing many worlds of ``determinize`` does."""
    worlds = Worlds(played(name, 12))
    slips, n, m = 0.6, 20_000, 2000
    hands, likely = worlds.draw(0, n, slips)
    weights = likely / likely.sum()
    expected = weights @ hands
    spread = (weights**2 @ (hands - expected) ** 2) ** 0.5
    believed, _ = worlds.draw(200, m, slips)
    errors = np.hypot(spread, believed.std(axis=0) / m**0.5)
    unlike = np.abs(believed.mean(axis=0) - expected) / np.maximum(errors, 1 / n)
    assert unlike.max() < 4.5
    # A test of this kind can fail: without exchanges the hands are different ones.
    plain = hands.mean(axis=0)
    assert (np.abs(plain - expected) / np.maximum(spread, 1 / n)).max() > 4.5


@by_game
def test_a_seat_remembers_the_moves_that_it_has_seen(name: str) -> None:
    match = played(name, 16)
    seat = match.observation().seat
    moves = match.seen_moves()
    made = [
        (ply, match.back_to(ply))
        for ply in range(match.ply)
        if match.back_to(ply).turn != seat
        and not match.game.rules.hidden(
            match.back_to(ply).state,
            match.game.text.parse(match.back_to(ply).state, match.moves[ply]),
        )
    ]
    assert len(moves) > 3
    made = made[-len(moves) :]  # the cards may have been shuffled since the earlier ones
    assert [move.state for move in moves] == [before.seen_by(seat) for _, before in made]
    assert [
        match.game.text.name(before.state, move.action)
        for move, (_, before) in zip(moves, made, strict=True)
    ] == [match.moves[ply] for ply, _ in made]


@by_game
def test_how_far_back_a_seat_remembers_tells_nothing_hidden(name: str) -> None:
    """It is the same in worlds that the seat can't tell apart."""
    match = played(name, 30)
    game, observation = match.game, match.observation()
    assert game.beliefs is not None
    worlds = []
    for number in range(4):
        world = observation.state.copy()
        game.rules.determinize(world, seed_words(f"world {number}"), [0] * WORK)
        worlds.append(world)
    told = []
    for ply in range(match.ply):
        before = match.back_to(ply)
        if before.turn != observation.seat:
            known = before.seen_by(observation.seat)
            told.append(game.beliefs.recall(known.copy(), match.state))
            assert {game.beliefs.recall(known.copy(), world) for world in worlds} == {told[-1]}
    assert told == sorted(told)  # once a position is recalled, so are all after it
    assert told[-1]


@by_game
def test_a_match_that_goes_on_or_back_remembers_what_a_new_one_does(name: str) -> None:
    """What no later position recalls is looked at once for all seats, until a move is undone."""
    match = Match(GAMES[name], GAMES[name].usual_seats, "on")
    heard = [match.seen_moves()]
    while match.ply < 64:  # in Double Decker beyond the first round
        match.push_action(match.legal_moves.actions[0])
        if match.turn is None:
            match.pop()
            break
        heard.append(match.seen_moves())
    longest = max(len(moves) for moves in heard)
    assert longest > 3
    if name == "double-decker":
        assert len(heard[-1]) < longest
    for ply in range(match.ply, 0, -1):
        assert heard[ply] == match.back_to(ply).seen_moves()
        match.pop()
        assert match.seen_moves() == heard[ply - 1]


def test_an_observation_keeps_the_past_of_its_position() -> None:
    """It is computed when somebody reads it, whatever the match does before that."""
    match = played("double-decker", 30)
    wanted = list(match.seen_moves())
    observation = match.observation()
    for _ in range(3):
        match.push_action(match.legal_moves.actions[0])
    for _ in range(9):
        match.pop()
    assert len(wanted) > 3
    assert list(observation.past) == wanted


def test_an_observation_travels_with_its_past_and_without_the_match() -> None:
    match = played("double-decker", 30)
    sent = pickle.dumps(match.observation())
    assert pickle.loads(sent) == match.observation()
    assert type(pickle.loads(sent).past) is tuple
    assert b"Match" not in sent
    assert deepcopy(match.observation()).past == match.seen_moves()


def believing(match: Match) -> Observation:
    """What the seat to move knows, and what it has seen."""
    return replace(match.observation(), past=match.seen_moves())


def test_beliefs_do_not_depend_on_threads_and_without_them_the_past_changes_nothing() -> None:
    observation = believing(played("double-decker", 20))
    policy = Policy(iterations=900, method="flat", beliefs=8)
    one, three = (
        think(observation, seed_words("seed"), policy, threads=threads) for threads in (1, 3)
    )
    assert one == three
    plain, forgetful = replace(policy, beliefs=1), replace(observation, past=())
    without = think(forgetful, seed_words("seed"), plain)
    assert think(observation, seed_words("seed"), plain) == without
    assert one != without
    assert think(forgetful, seed_words("seed"), policy) == without


def test_a_past_that_no_world_explains_leaves_all_worlds() -> None:
    """The others made moves that the heuristic never makes."""
    match = Match(GAMES["double-decker"], 4, "odd")
    while match.ply < 50 or len(match.legal_moves) == 1:
        best = BOTS["expert"].choose(match.observation(), own_chance("odd", 0, match.ply))
        odd = [action for action in match.legal_moves.actions if action != best]
        match.push_action(odd[0] if odd else best)
    policy = Policy(iterations=500, method="flat", beliefs=8, slips=0.001)
    found = think(believing(match), seed_words("seed"), policy)
    assert {one.action for one in found} == set(match.legal_moves.actions)


def fresh(match: Match) -> bool:
    """Whether no move tells anything, as in a round that has just begun."""
    return not match.seen_moves()


def test_the_usual_search_believes_what_the_game_says() -> None:
    for game in GAMES.values():
        seats = game.usual_seats
        match = Match(game, seats, "usual")
        while match.ply < 12 or len(match.legal_moves) == 1 or (game.beliefs and fresh(match)):
            match.push_action(match.legal_moves.actions[0])
        observation = match.observation()
        believes = game.beliefs is not None and seats in game.beliefs.exchanges
        assert bool(observation.past) == believes
        best = think(observation, seed_words("seed"), Policy(iterations=600, method=BEST))
        network = game.network
        plain = Policy(
            iterations=600,
            method=FLAT,
            beliefs=1,
            trust=0.0 if network is None else network.trust,
            learned=network is not None and seats in network.playouts,
        )
        assert (best != think(observation, seed_words("seed"), plain)) == believes
        if believes:
            off = Policy(iterations=600, method=BEST, beliefs=1)
            assert think(observation, seed_words("seed"), off) != best
    assert DECKER.beliefs is not None
    assert set(DECKER.beliefs.exchanges) == {4, 5, 6, 7}


@by_game
def test_compiled_memory_is_that_of_a_match(name: str) -> None:
    """Also when the ring is shorter than the game, as far as it goes."""
    match = played(name, 18)
    game, observation = match.game, match.observation()
    states = SearchBuffers(game, match.seats, match.state).states
    states[1] = to_records(observation.state)[0]
    loop = compiled(remember, **functions(game))
    wanted, moves = as_arrays(match.seen_moves(), observation.state)
    assert len(moves) > 3
    for room in (64, 8):
        history, made = np.zeros(room, states.dtype), np.zeros(room, np.int64)
        at = match.restarted()
        for ply, move in enumerate(match.moves):
            history[ply % room] = to_records(at.state)[0]
            made[ply % room] = match.game.text.parse(at.state, move)
            at.push(move)
        past, actions = np.zeros_like(history), np.zeros_like(made)
        n = loop(states, history, made, match.ply, past, actions)
        assert n == (len(moves) if room == 64 else min(n, len(moves)))
        assert n >= min(4, len(moves))
        assert actions[room - n :].tolist() == moves[len(moves) - n :].tolist()
        for found, right in zip(past[room - n :], wanted[len(moves) - n :], strict=True):
            assert found == right


@by_game
def test_searches_with_beliefs_play_whole_games(name: str) -> None:
    game = GAMES[name]
    seats = game.usual_seats
    believer = Policy(iterations=60, method="flat", beliefs=8)
    lineups, seeds = [[0] * seats] * 2, ["first", "second"]
    one, again, without = (
        Contest(game, seats, [policy]).record(lineups, seeds)[1]
        for policy in (believer, believer, replace(believer, beliefs=1))
    )
    assert one.tolist() == again.tolist()
    assert one.tolist() != without.tolist()


def test_unusable_beliefs_are_refused() -> None:
    match = played("double-decker", 8)
    observation, past = match.observation(), match.seen_moves()
    no_state: Any = "no state"
    other = SeenMove(played("double-down", 8).state, 1)
    with pytest.raises(InputError, match="position of Double Decker"):
        replace(observation, past=(other,))
    unfit: Any = [observation.state]
    with pytest.raises(InputError, match="a move of the past"):
        replace(observation, past=unfit)
    with pytest.raises(InputError, match="an action of the past"):
        replace(observation, past=(SeenMove(past[0].state, 1 << 70),))
    with pytest.raises(InputError, match="slips"):
        Policy(beliefs=4, slips=0.0)
    with pytest.raises(InputError, match="state"):
        SeenMove(no_state, 1)
    broken: Any = past[0].state.copy()
    broken.deck = []
    over = past[0].state.copy()
    over.turn = -1
    policy = Policy(method="flat", iterations=9, beliefs=4)
    for state in (broken, over):
        odd = replace(observation, past=(SeenMove(state, past[0].action),))
        with pytest.raises(InputError, match=r"deck|past"):
            Search(odd, seed_words("x"), policy)


def test_a_game_that_is_over_has_no_past() -> None:
    over = Match(DECKER, 4, "over")
    while over.turn is not None:
        over.push_action(over.legal_moves.actions[0])
    with pytest.raises(IllegalMove):
        over.seen_moves()
