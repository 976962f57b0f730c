"""The lines of the book, and the bell that rings while the site is open."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.personal import Owner, PersonalData, Stored, deleted, moved, never
from redouble.web.site import Service, Site
from redouble.web.table import Table

lines = sa.Table(
    "guestbook",
    sa.MetaData(),
    sa.Column("person", sa.String, nullable=False),
    sa.Column("text", sa.String, nullable=False),
)


def write(connection: sa.Connection, person: str, text: str) -> None:
    connection.execute(sa.insert(lines).values(person=person, text=text))


def written(connection: sa.Connection, person: str) -> list[str]:
    mine = sa.select(lines.c.text).where(lines.c.person == person)
    return list(connection.execute(mine).scalars())


def note_end(connection: sa.Connection, table: Table) -> None:
    for person in {seat.person for seat in table.seats if seat.person}:
        write(connection, person, f"played {table.game.title}")


def _exported(connection: sa.Connection, owner: Owner) -> object:
    return written(connection, owner.id)


DATA = PersonalData(
    tables=(lines,),
    adopt=moved(lines.c.person),
    forget=deleted(lines.c.person),
    export={"guestbook": _exported},
    expire=never,
    keeps=(sa.select(lines.c.person),),
    privacy=(Stored("What you write in the guest book", "until you delete your data"),),
    sessions=(),
)


class Bell(Service):
    """Rings when the site opens, and falls silent when it closes."""

    def __init__(self, site: Site) -> None:
        site.store.call(lambda c: lines.create(c, checkfirst=True)).result()
        self.rings: list[str] = []

    async def follow(self) -> None:
        self.rings.append("open")

    async def close(self) -> None:
        self.rings.append("closed")
