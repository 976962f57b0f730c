"""The corpus of small positions: ``golden/brute.jsonl``, made by ``small_positions``.

A line of the file is a game and the positions of it whose best moves brute force leaves beyond
doubt. ``ply`` is the number of moves made before a position, and ``worlds`` what its seat can't
tell apart. A move in ``best`` is worth ``worth``, and every other move at most ``next``.

``python -m tests.helpers.corpus`` prints the table of docs/reports/searches.md: how many of
them each search gets right.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import redouble
from redouble.bots.levels import LEVELS, LevelBot
from redouble.bots.policy import METHODS, Policy
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Match, Observation
from tests.helpers.brute import Interval, best_of
from tests.helpers.places import GOLDEN

CORPUS = GOLDEN / "brute.jsonl"
DIGITS = 4


@dataclass(frozen=True)
class SmallPosition:
    """A decision, and what brute force says about it."""

    record: dict[str, Any]
    """The whole game."""
    ply: int
    worlds: int
    best: tuple[str, ...]
    worth: float
    next: float

    @property
    def game(self) -> str:
        return str(self.record["game"])

    @property
    def seats(self) -> int:
        return len(self.record["seats"])

    @property
    def kind(self) -> str:
        """The same for positions of the same game, seats and options."""
        return f"{self.game} {self.seats} {self.record['options']}"

    def __str__(self) -> str:
        number = self.record["seed"].split()[-1]
        return f"{self.game}-{self.seats}-{number}-{self.ply}"

    @cached_property
    def observation(self) -> Observation:
        """What the seat to move may know."""
        return self.match().observation()

    @property
    def chance(self) -> float:
        """How likely a random move is right."""
        return len(self.best) / len(self.observation.legal)

    def finds(self, policy: Policy) -> bool:
        """Whether a policy finds a best move."""
        bot = LevelBot("it", policy)
        action = bot.choose(self.observation, seed_words(f"corpus {self}"))
        return self.observation.name(action) in self.best

    def match(self) -> Match:
        """The match that stands before the decision."""
        moves = " ".join(self.record["moves"].split()[: self.ply])
        return redouble.replay(json.dumps({**self.record, "moves": moves}))


def read() -> list[SmallPosition]:
    """The corpus."""
    lines = map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines())
    return [
        SmallPosition(line["record"], **{**entry, "best": tuple(entry["best"])})
        for line in lines
        for entry in line["positions"]
    ]


def write(positions: Iterable[SmallPosition]) -> None:
    """Write the corpus, game by game."""
    CORPUS.write_text("".join(f"{line}\n" for line in _lines(positions)), encoding="utf-8")


def _lines(positions: Iterable[SmallPosition]) -> Iterator[str]:
    games: dict[str, list[SmallPosition]] = {}
    for one in sorted(positions, key=lambda one: -one.ply):
        games.setdefault(f"{one.kind} {one.record['seed']}", []).append(one)
    order = sorted(games.values(), key=lambda each: (each[0].game, each[0].seats, each[0].kind))
    for each in order:
        entries = [
            {name: getattr(one, name) for name in ("ply", "worlds", "best", "worth", "next")}
            for one in each
        ]
        moves = each[0].record["moves"].split()[: each[0].ply]
        record = {**each[0].record, "moves": " ".join(moves)}
        yield json.dumps({"record": record, "positions": entries})


def solved(match: Match, values: Mapping[int, Interval], worlds: int) -> SmallPosition:
    """A decision with the values that brute force found for its moves."""
    record = json.loads(str(match.record()))
    best = best_of(values)
    name = match.observation().name
    return SmallPosition(
        record,
        match.ply,
        worlds,
        tuple(map(name, best)),
        round(min(values[action][0] for action in best), DIGITS),
        round(max(high for action, (_, high) in values.items() if action not in best), DIGITS),
    )


def main() -> None:
    """Print the share of positions that each search gets right, in percent."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--first", type=int, help="only the first positions of each game")
    first = parser.parse_args().first
    corpus = read()
    games = {
        name: [position for position in corpus if position.game == name][:first]
        for name in GAMES
        if any(position.game == name for position in corpus)
    }
    policies = {"expert": LEVELS["expert"]} | {
        f"{method}, {iterations:,}": Policy(iterations=iterations, method=method)
        for method in METHODS
        for iterations in (1000, 4000)
    }
    _print_row("", games)
    print("|---" * (1 + len(games)) + "|")
    _print_row("positions", map(len, games.values()))
    chances = (fmean(position.chance for position in found) for found in games.values())
    _print_row("by chance", map(_percent, chances))
    for name, policy in policies.items():
        right = (fmean(position.finds(policy) for position in found) for found in games.values())
        _print_row(name, map(_percent, right))


def _print_row(head: str, cells: Iterable[object]) -> None:
    print(f"| {head} | {' | '.join(map(str, cells))} |", flush=True)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


if __name__ == "__main__":
    main()
