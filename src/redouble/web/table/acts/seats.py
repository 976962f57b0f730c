"""Seats: people take them, leave them, lose them, and claim them from another browser."""

from collections import deque
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.table.acts.base import Act, Event, LoggedAct, SeatNumber, Sender
from redouble.web.table.acts.checks import check_seat
from redouble.web.table.acts.clocks import in_zone
from redouble.web.table.acts.deals import note_share, part_in_deal
from redouble.web.table.seats import Seat, open_seat
from redouble.web.table.state import MAX_LINES, Table
from redouble.web.table.wordlist import WORDS


class Sit(Event):
    """A person takes an open seat."""

    kind = "sit"
    words = "sits down"
    changes_seats = allowed_when_full = True

    name: str

    def subject(self, table: Table) -> str:
        return self.name

    def change(self, table: Table) -> None:
        _seat(table, self.seat, Seat(self.name, self.person))

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"name": name})


class Leave(LoggedAct):
    """The end of a person's part in a table that waits; their seats are open again."""

    kind = name = "leave"
    summary = "Leave a table that still waits"
    words = "leaves the table"
    changes_seats = opens_seat = True

    def events(self, table: Table, sender: Sender) -> list[Event]:
        if not table.gathering:
            raise WebError("the game has begun: resign, or let a bot play for you")
        return self.at(*sender.seats(table))

    def change(self, table: Table) -> None:
        _open(table, self)


class Free(Event):
    """The host frees a seat at a table that still waits."""

    kind = "free"
    words = "loses the seat: the host has freed it"
    changes_seats = opens_seat = True

    def change(self, table: Table) -> None:
        _open(table, self)


class Freeing(Act):
    """A seat to free."""

    name, operation, summary = "free", "free_seat", "Free a seat"
    about = """Free the seat of a player or bot at a table that still waits. Only the host can, or
    else the player who has been there longest: see `host`.
    """

    seat: SeatNumber

    def events(self, table: Table, sender: Sender) -> list[Event]:
        if not table.gathering:
            raise WebError("the game has begun: let a bot play for a player who is away")
        check_seat(table, self.seat)
        sender.check_hosts()
        if table.seats[self.seat].open:
            raise Stale("that seat is free already")
        if table.seats[self.seat].person == sender.id:
            raise WebError("this seat is yours: leave the table instead")
        return [Free(seat=self.seat)]


class Claim(Event):
    """A person says that a seat is theirs already, taken in another browser."""

    kind = "claim"
    words = "asks to play from another browser"

    def change(self, table: Table) -> None:
        assert self.person is not None
        table.claims.asked[self.seat] = self.person


class Claiming(Act):
    """A seat that is yours already, taken with another token or in a browser."""

    name, operation, summary = "claim", "claim_seat", "Ask for a seat that is yours"
    about = "You get it when the host agrees. Only while the table waits."

    seat: SeatNumber
    invite: Annotated[str, Field(max_length=64)]
    """The table's invitation, which spectators don't have."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        if self.invite != table.header.invite:
            raise NotYours("only who has the invitation can ask for a seat")
        check_seat(table, self.seat)
        person, asked, seat = sender.id, table.claims.asked, table.seats[self.seat]
        if table.seats_of(person):
            raise WebError("you already have a seat at this table")
        _check_waits(table)
        if seat.person is None:
            raise WebError(f"nobody plays as {seat.name}: take an open seat")
        if asked.get(self.seat) == person:
            return []
        if (self.seat, person) in table.claims.denied:
            raise NotYours(f"the host says that you aren't {seat.name}")
        if self.seat in asked:
            raise Stale(f"another browser asks to play as {seat.name}: wait for the host's answer")
        if person in asked.values():
            raise Stale("you have asked for another seat: wait for the host's answer")
        return [Claim(seat=self.seat, person=person)]


class Admit(Event):
    """The person who has claimed a seat gets it."""

    kind = "admit"
    words = "plays from another browser now"
    changes_seats = ends_undo_request = noted = True

    def change(self, table: Table) -> None:
        asked = table.claims.asked
        table.claims.asked = {at: who for at, who in asked.items() if who != self.person}
        if not table.dealt:  # the share that the other browser has promised stays there
            table.shares.pop(self.seat, None)
        _seat(table, self.seat, replace(table.seats[self.seat], person=self.person, bot=""))


class Admitting(Act):
    """A claimed seat, to hand over."""

    name, summary = "admit", "Agree to a claim"
    about = "Give a seat to the person who says that it is theirs. Only the host can: see `host`."

    seat: SeatNumber

    def events(self, table: Table, sender: Sender) -> list[Event]:
        """Nobody gets another player's cards: the host can't know who asks."""
        _check_claimed(table, self.seat, sender)
        _check_waits(table)
        return [Admit(seat=self.seat, person=table.claims.asked[self.seat])]


class Deny(Event):
    """The person who has claimed a seat doesn't get it."""

    kind = "deny"
    words = "isn't let in from another browser"

    def change(self, table: Table) -> None:
        table.claims.denied |= {(self.seat, table.claims.asked.pop(self.seat))}


