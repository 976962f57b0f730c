"""The events of a table's log: what was done, as frozen values that can be stored as JSON.

What an event means to the rest of the server is declared on its class (``is_move``,
``changes_seats`` and so on), so that no other module lists kinds of events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json

from redouble.web.errors import WebError

TABLE = -1
"""The seat of an event that no seat caused."""

Count = Annotated[int, Field(ge=0)]
SeatNumber = Annotated[int, Field(ge=0)]
Digits = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class BrokenLog(WebError):
    """An entry of a stored log that can't be read."""

    status = 404


class Event(BaseModel):
    """Something that was done at a table.

    The fields of a subclass, without ``seat`` and ``person``, are its payload.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: ClassVar[str]
    """Its name in the log."""
    is_move: ClassVar[bool] = False
    """Whether it makes a move of the game."""
    changes_position: ClassVar[bool] = False
    """Whether pages that were drawn before it show another position."""
    changes_seats: ClassVar[bool] = False
    """Whether it changes who sits where, or who plays for them."""
    ends_undo_request: ClassVar[bool] = False
    allowed_when_full: ClassVar[bool] = False
    """Whether a full log still takes it. A game can be ended by such events alone."""
    noted: ClassVar[bool] = False
    """Whether the game's record mentions it."""
    private: ClassVar[bool] = False
    """Whether only the person who caused it gets it with their data."""

    seat: Annotated[int, Field(ge=TABLE, exclude=True)]
    """The seat that did it, or ``TABLE``."""
    person: Annotated[str | None, Field(exclude=True)] = None
    """The person who joined or spoke."""

    def without_person(self, name: str) -> Event:
        """Return the event as it stays in the log when its person wants to be forgotten.

        ``name`` stands where the person's name stood.
        """
        return self


class Move(Event):
    """A move of the game."""

    kind = "move"
    is_move = changes_position = ends_undo_request = allowed_when_full = True

    move: str


class Redo(Event):
    """The move that was undone last, made again."""

    kind = "redo"
    is_move = changes_position = ends_undo_request = True

    move: str


class Undo(Event):
    """The last moves were undone."""

    kind = "undo"
    changes_position = ends_undo_request = noted = True

    keep: Count
    """How many moves are left."""
    hindsight: bool = False
    """Whether the player had seen something hidden since."""


class AskUndo(Event):
    """A seat asks the others whether it may undo."""

    kind = "ask"

    keep: Count


class AgreeToUndo(Event):
    """A seat agrees."""

    kind = "agree"


class RefuseUndo(Event):
    """A seat refuses, or the one that asked withdraws the request."""

    kind = "refuse"
    ends_undo_request = True


class Resign(Event):
    """A person gives up; a bot plays the seat to the end."""

    kind = "resign"
    changes_seats = ends_undo_request = allowed_when_full = noted = True

    level: str


class Leave(Event):
    """A person leaves a table that still waits; the seat is open again."""

    kind = "leave"
    changes_seats = True


class Free(Event):
    """The host frees a seat at a table that still waits."""

    kind = "free"
    changes_seats = True


class Claim(Event):
    """A person says that a seat is theirs already, taken in another browser."""

    kind = "claim"


class Admit(Event):
    """The person who has claimed a seat gets it."""

    kind = "admit"
    changes_seats = ends_undo_request = noted = True


class Deny(Event):
    """The person who has claimed a seat doesn't get it."""

    kind = "deny"


class Sit(Event):
    """A person takes an open seat."""

    kind = "sit"
    changes_seats = allowed_when_full = True

    name: str

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"name": name})


class HandOver(Event):
    """A bot takes a seat."""

    kind = "bot"
    changes_seats = ends_undo_request = noted = True

    level: str


class PromiseShare(Event):
    """A person promises a share of a fair deal, by its SHA-256."""

    kind = "promise"
    allowed_when_full = True

    promise: Digits


class GiveShare(Event):
    """A person gives a share of a fair deal: the one that they promised, or one at once."""

    kind = "share"
    allowed_when_full = True

    share: Digits


class Deal(Event):
    """The cards of a fair deal are dealt, from the server's secret and the shares so far."""

    kind = "deal"
    changes_position = allowed_when_full = True


class Return(Event):
    """A person takes a seat back from a bot."""

    kind = "back"
    changes_seats = noted = True


class Say(Event):
    """A line of chat; empty once its author's data is deleted."""

    kind = "say"
    private = True

    text: str

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"text": ""})


class React(Event):
    """A reaction, which is shown at a player's plate for a moment."""

    kind = "react"
    private = True

    reaction: str


class SetChat(Event):
    """The host decides how often a person can write in the chat."""

    kind = "chat"

    chat: str


