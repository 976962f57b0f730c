"""Bots: they take open seats, stand in for players who are away, and play on for others."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from redouble.bots import BOTS
from redouble.bots.levels import USUAL_LEVEL
from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.table.acts.base import Act, Event, Level, LoggedAct, SeatNumber, Sender
from redouble.web.table.acts.checks import check_seat
from redouble.web.table.pace import USUAL_PACE, check_pace
from redouble.web.table.parts import TABLE
from redouble.web.table.state import Table

Pace = Annotated[str, Field(max_length=40, examples=[USUAL_PACE])]


class Resign(Event):
    """A person gives up; a bot plays the seat to the end."""

    kind = "resign"
    changes_seats = ends_undo_request = allowed_when_full = noted = True

    level: str

    def told(self, table: Table) -> str:
        if table.alone:
            return "gives up"
        others = [seat for i, seat in enumerate(table.seats) if seat.person and i != self.seat]
        if all(seat.resigned for seat in others):
            return "resigns"  # and nobody is left to play on for
        return f"resigns; a bot ({self.level}) takes over"

    def change(self, table: Table) -> None:
        table.seats[self.seat] = replace(table.seats[self.seat], bot=self.level, resigned=True)


class Resigning(Act):
    """The bot that takes over for you."""

    name, summary = "resign", "Resign"
    about = "A bot plays your seats to the end."

    level: Level = USUAL_LEVEL

    def events(self, table: Table, sender: Sender) -> list[Event]:
        if table.over:
            raise WebError("the game is over")
        if table.gathering:
            raise WebError("the game hasn't begun: leave the table instead")
        BOTS[self.level]
        mine = [i for i in table.seats_of(sender.id) if not table.seats[i].resigned]
        if not mine:
            raise NotYours("you aren't playing at this table")
        return [Resign(seat=seat, level=self.level) for seat in mine]


class HandOver(Event):
    """A bot takes a seat."""

    kind = "bot"
    changes_seats = ends_undo_request = noted = True

    level: str

    def told(self, table: Table) -> str:
        if table.seats[self.seat].person:
            return f"is away; a bot ({self.level}) takes over"
        return f"is a bot ({self.level}) now"

    def change(self, table: Table) -> None:
        table.seats[self.seat] = replace(table.seats[self.seat], bot=self.level)


class BotSeat(Act):
    """A seat for a bot."""

    name, summary = "bot", "Let a bot play a seat"
    about = "Give an open seat, the seat of a player who is away, or your own seat to a bot."

    seat: SeatNumber
    level: Level = USUAL_LEVEL

    def events(self, table: Table, sender: Sender) -> list[Event]:
        BOTS[self.level]
        check_seat(table, self.seat)
        seat = table.seats[self.seat]
        if table.header.daily:
            raise WebError("no bot can play a daily deal for you: continue later, or give up")
        if table.header.evening and seat.person == sender.id:
            raise WebError("no bot can play this deal for you: continue later, or give up")
        if table.over:
            raise WebError("the game is over")
        _check_plays(table, sender, "give a seat to a bot")
        if seat.bot:
            raise Stale(f"a bot already plays for {seat.name}")
        if seat.open and table.for_anyone and table.others(sender.id):
            raise NotYours("others are waiting at this table: ask all of them to begin with bots")
        if seat.person not in (None, sender.id):
            if self.seat not in sender.absent:
                raise NotYours(f"{seat.name} is at the table and plays this seat")
            if table.waits_for_the_absent:
                raise NotYours(f"{seat.name} still has time: the clock decides")
            if not table.waiting and table.turn != self.seat:
                raise NotYours(f"it isn't {seat.name}'s turn: a bot can play when it is")
        return [HandOver(seat=self.seat, level=self.level)]


class WantBots(Event):
    """A person who waits at a public table agrees to bots at the open seats."""

    kind = "want-bots"
    words = "would begin with bots"

    def change(self, table: Table) -> None:
        table.want_bots |= {self.seat}


class Filling(Act):
    """Bots for all open seats."""

    name, operation, summary = "fill", "fill_seats", "Let bots take the open seats"
    about = """The game begins. At a public table it begins when all who wait there have asked for
    it, and people can have these seats in the next game.
    """

    level: Level = USUAL_LEVEL

    def events(self, table: Table, sender: Sender) -> list[Event]:
        BOTS[self.level]
        mine = sender.seats(table)
        if not table.gathering:
            raise Stale("every seat is taken")
        if table.for_anyone and table.asks_about_bots - {*mine}:
            if table.want_bots.issuperset(mine):
                raise Stale("the others are asked, too: wait for their answer")
            return [WantBots(seat=seat) for seat in mine]
        free = [i for i, seat in enumerate(table.seats) if seat.open]
        return [HandOver(seat=seat, level=self.level) for seat in free]


class Return(LoggedAct):
    """Seats that people take back from the bots that stood in for them."""

    kind = name = "back"
    summary = "Take your seats back"
    words = "is back"
    changes_seats = noted = True

    def events(self, table: Table, sender: Sender) -> list[Event]:
        missing = table.hands.missing if table.deserted else ()
        mine = [i for i in sender.seats(table) if table.seats[i].stand_in or i in missing]
        if not mine or table.over:
            raise Stale("no bot plays for you")
        return self.at(*[i for i in mine if not table.seats[i].resigned])

    def change(self, table: Table) -> None:
        table.seats[self.seat] = replace(table.seats[self.seat], bot="")
        table.hands.missing -= {self.seat}


class SetPace(Event):
    """The bots play at another pace."""

    kind = "pace"

    pace: str

    def change(self, table: Table) -> None:
        table.pace = self.pace


class NewPace(Act):
    """How long bots take for a move."""

    name, operation, summary = "pace", "set_pace", "Set the pace of the bots"

    pace: Pace

    def events(self, table: Table, sender: Sender) -> list[Event]:
        check_pace(self.pace)
        _check_plays(table, sender, "change the pace of the bots")
        return [SetPace(seat=TABLE, pace=self.pace)] if self.pace != table.pace else []


def _check_plays(table: Table, sender: Sender, what: str) -> None:
    if not table.seats_of(sender.id) and sender.id != table.header.host:
        raise NotYours(f"only players can {what}")
