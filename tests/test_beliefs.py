"""Beliefs: worlds that explain what the others played come more often."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from redouble.bots import BOTS, own_chance
from redouble.bots.beliefs import SeenMove, as_arrays, believe, likelihood, seen_moves
from redouble.bots.levels import LEVELS
from redouble.bots.playouts import SearchBuffers, policy_row
from redouble.bots.policy import Policy
from redouble.bots.search import Search, think
from redouble.contract.placeholders import functions
from redouble.contract.registry import GAMES
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.errors import IllegalMove, InputError
from redouble.kernel.rng import seed_words
from redouble.lab.contest import Contest
from redouble.match.match import Match

RECALLING = [name for name, game in GAMES.items() if game.recall is not None]
by_game = pytest.mark.parametrize("name", RECALLING)


def played(name: str, plies: int, seed: str = "beliefs") -> Match:
    """A match between experts that stands before a decision."""
    match = Match(GAMES[name], GAMES[name].usual_seats, seed)
    while match.ply < plies or len(match.legal_moves) == 1:
        chance = own_chance(seed, match.turn or 0, match.ply)
        match.push_action(BOTS["expert"].choose(match.observation(), chance))
    return match


class Worlds:
    """What :func:`believe` draws in a position, and how likely each world makes the past."""

    def __init__(self, match: Match) -> None:
        game, observation = match.game, match.observation()
        self._arrays = SearchBuffers(game, match.seats, observation.state, 2)
        self._arrays.states[1] = to_records(observation.state)[0]
        self._past = as_arrays(seen_moves(match), observation.state)
        self._game, self._loops = game, functions(game)
        self._rng = np.array(seed_words("worlds"), np.uint64)

    def likelihoods(self, beliefs: int, worlds: int) -> list[float]:
        """Draw this many worlds and return how likely each makes the past."""
        row = np.array(policy_row(Policy(method="flat", beliefs=beliefs), self._game))
        a = self._arrays
        draw, weigh = compiled(believe, **self._loops), compiled(likelihood, **self._loops)
        found = []
        for _ in range(worlds):
            draw(a.states, *self._past, self._rng, a.buffers, row)
            world = a.states[3]
            found.append(weigh(a.states, world, *self._past, self._rng, a.buffers, 0.05))
        return found


@by_game
def test_worlds_that_explain_the_past_come_more_often(name: str) -> None:
    worlds = Worlds(played(name, 16))
    uniform, believed = worlds.likelihoods(1, 400), worlds.likelihoods(16, 400)
    assert min(uniform) < max(uniform)
    assert fmean(believed) > 1.5 * fmean(uniform)


@by_game
def test_a_seat_remembers_the_moves_that_it_has_seen(name: str) -> None:
    match = played(name, 16)
    seat = match.observation().seat
    moves = seen_moves(match)
    made = [
        (ply, match.back_to(ply))
        for ply in range(match.ply)
        if match.back_to(ply).turn != seat
        and not match.game.rules.hidden(
            match.back_to(ply).state,
            match.game.text.parse(match.back_to(ply).state, match.moves[ply]),
        )
    ]
    assert [move.state for move in moves] == [before.seen_by(seat) for _, before in made]
    assert [
        match.game.text.name(before.state, move.action)
        for move, (_, before) in zip(moves, made, strict=True)
    ] == [match.moves[ply] for ply, _ in made]


def test_beliefs_do_not_depend_on_threads_and_without_them_the_past_changes_nothing() -> None:
    match = played("double-down", 20)
    observation, past = match.observation(), seen_moves(match)
    believing = Policy(iterations=900, method="flat", beliefs=8)
    one, three = (
        think(observation, seed_words("seed"), believing, threads=threads, past=past)
        for threads in (1, 3)
    )
    assert one == three
    plain = replace(believing, beliefs=1)
    assert think(observation, seed_words("seed"), plain, past=past) == think(
        observation, seed_words("seed"), plain
    )
    assert one != think(observation, seed_words("seed"), plain)
    assert think(observation, seed_words("seed"), believing) == think(
        observation, seed_words("seed"), plain
    )


def test_a_past_that_no_world_explains_leaves_all_worlds() -> None:
    """The others made moves that the heuristic never makes."""
    match = Match(GAMES["double-down"], 4, "odd")
    while match.ply < 20 or len(match.legal_moves) == 1:
        best = BOTS["expert"].choose(match.observation(), own_chance("odd", 0, match.ply))
        odd = [action for action in match.legal_moves.actions if action != best]
        match.push_action(odd[0] if odd else best)
    policy = Policy(iterations=500, method="flat", beliefs=8)
    found = think(match.observation(), seed_words("seed"), policy, past=seen_moves(match))
    assert {one.action for one in found} == set(match.legal_moves.actions)


def test_unusable_beliefs_are_refused() -> None:
    match = played("double-down", 8)
    observation, past = match.observation(), seen_moves(match)
    no_state: Any = "no state"
    with pytest.raises(InputError, match="only flat has"):
        Search(observation, seed_words("x"), Policy(beliefs=4), past=past)
    other = seen_moves(played("double-decker", 8))
    with pytest.raises(InputError, match="another game"):
        Search(observation, seed_words("x"), Policy(method="flat", beliefs=4), past=other)
    with pytest.raises(InputError, match="a move that was seen"):
        Search(observation, seed_words("x"), past=[observation.state])
    with pytest.raises(InputError, match="slips"):
        Policy(beliefs=4, slips=0.0)
    with pytest.raises(InputError, match="no policy can have beliefs"):
        Contest(match.game, 4, [LEVELS["expert"], Policy(method="flat", iterations=9, beliefs=4)])
    with pytest.raises(InputError, match="state"):
        SeenMove(no_state, 1)
    over = Match(GAMES["double-down"], 2, "over")
    while over.turn is not None:
        over.push_action(over.legal_moves.actions[0])
    with pytest.raises(IllegalMove):
        seen_moves(over)
