"""What is checked before several acts, and what needs the consent of all other players."""

from dataclasses import replace

from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.table.parts import Request
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
    if table.deserted:
        raise Stale("your time has run out: take your seat back first")


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
