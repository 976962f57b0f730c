"""Placeholders for the functions of a game, for loops that are compiled with every game.

A loop imports these by name, and :func:`redouble.kernel.engine.compiled` replaces them by the
functions of a game. They are never called themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redouble.contract.game import Game
from redouble.kernel.rng import Generator

__all__ = [
    "determinize",
    "evaluate",
    "exchange_unseen",
    "features",
    "functions",
    "greedy",
    "hidden",
    "holders",
    "legal",
    "observe",
    "play",
    "rank",
    "recall",
    "redact",
    "score",
    "setup",
    "traits",
]


def setup(s: Any) -> None:
    """Deal the game."""


def legal(s: Any, out: Any) -> int:
    """Write the legal actions to ``out`` and return their number."""
    return 0


def play(s: Any, action: int) -> None:
    """Make a move."""


def rank(s: Any, out: Any) -> None:
    """Write the rank of each seat."""


def score(s: Any, out: Any) -> int:
    """Write the points of each seat; return how many seats have points."""
    return 0


def redact(s: Any, seat: int) -> None:
    """Erase what a seat cannot know."""


def determinize(s: Any, rng: Generator, work: Any) -> None:
    """Fill in what was erased."""


def recall(s: Any, world: Any) -> bool:
    """Fill in an earlier position; what a game without such a rule does."""
    return False


def holders(s: Any, out: Any) -> int:
    """Write who holds each unseen card; what a game without such a rule does."""
    return 0


def exchange_unseen(s: Any, first: int, second: int) -> bool:
    """Exchange two unseen cards; what a game without such a rule does."""
    return False


def hidden(s: Any, action: int) -> bool:
    """Return whether the others can't see which move this is."""
    return False


def greedy(s: Any, out: Any, n: int, rng: Generator, work: Any) -> int:
    """Return the action of the game's heuristic player."""
    return 0


def evaluate(s: Any, out: Any) -> None:
    """Write how far ahead each seat is."""


def features(s: Any, out: Any) -> int:
    """Write the numbers of a position's features; what a game without such a rule does."""
    return 0


def traits(s: Any, action: int, out: Any) -> int:
    """Write the numbers of a legal action's traits; what a game without such a rule does."""
    return 0


def observe(s: Any, seat: int, out: Any) -> None:
    """Write what a seat sees, as numbers; bound by environments alone."""


def functions(game: Game) -> dict[str, Callable[..., Any]]:
    """Return the functions of a game that replace the placeholders, by name."""
    rules, beliefs, network = game.rules, game.beliefs, game.network
    return {
        "setup": rules.setup,
        "legal": rules.legal,
        "play": rules.play,
        "rank": rules.rank,
        "score": rules.score,
        "redact": rules.redact,
        "determinize": rules.determinize,
        "recall": recall if beliefs is None else beliefs.recall,
        "holders": holders if beliefs is None else beliefs.holders,
        "exchange_unseen": exchange_unseen if beliefs is None else beliefs.exchange_unseen,
        "hidden": rules.hidden,
        "greedy": game.player.greedy,
        "evaluate": game.player.evaluate,
        "features": features if network is None else network.features,
        "traits": traits if network is None else network.traits,
    }
