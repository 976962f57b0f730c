"""The search: blind to what is hidden, the same for the same seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from redouble.bots import BOTS, own_chance
from redouble.bots.levels import LevelBot
from redouble.bots.observers import UNSEEN
from redouble.bots.playouts import SearchBuffers, policy_row
from redouble.bots.policy import BEST, METHODS, Policy
from redouble.bots.search import Search, action_of, think
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.kernel.errors import InputError
from redouble.kernel.rng import seed_words
from redouble.match.match import Match, Observation
from tests.helpers.brute import Brute, TooLarge, is_clear
from tests.helpers.places import GOLDEN
from tests.helpers.worlds import own_games

by_game = pytest.mark.parametrize("name", list(GAMES))
SEARCHES = GOLDEN / "search"


def decision(name: str, ply: int = 0, seed: str = "search") -> Match:
    """A match that stands before a decision, at a ply or soon after."""
    match = Match(GAMES[name], GAMES[name].usual_seats, seed)
    while match.ply < ply or len(match.legal_moves) == 1:
        observation = match.observation()
        match.push_action(
            BOTS["greedy"].choose(observation, own_chance(seed, observation.seat, match.ply))
        )
    return match


def search(
    observation: Observation, iterations: int, seed: str = "seed", policy: Policy | None = None
) -> Search:
    found = Search(observation, seed_words(seed), policy)
    found.run(iterations)
    return found


def test_brute_force_refuses_large_positions() -> None:
    with pytest.raises(TooLarge):
        Brute(decision("double-decker")).values()


def test_brute_force_intervals_decide_clearly() -> None:
    assert is_clear({1: (0.5, 0.5), 2: (0.5, 0.6), 3: (0.2, 0.4)})
    assert not is_clear({1: (0.5, 0.5), 2: (0.1, 0.6), 3: (0.2, 0.4)})  # 2 may be worse
    assert not is_clear({1: (0.5, 0.5), 3: (0.2, 0.48)})  # 3 is hardly worse
    assert not is_clear({1: (0.5, 0.5), 2: (0.5, 0.5)})


@by_game
def test_the_same_seed_and_iterations_give_the_same_tree_however_they_are_divided(
    name: str,
) -> None:
    observation = decision(name).observation()
    whole, parts = search(observation, 700), Search(observation, seed_words("seed"))
    for iterations in (1, 299, 400):
        parts.run(iterations)
    assert (whole.nodes == parts.nodes).all()
    assert (whole.values == parts.values).all()
    other = search(observation, 700, "other")
    assert other.used != whole.used or (other.values != whole.values).any()


@by_game
def test_the_tree_adds_up(name: str) -> None:
    found = search(decision(name).observation(), 600)
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
    assert root <= set(found.observation.legal)
    assert sum(candidate.visits for candidate in found.candidates()) == 600


@pytest.mark.parametrize("name", own_games())
@pytest.mark.parametrize("level", ["club", "master"])
def test_worlds_that_cannot_be_told_apart_give_the_same_move(name: str, level: str) -> None:
    rules = GAMES[name].rules
    for ply in (0, 9, 20):
        match = decision(name, ply)
        observation = match.observation()
        moves = set()
        for number in range(3):
            world = observation.state.copy()
            rules.determinize(world, seed_words(f"world {number}"), [0] * WORK)
            assert world != observation.state or name == "double-or-quits"
            rules.redact(world, observation.seat)
            other = replace(observation, state=world)
            chance = own_chance("same", observation.seat, match.ply)
            moves.add(BOTS[level].choose(other, chance))
        assert moves == {
            BOTS[level].choose(observation, own_chance("same", observation.seat, match.ply))
        }


@pytest.mark.parametrize("name", own_games())
def test_two_moves_are_compared_in_the_worlds_that_each_would_have_alone(name: str) -> None:
    observation = decision(name, 9).observation()
    policy = Policy(method="flat")
    one, other = observation.legal[:2]
    both = Search(observation, seed_words("two"), policy, first=other, second=one)
    both.run(600)
    found = {candidate.action: candidate for candidate in both.candidates()}
    assert both.iterations == 600
    assert {action: found[action].visits for action in found} == {one: 300, other: 300}
    for action in (one, other):
        alone = Search(observation, seed_words("two"), policy, first=action)
        alone.run(300)
        assert found[action].shares == pytest.approx(alone.shares())
    for first, second, method in ((None, one, "flat"), (one, one, "flat"), (one, other, "tree")):
        wrong = Policy(method=method)
        with pytest.raises(InputError, match="second cannot be"):
            Search(observation, seed_words("two"), wrong, first=first, second=second)


def test_a_forced_move_is_not_searched() -> None:
    match = Match(GAMES["double-or-quits"], 1, "forced")
    assert len(match.legal_moves) == 1 or match.ply == 0
    while len(match.legal_moves) > 1:
        match.push(match.legal_moves[0])
    found = search(match.observation(), 500)
    assert found.iterations == 0
    assert [each.action for each in found.candidates()] == list(match.legal_moves.actions)


def test_a_search_reports_progress_and_can_be_stopped() -> None:
    observation = decision("double-down").observation()
    seen: list[int] = []

    def watch(done: int) -> bool:
        seen.append(done)
        return len(seen) < 3

    found = Search(observation, seed_words("watched"))
    found.run(100_000, watch=watch)
    assert len(seen) == 3
    assert seen == sorted(seen)
    assert found.iterations == seen[-1] < 100_000


def test_a_search_ends_when_its_time_is_over() -> None:
    found = Search(decision("double-down").observation(), seed_words("timed"))
    found.run(10**9, seconds=0.0)
    assert 0 < found.iterations < 10**6


def test_the_trees_of_a_decision_do_not_depend_on_threads() -> None:
    observation = decision("double-decker").observation()
    policy = Policy(iterations=1000)
    alone, two, more = (
        think(observation, seed_words("two"), policy, threads=threads) for threads in (1, 2, 3)
    )
    assert alone == two == more
    assert sum(candidate.visits for candidate in two) == 1000


def test_a_flat_search_does_not_depend_on_threads_or_parts() -> None:
    observation = decision("double-down").observation()
    policy = Policy(iterations=1000, method="flat")
    searches = [Search(observation, seed_words("flat"), policy) for _ in range(3)]
    searches[0].run(1000)
    searches[1].run(1000, threads=3)
    for iterations in (1, 2, 300, 697):
        searches[2].run(iterations)
    for other in searches[1:]:
        assert (other.nodes == searches[0].nodes).all()
        assert (other.values == searches[0].values).all()
    n = len(observation.legal)
    assert 1000 - n < searches[0].iterations <= 1000
    searches[0].run(500)  # goes on with the last two
    assert 1500 - n < searches[0].iterations <= 1500
    visits = [candidate.visits for candidate in searches[0].candidates()]
    assert visits[0] == visits[1] > visits[2] >= visits[-1] > 0


def test_a_flat_search_tries_more_of_the_better_moves() -> None:
    observation = decision("double-down").observation()
    found = search(observation, 2000, "halves", Policy(iterations=2000, method="flat"))
    by_visits = found.candidates()
    assert {candidate.action for candidate in by_visits} == set(observation.legal)
    assert len({candidate.visits for candidate in by_visits}) == len(found.observation.legal) // 2
    # In the end the last two have been tried in the same worlds.
    assert by_visits[0].share >= by_visits[1].share
    rewards = found.values.sum(axis=1)
    assert np.allclose(rewards, found.nodes["visits"] * 4 / 2)  # shares are split
    after = Search(observation, seed_words("x"), Policy(method="flat"), first=by_visits[0].action)
    after.run(100)
    assert [(one.action, one.visits) for one in after.candidates()] == [(by_visits[0].action, 100)]


def roots(found: Search) -> list[int]:
    """Return the roots of the trees, that of the searching seat first."""
    chain = [0]
    while after := int(found.nodes["next"][chain[-1]]):
        chain.append(after)
    return chain


def below_root(found: Search, root: int) -> list[int]:
    """Return all nodes of a tree but its root."""
    nodes, rest = [], found._children(root)
    while rest:
        nodes.append(rest.pop())
        rest += found._children(nodes[-1])
    return nodes


@pytest.mark.parametrize("name", own_games())
def test_each_seat_has_a_tree_that_an_equal_share_of_iterations_teaches(name: str) -> None:
    observation = decision(name).observation()
    seats = observation.state.seats
    found, parts = (
        Search(observation, seed_words("trees"), Policy(method="mo-ismcts")) for _ in range(2)
    )
    found.run(1200)
    for iterations in (1, 7, 1192):
        parts.run(iterations)
    assert found.used == parts.used
    assert (found.nodes == parts.nodes).all()
    assert (found.values == parts.values).all()
    trees = roots(found)
    assert sorted(int(found.nodes["seat"][root]) for root in trees) == list(range(seats))
    assert trees[0] == 0
    taught = [int(found.nodes["visits"][root]) for root in trees]
    assert sum(taught) == found.iterations == 1200
    assert taught[0] == (600 if seats > 1 else 1200)
    assert all(abs(times - 600 / (seats - 1)) < 1 for times in taught[1:])
    of_trees = [below_root(found, root) for root in trees]
    assert sum(map(len, of_trees)) + seats == found.used  # each node is in one tree
    for root, each in zip(trees, of_trees, strict=True):
        assert all(found.nodes["visits"][each] > 0)
        assert found.nodes["visits"][found._children(root)].sum() <= found.nodes["visits"][root]


def test_a_seat_s_tree_has_the_moves_as_it_sees_them() -> None:
    """In 3UP 3DOWN the others don't see which cards are laid face up before all have chosen."""
    observation = decision("three-up").observation()
    found = search(observation, 4000, policy=Policy(method="mo-ismcts"))
    for root in roots(found):
        owner = int(found.nodes["seat"][root])
        first = {
            (int(found.nodes["seat"][child]), int(found.nodes["action"][child]))
            for child in found._children(root)
        }
        if owner == observation.seat:
            assert len(first) > 1
            assert UNSEEN not in {action for _, action in first}
        else:
            assert first == {(observation.seat, UNSEEN)}
        own = {
            int(found.nodes["action"][node])
            for node in below_root(found, root)
            if found.nodes["seat"][node] == owner
        }
        assert len(own) > 1
        assert UNSEEN not in own


