"""What needs the consent of all other players: a pause, or an undo."""

from __future__ import annotations

from dataclasses import replace

from redouble.web.errors import NotYours, Stale
from redouble.web.table.parts import Request
from redouble.web.table.state import Table


def check_can_agree(table: Table, request: Request, person: str) -> None:
    """Raise :class:`NotYours` for the asker, and :class:`Stale` for those who have agreed."""
    if can_withdraw(table, request, person):
        raise NotYours("the other players have to agree; you can withdraw your request")
    if person in request.agreed:
        raise Stale("you have already agreed: wait for the others")


def can_agree(table: Table, request: Request | None, person: str) -> bool:
    """Return whether somebody else's request waits for a person's consent."""
    own = can_withdraw(table, request, person)
    return request is not None and not own and person not in request.agreed


def can_withdraw(table: Table, request: Request | None, person: str) -> bool:
    """Return whether a request is a person's own."""
    return request is not None and table.seats[request.seat].person == person


def agreed(table: Table, request: Request | None, seat: int) -> Request:
    """Return the request with the consent of the person at a seat."""
    person = table.seats[seat].person
    assert request is not None
    assert person is not None
    return replace(request, agreed=request.agreed | {person})


def all_agree(table: Table, request: Request) -> bool:
    """Return whether everyone else has agreed."""
    return table.others(table.seats[request.seat].person) <= request.agreed


def asks(request: Request | None, seat: int) -> bool:
    """Return whether it is this seat's request."""
    return request is not None and request.seat == seat