class Mute(Event):
    """A seat hears no more of another seat's chat."""

    kind = "mute"
    private = True

    other: SeatNumber


class Unmute(Event):
    """A seat hears another seat's chat again."""

    kind = "unmute"
    private = True

    other: SeatNumber


class ReportChat(Event):
    """A line of chat was reported, in logs of earlier versions; reports are no events any more."""

    kind = "report"
    private = True

    said: Count
    """The ply of the line."""


class Close(Event):
    """The operator ends the game, or a server that no longer knows its rules."""

    kind = "close"
    ends_undo_request = allowed_when_full = True

    reason: str
    """A sentence for the players."""


class SkipGuide(Event):
    """A person doesn't want the guide to a first game."""

    kind = "unguided"


class SetPace(Event):
    """The bots play at another pace."""

    kind = "pace"

    pace: str


class SetClock(Event):
    """The players have so long to think, in seconds; decided when the table is made."""

    kind = "clock"

    move: Count
    bank: Count
    increment: Count
    then: str
    """What happens when a player's time runs out."""
    level: str
    nights: bool
    weekends: bool


class SetZone(Event):
    """A player's time zone, at a table where nights or weekends are off."""

    kind = "zone"
    private = allowed_when_full = True

    zone: str

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"zone": ""})


class TimeOut(Event):
    """A player's time has run out; a bot moves once, stands in or takes over."""

    kind = "time-out"
    changes_seats = ends_undo_request = allowed_when_full = noted = True

    then: str
    level: str


class AskPause(Event):
    """A seat asks the others for a pause."""

    kind = "ask-pause"


class AgreeToPause(Event):
    """A seat agrees to a pause; when all have agreed, the clocks stand."""

    kind = "agree-pause"


class EndPause(Event):
    """A seat ends the pause, or refuses or withdraws the request for one."""

    kind = "end-pause"


class AskSolver(Event):
    """The player of a solitaire game had asked the solver, which sees every card, before the end.

    It is noted at the end: in the middle of a game, programs count on entries that they caused.
    """

    kind = "ask-solver"
    allowed_when_full = True


class PlayOut(Event):
    """The moves that follow are made at once, because only bots still play."""

    kind = "play-out"
    allowed_when_full = True


class Rematch(Event):
    """The same players continue at another table, which this seat has asked for."""

    kind = "rematch"
    allowed_when_full = True

    token: str


class Later(Event):
    """A player doesn't continue right now."""

    kind = "later"
    allowed_when_full = True


class WantSeat(Event):
    """A spectator of a public table wants the seat of a bot in the next game."""

    kind = "want"
    allowed_when_full = True

    name: str

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"name": ""})  # nobody wants it any more


class WantNoSeat(Event):
    """They don't want it any more."""

    kind = "want-no"
    allowed_when_full = True


EVENTS: dict[str, type[Event]] = {
    event.kind: event
    for event in (
        Move,
        Redo,
        Undo,
        AskUndo,
        AgreeToUndo,
        RefuseUndo,
        Resign,
        Leave,
        Free,
        Claim,
        Admit,
        Deny,
        Sit,
        HandOver,
        PromiseShare,
        GiveShare,
        Deal,
        Return,
        Say,
        React,
        SetChat,
        Mute,
        Unmute,
        ReportChat,
        Close,
        SkipGuide,
        SetPace,
        SetClock,
        SetZone,
        TimeOut,
        AskPause,
        AgreeToPause,
        EndPause,
        AskSolver,
        PlayOut,
        Rematch,
        Later,
        WantSeat,
        WantNoSeat,
    )
}
"""The classes of events by kind."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in its place in a table's log."""

    ply: int
    """Its position, from 0."""
    at: float
    """When it happened, in seconds since 1970."""
    event: Event

    def row(self) -> dict[str, Any]:
        """Return the entry as a row of the database's log."""
        event = self.event
        return {
            "ply": self.ply,
            "at": self.at,
            "kind": event.kind,
            "seat": event.seat,
            "person": event.person,
            "payload": event.model_dump_json(),
        }

    @classmethod
    def from_row(cls, row: Any) -> Entry:
        """Return the entry of a row of the log. Raises :class:`BrokenLog`."""
        kind = EVENTS.get(row.kind)
        if kind is None:
            raise BrokenLog(f"entry {row.ply} is of an unknown kind, {row.kind!r}")
        try:
            owner = {"seat": row.seat, "person": row.person}
            event = kind.model_validate(from_json(row.payload) | owner)
        except (ValueError, TypeError) as error:
            raise BrokenLog(f"entry {row.ply}: its payload isn't that of {row.kind!r}") from error
        return cls(row.ply, row.at, event)
