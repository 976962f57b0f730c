"""How many deals of a solitaire can be won, or are won by a player who sees no hidden card.

The deals come in blocks with a seed each, so a tally is the same for any number of threads or
machines.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any

from redouble.analysis.solve import CAREFUL, MAX_DEALS, MAX_POSITIONS, POSITIONS, DealTally, Solving
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.lab.shards import Executor, Shard, add_up, cut

__all__ = ["BLOCK", "DealsJob", "TallyResult", "tally_deals"]

DEALS = "deals"
BLOCK = 500
"""Deals with one seed: some milliseconds, or seconds where the rules leave a choice."""


@dataclass(frozen=True)
class DealsJob:
    """Deals to solve, or to be played with a share of ``mistakes``, as sharded work.

    Raises :class:`~redouble.kernel.errors.InputError` if a number is out of range,
    :class:`~redouble.analysis.solve.SolveError` if the game has no solver, and what
    :meth:`Game.check_options` raises.
    """

    game: str
    options: Mapping[str, Any]
    deals: int
    seed: str = ""
    max_positions: int = POSITIONS
    mistakes: float | None = None
    """The share of decisions made at random, or CAREFUL; None to solve the deals instead."""

    def __post_init__(self) -> None:
        game = GAMES[checks.text(self.game, "game")]
        Solving(game)
        object.__setattr__(self, "options", game.check_options(1, self.options))
        checks.whole(self.deals, "deals", 1, MAX_DEALS)
        checks.text(self.seed, "seed")
        checks.whole(self.max_positions, "max_positions", 1, MAX_POSITIONS)
        if self.mistakes not in (None, CAREFUL):
            checks.number(self.mistakes, "mistakes", 0, 1)

    def shards(self) -> Iterator[Shard]:
        """Return the blocks; the last one may be shorter."""
        return cut(DEALS, self.deals, BLOCK)

    def warm(self) -> None:
        """Compile the solver, or load it."""
        self._tally(Solving(GAMES[self.game]), Shard(DEALS, 0, 1))

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], DealTally]:
        """Return what takes a block; each thread has a solver of its own."""
        return partial(self._tally, Solving(GAMES[self.game]))

    def _tally(self, solving: Solving, shard: Shard) -> DealTally:
        seed = f"{self.seed} {shard.first // BLOCK}"
        if self.mistakes is None:
            return solving.solve_deals(self.options, shard.count, seed, self.max_positions)
        return solving.play_deals(
            self.options, shard.count, self.mistakes, seed, self.max_positions
        )


@dataclass(frozen=True)
class TallyResult:
    """What was counted."""

    tally: DealTally
    stopped: bool
    """Whether Ctrl-C ended the work early: the tally is that of the blocks finished in order."""


def tally_deals(
    game: Game,
    options: Mapping[str, Any],
    deals: int,
    seed: str = "",
    max_positions: int = POSITIONS,
    mistakes: float | None = None,
    executor: Executor | None = None,
    watch: Callable[[int], None] = lambda done: None,
) -> TallyResult:
    """Solve random deals, or let a player with ``mistakes`` play them, and count.

    Without an ``executor`` all cores of this machine are used. ``watch`` is called again and again
    with the number of deals counted so far. Raises what :class:`DealsJob` raises.
    """
    name = checks.instance(game, Game, "game").name
    job = DealsJob(name, options, deals, seed, max_positions, mistakes)
    found, ran = add_up(job, executor, add, watch)
    return TallyResult(found.get(DEALS, DealTally(0, 0, 0)), not ran.complete)
