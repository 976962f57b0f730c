"""Reports: what people tell the operator of others whom they have met at a table.

A report names the table and its place in the log, and the operator reads the last lines of chat
before it. It has a copy of those of the reported person, who can't erase it by deleting their data:
it stays without them. They never learn of it.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json

from redouble.web.errors import TooMuch
from redouble.web.people.people import lock, new_id
from redouble.web.store import count, insert_first
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.store.schema import log, metadata, owned_by, people, tables
from redouble.web.table.acts.talk import Say

reports = sa.Table(
    "reports",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("reporter", owned_by("people.id"), nullable=False),
    sa.Column("reported", sa.ForeignKey("people.id", ondelete="SET NULL"), index=True),
    sa.Column("token", sa.String, nullable=False, index=True),  # of a table that may be gone
    sa.Column("game", sa.String, nullable=False),
    sa.Column("ply", sa.Integer, nullable=False),  # of the log: its last lines of chat before this
    sa.Column("said", sa.JSON, nullable=False),  # by the person in these lines: plies and texts
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False, index=True),
    sa.Column("handled", sa.Float),  # when the operator dealt with it
    sa.Index("ix_reports_reporter", "reporter", "reported", "token", unique=True),
)
"""Whom people have reported to the operator, one report of a person at a table."""

PER_DAY = 10
"""Reports of one person in a day."""
WHY_LENGTH = 500
"""Characters in the words of a report."""
LINES = 20
"""Lines of chat before a report that the operator reads."""
KEPT_DAYS = 90
"""Days after which a report is deleted."""
FORMER = "Former player"
"""The name of a person whose data was deleted."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReportedPerson:
    """A report, as the operator reads it."""

    report: str
    """Its id."""
    at: float
    table: str
    game: str
    person: str
    name: str
    reporter: str
    reporter_name: str
    why: str
    """The reporter's words."""
    chat: list[str]
    """The last lines of chat before it, each after its author's name."""
    handled: float | None
    """When the operator dealt with it."""


def report(
    connection: sa.Connection, reporter: str, reported: str, token: str, ply: int, why: str
) -> bool:
    """Report a person at a table, and return whether they weren't reported there before.

    Raises :class:`TooMuch`.
    """
    lock(connection, reporter)
    now = CLOCK.now()
    lately = reports.c.reporter == reporter, reports.c.at > now - DAY
    if count(connection, reports, *lately) >= PER_DAY:
        raise TooMuch(
            f"you have sent {PER_DAY} reports today: send the next one tomorrow", int(DAY)
        )
    query = sa.select(tables.c.game).filter_by(token=token)
    lines = _lines(connection, token, ply)
    row = {
        "id": new_id(8),
        "reporter": reporter,
        "reported": reported,
        "token": token,
        "game": connection.execute(query).scalar_one(),
        "ply": ply,
        "said": [[line.ply, _text(line)] for line in lines if line.person == reported],
        "why": why,
        "at": now,
    }
    if not insert_first(connection, reports, row):
        return False
    waiting = count(connection, reports, reports.c.handled.is_(None))
    _log.warning("a player was reported: 'redouble admin reports' lists %d reports", waiting)
    return True


def reports_now(
    connection: sa.Connection, days: float = 0.0, limit: int = 100, *, everything: bool = False
) -> list[ReportedPerson]:
    """Return the reports that the operator hasn't dealt with, the latest first.

    With ``days``, only those of the last days; with ``everything``, handled ones as well.
    """
    them, teller = people.alias(), people.alias()
    query = (
        sa.select(reports, them.c.name, teller.c.name.label("teller"))
        .outerjoin(them, them.c.id == reports.c.reported)
        .join(teller, teller.c.id == reports.c.reporter)
        .order_by(reports.c.at.desc(), reports.c.id)
        .limit(limit)
    )
    if days:
        query = query.where(reports.c.at >= CLOCK.now() - days * DAY)
    if not everything:
        query = query.where(reports.c.handled.is_(None))
    return [
        ReportedPerson(
            report=row.id,
            at=row.at,
            table=row.token,
            game=row.game,
            person=row.reported or "",
            name=row.name or FORMER,
            reporter=row.reporter,
            reporter_name=row.teller,
            why=row.why,
            chat=_chat(connection, row),
            handled=row.handled,
        )
        for row in connection.execute(query).all()
    ]


def handle(connection: sa.Connection, number: str) -> bool:
    """Note that the operator has dealt with a report, and return whether there is one."""
    change = sa.update(reports).filter_by(id=number)
    return connection.execute(change.values(handled=CLOCK.now())).rowcount > 0


def _chat(connection: sa.Connection, report: sa.Row[Any]) -> list[str]:
    """Return the last lines of chat before a report, those of the reported person as copied."""
    lines = {
        one.ply: (one.name or FORMER, _text(one))
        for one in _lines(connection, report.token, report.ply)
    }
    lines |= {ply: (report.name or FORMER, text) for ply, text in report.said}
    return [f"{name}: {text or '(deleted)'}" for _, (name, text) in sorted(lines.items())]


def _lines(connection: sa.Connection, token: str, ply: int) -> Sequence[Any]:
    """Return the last lines of chat at a table before a place in its log."""
    query = (
        sa.select(log.c.ply, log.c.person, log.c.payload, people.c.name)
        .outerjoin(people, people.c.id == log.c.person)
        .where(log.c.token == token, log.c.kind == Say.kind, log.c.ply < ply)
        .order_by(log.c.ply.desc())
        .limit(LINES)
    )
    return connection.execute(query).all()


def _text(line: Any) -> str:
    return str(from_json(line.payload)["text"])
