"""Makes the moves that players have decided in advance, when it is their turn.

The pause before such a move is drawn at random, and it counts as a sign of life of its player: to
the others it looks like any move, some seconds after its player has come. The transaction that logs
it takes it off the list, so that it is made once by one process, or was deleted before. What moves
in advance couldn't foresee, such as an undo, deletes them in its own transaction.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from random import SystemRandom
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.live import table_rows
from redouble.web.live.tables import Tables
from redouble.web.people.people import Person
from redouble.web.site import At, Service
from redouble.web.store import Store
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by, people, tables
from redouble.web.table import Entry, Event, Table
from redouble.web.table.acts.play import make_move

premoves = sa.Table(
    "premoves",
    metadata,
    sa.Column("token", owned_by("tables.token"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("person", owned_by("people.id"), nullable=False, index=True),
    sa.Column("moves", sa.JSON, nullable=False),
    sa.Column("made", sa.Integer, nullable=False),  # moves of the seat when these were decided
    sa.Column("version", sa.String, nullable=False),
    sa.Column("since", sa.Float, nullable=False),  # the turn whose pause was drawn: tables.changed
    sa.Column("due", sa.Float, nullable=False),
)
"""Moves that players have decided in advance."""

MAX_PREMOVES = 30
"""Moves in advance of one seat."""
MAX_NUMBER = 10**6
Bound = Annotated[int, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
LOOK_SECONDS = 5.0
"""How often it is looked for turns with moves in advance."""
PAUSE_SECONDS = 10.0, 45.0
"""The bounds of the pause before a move; whoever is reminded of a turn is so after longer."""
AT_ONCE = 100
_log = logging.getLogger(__name__)


class Premove(BaseModel):
    """A move in advance. It is made if it is legal then, and its condition holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    move: Annotated[str, Field(min_length=1, max_length=200)]
    number: Annotated[str, Field(max_length=60)] = ""
    """The number on the table that decides, by its name; empty if the move has no condition."""
    at_least: Bound | None = None
    at_most: Bound | None = None

    @property
    def words(self) -> str:
        """The condition in words, such as ``if the total is at most 60``; empty without one."""
        if self.at_least is not None and self.at_most is not None:
            return f"if {self.number} is {self.at_least} to {self.at_most}"
        if self.at_most is not None:
            return f"if {self.number} is at most {self.at_most}"
        return f"if {self.number} is at least {self.at_least}" if self.number else ""


def allows_premoves(table: Table, person: str | None) -> bool:
    """Return whether a person can decide moves in advance at a table.

    They play with others, nobody has only minutes for a move, and the game names the numbers by
    which its players choose. The game may still have to begin.
    """
    plays = any(not table.seats[seat].bot for seat in table.seats_of(person))
    others = table.gathering or bool(table.others(person))
    return _takes_premoves(table) and plays and others and not table.over


def _takes_premoves(table: Table) -> bool:
    slow = table.clocks.control.slow or not table.clocks.control
    return slow and table.game.words.numbers is not None and not table.one_player


def check_allows_premoves(table: Table, person: str) -> int:
    """Return the seat for which a person can decide moves in advance.

    Raises :class:`NotYours` and :class:`WebError`.
    """
    if not (mine := table.seats_of(person)):
        raise NotYours("you don't have a seat at this table")
    if table.game.words.numbers is None:
        raise WebError(f"there are no moves in advance in {table.game.title}")
    if not allows_premoves(table, person) or table.status != "playing":
        raise WebError(
            "moves in advance are for running games with other people, without a clock, or for "
            "correspondence games"
        )
    return mine[0]


def numbers_at(table: Table, seat: int) -> dict[str, int]:
    """Return the numbers by which a seat's moves in advance can be chosen, as it sees them."""
    numbers = table.game.words.numbers
    return {} if numbers is None else dict(numbers(table.match.seen_by(seat)))


