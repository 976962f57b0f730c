"""Find puzzles in games that strong bots play, and write the best of them into the game's folder.

    .venv/bin/python scripts/puzzles.py GAME... [--seats 2,3] [--games 40] [--number 14]
        [--easy 0.03] [--seed TEXT] [--option name=value] [--write]
    .venv/bin/python scripts/puzzles.py GAME... --rate

Of so many games for each number of seats, so many puzzles are chosen: of every hardness, and of
every kind of answer. ``--write`` puts them behind those that the game has; what is there keeps its
number. ``--rate`` rates those that are there by the bots' levels as they are now, and finds none.
The same arguments find the same puzzles, on one core in about 1 to 6 seconds a game.
docs/puzzles.md says how it is done.

A position becomes a puzzle if two methods clearly agree on its best move: several independent
searches with many iterations, and *trials*. A trial makes every legal move in the same
determinization and lets careful players finish the game, so moves are compared under the same
conditions and the error of their differences is known.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from math import sqrt
from typing import Any

import numpy as np

from redouble.analysis.puzzle import (
    FILE,
    SEARCHES,
    Margin,
    Puzzle,
    forget_puzzles,
    puzzles_of,
)
from redouble.bots import BOT_NAMES, BOTS
from redouble.bots.levels import LEVELS, LevelBot
from redouble.bots.policy import Policy
from redouble.bots.search import Search
from redouble.bots.search.flat import Rounds
from redouble.bots.search.playouts import SearchBuffers, policy_row
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.pace import Pace
from redouble.kernel.rng import Generator, below, seed_words
from redouble.match.match import Match, Observation

MAX_COUNTS = 4
"""Numbers of seats that are tried when none are given: the fewest, and those that follow."""
DIGITS = 3
"""Decimal places of a share in a puzzle."""


@dataclass(frozen=True)
class Care:
    """How closely positions are examined, and the conditions that a puzzle must meet.

    Margins are shares of opponents beaten.
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


