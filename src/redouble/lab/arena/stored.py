"""The results of a tournament as ``redouble arena --json`` writes them, and how they are read back.

Each class is a part of the file, with the file's keys as its fields, in order.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Ge

from redouble.kernel.border import JsonShape
from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.plan import TournamentError
from redouble.lab.arena.sequential import BotComparison
from redouble.lab.stored import StoredResults

__all__ = ["BotResult", "StoredTournament"]

Count = Annotated[int, Ge(0)]
Positive = Annotated[int, Ge(1)]


@dataclass(frozen=True)
class BotResult(JsonShape):
    """The numbers of one bot."""

    name: str
    kind: str
    """``ours``, ``object``, ``file`` or ``command``."""
    played: Positive
    """Seats taken in games: a game with two seats of the bot's counts twice."""
    utility: Estimate
    """The mean share of opponents beaten; in a one-player game, the share of deals won."""
    wins: float
    """First places, divided if several share one; in a one-player game, deals won."""
    win_share: float
    """``wins / played``."""
    mean_rank: float
    """1 is first. In a one-player game, among all bots on the same deal."""
    score: Estimate | None
    """The mean of its points in games where it did not fail; None in games without points."""
    rating: Estimate
    """Its strength in Elo points, where 0 is the average bot of the tournament."""
    failures: Count
    first_failure: str | None
    """The reason of its first failure; None if it never failed."""


@dataclass(frozen=True)
class StoredTournament(StoredResults):
    """The results of a tournament as its JSON holds them."""

    WHAT = "the results of a tournament"
    ERROR = TournamentError

    redouble: str
    """The version that played it."""
    game: str
    rules: int
    """The version of the game's rules."""
    options: dict[str, Any]
    seats: Positive
    seed: str
    time_limit: float
    """Seconds that a program has for a move."""
    deals: Positive
    """Deals planned."""
    deals_complete: Count
    games: Count
    """Games of the complete deals, which all figures come from."""
    abandoned: Count
    """Games that were given up because they did not end."""
    interrupted: bool
    bots: tuple[BotResult, ...]
    """In the order they were given; none if no deal was completed."""
    pairs: tuple[tuple[Estimate | None, ...], ...]
    """How often the row's bot came before the column's; None where they never met."""
    comparison: BotComparison | None = None
    """Of two bots that played until the answer was clear; the file has no such key otherwise."""

    def to_dict(self) -> dict[str, Any]:
        data = super().to_dict()
        if self.comparison is None:
            del data["comparison"]
        return data

    def _check(self) -> None:
        bots = len(self.bots)
        if bool(bots) != bool(self.deals_complete):
            raise TournamentError(f"{bots} bots for {self.deals_complete} complete deals")
        if self.deals_complete > self.deals:
            raise TournamentError(f"{self.deals_complete} of {self.deals} deals are complete")
        if self.games != self.deals_complete * bots:
            raise TournamentError(
                f"{self.games} games: {self.deals_complete} deals with {bots} bots have"
                f" {self.deals_complete * bots}"
            )
        if any(len(row) != bots for row in (self.pairs, *self.pairs)):
            raise TournamentError(f"pairs needs {bots} rows of {bots}: one for each bot")
        if self.comparison is not None and (bots, self.deals_complete) != (
            2,
            self.comparison.deals,
        ):
            raise TournamentError(
                f"a comparison of two bots over {self.comparison.deals} deals cannot come from"
                f" {bots} bots and {self.deals_complete} complete deals"
            )
