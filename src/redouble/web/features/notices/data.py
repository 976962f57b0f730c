"""What becomes of addresses, of what people want to be notified of, and of calendars."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.features.notices import addresses as address_rows
from redouble.web.features.notices import letters as letter_rows
from redouble.web.features.notices import wishes as wish_rows
from redouble.web.features.notices.addresses import addresses
from redouble.web.features.notices.calendars import calendar_of, calendars
from redouble.web.features.notices.letters import letters
from redouble.web.features.notices.wishes import wishes


def _addresses(connection: sa.Connection, owner: personal.Owner) -> object:
    return [
        {
            "channel": row.channel,
            "confirmed": row.confirmed,
            "address": owner.unseal(row.sealed),
            "since": personal.as_time(row.made),
        }
        for row in address_rows.addresses_of(connection, owner.id)
    ]


def _calendar(connection: sa.Connection, owner: personal.Owner) -> object:
    calendar = calendar_of(connection, owner.id)
    return calendar and {"daily": calendar.daily}


DATA = personal.PersonalData(
    tables=(addresses, wishes, letters, calendars),
    adopt=personal.in_turn(
        personal.moved_if_none(calendars.c.person),
        *(rows.adopt for rows in (address_rows, wish_rows, letter_rows)),
    ),
    forget=personal.by_foreign_key,
    export={
        "addresses": _addresses,
        "wishes": lambda c, owner: vars(wish_rows.wishes_of(c, owner.id)),
        "calendar": _calendar,
        "messages": personal.listed(
            personal.found_by(
                sa.select(letters.c.kind, letters.c.token, letters.c.made)
                .where(letters.c.address.is_not(None))
                .order_by(letters.c.made),
                letters.c.person,
            ),
            "made",
        ),
    },
    expire=personal.in_turn(
        personal.older_than(letters.c.made, letter_rows.KEPT_SECONDS), address_rows.drop_unconfirmed
    ),
    keeps=(
        sa.select(addresses.c.person).where(addresses.c.confirmed),
        sa.select(calendars.c.person),
    ),
    privacy=(
        personal.Stored(
            "If you asked for messages: the address that your browser gave for them, and "
            "the one that you chose, encrypted. The maker of your browser delivers them "
            "and can't read them; the service of an address that you chose can",
            "until you stop them, sign out of that browser or delete your data",
            on_servers=True,
        ),
        personal.Stored(
            "Which notifications you want and when, and your time zone",
            personal.UNTIL_DELETED,
            on_servers=True,
        ),
        personal.Stored(
            "The secret link of your calendar, if you made one",
            "until you remove it, or delete your data",
            on_servers=True,
        ),
        personal.Stored(
            "Which notifications we sent (not their text), to avoid duplicates",
            "30 days",
            on_servers=True,
        ),
    ),
    sessions=(addresses.c.session,),
)
