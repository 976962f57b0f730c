"""Saved games on the pages: replays of finished tables and of imported records."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import sqlalchemy as sa

from redouble.contract.page.scene import BoardScene
from redouble.kernel.errors import RecordError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Moment
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.web.drawing.scene import scene_of
from redouble.web.errors import NotFound, TooMuch, WebError
from redouble.web.people.people import Person, lock
from redouble.web.site import Site
from redouble.web.store.schema import (
    records,
)

MAX_MOVES = 5000
"""Longer games are not shown."""
MAX_REPLAYS = 24
"""Replays in memory."""
OPEN, ONLOOKER = "open", "onlooker"
"""What an address calls the readers that are not seats: one who sees everything, and a spectator
who sees what is public."""
MAX_QUOTED = 40


def save_record(connection: sa.Connection, person: str, line: str, at: float, limit: int) -> str:
    """Save a record that a person imports and return its token.

    Raises :class:`TooMuch` if they have as many as the ``limit``.
    """
    lock(connection, person)
    mine = sa.select(sa.func.count()).select_from(records).filter_by(person=person)
    if (connection.execute(mine).scalar() or 0) >= limit:
        raise TooMuch(f"you have {limit} imported games: delete some first")
    token = secrets.token_urlsafe(16)
    connection.execute(sa.insert(records).values(token=token, person=person, line=line, at=at))
    return token


def stored_line(connection: sa.Connection, token: str) -> str:
    """Return the line of an imported record. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(records.c.line).filter_by(token=token)).scalar()
    if found is None:
        raise NotFound("there is no saved game at this link: it may have been deleted")
    return str(found)


def record_lines(connection: sa.Connection, tokens: Sequence[str]) -> list[tuple[str, str, float]]:
    """Return token, line and time of imported records."""
    query = sa.select(records.c.token, records.c.line, records.c.at)
    rows = connection.execute(query.where(records.c.token.in_(tokens)))
    return [(row.token, row.line, row.at) for row in rows]


def record_times(connection: sa.Connection, person: str) -> list[tuple[str, float]]:
    """Return token and time of a person's imported records, oldest first."""
    query = sa.select(records.c.token, records.c.at)
    rows = connection.execute(query.where(records.c.person == person).order_by(records.c.at))
    return [(row.token, row.at) for row in rows]


def delete_record(connection: sa.Connection, person: str, token: str) -> None:
    """Delete a person's imported record. Raises :class:`NotFound`."""
    if not connection.execute(sa.delete(records).filter_by(token=token, person=person)).rowcount:
        raise NotFound("you have no saved game at this link: you may have deleted it")


@dataclass(frozen=True)
class SavedGame:
    """A game that can be replayed and reviewed, and where its pages are."""

    replay: Replay
    table: str = ""
    """The token of the table where it was played; empty for an imported record."""
    record: str = ""
    """The token of the imported record."""
    example: str = ""
    """The address of a rulebook's worked example, which has no other pages."""

    @property
    def url(self) -> str:
        """The address that its pages begin with."""
        return self.example or (f"/t/{self.table}" if self.table else f"/r/{self.record}")

    @property
    def replay_url(self) -> str:
        return f"{self.url}/replay" if self.table else self.url

    @property
    def review_url(self) -> str:
        return f"{self.url}/review"


def links_of(saved: SavedGame) -> dict[str, str]:
    """Return what templates link to."""
    return {
        "at": saved.url,
        "replay": saved.replay_url,
        "review": saved.review_url,
        "table": saved.table,
    }


async def table_played(site: Site, token: str, person: Person | None) -> SavedGame:
    """Return the game of a table. Raises :class:`NotYours` before it is over."""
    table = (await site.table(token, person)).table
    return SavedGame(await site.renderings.run(replay_of, str(table.record())), table=token)


async def record_played(site: Site, token: str, person: Person | None) -> SavedGame:
    """Return an imported game. Raises :class:`NotFound`, and :class:`Sealed` as ``Site.table``."""
    line = await record_line(site, token, person)
    return SavedGame(await site.renderings.run(replay_of, line), record=token)


async def record_line(site: Site, token: str, person: Person | None) -> str:
    """Return the line of an imported record. Raises as :func:`record_played` does."""
    line = await site.store.run(stored_line, token)
    record = Record.parse(line)
    await site.check_unsealed(person, record.game, record.seed)
    return line


async def seats_played(site: Site, played: SavedGame, person: Person | None) -> list[int]:
    """Return the seats that a person had at a game's table; none for an imported game."""
    if not played.table:
        return []
    return (await site.tables.get(played.table)).table.seats_of(person.id if person else None)


@lru_cache(maxsize=MAX_REPLAYS)
def replay_of(line: str) -> Replay:
    """Return the replay of a record's line, made once while people look at it.

    Raises :class:`RecordError`.
    """
    record = Record.parse(line)
    if len(record.moves) > MAX_MOVES:
        raise RecordError(f"{len(record.moves)} moves are too many to show: at most {MAX_MOVES}")
    return Replay(record)


def reader_of(replay: Replay, text: str) -> int | None:
    """Return the reader that an address asks for. Raises :class:`WebError`."""
    if text == OPEN:
        return None
    if text == ONLOOKER:
        return SPECTATOR
    if text.isdecimal() and len(text) < 4 and int(text) < replay.seats:
        return int(text)
    raise WebError(
        f"eyes cannot be {text[:MAX_QUOTED]!r}: give {OPEN!r}, {ONLOOKER!r} "
        f"or a seat from 0 to {replay.seats - 1}"
    )


def scene_at(
    replay: Replay,
    ply: int,
    reader: int | None,
    mine: int | None = None,
    moment: Moment | None = None,
) -> BoardScene:
    """Return what to draw; where everything is open, seat ``mine`` is drawn nearest.

    With a ``moment`` of the move that led to ``ply``, return the scene as it was then.
    """
    view = replay.at(ply).view(reader) if moment is None else moment.view
    scene = scene_of(view, replay.names, playable=False, still=True, keyed=True)
    if reader is None:
        nearest = 0 if replay.seats == 1 else mine
        for place in scene.places:
            place.me = place.seat == nearest
    return scene
