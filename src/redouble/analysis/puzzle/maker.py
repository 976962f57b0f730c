"""Finding puzzles: positions in games between strong players where one move stands out.

A position becomes a puzzle if two methods clearly agree on its best move: several independent
searches with many iterations, and *trials*. A trial makes every legal move in the same
determinization and lets careful players finish the game, so moves are compared under the same
conditions and the error of their differences is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import sqrt
from typing import Any

import numpy as np

from redouble.analysis.puzzle.shelf import SEARCHES, Margin, Puzzle
from redouble.bots import BOT_NAMES, BOTS
from redouble.bots.inputs import check_generator, check_observation
from redouble.bots.levels import LEVELS, LevelBot
from redouble.bots.policy import MAX_ITERATIONS, Policy
from redouble.bots.search import Search
from redouble.bots.search.flat import Rounds
from redouble.bots.search.playouts import SearchBuffers, policy_row
from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.pace import Pace
from redouble.kernel.rng import Generator, below, seed_words
from redouble.match.match import Match, Observation

__all__ = ["Care", "chosen", "puzzle_of", "puzzles", "rated", "tried"]

MAX_WORLDS = 1_000_000
"""The limit of determinizations in one call."""
DIGITS = 3
"""Decimal places of a share in a puzzle."""


@dataclass(frozen=True)
class Care:
    """How closely positions are examined, and the conditions that a puzzle must meet.

    Margins are shares of opponents beaten. Raises :class:`~redouble.kernel.errors.InputError` if a
    number is out of range.
    """

    min_choices: int = 3
    """The minimum number of legal moves."""
    max_choices: int = 30
    """The maximum number of legal moves."""
    easy: float = 0.03
    """The share of decisions that ``greedy`` gets right and that are still examined."""
    glance: int = 1000
    """Iterations of the first search at every decision."""
    promise: float = 0.02
    """The margin that the first and second search must find."""
    second: int = 4000
    """Iterations of a second search, before the longer ones."""
    searches: int = 5
    """The number of long searches that must all prefer the answer."""
    iterations: int = 20_000
    """Iterations of each long search."""
    worlds: int = 3000
    """Determinizations in which every move is tried."""
    margin: float = 0.04
    """The margin that both the long searches and the trials must find."""
    errors: float = 4.0
    """The size of either margin, in its standard errors, at least."""
    decisions: int = 24
    """Decisions of each rater."""

    def __post_init__(self) -> None:
        checks.whole(self.min_choices, "min_choices", 2)
        checks.whole(self.max_choices, "max_choices", self.min_choices)
        for name in ("easy", "promise", "margin"):
            checks.number(getattr(self, name), name, 0, 1)
        checks.number(self.errors, "errors", 0)
        for name in ("glance", "second", "iterations"):
            checks.whole(getattr(self, name), name, 1, MAX_ITERATIONS)
        checks.whole(self.searches, "searches", 2, 1000)
        checks.whole(self.worlds, "worlds", 2, MAX_WORLDS)
        checks.whole(self.decisions, "decisions", 1, 10_000)


def tried(
    observation: Observation, rng: Generator, worlds: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the share of opponents beaten after each legal move, world by world.

    Shape (worlds, legal moves). Raises :class:`~redouble.kernel.errors.InputError` if an argument
    cannot be used.
    """
    if not check_observation(observation).legal:
        raise InputError("the seat has no legal move: try the moves of the seat on turn")
    words = np.array(check_generator(rng), np.uint64)
    checks.whole(worlds, "worlds", 1, MAX_WORLDS)
    game, seats = observation.game, observation.state.seats
    a = SearchBuffers(game, seats, observation.state)
    policy = np.array(policy_row(Policy(), game, seats), np.float64)
    rounds = Rounds(game, a, words, policy)
    parts = [rounds.try_moves(last - first) for first, last in Pace().portions(worlds)]
    shape = (worlds, rounds.moves, seats)
    found = np.concatenate(parts).reshape(shape)[:, :, observation.state.turn]
    return found[:, np.argsort(a.moves["action"][: rounds.moves])]  # as the actions are listed


def puzzles(
    game: Game,
    seats: int,
    options: Mapping[str, Any] | None = None,
    seed: str = "puzzles",
    care: Care | None = None,
) -> Iterator[Puzzle | None]:
    """Play games without end, and yield the first puzzle of each, or None if it has none.

    The same arguments give the same puzzles. Raises what :class:`Match` raises.
    """
    checks.instance(game, Game, "game").check_seats(seats)
    checks.text(seed, "seed")
    wanted = Care() if care is None else checks.instance(care, Care, "care")
    game.check_options(seats, {} if options is None else options)
    return (
        puzzle_of(Match(game, _names(seats), f"{seed} {number}", options), wanted)
        for number in count(1)
    )


def puzzle_of(match: Match, care: Care) -> Puzzle | None:
    """Let strong players continue a game and return its first puzzle, or None."""
    checks.instance(match, Match, "match")
    checks.instance(care, Care, "care")
    while match.turn is not None:
        observation = match.observation()
        if len(observation.legal) == 1:
            match.push_action(observation.legal[0])
            continue
        place = _place(match)
        rng = list(seed_words(f"glance at {place}"))
        shares = _searched(observation, rng, Policy(iterations=care.glance))
        best = _most_visited(shares)
        if care.min_choices <= len(observation.legal) <= care.max_choices:
            missed = BOTS["greedy"].choose(observation, rng) != best
            close = missed or below(rng, 1024) < int(care.easy * 1024)
            if close and _margin(shares, best) >= care.promise:
                puzzle = _confirmed(match, observation, best, care)
                if puzzle is not None:
                    return puzzle
        match.push_action(best)
    return None