def tried(
    observation: Observation, rng: Generator, worlds: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the share of opponents beaten after each legal move: of shape (worlds, moves)."""
    words = np.array(rng, np.uint64)
    game, seats = observation.game, observation.state.seats
    a = SearchBuffers(game, seats, observation.state)
    policy = np.array(policy_row(Policy(), game, seats), np.float64)
    rounds = Rounds(game, a, words, policy)
    parts = [rounds.try_moves(last - first) for first, last in Pace().portions(worlds)]
    shape = (worlds, rounds.moves, seats)
    found = np.concatenate(parts).reshape(shape)[:, :, observation.state.turn]
    return found[:, np.argsort(a.moves["action"][: rounds.moves])]  # as the actions are listed


def puzzles(
    game: Game, seats: int, options: Mapping[str, Any], seed: str, care: Care
) -> Iterator[Puzzle | None]:
    """Play games without end, and yield the first puzzle of each, or None if it has none."""
    names = [BOT_NAMES[seat % len(BOT_NAMES)] for seat in range(seats)]
    return (puzzle_of(Match(game, names, f"{seed} {n}", options), care) for n in count(1))


def puzzle_of(match: Match, care: Care) -> Puzzle | None:
    """Let strong players continue a game and return its first puzzle, or None."""
    while match.turn is not None:
        observation = match.observation()
        if len(observation.legal) == 1:
            match.push_action(observation.legal[0])
            continue
        place = place_of(match)
        rng = list(seed_words(f"glance at {place}"))
        shares = searched(observation, rng, Policy(iterations=care.glance))
        best = most_visited(shares)
        if care.min_choices <= len(observation.legal) <= care.max_choices:
            missed = BOTS["greedy"].choose(observation, rng) != best
            close = missed or below(rng, 1024) < int(care.easy * 1024)
            if close and lead(shares, best) >= care.promise:
                puzzle = confirmed(match, observation, best, care)
                if puzzle is not None:
                    return puzzle
        match.push_action(best)
    return None


def confirmed(match: Match, observation: Observation, action: int, care: Care) -> Puzzle | None:
    """Return the puzzle with this answer if a close look confirms it, otherwise None."""
    place = place_of(match)
    rng = seed_words(f"second glance at {place}")
    shares = searched(observation, rng, Policy(iterations=care.second))
    if most_visited(shares) != action or lead(shares, action) < care.promise:
        return None
    results = tried(observation, seed_words(f"try {place}"), care.worlds)
    by_trials = trial_margin(results, observation.legal.index(action))
    if not clear(by_trials, care):
        return None
    by_search = search_margin(observation, action, place, care)
    if by_search is None or not clear(by_search, care):
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
        shares = searched(observation, rng, Policy(iterations=care.iterations))
        if most_visited(shares) != action:
            return None
        margins.append(lead(shares, action))
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
    match = puzzle.match()
    action = match.legal_moves.action(puzzle.answer)
    assert action is not None
    return replace(puzzle, found=rating(match.observation(), action, place_of(match), decisions))


def searched(
    observation: Observation, rng: Generator, policy: Policy
) -> dict[int, tuple[float, int]]:
    """Return the share of opponents beaten and the visits of each action that a search tried."""
    search = Search(observation, rng, policy)
    search.run(policy.iterations)
    return {one.action: (one.share, one.visits) for one in search.candidates()}


def most_visited(shares: Mapping[int, tuple[float, int]]) -> int:
    """Return the action with the most visits."""
    return max(shares, key=lambda action: shares[action][1])


def clear(margin: Margin, care: Care) -> bool:
    return margin.value >= max(care.margin, care.errors * margin.error)


def lead(shares: Mapping[int, tuple[float, int]], action: int) -> float:
    """Return how much better an action's share is than the best other one."""
    others = [share for one, (share, _) in shares.items() if one != action]
    return shares[action][0] - max(others, default=1.0)


def place_of(match: Match) -> str:
    """Return the text that seeds the random numbers of a position."""
    return f"ply {match.ply} of {match.seed}"


def chosen(found: Sequence[Puzzle], number: int) -> list[Puzzle]:
    """Return up to ``number`` of the puzzles, of every difficulty and kind of answer, easy first.

    Puzzles are taken in turn from each number of stars, starting with those whose answer was taken
    least often.
    """
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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="+", type=GAMES.__getitem__)
    parser.add_argument("--seats", type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("--games", type=int, default=40, help="games played for each: 40")
    parser.add_argument("--number", type=int, default=14, help="puzzles wanted of each: 14")
    parser.add_argument("--easy", type=float, default=Care.easy, help=f"see Care: {Care.easy}")
    parser.add_argument("--seed", default="puzzles", help="a text that decides all chance")
    parser.add_argument("--option", action="append", default=[], help="name=value")
    parser.add_argument("--write", action="store_true", help=f"into the game's {FILE}")
    parser.add_argument("--rate", action="store_true", help="rate anew what is there")
    wanted = parser.parse_args()
    if wanted.rate:
        for game in wanted.game:
            rate(game)
        return
    options = dict(one.split("=", 1) for one in wanted.option)
    for game in wanted.game:
        most = min(game.max_seats, game.min_seats + MAX_COUNTS - 1)
        found = []
        for seats in wanted.seats or range(max(2, game.min_seats), most + 1):
            games = puzzles(game, seats, options, wanted.seed, Care(easy=wanted.easy))
            found += tell(game, seats, islice(games, wanted.games), wanted.number)
        if wanted.write:
            with (game.folder / FILE).open("a", encoding="utf-8") as file:
                file.writelines(f"{puzzle}\n" for puzzle in found)
            forget_puzzles()
            print(f"{game.name}: {len(puzzles_of(game))} puzzles")


def rate(game: Game) -> None:
    """Rate the puzzles of a game anew; they keep their numbers."""
    path = game.folder / FILE
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [rated(Puzzle.parse(line, number)) for number, line in enumerate(lines, 1)]
    path.write_text("".join(f"{puzzle}\n" for puzzle in found), encoding="utf-8")
    stars = Counter(one.stars for one in found)
    print(f"{game.name}: {', '.join(f'{stars[n]} of {n} stars' for n in range(1, 6))}", flush=True)


def tell(game: Game, seats: int, games: Iterable[Puzzle | None], number: int) -> list[Puzzle]:
    """The puzzles chosen for a number of seats; says what was found."""
    start = time.perf_counter()
    looked = list(games)
    found = [one for one in looked if one]
    taken = chosen(found, number)
    stars = Counter(one.stars for one in taken)
    print(
        f"{game.name}, {seats} seats: {len(found)} puzzles in {len(looked)} games"
        f" ({time.perf_counter() - start:.0f} s), {len(taken)} taken:"
        f" {', '.join(f'{stars[n]} of {n} stars' for n in range(1, 6))}",
        flush=True,
    )
    for one in taken:
        margin = one.margins["trials"]
        print(
            f"  {one.stars} {one.answer} of {len(one.shares)}, {one.shares[one.answer]},"
            f" +{margin.value} ± {margin.error}, {list(one.found.values())}",
            flush=True,
        )
    return taken


if __name__ == "__main__":
    main()
