"""The time, and whether it can be believed.

Machines start with wrong clocks: years ahead, or in 1970. What is deleted because of its age would
be lost, so the database keeps the newest time that its servers have seen. After a step that no
pause explains, nothing is deleted until the clock has gone on without another one for
``SETTLING_SECONDS``, or until the operator says that it is right. Everything else goes on, and
players don't lose the time of the step. Durations are measured with ``time.monotonic``, which is
never set.
"""

import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from redouble.web.store.database import insert_first
from redouble.web.store.schema import clock, people, sessions, tables

DAY = 24 * 3600.0
EARLIEST = datetime(2024, 1, 1, tzinfo=UTC).timestamp()
"""An earlier time is wrong for certain: it is what machines without a battery start with."""
MAX_STEP_SECONDS = 7 * DAY
"""A longer step, in either direction, is implausible. A server may have been off for less."""
SETTLING_SECONDS = 30 * DAY
"""How long the clock has to go on after an implausible step until it is believed again."""
_log = logging.getLogger(__name__)


class Clock:
    """The machine's clock, as far as it can be right."""

    def __init__(self) -> None:
        self._stored, self._since = EARLIEST, time.monotonic()

    def now(self) -> float:
        """Return the time in seconds since 1970.

        While the machine says that it is before ``EARLIEST``, the time goes on from the last one
        that was stored.
        """
        wall = time.time()
        return wall if wall >= EARLIEST else self._stored + time.monotonic() - self._since

    @property
    def possible(self) -> bool:
        """Whether the machine says a time that can be right."""
        return time.time() >= EARLIEST

    def start(self, stored: float) -> None:
        """Start from the newest time of a database that was opened."""
        self._stored, self._since = max(EARLIEST, stored), time.monotonic()


CLOCK = Clock()
"""The clock that everything here reads."""


def in_utc(seconds: float) -> str:
    """Return a time as people read it."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


@dataclass(frozen=True)
class ClockState:
    """What a database knows about the clock."""

    seen: float
    """The newest time that a server has seen."""
    stepped: float | None
    """The time after the last implausible step; None if the clock can be believed."""

    @property
    def settles(self) -> float | None:
        """When the clock is believed again; None if it is."""
        return None if self.stepped is None else self.stepped + SETTLING_SECONDS

    @property
    def words(self) -> str:
        """What pauses because of the clock; empty if nothing does."""
        if not CLOCK.possible:
            return "nothing is deleted because of its age: set this machine's clock, which is wrong"
        if self.settles is None:
            return ""
        return (
            f"nothing is deleted because of its age before {in_utc(self.settles)}, because the "
            "server was off for more than a week or its clock was set: if the clock is right, run "
            "'redouble admin clock --trust'"
        )


def stored_state(connection: sa.Connection) -> ClockState | None:
    """Return what is known about the clock; None in a database without a time."""
    row = connection.execute(sa.select(clock)).one_or_none()
    if row is not None:
        return ClockState(row.seen, row.stepped)
    # Earlier versions didn't keep it.
    times = (tables.c.changed, sessions.c.seen, people.c.created)
    found = [connection.execute(sa.select(sa.func.max(one))).scalar() for one in times]
    known = [at for at in found if at is not None]
    return ClockState(max(known), None) if known else None


def look(connection: sa.Connection, now: float) -> ClockState:
    """Compare a time with the newest one that was seen, and keep it. A job for the store."""
    before = stored_state(connection) or ClockState(now, None)
    step, stepped = now - before.seen, before.stepped
    if abs(step) > MAX_STEP_SECONDS:
        stepped, way = now, "ahead" if step > 0 else "back"
        _log.warning("the clock has gone %s by %d days, to %s", way, abs(step) // DAY, in_utc(now))
    elif stepped is not None and now - stepped >= SETTLING_SECONDS:
        stepped = None
    _keep(connection, now, stepped)
    return ClockState(now, stepped)


def state_at(connection: sa.Connection, now: float) -> ClockState:
    """Return what is known about the clock, with an implausible step. A job for the store."""
    known = stored_state(connection)
    if known is not None and abs(now - known.seen) <= MAX_STEP_SECONDS:
        return known
    return look(connection, now)


def trust(connection: sa.Connection, now: float) -> None:
    """Believe the clock from now on. A job for the store."""
    _keep(connection, now, None)


def _keep(connection: sa.Connection, seen: float, stepped: float | None) -> None:
    values = {"seen": seen, "stepped": stepped}
    if not connection.execute(sa.update(clock).values(values)).rowcount:
        insert_first(connection, clock, {"number": 1, **values})
