"""Deletes what nobody comes back for, after the times that ``docs/hosting.md`` states."""

import asyncio
import logging
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.feature import Letter, MessageKind, features_of
from redouble.web.features.account import account
from redouble.web.limits import Limits
from redouble.web.live import table_rows
from redouble.web.people.people import Person
from redouble.web.personal import kept_by
from redouble.web.site import Service, Site
from redouble.web.store import BEFORE_UPDATE, notices
from redouble.web.store.clock import DAY, look
from redouble.web.store.schema import people, seats, tables

FIRST_SECONDS, EVERY_SECONDS = 60.0, 6 * 3600.0
"""When to tidy up after the start, and how often then."""
BATCH = 200
"""Rows to delete at a time: moves wait for it."""
NOTICE_DAYS = 30
"""Days between the message that a person's data will be deleted and that they are."""
COPY_DAYS = 30
"""Days after which a copy of the database from before an update is deleted."""
_log = logging.getLogger(__name__)


ABSENT = MessageKind(
    name="absent",
    news=sa.select(
        people.c.id.label("person"),
        sa.cast(sa.cast(sa.func.round(people.c.warned), sa.BigInteger), sa.String).label("about"),
        sa.null().label("token"),
        people.c.warned.label("since"),
    ),
    lasts=7 * DAY,
    letter=lambda *_: Letter(
        "You haven't played for a long time",
        f"Come back within {NOTICE_DAYS} days to keep your games and results.",
        "/me",
        by=(),
    ),
)


@dataclass(frozen=True)
class Pruned:
    """What was deleted."""

    tables: int = 0
    guests: int = 0
    accounts: int = 0


class Tidying(Service):
    """Deletes what has expired."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def follow(self) -> None:
        """Delete what is due from time to time, until canceled."""
        try:
            await self._site.store.run(table_rows.settle_versions)
        except RedoubleError as error:
            _log.error("tables of other rules can't be found: %s", error)
        await is_clock_right(self._site)  # the first look comes before anything is stored
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            await tidy(self._site)
            await asyncio.sleep(EVERY_SECONDS)


async def tidy(site: Site) -> None:
    """Delete what is due, unless the clock may be wrong."""
    if not await is_clock_right(site):
        return
    try:
        pruned = await prune(site, site.now())
        if pruned != Pruned():
            deleted = pruned.tables, pruned.guests, pruned.accounts
            _log.info("deleted %d old tables, %d guests and %d unused accounts", *deleted)
    except RedoubleError as error:
        _log.error("old tables and guests can't be deleted: %s", error)


async def is_clock_right(site: Site) -> bool:
    """Return whether something may be deleted by this machine's clock; the log says why not."""
    now = site.now()
    try:
        state = await site.store.run(look, now)
    except RedoubleError as error:
        _log.error("the clock can't be checked, so nothing is deleted: %s", error)
        return False
    if state.words:
        _log.warning(state.words)
    return not state.words


async def prune(site: Site, now: float) -> Pruned:
    """Delete what is due. A table that is used meanwhile stays."""
    due = _due(site.limits, now)
    old, gone = sa.select(tables.c.token).where(due).limit(BATCH), 0
    while tokens := await site.store.run(lambda c: c.execute(old).scalars().all()):
        dropped = sa.delete(tables).where(tables.c.token.in_(tokens), due)
        deleted = await site.tables.rewrite(tokens, partial(_rows_of, change=dropped))
        gone += deleted
        if deleted < len(tokens):
            break

    def expire(connection: sa.Connection) -> None:
        notices.drop_old(connection, now)
        for one in features_of(site).data:
            one.expire(connection, now)

    await site.store.run(expire)
    _drop_copies(site.store.database.folder, now)
    guests = 0
    while found := await site.store.run(_drop_guests, site, now):
        guests += found
    return Pruned(gone, guests, await _drop_accounts(site, now))


def _rows_of(connection: sa.Connection, change: sa.Delete) -> int:
    return connection.execute(change).rowcount


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


def _drop_copies(folder: Path | None, now: float) -> None:
    """Delete old copies from before updates, since they have what people have deleted meanwhile."""
    for copy in folder.glob(f"{BEFORE_UPDATE}*") if folder else ():
        if copy.stat().st_mtime < now - COPY_DAYS * DAY:
            shutil.rmtree(copy, ignore_errors=True)


def _drop_guests(connection: sa.Connection, site: Site, now: float) -> int:
    """Delete guests who have been away long and of whom nothing is kept; return how many."""
    away = people.c.seen < now - site.limits.guest_days * DAY
    due = sa.select(people.c.id).where(away, ~sa.or_(*kept_by(features_of(site).data))).limit(BATCH)
    return connection.execute(sa.delete(people).where(people.c.id.in_(due))).rowcount


async def _drop_accounts(site: Site, now: float) -> int:
    """Delete the data of people who have been away for years, some time after telling them."""
    last = now - (site.limits.account_days - NOTICE_DAYS) * DAY
    told = sa.and_(people.c.warned > people.c.seen, people.c.warned <= now - NOTICE_DAYS * DAY)
    unaware = sa.or_(people.c.warned.is_(None), people.c.warned <= people.c.seen)
    away = sa.select(people.c.id, people.c.name).where(people.c.seen < last).limit(BATCH)
    gone = 0
    for row in await site.store.run(lambda c: c.execute(away.where(told)).all()):
        person = Person(row.id, row.name)
        await account.forget(site.store, site.tables, person, features_of(site).data)
        gone += 1

    def warn(connection: sa.Connection) -> None:
        for person in connection.execute(away.where(unaware)).scalars().all():
            connection.execute(sa.update(people).filter_by(id=person).values(warned=now))

    await site.store.run(warn)
    return gone
