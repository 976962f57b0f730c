"""The next game of the same players, and of those who want to join them."""

from collections.abc import Mapping

from redouble.web.errors import Stale, WebError
from redouble.web.table.acts.base import Act, Event, LoggedAct, Sender
from redouble.web.table.acts.clocks import in_zone
from redouble.web.table.acts.deals import part_in_deal
from redouble.web.table.acts.seats import Sit
from redouble.web.table.parts import TABLE, KeptSeat
from redouble.web.table.state import Table
from redouble.web.table.wordlist import WORDS


class Rematch(Event):
    """The same players continue at another table, which this seat has asked for."""

    kind = "rematch"
    allowed_when_full = True

    token: str

    def change(self, table: Table) -> None:
        table.next.token, table.next.by = self.token, self.seat


class Keep(Event):
    """A seat at the table of a rematch waits for the person who had it in the game before."""

    kind = "keep"
    allowed_when_full = True

    name: str

    def told(self, table: Table) -> str:
        return "is asked to play again" if self.name else ""

    def subject(self, table: Table) -> str:
        return self.name

    def change(self, table: Table) -> None:
        if self.person is not None and self.name:
            table.kept[self.seat] = KeptSeat(self.person, self.name)

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"name": ""})  # it waits for nobody any more


class Later(LoggedAct):
    """The rematch, which the others want to begin, left for later."""

    kind = name = "later"
    allowed_when_full = True

    def events(self, table: Table, sender: Sender) -> list[Event]:
        mine = sender.seats(table)
        if not table.next.token:
            raise Stale("nobody wants another game yet")
        return self.at(*[seat for seat in mine if seat not in table.next.later])

    def change(self, table: Table) -> None:
        table.next.later |= {self.seat}


class WantSeat(Event):
    """A spectator of a public table wants the seat of a bot in the next game."""

    kind = "want"
    allowed_when_full = True

    name: str

    def change(self, table: Table) -> None:
        if self.person is not None and self.name:
            table.next.wants[self.person] = self.name

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"name": ""})  # nobody wants it any more


class Wanting(Act):
    """A seat in the next game of a public table, which is only for people."""

    name = "want"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        """Nobody gets one during a game: they could have watched it to choose a winning hand."""
        if sender.id in table.next.wants:
            return []
        if table.seats_of(sender.id):
            raise WebError("you already have a seat at this table")
        WORDS.check_name(sender.name)
        if seats_to_want(table) <= 0:
            raise Stale("no seat of a bot is free in the next game")
        return [WantSeat(seat=TABLE, person=sender.id, name=sender.name)]


class WantNoSeat(LoggedAct):
    """The end of somebody's wish for a seat in the next game."""

    kind = name = "want-no"
    allowed_when_full = True

    def events(self, table: Table, sender: Sender) -> list[Event]:
        if sender.id not in table.next.wants or table.next.token:
            raise Stale("you have no seat in the next game")
        return [WantNoSeat(seat=TABLE, person=sender.id)]

    def change(self, table: Table) -> None:
        assert self.person is not None
        table.next.wants.pop(self.person, None)


def begin_rematch(table: Table, token: str, seat: int = TABLE) -> list[Event]:
    """Note the table of the rematch. Raises :class:`Stale` when there is one already."""
    if table.next.token:
        raise Stale("the rematch has already begun")
    return [Rematch(seat=seat, token=token)]


def join_rematch(table: Table, person: str, share: str, zones: Mapping[int, str]) -> list[Event]:
    """Take all seats that a rematch keeps for a person, and give a ``share`` to its deal.

    ``zones`` are the time zones of the seats in the game before.
    """
    mine = [i for i in table.open_to(person, table.now) if i in table.kept]
    mine = [i for i in mine if table.kept[i].person == person]
    joined: list[Event] = []
    for seat in mine:
        name = table.unique_name(table.kept[seat].name, seat)
        joined += in_zone(table.clocks.control, seat, person, zones.get(seat, ""))
        joined.append(Sit(seat=seat, person=person, name=name))
    if mine and not table.dealt and (part := part_in_deal(mine[0], share)):
        joined.append(part)
    return joined


def seats_to_want(table: Table) -> int:
    """Return how many more people can have a bot's seat in the next game."""
    free = table.header.public and not (table.waiting or table.next.token or table.closed)
    return len(table.bots()) - len(table.next.wants) if free else 0