def _confirmed(match: Match, observation: Observation, action: int, care: Care) -> Puzzle | None:
    """Return the puzzle with this answer if a close look confirms it, otherwise None."""
    place = _place(match)
    rng = seed_words(f"second glance at {place}")
    shares = _searched(observation, rng, Policy(iterations=care.second))
    if _most_visited(shares) != action or _margin(shares, action) < care.promise:
        return None
    results = tried(observation, seed_words(f"try {place}"), care.worlds)
    by_trials = trial_margin(results, observation.legal.index(action))
    if not _clear(by_trials, care):
        return None
    by_search = search_margin(observation, action, place, care)
    if by_search is None or not _clear(by_search, care):
        return None
    means = results.mean(axis=0)
    return Puzzle(
        record=match.record(),
        answer=observation.name(action),
        margins={"search": by_search, "trials": by_trials},
        shares={
            observation.name(one): round(float(mean), DIGITS)
            for one, mean in zip(observation.legal, means, strict=True)
        },
        found=rating(observation, action, place, care.decisions),
    )


def search_margin(observation: Observation, action: int, place: str, care: Care) -> Margin | None:
    """Return the margin by which long searches prefer an action; None if any does not."""
    margins = []
    for number in range(care.searches):
        rng = seed_words(f"search {number} of {place}")
        shares = _searched(observation, rng, Policy(iterations=care.iterations))
        if _most_visited(shares) != action:
            return None
        margins.append(_margin(shares, action))
    if min(margins) <= 0:
        return None
    error = float(np.std(margins, ddof=1)) / sqrt(len(margins))
    return Margin(round(float(np.mean(margins)), DIGITS), round(error, DIGITS + 1))


def trial_margin(results: np.ndarray[Any, np.dtype[np.float64]], best: int) -> Margin:
    """Return the margin of a move's column of :func:`tried` over the next best move.

    The error is the largest standard error of the differences world by world.
    """
    others = np.delete(results, best, axis=1)
    gaps = results[:, best : best + 1] - others
    least = float(gaps.mean(axis=0).min())
    error = float(gaps.std(axis=0, ddof=1).max()) / sqrt(len(results))
    return Margin(round(max(least, 0.0), DIGITS), round(error, DIGITS + 1))


def rating(observation: Observation, action: int, place: str, decisions: int) -> dict[str, float]:
    """Return the share of each rater's decisions that choose this action.

    A puzzle is a position alone, so raters don't know how it came about.
    """
    alone = replace(observation, past=())
    searches = {name: Policy(iterations=number) for name, number in SEARCHES.items()}
    found = {}
    for name, policy in (LEVELS | searches).items():
        chances = [seed_words(f"{name} {number} at {place}") for number in range(decisions)]
        bot = LevelBot(name, policy)
        right = sum(bot.choose(alone, chance) == action for chance in chances)
        found[name] = round(right / decisions, DIGITS)
    return found


def rated(puzzle: Puzzle, decisions: int = Care.decisions) -> Puzzle:
    """Return the puzzle, rated by the current levels."""
    checks.instance(puzzle, Puzzle, "puzzle")
    checks.whole(decisions, "decisions", 1, 10_000)
    match = puzzle.match()
    action = match.legal_moves.action(puzzle.answer)
    assert action is not None
    return replace(puzzle, found=rating(match.observation(), action, _place(match), decisions))


def _searched(
    observation: Observation, rng: Generator, policy: Policy
) -> dict[int, tuple[float, int]]:
    """Return the share of opponents beaten and the visits of each action that a search tried."""
    search = Search(observation, rng, policy)
    search.run(policy.iterations)
    return {one.action: (one.share, one.visits) for one in search.candidates()}


def _most_visited(shares: Mapping[int, tuple[float, int]]) -> int:
    """Return the action with the most visits."""
    return max(shares, key=lambda action: shares[action][1])


def _clear(margin: Margin, care: Care) -> bool:
    return margin.value >= max(care.margin, care.errors * margin.error)


def _margin(shares: Mapping[int, tuple[float, int]], action: int) -> float:
    """Return how much better an action's share is than the best other one."""
    others = [share for one, (share, _) in shares.items() if one != action]
    return shares[action][0] - max(others, default=1.0)


def _place(match: Match) -> str:
    """Return the text that seeds the random numbers of a position."""
    return f"ply {match.ply} of {match.seed}"


def _names(seats: int) -> Sequence[str]:
    return [BOT_NAMES[seat % len(BOT_NAMES)] for seat in range(seats)]


def chosen(found: Sequence[Puzzle], number: int) -> list[Puzzle]:
    """Return up to ``number`` of the puzzles, of every difficulty and kind of answer, easy first.

    Puzzles are taken in turn from each number of stars, starting with those whose answer was taken
    least often.
    """
    for puzzle in checks.items(found, "found", "puzzles"):
        checks.instance(puzzle, Puzzle, "a puzzle")
    checks.whole(number, "number", 0)
    left = {stars: [p for p in found if p.stars == stars] for stars in range(1, 6)}
    taken: list[Puzzle] = []
    answers: dict[str, int] = {}
    while len(taken) < number and any(left.values()):
        for group in left.values():
            if group and len(taken) < number:
                best = min(group, key=lambda puzzle: answers.get(puzzle.answer, 0))
                group.remove(best)
                answers[best.answer] = answers.get(best.answer, 0) + 1
                taken.append(best)
    taken.sort(key=lambda puzzle: puzzle.stars)
    return [replace(puzzle, number=number) for number, puzzle in enumerate(taken, 1)]