def moves_to_choose(table: Table, seat: int) -> list[str]:
    """Return moves that a seat may have at its next turns: the legal ones, and its cards."""
    known = table.match.seen_by(seat)
    parse = table.game.text.parse
    legal = list(table.match.legal_moves) if table.turn == seat else []
    cards = [
        card.text for zone in table.view(seat).zones if zone.seat == seat for card in zone.cards
    ]
    found = [move for move in [*legal, *cards] if move and parse(known, move) >= 0]
    return list(dict.fromkeys(found))


def check_premoves(table: Table, seat: int, premoves: Sequence[Premove]) -> None:
    """Raise :class:`WebError` if a seat can't have these moves in advance."""
    if len(premoves) > MAX_PREMOVES:
        raise WebError(
            f"{len(premoves)} moves in advance are too many: give at most {MAX_PREMOVES}"
        )
    known, numbers = table.match.seen_by(seat), numbers_at(table, seat)
    for one in premoves:
        if table.game.text.parse(known, one.move) < 0:
            raise WebError(
                f"{one.move!r} is no move of {table.game.title}: write it as in a record"
            )
        bounds = [bound for bound in (one.at_least, one.at_most) if bound is not None]
        if bounds and one.number not in numbers:
            known_numbers = ", ".join(numbers)
            raise WebError(f"{one.number!r} is no number on the table: use one of {known_numbers}")
        if one.number and not bounds:
            raise WebError(f"say what {one.number} has to be for {one.move}: at least, at most")
        if bounds != sorted(bounds):
            raise WebError(f"{one.number} can't be at least {bounds[0]} and at most {bounds[1]}")


@dataclass(frozen=True)
class Planned:
    """The moves in advance of a seat."""

    token: str
    seat: int
    person: str
    name: str
    moves: tuple[Premove, ...]
    made: int
    """How many moves the seat had made: after another one, these are out of date."""
    version: str
    """Changes whenever they do."""
    due: float


def premoves_of(connection: sa.Connection, token: str, seat: int, person: str) -> list[Premove]:
    """Return the moves in advance of a person's seat."""
    mine = sa.select(premoves.c.moves).filter_by(token=token, seat=seat, person=person)
    row = connection.execute(mine).first()
    return [] if row is None else [Premove.model_validate(one) for one in row.moves]


def is_planned(connection: sa.Connection, table: Table, person: str) -> bool:
    """Return whether it is a person's turn, and a move of theirs in advance is about to be made."""
    seat = table.thinking
    if seat is None or table.seats[seat].person != person:
        return False
    mine = premoves.c.token == table.header.token, premoves.c.seat == seat
    row = connection.execute(_with_names().where(*mine, premoves.c.person == person)).first()
    return row is not None and chosen_premove(table, _planned(row)) is not None


async def decide_premoves(at: At, moves: Sequence[Premove]) -> int:
    """Replace a player's moves in advance, and return their seat.

    Raises :class:`NotYours` and :class:`WebError`.
    """
    async with at.live.lock:
        seat = check_allows_premoves(at.table, at.person.id)
        check_premoves(at.table, seat, moves)
        await at.site.store.run(set_premoves, at.table, seat, at.person.id, moves)
    return seat


def end_premoves(connection: sa.Connection, table: Table, entries: Sequence[Entry]) -> None:
    """Delete the moves in advance that events put out of date, in the transaction that logs them.

    A move by hand ends those of its seat. Whatever else changes the position, or who plays, such as
    an undo or a bot that stands in, ends everybody's: nobody could foresee it.
    """
    if not _takes_premoves(table):
        return
    here = sa.delete(premoves).filter_by(token=table.header.token)
    events = [entry.event for entry in entries]
    if table.over or any(not one.is_move and _unforeseen(one) for one in events):
        connection.execute(here)
        return
    for seat in {one.seat for one in events if one.is_move}:
        # The transaction of a move in advance has counted it in what it leaves.
        outdated = premoves.c.made != table.movers.count(seat)
        connection.execute(here.where(premoves.c.seat == seat, outdated))


def _unforeseen(event: Event | type[Event]) -> bool:
    return event.changes_position or event.changes_seats


