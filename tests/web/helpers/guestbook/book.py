"""The lines of the book, and the bell that rings while the site is open."""

import sqlalchemy as sa

from redouble.web.feature import Letter, MessageKind
from redouble.web.personal import Owner, PersonalData, Stored, by_foreign_key, moved, never
from redouble.web.site import Service, Site
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by
from redouble.web.table import Table

lines = sa.Table(
    "guestbook",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("person", owned_by("people.id"), nullable=False, index=True),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)


def write(connection: sa.Connection, person: str, text: str) -> None:
    connection.execute(sa.insert(lines).values(person=person, text=text, at=CLOCK.now()))


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
    forget=by_foreign_key,
    export={"guestbook": _exported},
    expire=never,
    keeps=(sa.select(lines.c.person),),
    privacy=(Stored("What you write in the guest book", "until you delete your data"),),
    sessions=(),
)


def _letter(connection: sa.Connection, person: str, about: str, now: float) -> Letter | None:
    text = connection.execute(sa.select(lines.c.text).where(lines.c.id == int(about))).scalar()
    return text and Letter("You have written in the guest book", text, "/guestbook", by=())


WRITTEN = MessageKind(
    name="written",
    words="You have written in the guest book",
    news=sa.select(
        *(lines.c.person, sa.cast(lines.c.id, sa.String).label("about")),
        *(sa.null().label("token"), lines.c.at.label("since")),
    ),
    after=0.0,
    letter=_letter,
)


class Bell(Service):
    """Rings when the site opens, and falls silent when it closes."""

    def __init__(self, site: Site) -> None:
        self.rings: list[str] = []

    async def follow(self) -> None:
        self.rings.append("open")

    async def close(self) -> None:
        self.rings.append("closed")
