"""Ends of games in which every move can be judged exactly."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from redouble.bots import BOTS, own_chance
from redouble.bots.levels import EXPERT
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.trees.exact import TRIFLE
from redouble.envs.trees.regret import exact_values
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.match.match import Match

__all__ = ["GameEnding", "find_ending"]

MAX_GAMES = 60
"""Games of bots among which an ending is looked for, with each limit of work."""
MAX_LEFT = 40
"""Decisions before the end of a game among which one is looked for."""
MAX_MISSES = 4
"""Decisions in a row that can't be judged, before which none is tried."""
WORK_LIMITS = (400, 3_000)
"""As for :func:`exact_values`, less than usual: the first finds most ends quickly, and after a
decision that fits in them, later ones hardly ever are too large."""


@dataclass(frozen=True)
class GameEnding:
    """A game of bots that is left to a player before one of its last decisions."""

    game: str
    seats: int
    seed: str
    options: Mapping[str, Any]
    moves: tuple[str, ...]
    """Those of the bots until then."""
    seat: int
    """The seat to move, whose moves aren't all worth the same."""


def find_ending(
    game: str | Game, seats: int, seed: str, options: Mapping[str, Any] | None = None
) -> GameEnding:
    """Return an ending: the same for the same arguments.

    Experts play games until one has a decision near its end that can be judged exactly and at which
    moves are worth more or less. ``options`` are by default those with which the game has such
    ends. Raises :class:`~redouble.kernel.errors.InputError` if no game among many has one, and what
    :class:`~redouble.match.match.Match` raises for wrong arguments.
    """
    chosen = game if isinstance(game, Game) else GAMES[game]
    checks.word(checks.text(seed, "seed"))
    chosen.check_seats(seats)
    if options is None:
        options = chosen.ending_options(seats)
    for work, number in product(WORK_LIMITS, range(MAX_GAMES)):
        match = Match(chosen, seats, dealt := f"{seed} game {number + 1}", options)
        while (seat := match.turn) is not None:
            rng = own_chance(dealt, seat, match.ply)
            match.push_action(BOTS[EXPERT].choose(match.observation(), rng))
        if (begin := _begin(match, work)) is not None:
            assert begin.turn is not None
            return GameEnding(chosen.name, seats, match.seed, options, begin.moves, begin.turn)
    raise InputError(
        f"no end of {chosen.title} with {seats} players can be judged exactly: use other options,"
        " such as a smaller deck"
    )


def _begin(match: Match, max_work: int) -> Match | None:
    """Return the match before the earliest decision near its end that is fit for a player."""
    found, left, misses = None, MAX_LEFT, 0
    at = match.copy()
    while at.ply and left and misses < MAX_MISSES:
        at.pop()
        if len(at.legal_moves) < 2:
            continue
        left -= 1
        exact = exact_values(at.observation(), max_work)
        misses = misses + 1 if exact is None else 0
        if exact is not None:
            values = exact.values.values()
            if max(values) - min(values) > TRIFLE:
                found = at.copy()
    return found
