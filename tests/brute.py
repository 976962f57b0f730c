"""Small positions solved by brute force: every line in every world that the mover can be in.

Near the end of a game the worlds that a seat cannot tell apart may be few enough to be listed;
where they are not (an unseen draw pile alone can lie in a million ways) as many are drawn, and the
best move must stand out from what the draw can do. In a world every seat plays for its own share of
opponents beaten, knowing what that world holds. Positions in which chance still has a say are left
out: the values must be the same whatever the generator gives.

``python -m tests.brute`` looks for such positions and writes them to the corpus that
``test_search`` reads; it takes some minutes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

from redouble.bots import BOTS, own_chance
from redouble.game import WORK, Game
from redouble.match import Match, Sight
from redouble.registry import game_named
from redouble.rng import seed_words

MOST_WORLDS = 60
DRAWS = 500
"""So many worlds are drawn that none of 60 equally likely ones is likely to be missed."""
MOST_POSITIONS = 200
"""In a world, on the average."""
CLEARLY = 0.08
ERRORS = 4
LAST_MOVES = 8
CARELESS = 0.3
GAMES = 400
CORPUS = Path(__file__).parent / "golden" / "brute.jsonl"
SETTINGS: tuple[tuple[str, int, dict[str, Any], int], ...] = (
    ("double-down", 2, {}, 3),
    ("double-down", 3, {}, 2),
    ("double-decker", 4, {}, 5),
    ("double-dominoes", 2, {}, 5),
    ("three-up", 2, {}, 3),
    ("three-up", 3, {}, 2),
    ("double-or-quits", 1, {"free-flip": True}, 5),
)


class TooLarge(Exception):
    """The position is none for brute force."""


def solved(game: Game, seats: int, options: Mapping[str, Any], number: int) -> Iterator[Match]:
    """Matches that stand before a decision with one clearly best move."""
    found = 0
    for seed in range(GAMES):
        for match in endings(game, seats, options, f"brute {seed}"):
            try:
                action_values(match.sight(), 6)  # most are too large, or all moves alike, already
                values, error = action_values(match.sight())
            except TooLarge:
                continue
            best, second = sorted(values, key=lambda action: values[action])[:-3:-1]
            if values[best] - values[second] >= CLEARLY + ERRORS * error:
                yield match
                found += 1
                break
        if found == number:
            return


def endings(game: Game, seats: int, options: Mapping[str, Any], seed: str) -> Iterator[Match]:
    """The last decisions of a game of careless players, the earliest first."""
    dice = Random(seed)
    match = Match(game, seats, seed, options)
    while match.turn is not None:
        bot = BOTS["random" if dice.random() < CARELESS else "greedy"]
        match.push_action(bot.choose(match.sight(), own_chance(seed, match.turn, match.ply)))
    decisions = []
    for _ in range(min(LAST_MOVES, match.ply)):
        match.pop()
        if len(match.legal_moves) > 1:
            decisions.append(match.copy())
    yield from reversed(decisions)


def action_values(sight: Sight, most: int = MOST_WORLDS) -> tuple[dict[int, float], float]:
    """What each action brings the mover on the average over its worlds, and the standard error of
    a difference, zero when every world was listed. Raises TooLarge, also where all are alike.
    """
    worlds, all_of_them = its_worlds(sight, most)
    room = [MOST_POSITIONS * len(worlds)]
    values: dict[int, list[float]] = {action: [] for action in sight.legal}
    for world in worlds:
        for action in sight.legal:
            one, other = (
                after(sight.game, with_chance(world, seed), action, room)[sight.seat]
                for seed in ("one", "other")
            )
            if one != other:
                raise TooLarge
            values[action].append(one)
    if len(set(map(tuple, values.values()))) == 1:
        raise TooLarge
    means = {action: fmean(each) for action, each in values.items()}
    if all_of_them:
        return means, 0.0
    best = max(means, key=lambda action: means[action])
    errors = [
        stdev(a - b for a, b in zip(values[best], each, strict=True)) / len(worlds) ** 0.5
        for action, each in values.items()
        if action != best
    ]
    return means, max(errors)


def its_worlds(sight: Sight, most: int) -> tuple[list[Any], bool]:
    """The worlds that the seat cannot tell from the real one; whether these are all."""
    rng, work = seed_words("its worlds"), [0] * WORK
    found: dict[str, Any] = {}
    for _ in range(DRAWS // MOST_WORLDS * most):
        world = sight.state.copy()
        sight.game.rules.imagine(world, rng, work)
        found.setdefault(repr(with_chance(world, "")), world)
        if len(found) == most:
            return list(found.values()), False
    return list(found.values()), True


def with_chance(world: Any, seed: str) -> Any:
    """The same world with a given chance to come."""
    world = world.copy()
    world.rng = seed_words(seed)
    return world


def after(game: Game, state: Any, action: int, room: list[int]) -> list[float]:
    """The shares of all seats when this action is played and everybody then plays the best."""
    room[0] -= 1
    if room[0] < 0:
        raise TooLarge
    rules = game.rules
    state = state.copy()
    rules.play(state, action)
    out = [0] * (rules.MAX_LEGAL + 1)
    n = rules.legal(state, out)
    if n == 0:
        return shares(game, state)
    mover = state.turn
    lines = [after(game, state, move, room) for move in out[:n]]
    return max(lines, key=lambda line: line[mover])


def shares(game: Game, state: Any) -> list[float]:
    """The share of opponents that each seat has beaten; alone, the judgement of ``standing``."""
    out = [0] * state.seats
    if state.seats == 1:
        game.standing(state, out)
        return [out[0] / 1000]
    game.rules.rank(state, out)
    return [
        sum((mine < other) + 0.5 * (mine == other) for other in out) / (state.seats - 1)
        - 0.5 / (state.seats - 1)
        for mine in out
    ]


if __name__ == "__main__":
    with open(CORPUS, "w", encoding="utf-8") as file:
        for name, seats, options, number in SETTINGS:
            for match in solved(game_named(name), seats, options, number):
                print(match.record(), file=file, flush=True)
