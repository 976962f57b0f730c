"""Deletes what nobody comes back for, after the times that ``docs/hosting.md`` states."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.features.circles import circles, evenings
from redouble.web.features.company import reports, sanctions
from redouble.web.features.friends import friends
from redouble.web.features.notices import addresses, letters
from redouble.web.features.signin import passkeys
from redouble.web.limits import Limits
from redouble.web.live import table_rows
from redouble.web.people import repeats, sessions
from redouble.web.site import Site
from redouble.web.store import BEFORE_UPDATE, notices
from redouble.web.store.clock import CLOCK, DAY, in_utc, look
from redouble.web.store.schema import (
    circle_members,
    codes,
    dailies,
    people,
    records,
    results,
    seats,
    tables,
)
from redouble.web.store.schema import friends as friendships

FIRST_SECONDS, EVERY_SECONDS = 60.0, 6 * 3600.0
"""When to tidy up after the start, and how often then."""
BATCH = 200
"""Rows to delete at a time: moves wait for it."""
COPY_DAYS = 30
"""Days after which a copy of the database from before an update is deleted."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pruned:
    """What was deleted."""

    tables: int = 0
    guests: int = 0


async def keep_tidy(site: Site) -> None:
    """Delete what is due from time to time, until canceled."""
    try:
        await site.store.run(table_rows.settle_versions)
    except RedoubleError as error:
        _log.error("tables of other rules can't be found: %s", error)
    await is_clock_right(site)  # the first look comes before anything is stored
    await asyncio.sleep(FIRST_SECONDS)
    while True:
        await tidy(site)
        await asyncio.sleep(EVERY_SECONDS)


async def tidy(site: Site) -> None:
    """Delete what is due, unless the clock may be wrong."""
    if not await is_clock_right(site):
        return
    try:
        pruned = await prune(site, site.now())
        if pruned != Pruned():
            _log.info("deleted %d old tables and %d guests", pruned.tables, pruned.guests)
    except RedoubleError as error:
        _log.error("old tables and guests can't be deleted: %s", error)


async def is_clock_right(site: Site) -> bool:
    """Return whether something may be deleted by this machine's clock; the log says why not."""
    now = site.now()
    try:
        state = await site.store.run(lambda c: look(c, now))
    except RedoubleError as error:
        _log.error("the clock can't be checked, so nothing is deleted: %s", error)
        return False
    if not CLOCK.possible:
        _log.error("this machine's clock is wrong: set it. Nothing is deleted until then")
        return False
    if state.settles is None:
        return True
    if state.step:
        way, days = ("ahead", state.step) if state.step > 0 else ("back", -state.step)
        _log.warning("the clock has gone %s by %d days, to %s", way, days // DAY, in_utc(now))
    _log.warning(
        "nothing is deleted before %s, because the clock was set: set it right, or if it is right, "
        "run 'redouble admin clock --trust'",
        in_utc(state.settles),
    )
    return False


async def prune(site: Site, now: float) -> Pruned:
    """Delete what is due. A table that is used meanwhile stays."""
    due = _due(site.limits, now)
    gone = 0
    while tokens := await site.store.run(lambda c: _tokens(c, due)):
        deleted = await site.tables.rewrite(tokens, partial(_drop, due=due, tokens=tokens))
        gone += deleted
        if deleted < len(tokens):
            break
    await site.store.run(lambda c: _drop_expired(c, now))
    _drop_copies(site.store.database.folder, now)
    guests = 0
    while found := await site.store.run(lambda c: _drop_guests(c, site.limits, now)):
        guests += found
    return Pruned(gone, guests)


def _due(limits: Limits, now: float) -> sa.ColumnElement[bool]:
    """Return the condition for tables whose time has come."""

    def unchanged(days: int) -> sa.ColumnElement[bool]:
        return tables.c.changed < now - days * DAY

    someone = sa.select(seats.c.seat).where(
        seats.c.token == tables.c.token, sa.or_(seats.c.person.is_not(None), seats.c.bot == "")
    )
    return sa.or_(
        sa.and_(tables.c.status == "waiting", unchanged(limits.waiting_table_days)),
        sa.and_(tables.c.status == "playing", unchanged(limits.unfinished_table_days)),
        sa.and_(unchanged(limits.bot_table_days), ~someone.exists()),
    )


def _tokens(connection: sa.Connection, due: sa.ColumnElement[bool]) -> list[str]:
    found = connection.execute(sa.select(tables.c.token).where(due).limit(BATCH))
    return [row.token for row in found]


def _drop(connection: sa.Connection, due: sa.ColumnElement[bool], tokens: Sequence[str]) -> int:
    dropped = sa.delete(tables).where(tables.c.token.in_(tokens), due)
    return connection.execute(dropped).rowcount


def _drop_copies(folder: Path | None, now: float) -> None:
    """Delete old copies from before updates, since they have what people have deleted meanwhile."""
    for copy in folder.glob(f"{BEFORE_UPDATE}*") if folder else ():
        if copy.stat().st_mtime < now - COPY_DAYS * DAY:
            shutil.rmtree(copy, ignore_errors=True)


def _drop_expired(connection: sa.Connection, now: float) -> None:
    sessions.drop_idle(connection, now)
    notices.drop_old(connection, now)
    repeats.drop_old(connection, now)
    friends.drop_old(connection, now)
    circles.drop_old(connection, now)
    evenings.drop_old(connection, now)
    letters.drop_old(connection, now)
    passkeys.drop_old(connection, now)
    addresses.drop_unconfirmed(connection, now)
    reports.drop_old(connection, now)
    sanctions.drop_old(connection, now)


def _drop_guests(connection: sa.Connection, limits: Limits, now: float) -> int:
    """Delete guests of whom nothing is stored but their name, and return how many."""
    connection.execute(sa.delete(codes).where(codes.c.until <= now))
    kept = [
        sa.select(column).where(column == people.c.id).exists()
        for column in (
            seats.c.person,
            tables.c.host,
            results.c.person,
            records.c.person,
            dailies.c.person,
            codes.c.person,
            friendships.c.asker,
            friendships.c.asked,
            circle_members.c.person,
        )
    ]
    old = people.c.created < now - limits.guest_days * DAY
    due = sa.select(people.c.id).where(old, ~sa.or_(*kept)).limit(BATCH)
    return connection.execute(sa.delete(people).where(people.c.id.in_(due))).rowcount
