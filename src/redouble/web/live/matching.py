"""Public tables where people wait for others, and the one that a newcomer should sit at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.web.live.lists import WATCHABLE_SECONDS
from redouble.web.live.live import AWAY_SECONDS
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import log, seats, tables
from redouble.web.table import TABLE
from redouble.web.table.acts.clocks import SetClock
from redouble.web.table.clocks import usual_control
from redouble.web.table.state import KEPT_SECONDS

JUST_SECONDS = 10.0
"""A game that goes on, in which something has happened within this time, is played right now."""
Here = Callable[[str], Set[str]]
"""Returns the ids of the people who have a table open."""


@dataclass(frozen=True)
class WaitingTable:
    """A public table with open seats, and the people who wait there."""

    token: str
    game: str
    created: float
    changed: float
    people: Mapping[str, str]
    """Their names by their ids."""
    left: int
    """Open seats."""

    def has_company(self, here: Here) -> bool:
        """Return whether somebody waits there now: pages say so after a moment only."""
        fresh = 0 <= CLOCK.now() - self.changed < AWAY_SECONDS
        return fresh or not self.people.keys().isdisjoint(here(self.token))


def usual_options(game: Game, players: int) -> Mapping[str, Any]:
    """Return the options of a table that is opened for anyone."""
    return game.check_options(players, game.as_played({}) | game.needed_options(players))


def waiting_tables(
    connection: sa.Connection, game: str = "", without: Collection[str] = ()
) -> list[WaitingTable]:
    """Return public tables by the usual rules, with the usual clock, where people wait.

    Only those of a ``game`` if it is given, and ``without`` certain people. The fullest comes
    first, then the oldest.
    """
    now = CLOCK.now()
    clocked = sa.and_(log.c.token == tables.c.token, log.c.kind == SetClock.kind)
    query = sa.select(tables, log.c.payload.label("clock")).join(log, clocked)
    query = query.where(
        tables.c.public.is_(True),
        tables.c.status == "waiting",
        sa.or_(tables.c.before == "", tables.c.created < now - KEPT_SECONDS[False]),
        tables.c.changed.between(now - WATCHABLE_SECONDS, now + WATCHABLE_SECONDS),
    )
    if game:
        query = query.where(tables.c.game == game)
    rows = [row for row in connection.execute(query) if _is_usual(row)]
    here = seats.c.token.in_([row.token for row in rows])
    sitting: dict[str, dict[str, str]] = {row.token: {} for row in rows}
    left = dict.fromkeys(sitting, 0)
    for one in connection.execute(sa.select(seats).where(here).order_by(seats.c.seat)):
        if one.person is not None:
            sitting[one.token].setdefault(one.person, one.name)
        elif not one.bot:
            left[one.token] += 1
    found = [
        WaitingTable(t.token, t.game, t.created, t.changed, sitting[t.token], left[t.token])
        for t in rows
        if sitting[t.token] and left[t.token] and sitting[t.token].keys().isdisjoint(without)
    ]
    return sorted(found, key=lambda one: (one.left, one.created, one.token))


def _is_usual(row: Any) -> bool:
    game = GAMES.get(row.game)
    if game is None or row.rules != game.version:
        return False
    clock = SetClock.model_validate(from_json(row.clock) | {"seat": TABLE})
    if clock.control != usual_control(game):
        return False
    usual = usual_options(game, len(row.seats))
    return {key: value for key, value in row.options.items() if value is not None} == {
        key: value for key, value in usual.items() if value is not None
    }


def best_of(
    found: Sequence[WaitingTable], person: str, here: Here
) -> tuple[WaitingTable | None, WaitingTable | None]:
    """Return the table where a person waits already, and the one where they should sit down.

    Those who wait alone move to an older table where somebody waits, so that no two people wait
    alone for long.
    """
    mine = next((one for one in found if person in one.people), None)
    others = [one for one in found if person not in one.people and one.has_company(here)]
    if mine is not None:
        alone = not (mine.people.keys() & here(mine.token)) - {person}
        older = [one for one in others if (one.created, one.token) < (mine.created, mine.token)]
        others = older if alone else []
    return mine, next(iter(others), None)


def plays_at(connection: sa.Connection, person: str, game: str) -> set[str]:
    """Return the public tables of a game where a person plays right now.

    They have just sat down there, and ask again because they haven't seen it yet.
    """
    now = CLOCK.now()
    query = sa.select(tables.c.token).join(seats, seats.c.token == tables.c.token)
    mine = sa.and_(seats.c.person == person, seats.c.resigned.is_(False))
    here = sa.and_(tables.c.public.is_(True), tables.c.game == game, tables.c.status == "playing")
    fresh = tables.c.changed.between(now - JUST_SECONDS, now + JUST_SECONDS)
    return set(connection.execute(query.where(mine, here, fresh)).scalars())
