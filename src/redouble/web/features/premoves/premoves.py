"""Makes the moves that players have decided in advance, when it is their turn.

The pause before such a move is drawn at random, and it counts as a sign of life of its player: to
the others it looks like any move. The transaction that logs it takes it off the list, so that it
is made once by one process, or was deleted before.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import Stale, WebError
from redouble.web.features.premoves.ahead import Premove, chosen_premove
from redouble.web.live.live import Live
from redouble.web.live.tables import Tables
from redouble.web.people.people import Person
from redouble.web.site import Service
from redouble.web.store import Store
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import people, premoves, tables
from redouble.web.table import Event, Table
from redouble.web.table.acts.play import make_move

LOOK_SECONDS = 5.0
"""How often it is looked for turns with moves in advance."""
PAUSE_SECONDS = 10.0, 45.0
"""The bounds of the pause before a move; whoever is reminded of a turn is so after longer."""
AT_ONCE = 100
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Planned:
    """The moves in advance of a seat."""

    token: str
    seat: int
    person: str
    name: str
    moves: tuple[Premove, ...]
    made: int
    """How many moves the seat had made: after another one, or an undo, these are out of date."""
    version: str
    """Changes whenever they do."""


def premoves_of(connection: sa.Connection, token: str, seat: int, person: str) -> list[Premove]:
    """Return the moves in advance of a person's seat."""
    mine = sa.and_(_of(token, seat), premoves.c.person == person)
    row = connection.execute(sa.select(premoves.c.moves).where(mine)).first()
    return [] if row is None else [Premove.model_validate(one) for one in row.moves]


def is_planned(connection: sa.Connection, table: Table, person: str) -> bool:
    """Return whether it is a person's turn, and a move of theirs in advance is about to be made."""
    seat = table.thinking
    if seat is None or table.seats[seat].person != person:
        return False
    mine = sa.and_(_of(table.header.token, seat), premoves.c.person == person)
    row = connection.execute(_with_names().where(mine)).first()
    return row is not None and chosen_now(table, _planned(row))


def all_premoves_of(connection: sa.Connection, person: str) -> list[dict[str, object]]:
    """Return a person's moves in advance at all tables."""
    query = sa.select(premoves.c.token, premoves.c.seat, premoves.c.moves)
    rows = connection.execute(query.where(premoves.c.person == person).order_by(premoves.c.token))
    return [dict(row._mapping) for row in rows]


def set_premoves(
    connection: sa.Connection, table: Table, seat: int, person: str, moves: Sequence[Premove]
) -> None:
    """Replace the moves in advance of a seat."""
    token = table.header.token
    connection.execute(sa.delete(premoves).where(_of(token, seat)))
    if moves:
        row = {"token": token, "seat": seat, "person": person}
        row |= {"moves": [one.model_dump() for one in moves], "made": table.movers.count(seat)}
        row |= {"version": _new_version(), "since": 0.0, "due": 0.0}
        connection.execute(sa.insert(premoves).values(row))


class Premover(Service):
    """Looks for turns whose player has decided in advance."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        pause: tuple[float, float] = PAUSE_SECONDS,
    ) -> None:
        """Play at a store's tables, after a pause between two bounds in seconds."""
        self._store = store
        self._tables = tables
        self._pause = pause

    async def follow(self) -> None:
        """Make moves until canceled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except RedoubleError as error:
                _log.error("moves in advance can't be read: %s", error)

    async def look(self) -> None:
        """Make the moves that are due."""
        for planned in await self._store.run(self._due):
            try:
                await self._act(planned)
            except WebError as error:  # another process was first, or the table is gone
                _log.info("table %s: no move in advance: %s", planned.token, error)

    def _due(self, connection: sa.Connection) -> list[Planned]:
        """Return what is due, and draw the pauses of turns that have just begun."""
        now = CLOCK.now()
        on_turn = sa.and_(
            tables.c.token == premoves.c.token,
            tables.c.turn == premoves.c.seat,
            tables.c.status == "playing",
        )
        query = _with_names().add_columns(tables.c.changed).join(tables, on_turn)
        due = []
        for row in connection.execute(query.limit(AT_ONCE)).all():
            if row.since != row.changed:
                pause = SystemRandom().uniform(*self._pause)
                begun = sa.update(premoves).where(_of(row.token, row.seat))
                connection.execute(begun.values(since=row.changed, due=now + pause))
            elif row.due <= now:
                due.append(_planned(row))
        return due

    async def _act(self, planned: Planned) -> None:
        live = await self._tables.get(planned.token)
        chosen: list[int] = []

        def command(table: Table) -> list[Event]:
            chosen[:] = []
            seat = table.seats[planned.seat]
            if (table.thinking, seat.person) != (planned.seat, planned.person):
                raise Stale("it isn't this person's turn")
            if table.movers.count(planned.seat) == planned.made:
                which = chosen_premove(table, planned.seat, planned.moves)
                chosen.extend([] if which is None else [which])
            if not chosen:
                return []
            move = planned.moves[chosen[0]].move
            return make_move(table, planned.seat, move, table.ply)

        def also(connection: sa.Connection) -> None:
            used = chosen[0]
            left = [*planned.moves[:used], *planned.moves[used + 1 :]]
            _replace(connection, planned, left)

        self._mark_seen(live, planned)
        if not await self._tables.act(live, command, also):
            with contextlib.suppress(Stale):
                await self._store.run(_replace, planned, [])

    def _mark_seen(self, live: Live, planned: Planned) -> None:
        if chosen_now(live.table, planned):
            live.mark_seen(Person(planned.person, planned.name))


def chosen_now(table: Table, planned: Planned) -> bool:
    """Return whether one of these moves can be made."""
    if table.thinking != planned.seat or table.movers.count(planned.seat) != planned.made:
        return False
    return chosen_premove(table, planned.seat, planned.moves) is not None


def _with_names() -> sa.Select[Any]:
    """Return moves in advance, with their player's name."""
    return sa.select(premoves, people.c.name).join(people, people.c.id == premoves.c.person)


def _planned(row: sa.Row[Any]) -> Planned:
    moves = tuple(Premove.model_validate(one) for one in row.moves)
    return Planned(row.token, row.seat, row.person, row.name, moves, row.made, row.version)


def _replace(connection: sa.Connection, planned: Planned, left: Sequence[Premove]) -> None:
    """Leave these moves of a seat. Raises :class:`Stale` if they have changed."""
    same = sa.and_(_of(planned.token, planned.seat), premoves.c.version == planned.version)
    if left:
        values = {"moves": [one.model_dump() for one in left], "made": planned.made + 1}
        values |= {"version": _new_version()}
        done = connection.execute(sa.update(premoves).where(same).values(values))
    else:
        done = connection.execute(sa.delete(premoves).where(same))
    if not done.rowcount:
        raise Stale("the moves in advance have changed")


def _new_version() -> str:
    return f"{SystemRandom().getrandbits(64):x}"


def _of(token: str, seat: int) -> sa.ColumnElement[bool]:
    return sa.and_(premoves.c.token == token, premoves.c.seat == seat)
