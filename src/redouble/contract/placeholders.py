"""Stand-ins for the functions of a game, for loops that are written once and compiled with each.

A driver loop imports these by name, and :func:`redouble.kernel.engine.compiled` is told what to put
in their place. They are never called as they stand here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redouble.contract.game import Game
from redouble.kernel.rng import Generator


def setup(s: Any) -> None:
    """Bound to the rules'."""


def legal(s: Any, out: Any) -> int:
    """Bound to the rules'."""
    return 0


def play(s: Any, action: int) -> None:
    """Bound to the rules'."""


def rank(s: Any, out: Any) -> None:
    """Bound to the rules'."""


def score(s: Any, out: Any) -> int:
    """Bound to the rules'."""
    return 0


def redact(s: Any, seat: int) -> None:
    """Bound to the rules'."""


def determinize(s: Any, rng: Generator, work: Any) -> None:
    """Bound to the rules'."""


def greedy(s: Any, out: Any, n: int, rng: Generator, work: Any) -> int:
    """Bound to the game's heuristic player."""
    return 0


def evaluate(s: Any, out: Any) -> None:
    """Bound to the game's judgement of who is ahead."""


def functions(game: Game) -> dict[str, Callable[..., Any]]:
    """What a game puts in the place of each stand-in."""
    rules = game.rules
    return {
        "setup": rules.setup,
        "legal": rules.legal,
        "play": rules.play,
        "rank": rules.rank,
        "score": rules.score,
        "redact": rules.redact,
        "determinize": rules.determinize,
        "greedy": game.greedy,
        "evaluate": game.evaluate,
    }