class Denying(Act):
    """A claimed seat, to keep."""

    name, summary = "deny", "Refuse a claim"
    about = "Only the host can: see `host`."

    seat: SeatNumber

    def events(self, table: Table, sender: Sender) -> list[Event]:
        _check_claimed(table, self.seat, sender)
        return [Deny(seat=self.seat)]


def sit(
    table: Table,
    person: str,
    name: str,
    seat: int | None = None,
    share: str = "",
    promise: str = "",
    zone: str = "",
    now: float = 0.0,
) -> list[Event]:
    """Take an open seat, by default the first. Raises :class:`Stale` when it is taken.

    ``now`` is the time in seconds since 1970: for a while a rematch keeps the seats of its players.

    If the deal waits for shares, a player can give a share at once or promise one. The time
    ``zone`` is noted where nights or weekends are off.
    """
    if table.seats_of(person):
        raise WebError("you already have a seat at this table")
    WORDS.check_name(name)
    if table.closed:
        raise WebError("this table was closed: start another one")
    free = table.open_to(person, now)
    if not free and table.gathering:
        raise NotYours("the open seats are kept for the last game's players: try again in a minute")
    if not free:
        raise Stale("every seat at this table is taken; you can watch")
    if seat is None:
        seat = free[0]
    if seat not in free:
        raise Stale("that seat is taken: choose another")
    sits = Sit(seat=seat, person=person, name=table.unique_name(name, seat))
    # First, so that the clock that starts when the last seat is taken runs in its zone.
    zoned = in_zone(table.clocks.control, seat, person, zone)
    part = None if table.dealt else part_in_deal(seat, share, promise)
    return [*zoned, sits, part] if part else [*zoned, sits]


def _check_waits(table: Table) -> None:
    """Refuse claims once a game has begun: then only a person's own devices share their seat."""
    if not table.gathering:
        raise NotYours(
            "the game has begun, so seats no longer change hands: link this browser to the other "
            "one, with a code from Your page there"
        )


def _check_claimed(table: Table, seat: int, host: Sender) -> None:
    check_seat(table, seat)
    host.check_hosts()
    if seat not in table.claims.asked:
        raise Stale("the request for this seat is no longer open: reload the page")


def _open(table: Table, event: Event) -> None:
    """Open a seat. Nothing that was said or logged of it stays: the next person didn't do it."""
    left = event.seat
    table.claims.asked.pop(left, None)
    table.talk.forget(left)
    table.lines = deque((line for line in table.lines if line.seat != left), maxlen=MAX_LINES)
    table.unguided -= {left}
    table.want_bots -= {left}
    table.clocks = table.clocks.in_zone(left, "")
    note_share(table.shares, event)
    _seat(table, left, Seat(table.unique_name(open_seat(left), left)))


def _seat(table: Table, number: int, seat: Seat) -> None:
    if seat.person:
        table.kept.pop(number, None)
    table.seats[number] = seat
    table.match.names = tuple(one.name for one in table.seats)
