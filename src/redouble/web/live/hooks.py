"""What features want to know of tables and people, and have a say in."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from redouble.web.people.mutes import Pairs
from redouble.web.people.profiles import Points
from redouble.web.table import Entry, Header, Table


def _nothing(connection: sa.Connection, *about: object) -> None:
    """Note nothing, and forbid nothing."""


def _as_it_is(connection: sa.Connection, header: Header) -> Header:
    return header


def _not_yet(connection: sa.Connection, table: Table, person: str) -> bool:
    return False


@dataclass(frozen=True)
class Hooks:
    """Jobs of a feature for the transactions that change tables."""

    written: Callable[[sa.Connection, Table, Sequence[Entry]], None] = _nothing
    """Note what was just written to a table's log."""
    ended: Callable[[sa.Connection, Table], None] = _nothing
    """Note that a game has ended, whenever its table is written."""
    admit: Callable[[sa.Connection, Header, Collection[str]], None] = _nothing
    """Raise :class:`NotYours` unless all these people may have seats at a table."""
    made: Callable[[sa.Connection, Header], Header] = _as_it_is
    """Return the header of a new table as it is made."""
    again: Callable[[sa.Connection, Header], Header] = _as_it_is
    """Return the header of a rematch, which is to be made."""
    asked: Callable[[sa.Connection, Header, str, Collection[str]], None] = _nothing
    """Note that a person asks these people to join a rematch."""
    hinted: Callable[[sa.Connection, str, int], None] = _nothing
    """Note that a seat at a table was given a hint in a game with other people."""
    planned: Callable[[sa.Connection, Table, str], bool] = _not_yet
    """Return whether the next move of a person at a table is decided, and they needn't come."""
    signed_out: Callable[[sa.Connection, str], None] = _nothing
    """Note that sessions of a person have ended."""
    friends: Pairs | None = None
    """Select who of some people are friends."""
    points: Points | None = None
    """Select a person's rating in a game, from the columns of another query."""
