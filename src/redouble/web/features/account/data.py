"""What becomes of a person's tables and results, their sessions, and of the person themselves."""

from typing import Any

import sqlalchemy as sa

from redouble.kernel.state import SPECTATOR
from redouble.web import personal
from redouble.web.drawing.board import lines_for
from redouble.web.features.account import identity
from redouble.web.live.lists import known_at
from redouble.web.live.table_rows import stored
from redouble.web.people import repeats, results, sessions
from redouble.web.store.clock import DAY
from redouble.web.store.schema import answers, log, people, seats, tables
from redouble.web.store.schema import results as result_rows
from redouble.web.store.schema import sessions as session_rows
from redouble.web.table import Entry, Header, load
from redouble.web.table.acts.talk import Say


def _devices(connection: sa.Connection, owner: personal.Owner) -> object:
    return [
        {
            "device": one.device,
            "first": personal.as_time(one.begun),
            "last": personal.as_time(one.seen),
        }
        for one in sessions.sessions_of(connection, owner.id)
    ]


def _table_of(stored: tuple[Header, list[Entry]], person: str) -> list[object]:
    """Return a table as a person may know it; nothing if the person has left it.

    Of an unfinished table it contains no more than the person's page shows.
    """
    header, entries = stored
    table = load(header, entries)
    mine = table.seats_of(person)
    if not mine:
        return []
    exported: dict[str, Any] = {
        "token": header.token,
        "game": header.game.name,
        "seats": [seat.name for seat in table.seats],
        "mine": mine,
        "status": table.status,
        "options": dict(header.options),
        "begun": personal.as_time(header.created),
        "changed": personal.as_time(table.changed),
    }
    if control := table.clocks.control:
        zone = table.clocks.zones.get(mine[0], "") or "UTC"
        exported |= {"clock": control.sentences, "zone": zone}
    if not table.over:
        eyes = mine[0] if len(mine) == 1 else SPECTATOR
        heard = [f"{line.name} {line.words}" for line in lines_for(table, eyes)]
        return [exported | {"heard": heard}]
    log = [
        {"at": personal.as_time(at), "seat": event.seat, "kind": event.kind, **event.model_dump()}
        for at, event in ((entry.at, entry.event) for entry in entries)
        if not event.private or event.person == person
    ]
    return [exported | {"record": table.record().to_dict(), "log": log}]


def _said_at(stored: tuple[Header, list[Entry]], person: str) -> list[object]:
    """Return what a person has said at a table."""
    header, entries = stored
    return [
        {"token": header.token, "at": personal.as_time(entry.at), "text": entry.event.text}
        for entry in entries
        if isinstance(entry.event, Say) and entry.event.person == person
    ]


PEOPLE = personal.PersonalData(
    tables=(people, session_rows),
    # The guest's other sessions may be somebody else's.
    adopt=personal.left_behind,
    forget=personal.by_foreign_key,
    export={"devices": _devices},
    expire=sessions.drop_idle,
    keeps=(),
    privacy=(
        personal.Stored(
            "The name that you chose, or the one you were given",
            f"{personal.UNTIL_DELETED}, or stay away for {{account_days}}: we write to your "
            "address 30 days before; {guest_days} if you have left nothing to come back for",
        ),
        personal.Stored(
            "Where you're signed in: the browser and system, such as “Firefox on "
            "Windows”, and when each was first and last used",
            f"until you sign out there, or {sessions.SESSION_SECONDS // DAY:.0f} days after its "
            "last use",
        ),
    ),
    sessions=(),
)
GAMES = personal.PersonalData(
    tables=(tables, seats, log, result_rows),
    adopt=identity.adopt_tables,
    forget=identity.leave_tables,
    export={
        "tables": personal.OneByOne(known_at, stored, _table_of),
        "results": personal.listed(results.results_of, "at"),
        "said": personal.OneByOne(known_at, stored, _said_at),
    },
    expire=personal.never,
    keeps=(
        sa.select(seats.c.person),
        sa.select(tables.c.host),
        sa.select(result_rows.c.person),
    ),
    privacy=(
        personal.Stored(
            "Games you've finished: players, cards, each move and its time, chat, your result",
            personal.UNTIL_DELETED,
        ),
        personal.Stored(
            "The same for games that aren't finished",
            "{unfinished_table_days} after the last move; {waiting_table_days} if the game hasn't "
            "begun",
        ),
        personal.Stored(
            "Your time zone, at tables where nights or weekends are off; the other "
            "players see when your time runs out, and not where you live",
            "as long as the game",
        ),
        personal.Stored(
            "Games of bots alone",
            "{bot_table_days} after the last move",
        ),
    ),
    sessions=(),
)
ANSWERS = personal.PersonalData(
    tables=(answers,),
    adopt=personal.moved(answers.c.person),
    forget=personal.deleted(answers.c.person),
    export={},
    expire=personal.older_than(answers.c.at, repeats.KEPT_SECONDS),
    keeps=(),
    privacy=(
        personal.Stored(
            "Our latest answers to you, so that a button tapped twice acts once",
            "1 day",
        ),
    ),
    sessions=(),
)
DATA = (ANSWERS, GAMES, PEOPLE)