@pytest.mark.parametrize("name", own_games())
def test_perfect_information_search_tries_all_moves_in_the_same_worlds(name: str) -> None:
    observation = decision(name).observation()
    policy = Policy(iterations=2000, method="pimc")
    found, parts = (Search(observation, seed_words("pimc"), policy) for _ in range(2))
    found.run(2000)
    for iterations in (1, 999, 1000):
        parts.run(iterations)
    assert (found.nodes == parts.nodes).all()
    assert (found.values == parts.values).all()
    candidates = found.candidates()
    assert {candidate.action for candidate in candidates} == set(observation.legal)
    assert len({candidate.visits for candidate in candidates}) == 1
    assert sum(candidate.visits for candidate in candidates) == found.iterations <= 2000
    assert candidates == sorted(candidates, key=lambda candidate: -candidate.share)
    assert think(observation, seed_words("pimc"), policy, threads=2) == candidates


def test_the_others_expect_cards_that_the_searching_seat_does_not_hold() -> None:
    observation = decision("double-down").observation()
    found = search(observation, 2000, policy=Policy(method="mo-ismcts"))
    own, *others = roots(found)
    for root in others:
        expected = {int(found.nodes["action"][child]) for child in found._children(root)}
        assert len(expected) > len(observation.legal)
    assert {int(found.nodes["action"][child]) for child in found._children(own)} == set(
        observation.legal
    )


