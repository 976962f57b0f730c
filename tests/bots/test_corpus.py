"""The searches on the small positions of the corpus, where brute force knows the best moves."""

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import pytest

from redouble.bots.levels import LEVELS
from redouble.bots.policy import BEST, FLAT, Policy
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from tests.helpers.brute import SETS, Brute, is_clear, mean
from tests.helpers.corpus import SmallPosition, read, solved
from tests.helpers.small_positions import clearly
from tests.helpers.worlds import own_games

SMALL = read()
AGAIN = list({position.kind: position for position in SMALL}.values())
"""One position of each kind, solved again here."""
MIN_POSITIONS = 200
"""Of each game."""
RIGHT = {
    "double-decker": 0.95,
    "double-dominoes": 0.95,
    "double-down": 0.95,
    "double-or-quits": 0.95,
    "three-up": 0.9,
}
"""The share of a game's positions that each search gets right at least."""


def of_game(name: str) -> list[SmallPosition]:
    return [position for position in SMALL if position.game == name]


def test_every_game_has_small_positions_at_several_seat_counts() -> None:
    for name in own_games():
        found = of_game(name)
        assert len({f"{position} {position.kind}" for position in found}) == len(found)
        assert len(found) >= MIN_POSITIONS
        assert len({position.seats for position in found}) >= min(2, GAMES[name].max_seats)


def searches() -> Iterator[tuple[str, str]]:
    """The searches of each game; most games' best search is the flat one."""
    for name in own_games():
        yield name, FLAT
        game = GAMES[name]
        if game.beliefs or game.network:
            yield name, BEST


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "method"), list(searches()))
def test_searches_find_the_best_moves_of_small_positions(
    name: str, method: str, effort: int
) -> None:
    """A fourth of them; with ``--long``, all with as many iterations as the master has."""
    iterations = LEVELS["master"].iterations if effort > 1 else 1000
    policy = Policy(iterations=iterations, method=method)
    positions = of_game(name)[:: 1 if effort > 1 else 4]
    wrong = [str(position) for position in positions if not position.finds(policy)]
    assert fmean(position.chance for position in positions) < RIGHT[name] - 0.2
    assert 1.0 - len(wrong) / len(positions) >= RIGHT[name], wrong


@pytest.mark.parametrize("small", AGAIN, ids=str)
def test_small_positions_are_solved_right(small: SmallPosition) -> None:
    match = small.match()
    each = Brute(match).values_by_world()
    values = {action: mean(outcomes) for action, outcomes in each.items()}
    assert is_clear(values, clearly(match.seats))
    found = solved(match, values, len(next(iter(each.values()))))
    for what in ("ply", "worlds", "worth", "next"):
        assert getattr(found, what) == getattr(small, what)
    assert set(found.best) == set(small.best)


@pytest.mark.parametrize("small", AGAIN, ids=str)
def test_brute_force_and_determinize_find_the_same_worlds(small: SmallPosition) -> None:
    match, observation = small.match(), small.observation

    def told(world: Any) -> str:
        secret = {"rng", "deck"} if match.game.name in SETS else {"rng"}
        return str({name: value for name, value in vars(world).items() if name not in secret})

    determinized = set()
    rng, work = seed_words("worlds"), [0] * WORK
    for _ in range(20 * small.worlds):
        world = observation.state.copy()
        match.game.rules.determinize(world, rng, work)
        determinized.add(told(world))
    assert determinized == {told(world) for world in Brute(match).worlds()}
