"""What players say to each other."""

import math
from typing import Annotated

from pydantic import Field

from redouble.web.errors import TooMuch, WebError
from redouble.web.table import talk
from redouble.web.table.acts.base import Act, Count, Event, SeatNumber, Sender
from redouble.web.table.acts.checks import check_seat
from redouble.web.table.names import one_line
from redouble.web.table.parts import TABLE
from redouble.web.table.state import Table
from redouble.web.table.wordlist import WORDS

Chat = Annotated[str, Field(max_length=40, examples=[talk.OPEN_CHAT])]
ReactionName = Annotated[str, Field(max_length=40, examples=[*talk.REACTIONS])]


class Say(Event):
    """A line of chat; empty once its author's data is deleted."""

    kind = "say"
    private = True

    text: str

    def change(self, table: Table) -> None:
        _note_time(table.talk.chat_times, self.person, table.now, talk.CHAT_BURST)
        if self.text:
            table.talk.chat.append(talk.Message(table.ply, self.seat, self.text))

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"text": ""})


class Saying(Act):
    """A line of chat."""

    name, summary = "say", "Chat"
    about = "Players see it; spectators don't."
    as_seat = True

    text: Annotated[str, Field(min_length=1, max_length=talk.CHAT_LENGTH, examples=["Good game!"])]
    seat: SeatNumber | None = None
    """Which of your seats says it; by default the first."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        sender.check_speaks()
        seat = sender.seat(table, self.seat)
        text = one_line(self.text)
        if not text:
            raise WebError("the message is empty: type something")
        WORDS.check_line(text)
        if table.talk.pause is None:
            raise WebError("the host has turned the chat off: send a reaction instead")
        if (wait := math.ceil(table.talk.seconds_to_say(sender.id, sender.now))) > 0:
            raise TooMuch(f"one line after the other: you can write again in {wait} s", wait)
        return [Say(seat=seat, person=sender.id, text=text)]


class React(Event):
    """A reaction, which is shown at a player's plate for a moment."""

    kind = "react"
    private = True

    reaction: str

    def change(self, table: Table) -> None:
        _note_time(table.talk.reaction_times, self.person, table.now, talk.REACTION_BURST)
        shown = talk.Reaction(table.ply, self.seat, self.reaction, table.now)
        table.talk.reactions[self.seat] = shown


class Reacting(Act):
    """A reaction that the other players see at your plate for a moment."""

    name, summary = "react", "Send a reaction"
    about = "Players see it; spectators don't."
    as_seat = True

    reaction: ReactionName
    seat: SeatNumber | None = None
    """Which of your seats sends it; by default the first."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        sender.check_speaks()
        seat, look = sender.seat(table, self.seat), self.reaction
        if look not in talk.REACTIONS:
            raise WebError(f"reaction {look!r} is unknown: use one of {', '.join(talk.REACTIONS)}")
        if (wait := math.ceil(table.talk.seconds_to_react(sender.id, sender.now))) > 0:
            raise TooMuch(f"so many reactions: you can send another one in {wait} s", wait)
        return [React(seat=seat, person=sender.id, reaction=look)]


class SetChat(Event):
    """The host decides how often a person can write in the chat."""

    kind = "chat"

    chat: str

    def change(self, table: Table) -> None:
        table.talk.mode = self.chat


class NewChat(Act):
    """How often a person can write in the chat."""

    name, operation, summary = "chat", "set_chat", "Slow the chat down, or turn it off"
    about = "Only the host can: see `host`. Without a chat, players still send reactions."

    chat: Chat

    def events(self, table: Table, sender: Sender) -> list[Event]:
        talk.check_chat(self.chat)
        sender.check_hosts()
        return [SetChat(seat=TABLE, chat=self.chat)] if self.chat != table.talk.mode else []


class Mute(Event):
    """A mute of another seat, in logs of earlier versions; mutes are no events any more."""

    kind = "mute"
    private = True

    other: Count
    both: bool = False

    def change(self, table: Table) -> None:
        pass  # :mod:`redouble.web.people.mutes` knows


class Unmute(Mute):
    """The end of a mute, in logs of earlier versions."""

    kind = "unmute"


class ReportChat(Event):
    """A line of chat was reported, in logs of earlier versions; reports are no events any more."""

    kind = "report"
    private = True

    said: Count
    """The ply of the line."""

    def change(self, table: Table) -> None:
        pass  # it was for the operator


def fellow_player(table: Table, person: str, seat: int) -> str:
    """Return the person at another seat, for a player of the table.

    Raises :class:`NotYours` for a spectator, and what :func:`other_person` raises.
    """
    Sender(person).seats(table)
    return other_person(table, person, seat)


def other_person(table: Table, person: str, seat: int) -> str:
    """Return the person at another seat. Raises :class:`WebError` where nobody else plays."""
    check_seat(table, seat)
    other = table.seats[seat].person
    if other is None or other == person:
        raise WebError("nobody else plays at that seat")
    return other


def _note_time(times: dict[str, tuple[float, ...]], who: str | None, at: float, kept: int) -> None:
    if who is not None:
        times[who] = (*times.get(who, ()), at)[-kept:]