def test_a_flat_search_needs_moves_and_can_be_stopped() -> None:
    observation = decision("double-down").observation()
    policy = Policy(iterations=10**7, method="flat")
    for threads in (1, 2):
        found = think(
            observation, seed_words("two"), policy, threads=threads, watch=lambda done: False
        )
        assert 0 < sum(candidate.visits for candidate in found) < 10**5
    with pytest.raises(InputError, match="no legal move"):
        Search(replace(observation, legal=()), seed_words("x"), policy)


@pytest.mark.parametrize("method", [*METHODS, BEST])
def test_a_bot_plays_the_same_in_compiled_games_and_at_tables(method: str) -> None:
    game = GAMES["double-down"]
    observation = decision("double-down").observation()
    policy = Policy(iterations=300, method=method)
    arrays = SearchBuffers(game, 4, observation.state, 400)
    row = np.array(policy_row(policy, game, 4), np.float64)
    for number in range(6):
        words = seed_words(f"same {number}")
        action = action_of(game, arrays, np.array(words, np.uint64), row)
        assert LevelBot("it", policy).choose(observation, words) == action


def test_threads_stop_together() -> None:
    observation = decision("double-decker").observation()
    policy = Policy(iterations=10**7)
    found = think(observation, seed_words("two"), policy, threads=2, watch=lambda done: False)
    assert 0 < sum(candidate.visits for candidate in found) < 10**6


@pytest.mark.parametrize("name", own_games())
def test_golden_trees(name: str) -> None:
    """``python -m tests.bots.test_search`` writes those that are missing."""
    text = (SEARCHES / f"{name}.txt").read_text(encoding="utf-8")
    assert "\n".join(golden(name)) + "\n" == text


def golden(name: str) -> list[str]:
    return search(decision(name, 6, "golden").observation(), 400, "golden").draw(
        depth=3, max_children=4
    )


if __name__ == "__main__":
    SEARCHES.mkdir(exist_ok=True)
    for game in own_games():
        path = SEARCHES / f"{game}.txt"
        if not path.exists():
            path.write_text("\n".join(golden(game)) + "\n", encoding="utf-8")
