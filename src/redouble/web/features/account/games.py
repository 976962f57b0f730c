"""What a person may know of their tables, for the download of their data."""

from __future__ import annotations

from typing import Any

from redouble.kernel.state import SPECTATOR
from redouble.web.drawing.board import lines_for
from redouble.web.personal import as_time
from redouble.web.table import Entry, Header, load
from redouble.web.table.acts.talk import Say


def table_of(stored: tuple[Header, list[Entry]], person: str) -> list[object]:
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
        "begun": as_time(header.created),
        "changed": as_time(table.changed),
    }
    if control := table.clocks.control:
        zone = table.clocks.zones.get(mine[0], "") or "UTC"
        exported |= {"clock": control.sentences, "zone": zone}
    if not table.over:
        eyes = mine[0] if len(mine) == 1 else SPECTATOR
        lines = lines_for(table, eyes)
        heard = [f"{table.match.names[line.seat]} {line.words}" for line in lines]
        return [exported | {"heard": heard}]
    log = [
        {"at": as_time(at), "seat": event.seat, "kind": event.kind, **event.model_dump()}
        for at, event in ((entry.at, entry.event) for entry in entries)
        if not event.private or event.person == person
    ]
    return [exported | {"record": table.record().to_dict(), "log": log}]


def said_at(stored: tuple[Header, list[Entry]], person: str) -> list[object]:
    """Return what a person has said at a table."""
    header, entries = stored
    return [
        {"token": header.token, "at": as_time(entry.at), "text": entry.event.text}
        for entry in entries
        if isinstance(entry.event, Say) and entry.event.person == person
    ]
