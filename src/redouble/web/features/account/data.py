"""What becomes of a person's tables and results, their sessions, and of the person themselves."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.account import games, identity
from redouble.web.live.lists import known_at
from redouble.web.live.table_rows import stored
from redouble.web.people import repeats, results, sessions
from redouble.web.personal import (
    UNTIL_DELETED,
    OneByOne,
    Owner,
    PersonalData,
    Stored,
    as_time,
    by_foreign_key,
    deleted,
    left_behind,
    listed,
    moved,
    never,
    older_than,
)
from redouble.web.store.clock import DAY
from redouble.web.store.schema import answers, log, people, seats, tables
from redouble.web.store.schema import results as result_rows
from redouble.web.store.schema import sessions as session_rows


def _devices(connection: sa.Connection, owner: Owner) -> object:
    return [
        {"device": one.device, "first": as_time(one.begun), "last": as_time(one.seen)}
        for one in sessions.sessions_of(connection, owner.id)
    ]


PEOPLE = PersonalData(
    tables=(people, session_rows),
    adopt=left_behind,  # whoever else is signed in as the guest isn't the person who signs in
    forget=by_foreign_key,
    export={"devices": _devices},
    expire=sessions.drop_idle,
    keeps=(),
    privacy=(
        Stored(
            "The name that you chose, or the one you were given",
            f"{UNTIL_DELETED}, or stay away for {{account_days}}: we write to your address 30 days "
            "before; {guest_days} if you have left nothing to come back for",
        ),
        Stored(
            "Where you're signed in: the browser and system, such as “Firefox on "
            "Windows”, and when each was first and last used",
            f"until you sign out there, or {sessions.SESSION_SECONDS // DAY:.0f} days after its "
            "last use",
        ),
    ),
    sessions=(),
)
GAMES = PersonalData(
    tables=(tables, seats, log, result_rows),
    adopt=identity.adopt_tables,
    forget=identity.leave_tables,
    export={
        "tables": OneByOne(known_at, stored, games.table_of),
        "results": listed(results.results_of, "at"),
        "said": OneByOne(known_at, stored, games.said_at),
    },
    expire=never,
    keeps=(
        sa.select(seats.c.person),
        sa.select(tables.c.host),
        sa.select(result_rows.c.person),
    ),
    privacy=(
        Stored(
            "Games you've finished: players, cards, each move and its time, chat, your result",
            UNTIL_DELETED,
        ),
        Stored(
            "The same for games that aren't finished",
            "{unfinished_table_days} after the last move; {waiting_table_days} if the game hasn't "
            "begun",
        ),
        Stored(
            "Your time zone, at tables where nights or weekends are off; the other "
            "players see when your time runs out, and not where you live",
            "as long as the game",
        ),
        Stored(
            "Games of bots alone",
            "{bot_table_days} after the last move",
        ),
    ),
    sessions=(),
)
ANSWERS = PersonalData(
    tables=(answers,),
    adopt=moved(answers.c.person),
    forget=deleted(answers.c.person),
    export={},
    expire=older_than(answers.c.at, repeats.KEPT_SECONDS),
    keeps=(),
    privacy=(
        Stored(
            "Our latest answers to you, so that a button tapped twice acts once",
            "1 day",
        ),
    ),
    sessions=(),
)
DATA = (ANSWERS, GAMES, PEOPLE)
