"""What is checked before several acts."""

from __future__ import annotations

from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.table.state import Table

BOT_PLAYS = "a bot plays for you: take your seat back first"


def check_running(table: Table) -> None:
    """Raise :class:`Stale` unless the game is being played."""
    if table.over:
        raise Stale("the game is over")
    if table.waiting:
        why = "seats are open" if table.gathering else "the cards are being dealt"
        raise Stale(f"the game hasn't begun: {why}")
    if table.pause.begun:
        raise Stale("the game is paused: end the pause first")


def check_seat(table: Table, seat: int) -> None:
    """Raise :class:`WebError` if there is no such seat."""
    if not 0 <= seat < len(table.seats):
        names = ", ".join(table.match.names)
        raise WebError(f"there is no such seat at this table: its players are {names}")


def check_owner(table: Table, person: str, seat: int) -> None:
    """Raise :class:`NotYours` unless the seat belongs to this person."""
    check_seat(table, seat)
    if table.seats[seat].person != person:
        raise NotYours(f"{table.seats[seat].name}'s seat isn't yours")


def check_no_bot(table: Table, seat: int) -> None:
    """Raise :class:`NotYours` if a bot plays the seat."""
    if table.seats[seat].bot:
        raise NotYours(BOT_PLAYS)
