"""The search: blind to what is hidden, the same for the same seed."""

from dataclasses import replace

import numpy as np
import pytest

from redouble.bots import BOTS, own_chance
from redouble.bots.levels import LevelBot
from redouble.bots.policy import METHODS, Policy
from redouble.bots.search import Search, forecast, think
from redouble.bots.search.flat import action_of
from redouble.bots.search.playouts import SearchBuffers, policy_row
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
    both = Search(observation, seed_words("two"), policy, (other, one))
    both.run(600)
    found = {candidate.action: candidate for candidate in both.candidates()}
    assert both.iterations == 600
    assert {action: found[action].visits for action in found} == {one: 300, other: 300}
    for action in (one, other):
        alone = Search(observation, seed_words("two"), policy, (action,))
        alone.run(300)
        assert found[action].shares == pytest.approx(alone.candidates()[0].shares)
    for wrong in ((one, one), (max(observation.legal) + 1,)):
        with pytest.raises(InputError, match="moves cannot be"):
            Search(observation, seed_words("two"), policy, wrong)


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


def test_a_flat_search_does_not_depend_on_threads_or_parts() -> None:
    observation = decision("double-down").observation()
    policy = Policy(iterations=1000, method="flat")
    searches = [Search(observation, seed_words("flat"), policy) for _ in range(3)]
    searches[0].run(1000)
    searches[1].run(1000, threads=3)
    for iterations in (1, 2, 300, 697):
        searches[2].run(iterations)
    for other in searches[1:]:
        assert other.candidates() == searches[0].candidates()
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
    assert all(sum(each.shares) == pytest.approx(4 / 2) for each in by_visits)  # they are split
    after = Search(observation, seed_words("x"), Policy(method="flat"), (by_visits[0].action,))
    after.run(100)
    assert [(one.action, one.visits) for one in after.candidates()] == [(by_visits[0].action, 100)]


@by_game
def test_a_forecast_counts_the_replies_to_a_move(name: str) -> None:
    observation = decision(name, 6).observation()
    first = observation.legal[-1]
    found = forecast(observation, seed_words("after"), 500, first)
    assert found == forecast(observation, seed_words("after"), 500, first)
    assert found != forecast(observation, seed_words("before"), 500, first)
    seats = observation.state.seats
    if seats > 1:
        assert sum(found.shares) == pytest.approx(seats / 2)
    worlds = sum(times for times, _ in found.replies.values())
    assert 0 < worlds <= 500
    if worlds == 500:  # none of the games ended before
        means = np.zeros(seats)
        for times, shares in found.replies.values():
            means += times * np.array(shares) / worlds
        assert means.tolist() == pytest.approx(found.shares)
    with pytest.raises(InputError, match="first cannot be"):
        forecast(observation, seed_words("after"), 500, max(observation.legal) + 1)


def test_a_search_needs_moves_and_can_be_stopped() -> None:
    observation = decision("double-down").observation()
    policy = Policy(iterations=10**7, method="flat")
    for threads in (1, 2):
        found = think(
            observation, seed_words("two"), policy, threads=threads, watch=lambda done: False
        )
        assert 0 < sum(candidate.visits for candidate in found) < 10**5
    with pytest.raises(InputError, match="no legal move"):
        Search(replace(observation, legal=()), seed_words("x"), policy)


@pytest.mark.parametrize("method", METHODS)
def test_a_bot_plays_the_same_in_compiled_games_and_at_tables(method: str) -> None:
    game = GAMES["double-down"]
    observation = decision("double-down").observation()
    policy = Policy(iterations=300, method=method)
    arrays = SearchBuffers(game, 4, observation.state)
    row = np.array(policy_row(policy, game, 4), np.float64)
    for number in range(6):
        words = seed_words(f"same {number}")
        action = action_of(game, arrays, np.array(words, np.uint64), row)
        assert LevelBot("it", policy).choose(observation, words) == action


@pytest.mark.parametrize("name", own_games())
def test_golden_searches(name: str) -> None:
    """``python -m tests.bots.test_search`` writes those that are missing."""
    text = (SEARCHES / f"{name}.txt").read_text(encoding="utf-8")
    assert "\n".join(golden(name)) + "\n" == text


def golden(name: str) -> list[str]:
    observation = decision(name, 6, "golden").observation()
    found = search(observation, 400, "golden", Policy(iterations=400)).candidates()
    return [f"{observation.name(one.action)}  {one.visits}  {one.share:.3f}" for one in found]


if __name__ == "__main__":
    SEARCHES.mkdir(exist_ok=True)
    for game in own_games():
        path = SEARCHES / f"{game}.txt"
        if not path.exists():
            path.write_text("\n".join(golden(game)) + "\n", encoding="utf-8")
