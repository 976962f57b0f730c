"""The search: right where brute force is, blind to what is hidden, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import redouble
from redouble.bots import BOTS, own_chance
from redouble.bots.policy import Policy
from redouble.game import WORK
from redouble.match import Match, Sight
from redouble.registry import game_named, game_names
from redouble.rng import seed_words
from redouble.search import Search, think

from .brute import CORPUS, TooLarge, action_values
from .worlds import own_games

by_game = pytest.mark.parametrize("name", game_names())
SMALL = CORPUS.read_text(encoding="utf-8").splitlines()
GOLDEN = Path(__file__).parent / "golden" / "search"
ENOUGH = 3000
A_TRIFLE = 0.02


def decision(name: str, ply: int = 0, seed: str = "search") -> Match:
    """A match that stands before a decision, at a ply or soon after."""
    match = Match(game_named(name), game_named(name).usual_seats, seed)
    while match.ply < ply or len(match.legal_moves) == 1:
        sight = match.sight()
        match.push_action(BOTS["greedy"].choose(sight, own_chance(seed, sight.seat, match.ply)))
    return match


def search(
    sight: Sight, iterations: int, seed: str = "seed", policy: Policy | None = None
) -> Search:
    found = Search(sight, seed_words(seed), policy)
    found.run(iterations)
    return found


def test_every_game_has_small_positions() -> None:
    assert {redouble.replay(line).game.name for line in SMALL} == set(own_games())


@pytest.mark.parametrize("line", SMALL, ids=range(len(SMALL)))
def test_the_best_move_of_a_small_position_is_found(line: str) -> None:
    sight = redouble.replay(line).sight()
    values, _ = action_values(sight)
    best = search(sight, ENOUGH).candidates()[0]
    # Two moves can be as good for who meets heuristic players; against the best one of them is not.
    alike = [c for c in search(sight, ENOUGH).candidates() if best.share - c.share < A_TRIFLE]
    assert max(values, key=lambda action: values[action]) in [each.action for each in alike]


def test_brute_force_refuses_what_is_large() -> None:
    with pytest.raises(TooLarge):
        action_values(decision("double-decker").sight())


@by_game
def test_the_same_seed_and_iterations_give_the_same_tree_however_they_are_parted(name: str) -> None:
    sight = decision(name).sight()
    whole, parts = search(sight, 700), Search(sight, seed_words("seed"))
    for iterations in (1, 299, 400):
        parts.run(iterations)
    assert (whole.nodes == parts.nodes).all()
    assert (whole.values == parts.values).all()
    other = search(sight, 700, "other")
    assert other.used != whole.used or (other.values != whole.values).any()


@by_game
def test_the_tree_adds_up(name: str) -> None:
    found = search(decision(name).sight(), 600)
    nodes, values = found.nodes, found.values
    seats = values.shape[1]
    assert found.iterations == nodes["visits"][0] == 600
    assert (values >= 0).all()
    assert (values <= nodes["visits"][:, None] + 1e-9).all()
    if seats > 1:
        assert np.allclose(values.sum(axis=1), nodes["visits"] * seats / 2)  # shares are split
    for node in range(1, found.used):
        parent = nodes["parent"][node]
        assert parent < node
        assert 0 < nodes["visits"][node] <= nodes["available"][node] <= nodes["visits"][parent]
    for node in range(found.used):
        children = np.flatnonzero(nodes["parent"][1:] == node) + 1
        assert nodes["visits"][children].sum() <= nodes["visits"][node]
        listed = found._children(node)
        assert sorted(listed) == children.tolist()
        moves = [(nodes["seat"][child], nodes["action"][child]) for child in listed]
        assert len(set(moves)) == len(moves)
    root = {candidate.action for candidate in found.candidates()}
    assert root <= set(found.sight.legal)
    assert sum(candidate.visits for candidate in found.candidates()) == 600


@pytest.mark.parametrize("name", own_games())
@pytest.mark.parametrize("level", ["club", "master"])
def test_worlds_that_cannot_be_told_apart_give_the_same_move(name: str, level: str) -> None:
    rules = game_named(name).rules
    for ply in (0, 9, 20):
        match = decision(name, ply)
        sight = match.sight()
        moves = set()
        for number in range(3):
            world = sight.state.copy()
            rules.imagine(world, seed_words(f"world {number}"), [0] * WORK)
            assert world != sight.state or name == "double-or-quits"
            rules.redact(world, sight.seat)
            other = Sight(sight.game, sight.seat, world, sight.legal)
            chance = own_chance("same", sight.seat, match.ply)
            moves.add(BOTS[level].choose(other, chance))
        assert moves == {BOTS[level].choose(sight, own_chance("same", sight.seat, match.ply))}


def test_a_move_without_a_choice_is_not_thought_about() -> None:
    match = Match(game_named("double-or-quits"), 1, "forced")
    assert len(match.legal_moves) == 1 or match.ply == 0
    while len(match.legal_moves) > 1:
        match.push(match.legal_moves[0])
    found = search(match.sight(), 500)
    assert found.iterations == 0
    assert [each.action for each in found.candidates()] == list(match.legal_moves.actions)


def test_a_search_tells_how_far_it_is_and_can_be_ended() -> None:
    sight = decision("double-down").sight()
    seen: list[int] = []

    def watch(done: int) -> bool:
        seen.append(done)
        return len(seen) < 3

    found = Search(sight, seed_words("watched"))
    found.run(100_000, watch=watch)
    assert len(seen) == 3
    assert seen == sorted(seen)
    assert found.iterations == seen[-1] < 100_000


def test_a_search_ends_when_its_time_is_over() -> None:
    found = Search(decision("double-down").sight(), seed_words("timed"))
    found.run(10**9, seconds=0.0)
    assert 0 < found.iterations < 10**6


def test_threads_think_side_by_side_and_agree_with_themselves() -> None:
    sight = decision("double-decker").sight()
    policy = Policy(iterations=1000)
    once, again = (think(sight, seed_words("two"), policy, threads=2) for _ in range(2))
    assert once == again
    assert sum(candidate.visits for candidate in once) == 1000


def test_threads_are_ended_together() -> None:
    sight = decision("double-decker").sight()
    policy = Policy(iterations=10**7)
    found = think(sight, seed_words("two"), policy, threads=2, watch=lambda done: False)
    assert 0 < sum(candidate.visits for candidate in found) < 10**6


@pytest.mark.parametrize("name", own_games())
def test_golden_trees(name: str) -> None:
    """``python -m tests.test_search`` writes those that are missing."""
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert "\n".join(golden(name)) + "\n" == text


def golden(name: str) -> list[str]:
    return search(decision(name, 6, "golden").sight(), 400, "golden").draw(depth=3, most=4)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for game in own_games():
        path = GOLDEN / f"{game}.txt"
        if not path.exists():
            path.write_text("\n".join(golden(game)) + "\n", encoding="utf-8")
