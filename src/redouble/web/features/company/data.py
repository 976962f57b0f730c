"""What becomes of mutes, reports and what the operator has decided."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.company import reports as report_rows
from redouble.web.features.company import sanctions as sanction_rows
from redouble.web.people import mutes as mute_rows
from redouble.web.personal import (
    UNTIL_DELETED,
    Owner,
    PersonalData,
    Stored,
    by_foreign_key,
    moved_once,
    read_rows,
)
from redouble.web.store.schema import mutes, reports, sanctions


def _adopt(connection: sa.Connection, guest: str, person: str) -> None:
    moved_once(mutes.c.person, mutes.c.muted)(connection, guest, person)
    moved_once(reports.c.reporter, reports.c.reported)(connection, guest, person)
    sanction_rows.adopt(connection, guest, person)


def _muted(connection: sa.Connection, owner: Owner) -> object:
    return [{"name": one.name} for one in mute_rows.muted_by(connection, owner.id)]


def _reports(connection: sa.Connection, owner: Owner) -> object:
    return read_rows(report_rows.reports_by(connection, owner.id), "at")


def _sanctions(connection: sa.Connection, owner: Owner) -> object:
    return read_rows(sanction_rows.exported(connection, owner.id), "at", "until")


def _expire(connection: sa.Connection, now: float) -> None:
    report_rows.drop_old(connection, now)
    sanction_rows.drop_old(connection, now)


DATA = PersonalData(
    tables=(mutes, reports, sanctions),
    adopt=_adopt,
    forget=by_foreign_key,
    export={"muted": _muted, "reports": _reports, "operator": _sanctions},
    expire=_expire,
    keeps=(
        sa.select(sanctions.c.person),  # a banned guest can't become a new one by waiting
        sa.select(mutes.c.person),
    ),
    privacy=(
        Stored(
            "Your reports of other players, with the place in the game's chat; and those "
            "of you, which only the operator sees",
            f"{report_rows.KEPT_DAYS} days, and no longer than the game; deleted with the data of "
            "either player",
        ),
        Stored(
            "Which players you have muted",
            "until you unmute them, or either of you deletes their data",
        ),
        Stored(
            "That the operator has warned, muted or banned you, the reason, and your appeal",
            f"until it ends or is lifted, a warning {sanction_rows.WARNING_DAYS} days; or "
            f"{UNTIL_DELETED}",
        ),
    ),
    sessions=(),
)
