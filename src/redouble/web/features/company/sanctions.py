"""What the operator says to people who harm others: warnings, mutes and bans.

They are of a person, never of an address, so neighbors don't suffer. Each has a reason that the
person reads, and can be appealed against once.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime

import sqlalchemy as sa

from redouble.web.errors import NotFound, Stale, TooLarge, WebError
from redouble.web.store import exists
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.store.schema import metadata, owned_by, people
from redouble.web.table.names import one_line

sanctions = sa.Table(
    "sanctions",
    metadata,
    sa.Column("person", owned_by("people.id"), primary_key=True),
    sa.Column("kind", sa.String, primary_key=True),  # see below
    sa.Column("reason", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("until", sa.Float),  # none if the operator has to lift it
    sa.Column("seen", sa.Boolean, nullable=False),  # whether the person has read it
    sa.Column("appeal", sa.Text, nullable=False),
)
"""What the operator says to people: warnings, mutes and bans, with the reasons that they read."""

WARNING, MUTE, BAN = "warning", "mute", "ban"
"""The kinds, from the mildest. A person has at most one of each; a new one replaces it."""
SAID = {
    WARNING: "The operator of this site warns you.",
    MUTE: "The operator of this site lets you write no chat and send no reactions.",
    BAN: "The operator of this site has banned you from playing.",
}
"""What a person reads of each before the reason."""
APPEAL_LENGTH = 1000
"""Characters in an appeal."""
WARNING_DAYS = 365
"""Days after which a warning is deleted."""


@dataclass(frozen=True)
class Sanction:
    """Something that the operator has decided about a person."""

    person: str
    name: str
    kind: str
    reason: str
    at: float
    until: float | None
    """When it ends by itself; None if the operator has to lift it."""
    seen: bool
    """Whether the person has confirmed that they have read it."""
    appeal: str
    """What the person says against it; empty if they haven't appealed."""

    @property
    def ends(self) -> date | None:
        """The day on which it ends by itself."""
        return datetime.fromtimestamp(self.until, UTC).date() if self.until else None

    @property
    def said(self) -> str:
        """What the person reads before the reason."""
        return SAID[self.kind]


def impose(
    connection: sa.Connection, person: str, kind: str, reason: str, days: float | None
) -> None:
    """Warn, mute or ban a person, for some days or until it is lifted."""
    lift(connection, person, kind)
    now = CLOCK.now()
    row = {"person": person, "kind": kind, "reason": reason, "at": now, "seen": False, "appeal": ""}
    until = now + days * DAY if days else None
    connection.execute(sa.insert(sanctions).values(row | {"until": until}))


def lift(connection: sa.Connection, person: str, kind: str) -> bool:
    """End a sanction, and return whether there was one."""
    return connection.execute(sa.delete(sanctions).filter_by(person=person, kind=kind)).rowcount > 0


def sanctions_of(connection: sa.Connection, person: str = "", limit: int = 100) -> list[Sanction]:
    """Return the sanctions that last, of a person or of all; those with an appeal come first."""
    now = CLOCK.now()
    query = (
        sa.select(sanctions, people.c.name)
        .join(people, people.c.id == sanctions.c.person)
        .where(sa.or_(sanctions.c.until.is_(None), sanctions.c.until > now))
        .order_by(sa.case((sanctions.c.appeal != "", 0), else_=1), sanctions.c.at.desc())
        .limit(limit)
    )
    if person:
        query = query.where(sanctions.c.person == person)
    return [Sanction(**row._mapping) for row in connection.execute(query)]


def note_seen(connection: sa.Connection, person: str) -> None:
    """Note that a person has read what the operator says."""
    connection.execute(sa.update(sanctions).filter_by(person=person).values(seen=True))


def appeal(connection: sa.Connection, person: str, kind: str, text: str) -> None:
    """Appeal against a sanction, once.

    Raises :class:`WebError`, :class:`NotFound` and :class:`Stale`.
    """
    text = one_line(text)
    if not text:
        raise WebError("the appeal is empty: say why the operator should think again")
    if len(text) > APPEAL_LENGTH:
        raise TooLarge(f"the appeal is too long: at most {APPEAL_LENGTH} characters")
    here = sa.and_(sanctions.c.person == person, sanctions.c.kind == kind)
    first = sa.update(sanctions).filter_by(appeal="").where(here)
    if connection.execute(first.values(appeal=text, seen=True)).rowcount:
        return
    if not exists(connection, sa.select(sanctions).where(here)):
        raise NotFound("there is nothing to appeal against: reload the page")
    raise Stale("you have appealed already: the operator reads it")


def drop_old(connection: sa.Connection, now: float) -> None:
    """Delete the sanctions that have ended, and old warnings."""
    old = sa.and_(sanctions.c.kind == WARNING, sanctions.c.at < now - WARNING_DAYS * DAY)
    connection.execute(sa.delete(sanctions).where(sa.or_(old, sanctions.c.until < now)))


def adopt(connection: sa.Connection, guest: str, person: str) -> None:
    """Let what the operator has decided about a guest count for the person that they are."""
    have = {one.kind for one in sanctions_of(connection, person)}
    for one in sanctions_of(connection, guest):
        if one.kind not in have:
            lift(connection, person, one.kind)  # one that has ended
            connection.execute(
                sa.update(sanctions).filter_by(person=guest, kind=one.kind).values(person=person)
            )
