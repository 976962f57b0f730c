"""Saved games on the pages: replays of finished tables and of imported records."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import sqlalchemy as sa
from fastapi import Depends, Request

from redouble.contract.page.scene import BoardScene
from redouble.kernel.errors import RecordError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Moment
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.web.drawing.scene import scene_of
from redouble.web.errors import NotFound, WebError
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.store.schema import metadata
from redouble.web.visitor import SiteOf, Visitor

records = sa.Table(
    "records",
    metadata,
    sa.Column("token", sa.String, primary_key=True),
    sa.Column("person", sa.String, nullable=False, index=True),
    sa.Column("line", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""Games that people imported."""

MAX_MOVES = 5000
"""Longer games are not shown."""
MAX_REPLAYS = 24
"""Replays in memory."""
OPEN, ONLOOKER = "open", "onlooker"
"""What an address calls the readers that are not seats: one who sees everything, and a spectator
who sees what is public."""
MAX_QUOTED = 40


def stored_line(connection: sa.Connection, token: str) -> str:
    """Return the line of an imported record. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(records.c.line).filter_by(token=token)).scalar()
    if found is None:
        raise NotFound("there is no saved game at this link: it may have been deleted")
    return str(found)


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

    @property
    def links(self) -> dict[str, str]:
        """What templates link to."""
        replay, review = self.replay_url, self.review_url
        at = {"at": self.url, "table": self.table, "resume": f"{self.url}/resume"}
        return at | {"replay": replay, "review": review}


async def table_played(site: Site, token: str, person: Person | None) -> SavedGame:
    """Return the game of a table. Raises :class:`NotYours` before it is over."""
    table = (await site.table(token, person)).table
    return SavedGame(await site.renderings.run(replay_of, str(table.record())), table=token)


async def record_played(site: Site, token: str, person: Person | None) -> SavedGame:
    """Return an imported game. Raises :class:`NotFound`, and :class:`Sealed` as ``Site.table``."""
    line = await record_line(site, token, person)
    return SavedGame(await site.renderings.run(replay_of, line), record=token)


async def _played(request: Request, token: str, site: SiteOf, person: Visitor) -> SavedGame:
    find = table_played if request.url.path.startswith("/t/") else record_played
    return await find(site, token, person)


PlayedThere = Annotated[SavedGame, Depends(_played)]
"""The finished game at an address that begins with ``/t/TOKEN`` or ``/r/TOKEN``."""


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
