"""Policies: the numbers that define a level of play."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from redouble.kernel import checks
from redouble.kernel.errors import InputError

__all__ = ["BEST", "METHODS", "Policy", "search_policy"]

FLAT = "flat"
"""The flat search by the numbers of a policy alone."""
BEST = "best"
"""The flat search with what measured best in the game: its beliefs, and its network's say."""
METHODS = (FLAT, BEST)
SEARCH = "search:"
"""Begins the text of a bot that searches; its method and numbers follow."""
USUAL_ITERATIONS = 4000
"""Iterations of a search whose text names none."""

WHOLE_GAME = 1_000_000
"""A horizon longer than any playout."""
MAX_BELIEFS = 10_000
"""The limit of exchanges by which beliefs bring a world in line with the past."""
MIN_SLIPS = 0.001
"""The least share of slips: with none, a move that the model wouldn't make leaves no world."""
MAX_ITERATIONS = 10_000_000
"""The limit of search iterations for one decision."""


@dataclass(frozen=True)
class Policy:
    """Random mistakes, and a heuristic or a search; the same numbers apply to every game.

    :mod:`redouble.bots.search` explains the search.

    Raises :class:`~redouble.kernel.errors.InputError` if a number is out of range.
    """

    mistakes: float = 0.0
    """The share of decisions made at random, 0 to 1."""
    iterations: int = 0
    """Search iterations for one decision; with 0, the game's ``greedy`` decides."""
    care: float = 1.0
    """The share of a playout's moves that ``greedy`` chooses, 0 to 1; the others are random."""
    horizon: int = 0
    """Length of a playout from the root, in moves per seat; 0 is the game's default."""
    beliefs: int = 0
    """Exchanges of unseen cards by which a search brings each world in line with what the others
    played (:mod:`redouble.bots.search.beliefs`); with 1, worlds stay as they were dealt. 0 is the
    game's own number for :data:`BEST`, and otherwise 1."""
    slips: float = 0.05
    """The share of the others' decisions that beliefs take for random, above 0 to 1."""
    trust: float = 0.0
    """What a search gives for the scores of the network that comes with the game: the share of
    opponents beaten that one logit is worth (:mod:`redouble.bots.search.flat`). 0 is the game's
    own number for :data:`BEST`, and otherwise none."""
    method: str = FLAT
    """The search: one of :data:`METHODS`."""
    learned: bool = False
    """Whether the network that comes with the game decides instead of ``greedy``: without a search
    always (:mod:`redouble.bots.learned`), in playouts of a search when the seat that searches is to
    move. For :data:`BEST`, the game says so, too."""

    def __post_init__(self) -> None:
        checks.number(self.mistakes, "mistakes", 0, 1)
        checks.number(self.care, "care", 0, 1)
        checks.whole(self.iterations, "iterations", 0, MAX_ITERATIONS)
        checks.whole(self.horizon, "horizon", 0, WHOLE_GAME)
        checks.whole(self.beliefs, "beliefs", 0, MAX_BELIEFS)
        checks.number(self.slips, "slips", MIN_SLIPS, 1)
        checks.number(self.trust, "trust", 0, 1)
        checks.one_of(self.method, METHODS, "method")
        checks.instance(self.learned, bool, "learned")


def search_policy(text: str) -> Policy:
    """Return the policy of a text such as ``search:flat,iterations=8000,horizon=20``.

    Raises :class:`~redouble.kernel.errors.InputError`.
    """
    method, *settings = checks.text(text, "a search").removeprefix(SEARCH).split(",")
    if method not in METHODS:
        known = " or ".join(METHODS)
        raise InputError(f"{text!r}: there is no search {method!r}: choose {known}")
    numbers: dict[str, Any] = {"iterations": USUAL_ITERATIONS}
    for setting in settings:
        name, _, value = setting.partition("=")
        kind = _NUMBERS.get(name)
        if kind is None:
            known = ", ".join(_NUMBERS)
            raise InputError(f"{text!r}: a search has no {name!r}: it has {known}")
        try:
            numbers[name] = kind(value)
        except ValueError:
            raise InputError(f"{text!r}: {name} cannot be {value!r}: give a number") from None
    try:
        checks.whole(numbers["iterations"], "iterations", 1)
        return Policy(method=method, **numbers)
    except InputError as error:
        raise InputError(f"{text!r}: {error}") from None


_NUMBERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("iterations", "horizon", "beliefs"), int),
    **dict.fromkeys(("care", "mistakes", "slips", "trust"), float),
    "learned": lambda text: bool(("0", "1").index(text)),
}
