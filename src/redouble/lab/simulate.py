"""Many random games on the compiled engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.contract.driver import MAX_MOVES, playouts
from redouble.contract.game import Game
from redouble.contract.placeholders import functions
from redouble.kernel import checks
from redouble.kernel.engine import compiled, np, to_records
from redouble.kernel.pace import Pace
from redouble.kernel.rng import seed_words

__all__ = ["Simulator"]

MAX_GAMES = 10**12
"""Of one call: more would take years."""


class Simulator:
    """A game with seats and options, to be played at random many times on one thread.

    Several simulators run in parallel threads: compiled loops release the GIL. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and what
    :meth:`Game.check_seats` and :meth:`Game.check_options` raise.
    """

    def __init__(
        self, game: Game, seats: int, options: Mapping[str, Any] | None = None, seed: str = ""
    ) -> None:
        checks.instance(game, Game, "game")
        checks.text(seed, "seed")
        self.game = game
        self.seats = seats
        header = game.header(seats, {} if options is None else options)
        self._states = to_records(header, 2)
        self._rng = np.array(seed_words(f"simulate {seed}"), np.uint64)
        self._out = np.zeros(game.rules.MAX_LEGAL + 1, np.int16)
        self._pace = Pace()

    def playouts(self, games: int, max_moves: int = MAX_MOVES) -> int:
        """Play random games of up to ``max_moves`` moves and return the number of moves made.

        Ctrl-C stops between two portions of the games. Raises
        :class:`~redouble.kernel.errors.InputError` if a number is out of range.
        """
        checks.whole(games, "games", 0, MAX_GAMES)
        checks.whole(max_moves, "max_moves", 1, MAX_MOVES)
        loop = compiled(playouts, **functions(self.game))
        return sum(
            int(loop(self._states, self._rng, self._out, last - first, max_moves))
            for first, last in self._pace.portions(games)
        )
