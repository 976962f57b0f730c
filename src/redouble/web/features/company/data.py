"""What becomes of mutes, reports and what the operator has decided."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.features.company import reports as report_rows
from redouble.web.features.company import sanctions as sanction_rows
from redouble.web.features.company.reports import reports
from redouble.web.features.company.sanctions import sanctions
from redouble.web.people.mutes import is_wary
from redouble.web.store.clock import DAY
from redouble.web.store.schema import mutes, people, wary

DATA = personal.PersonalData(
    tables=(mutes, wary, reports, sanctions),
    adopt=personal.in_turn(
        personal.moved_once(mutes.c.person, mutes.c.muted),
        personal.moved_once(reports.c.reporter, reports.c.reported),
        personal.moved_if_none(wary.c.person),
        sanction_rows.adopt,
    ),
    forget=personal.by_foreign_key,
    export={
        "muted": personal.listed(
            personal.found_by(
                sa.select(people.c.name, mutes.c.blocks.label("blocked"))
                .join(mutes, mutes.c.muted == people.c.id)
                .order_by(sa.func.lower(people.c.name)),
                mutes.c.person,
            )
        ),
        "no_chat_with_strangers": lambda c, owner: is_wary(c, owner.id),
        "reports": personal.listed(
            personal.found_by(
                sa.select(people.c.name, reports.c.token, reports.c.why, reports.c.at)
                .join(people, people.c.id == reports.c.reported)
                .order_by(reports.c.at),
                reports.c.reporter,
            ),
            "at",
        ),
        "operator": personal.listed(
            personal.found_by(sa.select(sanctions), sanctions.c.person), "at", "until"
        ),
    },
    expire=personal.in_turn(
        personal.older_than(reports.c.at, report_rows.KEPT_DAYS * DAY), sanction_rows.drop_old
    ),
    keeps=(
        sa.select(sanctions.c.person),  # a banned guest can't become a new one by waiting
        sa.select(mutes.c.person),
        sa.select(wary.c.person),
    ),
    privacy=(
        personal.Stored(
            "Your reports of other players, with the place in the game's chat; and those "
            "of you, which only the operator sees",
            f"{report_rows.KEPT_DAYS} days, or until you delete your data; a report of you stays "
            "without your name, with what you wrote before it",
        ),
        personal.Stored(
            "Which players you have muted or blocked, and whether you have no chat with strangers",
            "until you change it, or either of you deletes their data",
        ),
        personal.Stored(
            "That the operator has warned, muted or banned you, the reason, and your appeal",
            f"until it ends or is lifted, a warning {sanction_rows.WARNING_DAYS} days; or "
            f"{personal.UNTIL_DELETED}",
        ),
    ),
    sessions=(),
)
