"""What people can do at a table: a module for each subject, with its acts and its events.

An *act* is what a person asks for. Its class has the fields that pages and programs post, and says
which events it makes, or what is wrong. An *event* is what the log keeps. Its class has the fields
that are stored, and says how they change the table and how players read of it. Where nothing is
posted besides the act's name, one class is both.

This registry is all that others walk: an act that is in none of these modules doesn't exist.
"""

from typing import Any

from pydantic_core import from_json

from redouble.web.errors import WebError
from redouble.web.table.acts import (
    bots,
    clocks,
    deals,
    pauses,
    play,
    rating,
    rematch,
    seats,
    talk,
    undo,
)
from redouble.web.table.acts.base import Act, Entry, Event, Sender

__all__ = ["ACTS", "EVENTS", "Act", "BrokenLog", "Entry", "Event", "Sender", "read_entry"]

_MODULES = (play, undo, pauses, bots, seats, rating, rematch, clocks, deals, talk)
"""In the order of the documentation."""
_FOUND = [one for module in _MODULES for one in vars(module).values() if isinstance(one, type)]
ACTS = {one.name: one for one in _FOUND if issubclass(one, Act) and hasattr(one, "name")}
"""The classes of acts, by the name that is posted."""
EVENTS = {one.kind: one for one in _FOUND if issubclass(one, Event) and hasattr(one, "kind")}
"""The classes of events, by kind."""


class BrokenLog(WebError):
    """An entry of a stored log that can't be read."""

    status = 404


def read_entry(row: Any) -> Entry:
    """Return the entry of a row of the log. Raises :class:`BrokenLog`."""
    kind = EVENTS.get(row.kind)
    if kind is None:
        raise BrokenLog(f"entry {row.ply} is of an unknown kind, {row.kind!r}")
    try:
        owner = {"seat": row.seat, "person": row.person}
        event = kind.model_validate(from_json(row.payload) | owner)
    except (ValueError, TypeError) as error:
        raise BrokenLog(f"entry {row.ply}: its payload isn't that of {row.kind!r}") from error
    return Entry(row.ply, row.at, event)