def set_premoves(
    connection: sa.Connection, table: Table, seat: int, person: str, moves: Sequence[Premove]
) -> None:
    """Replace the moves in advance of a seat.

    Raises :class:`Stale` if another process has written to the table: they may be out of date.
    """
    token = table.header.token
    connection.execute(sa.select(tables.c.token).filter_by(token=token).with_for_update())
    if table_rows.stands(connection, [token]).get(token) != (table.header.rewritten, table.ply):
        raise Stale("the game went on meanwhile: look at the table, and decide again")
    connection.execute(sa.delete(premoves).filter_by(token=token, seat=seat))
    if moves:
        row = {"token": token, "seat": seat, "person": person}
        row |= {"moves": [one.model_dump() for one in moves], "made": table.movers.count(seat)}
        row |= {"version": _new_version(), "since": 0.0, "due": 0.0}
        connection.execute(sa.insert(premoves).values(row))


class Premover(Service):
    """Looks for turns whose player has decided in advance."""

    def __init__(
        self, store: Store, tables: Tables, pause: tuple[float, float] = PAUSE_SECONDS
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
        """Return what is due soon, and draw the pauses of turns that have just begun."""
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
                begun = sa.update(premoves).filter_by(token=row.token, seat=row.seat)
                connection.execute(begun.values(since=row.changed, due=now + pause))
            elif row.due <= now + _coming_seconds(row.version):
                due.append(_planned(row))
        return due

    async def _act(self, planned: Planned) -> None:
        live = await self._tables.get(planned.token)
        chosen: list[Premove] = []

        def command(table: Table) -> list[Event]:
            seat = table.seats[planned.seat]
            if (table.thinking, seat.person) != (planned.seat, planned.person):
                raise Stale("it isn't this person's turn")
            one = chosen_premove(table, planned)
            chosen[:] = [] if one is None else [one]
            return [] if one is None else make_move(table, planned.seat, one.move, table.ply)

        def also(connection: sa.Connection) -> None:
            left = list(planned.moves)
            left.remove(chosen[0])
            _replace(connection, planned, left)

        if chosen_premove(live.table, planned) is not None:
            live.mark_seen(Person(planned.person, planned.name))
        if planned.due > CLOCK.now():
            return
        if not await self._tables.act(live, command, also):
            with contextlib.suppress(Stale):
                await self._store.run(_replace, planned, [])


def chosen_premove(table: Table, planned: Planned) -> Premove | None:
    """Return the first of a seat's moves in advance that it can make now; None if there is none."""
    if table.thinking != planned.seat or table.movers.count(planned.seat) != planned.made:
        return None
    numbers = numbers_at(table, planned.seat)
    for one in planned.moves:
        number = numbers.get(one.number, 0)
        low = number if one.at_least is None else one.at_least
        high = number if one.at_most is None else one.at_most
        if low <= number <= high and table.match.legal_moves.action(one.move) is not None:
            return one
    return None


def _coming_seconds(version: str) -> float:
    """Return how long before a move in advance its player seems to come to the table."""
    return LOOK_SECONDS + int(version, 16) % PAUSE_SECONDS[0] / 2


def _with_names() -> sa.Select[Any]:
    """Return moves in advance, with their player's name."""
    return sa.select(premoves, people.c.name).join(people, people.c.id == premoves.c.person)


def _planned(row: sa.Row[Any]) -> Planned:
    moves = tuple(Premove.model_validate(one) for one in row.moves)
    return Planned(row.token, row.seat, row.person, row.name, moves, row.made, row.version, row.due)


def _replace(connection: sa.Connection, planned: Planned, left: Sequence[Premove]) -> None:
    """Leave these moves of a seat. Raises :class:`Stale` if they have changed."""
    same = {"token": planned.token, "seat": planned.seat, "version": planned.version}
    if left:
        values = {"moves": [one.model_dump() for one in left], "made": planned.made + 1}
        values |= {"version": _new_version()}
        done = connection.execute(sa.update(premoves).filter_by(**same).values(values))
    else:
        done = connection.execute(sa.delete(premoves).filter_by(**same))
    if not done.rowcount:
        raise Stale("the moves in advance have changed")


def _new_version() -> str:
    return f"{SystemRandom().getrandbits(64):x}"
