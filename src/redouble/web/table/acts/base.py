"""What an act is: what people ask for, and the events that a table's log keeps of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from redouble.bots.levels import USUAL_LEVEL
from redouble.web.errors import NotYours
from redouble.web.table.acts.checks import BOT_PLAYS, check_owner
from redouble.web.table.parts import TABLE
from redouble.web.table.state import Table

MAX_SEAT = 99
MAX_PLY = 10**9

SeatNumber = Annotated[int, Field(ge=0, le=MAX_SEAT)]
Ply = Annotated[int, Field(ge=0, le=MAX_PLY)]
Digits = Annotated[str, Field(max_length=64)]
Level = Annotated[str, Field(max_length=40, examples=[USUAL_LEVEL])]
Count = Annotated[int, Field(ge=0)]
"""A number in the log."""


class Event(BaseModel):
    """Something that was done at a table, as its log keeps it.

    The fields of a subclass, without ``seat`` and ``person``, are its payload. What an event means
    to the rest of the server is declared on its class, so that no other module lists kinds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: ClassVar[str]
    """Its name in the log."""
    words: ClassVar[str] = ""
    """What players read after its subject, if these are always the same words."""
    is_move: ClassVar[bool] = False
    """Whether it makes a move of the game."""
    changes_position: ClassVar[bool] = False
    """Whether pages that were drawn before it show another position."""
    changes_seats: ClassVar[bool] = False
    """Whether it changes who sits where, or who plays for them."""
    opens_seat: ClassVar[bool] = False
    """Whether its seat is open afterward."""
    starts_turn: ClassVar[bool] = False
    """Whether the player to move gets the time for a whole turn, although nobody has moved."""
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

    def told(self, table: Table) -> str:
        """Return the words for it when it is about to happen; empty if it isn't shown."""
        return self.words

    def subject(self, table: Table) -> str:
        """Return the name that stands before its words."""
        return table.seats[self.seat].name

    @abstractmethod
    def change(self, table: Table) -> None:
        """Change what is particular to this class, at the time ``table.now``."""

    def without_person(self, name: str) -> Event:
        """Return the event as it stays in the log when its person wants to be forgotten.

        ``name`` stands where the person's name stood.
        """
        return self


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


@dataclass(frozen=True)
class Sender:
    """Who asks for something, and when."""

    id: str
    absent: frozenset[int] = frozenset()
    """The seats whose people are away."""
    now: float = 0.0
    """In seconds since 1970."""
    name: str = ""
    """What they are called now."""
    hosting: bool = False
    """Whether they are the host, or stand in for one who is away."""
    silenced: str = ""
    """Why the operator lets them write nothing to others; empty if they may."""

    def check_hosts(self) -> None:
        """Raise :class:`NotYours` unless they let others in and out."""
        if not self.hosting:
            raise NotYours("only the host can do this, or the next player while the host is away")

    def check_speaks(self) -> None:
        """Raise :class:`NotYours` if the operator lets them write nothing to others."""
        if self.silenced:
            raise NotYours(f"the operator of this site lets you write no chat: {self.silenced}")

    def seats(self, table: Table) -> list[int]:
        """Return their seats. Raises :class:`NotYours` if they have none."""
        mine = table.seats_of(self.id)
        if not mine:
            raise NotYours("you don't have a seat at this table")
        return mine

    def seat(self, table: Table, given: int | None) -> int:
        """Return the seat that they act for: by default the one to move, else their first.

        Raises :class:`NotYours` for a spectator, and for the seat of another player.
        """
        if given is not None:
            check_owner(table, self.id, given)
            return given
        mine = self.seats(table)
        return table.turn if table.turn in mine else mine[0]

    def playing(self, table: Table) -> int:
        """Return the first seat that they play. Raises :class:`NotYours` if a bot plays it."""
        mine = [seat for seat in self.seats(table) if not table.seats[seat].bot]
        if not mine:
            raise NotYours(BOT_PLAYS)
        return mine[0]


class Given(BaseModel):
    """What is sent. An unknown field is an error."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Act(Given):
    """Something that people can ask for at a table they play at.

    Pages post forms with its fields, and each one with a summary is an operation for programs.
    """

    name: ClassVar[str]
    """What pages post, and the end of the address for programs."""
    operation: ClassVar[str] = ""
    """The name of the operation in the OpenAPI, if it has another one."""
    summary: ClassVar[str] = ""
    """A few words for the documentation of the interface; empty if only pages need it."""
    about: ClassVar[str] = ""
    """What programs have to know besides."""
    as_seat: ClassVar[bool] = False
    """Whether its ``seat`` is the sender's, whose view answers it."""

    @property
    def viewer(self) -> int | None:
        """The seat whose view answers it, if it names one."""
        return getattr(self, "seat", None) if self.as_seat else None

    @classmethod
    def posted(cls) -> dict[str, FieldInfo]:
        """Return the fields that are posted with it."""
        return cls.model_fields

    @abstractmethod
    def events(self, table: Table, sender: Sender) -> list[Event]:
        """Return the events to log. Raises a ``RedoubleError`` that says what is wrong."""

    def costs(self, table: Table, sender: Sender) -> bool:
        """Return whether pages ask first, since the game would no longer count."""
        return False


class LoggedAct(Act, Event):
    """An act that is kept as it was asked for: nothing is posted but its name."""

    seat: Annotated[int, Field(ge=TABLE, exclude=True)] = TABLE

    @classmethod
    def posted(cls) -> dict[str, FieldInfo]:
        return {}

    def at(self, *seats: int) -> list[Event]:
        """Return the act as the log keeps it of each of these seats."""
        return [self.model_copy(update={"seat": seat}) for seat in seats]
