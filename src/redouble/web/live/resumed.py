"""Plans of tables that go on from a position of a recorded game."""

from __future__ import annotations

from dataclasses import dataclass, replace

from redouble.match.replay import Replay
from redouble.web.errors import WebError
from redouble.web.live.plan import SeatPlan, TablePlan
from redouble.web.people.people import Person
from redouble.web.table import Event, Header
from redouble.web.table.acts.play import Move, PlayOn
from redouble.web.table.seats import Pledge

MAX_RESUMED = 1000
"""Moves of a game from which a table can go on: all are made again."""


@dataclass(frozen=True, kw_only=True)
class ResumedPlan(TablePlan):
    """A table with the cards of a recorded game, whose log begins with that game's moves.

    It changes no ratings and counts in no results.
    """

    replay: Replay
    ply: int
    """How many moves of the record are made again."""
    seat: int
    """The seat of the person who plays on; bots have the others."""

    @classmethod
    def of(cls, replay: Replay, ply: int, seat: int) -> ResumedPlan:
        """Return the plan. Raises :class:`WebError` if no table can go on from there."""
        if not can_resume(replay, ply) or not 0 <= seat < replay.seats:
            raise WebError("no table can go on from this position: choose another move")
        seats = [SeatPlan("me" if i == seat else "bot") for i in range(replay.seats)]
        options = replay.record.options
        return cls(*(replay.game, seats, options), rated=False, replay=replay, ply=ply, seat=seat)

    def header(self, host: Person) -> Header:
        """Return the header of the table, with the deal of the record."""
        header, fair = super().header(host), self.replay.record.fair
        if fair is None:
            return replace(header, seed=self.replay.record.seed)
        parts = fair.number, fair.previous, fair.commitment, fair.link, fair.shares
        return replace(header, seed=fair.secret, fair=Pledge(*parts))

    def begun(self, header: Header) -> list[Event]:
        """Return what the log of the new table begins with."""
        moves = self.replay.record.moves[: self.ply]
        movers = [self.replay.at(ply).turn or 0 for ply in range(self.ply)]
        made = [Move(seat=seat, move=move) for seat, move in zip(movers, moves, strict=True)]
        return [*super().begun(header), *made, PlayOn(seat=self.seat)]


def can_resume(replay: Replay, ply: int) -> bool:
    """Return whether a table can go on after this many moves of a game.

    A table's cards come from a seed, and its rules are the newest.
    """
    record, newest = replay.record, replay.game.version
    known = record.deck is None and record.rules == newest and 0 <= ply <= MAX_RESUMED
    return known and ply <= replay.last and replay.at(ply).turn is not None
