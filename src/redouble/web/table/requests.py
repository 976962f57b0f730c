"""What people can ask of a table they play at, for its pages and for programs alike.

Each request is declared once: its name, its arguments and the command that it carries out. Pages
post forms with these fields, and each one with a summary is an operation for programs.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from redouble.bots.levels import USUAL_LEVEL
from redouble.web.errors import NotYours
from redouble.web.table import commands
from redouble.web.table.events import Event
from redouble.web.table.pace import USUAL_PACE
from redouble.web.table.state import Table
from redouble.web.table.talk import CHAT_LENGTH, OPEN_CHAT, REACTIONS

MAX_SEAT = 99
MAX_PLY = 10**9
MAX_MOVE = 200
"""Characters of a move."""

SeatNumber = Annotated[int, Field(ge=0, le=MAX_SEAT)]
Ply = Annotated[int, Field(ge=0, le=MAX_PLY)]
Digits = Annotated[str, Field(max_length=64)]
Level = Annotated[str, Field(max_length=40, examples=[USUAL_LEVEL])]
Chat = Annotated[str, Field(max_length=40, examples=[OPEN_CHAT])]
ReactionName = Annotated[str, Field(max_length=40, examples=[*REACTIONS])]
Pace = Annotated[str, Field(max_length=40, examples=[USUAL_PACE])]


@dataclass(frozen=True)
class Sender:
    """Who sends a request, and when."""

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

    def check_speaks(self) -> None:
        """Raise :class:`NotYours` if the operator lets them write nothing to others."""
        if self.silenced:
            raise NotYours(f"the operator of this site lets you write no chat: {self.silenced}")

    def seat(self, table: Table, given: int | None) -> int:
        """Return the seat that they act for: by default the one to move, else their first.

        Raises :class:`NotYours` for a spectator, and for the seat of another player.
        """
        mine = table.seats_of(self.id)
        if given is not None:
            commands.check_owner(table, self.id, given)
            return given
        if not mine:
            raise NotYours("you don't have a seat at this table")
        return table.turn if table.turn in mine else mine[0]


class Given(BaseModel):
    """What is sent. An unknown field is an error."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class TableRequest(Given):
    """Something that a player can ask of a table."""

    name: ClassVar[str]
    """What pages post, and the end of the address for programs."""
    operation: ClassVar[str] = ""
    """The name of the operation in the OpenAPI, if it has another one."""
    summary: ClassVar[str] = ""
    """A few words for the documentation of the interface; empty if only pages need it."""
    about: ClassVar[str] = ""
    """What programs have to know besides."""

    @property
    def viewer(self) -> int | None:
        """The seat whose view answers the request, if it names one."""
        return None

    @abstractmethod
    def events(self, table: Table, sender: Sender) -> list[Event]:
        """Return the events to log. Raises a ``RedoubleError`` that says what is wrong."""


class NewMove(TableRequest):
    """A move."""

    name = "moves"
    operation = "move"
    summary = "Make a move"
    about = """The move is on disk before the answer comes.

    The answer is 409 if the position is no longer the one at `ply`: look again. Sending the same
    move with the same `ply` twice makes it once.
    """

    ply: Ply
    """The `ply` of the state in which you chose the move."""
    move: Annotated[str, Field(max_length=MAX_MOVE)]
    """One of its `view.legal_moves`."""
    seat: SeatNumber | None = None
    """Which of your seats moves; by default the one whose turn it is."""

    @property
    def viewer(self) -> int | None:
        return self.seat

    def events(self, table: Table, sender: Sender) -> list[Event]:
        seat = self.seat
        if seat is None:
            seat = table.repeated(sender.id, self.move, self.ply)
        return commands.move(table, sender.seat(table, seat), self.move, self.ply)


class Undoing(TableRequest):
    """An undo, or the request for one."""

    name = "undo"
    summary = "Undo"
    about = "Undo to your last decision. If other people play, this asks them first."

    step: bool = False
    """Undo only your last move, even if it was forced."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.undo(table, sender.id, self.step)


class Redoing(TableRequest):
    """The undone move, made again."""

    name = "redo"
    summary = "Redo"
    about = "Make the undone move again, with the forced ones after it. Only in a solitaire game."

    step: bool = False
    """Make only one move."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.redo(table, sender.id, self.step)


class Agreeing(TableRequest):
    """The answer yes to a request to undo."""

    name = "agree"
    summary = "Agree to an undo"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.answer(table, sender.id, agree=True)


class Refusing(TableRequest):
    """The answer no to a request to undo."""

    name = "refuse"
    summary = "Refuse an undo"
    about = "Refuse another player's request to undo, or withdraw your own."

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.answer(table, sender.id, agree=False)


class AskingForPause(TableRequest):
    """A request for a pause."""

    name = "pause"
    operation = "ask_for_pause"
    summary = "Ask for a pause"
    about = "At a table with a clock. The pause begins when all players have agreed."

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.ask_for_pause(table, sender.id)


class AgreeingToPause(TableRequest):
    """The answer yes to a request for a pause."""

    name = "agree-to-pause"
    operation = "agree_to_pause"
    summary = "Agree to a pause"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.agree_to_pause(table, sender.id)


class EndingPause(TableRequest):
    """The end of a pause, or of the request for one."""

    name = "end-pause"
    operation = "end_pause"
    summary = "End a pause"
    about = "Any player can. This also refuses another player's request, or withdraws your own."

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.end_pause(table, sender.id)


class Resigning(TableRequest):
    """The bot that takes over for you."""

    name = "resign"
    summary = "Resign"
    about = "A bot plays your seats to the end."

    level: Level = USUAL_LEVEL

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.resign(table, sender.id, self.level)


class Leaving(TableRequest):
    """The end of your part in a table that waits."""

    name = "leave"
    summary = "Leave a table that still waits"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.leave(table, sender.id)


class Revealing(TableRequest):
    """The share that you have promised."""

    name = "reveal"
    summary = "Reveal your share of the deal"
    about = """Do it within ten seconds of `fair.owed`: then the cards are dealt without it.
    Doing it twice changes nothing.
    """

    share: Digits

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.reveal(table, sender.id, self.share)


class BotSeat(TableRequest):
    """A seat for a bot."""

    name = "bot"
    summary = "Let a bot play a seat"
    about = "Give an open seat, the seat of a player who is away, or your own seat to a bot."

    seat: SeatNumber
    level: Level = USUAL_LEVEL

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.hand_over(table, sender.id, self.seat, self.level, sender.absent)


class Filling(TableRequest):
    """Bots for all open seats."""

    name = "fill"
    operation = "fill_seats"
    summary = "Let bots take the open seats"
    about = "The game begins. At a public table, people can have these seats in the next game."

    level: Level = USUAL_LEVEL

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.fill(table, sender.id, self.level)


class Wanting(TableRequest):
    """A seat in the next game of a public table, which is only for people."""

    name = "want"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.want_seat(table, sender.id, sender.name)


class WantingNone(TableRequest):
    """The end of your wish for a seat in the next game."""

    name = "want-no"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.want_no_seat(table, sender.id)


class Postponing(TableRequest):
    """The rematch, left for later."""

    name = "later"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.later(table, sender.id)


class Freeing(TableRequest):
    """A seat to free."""

    name = "free"
    operation = "free_seat"
    summary = "Free a seat"
    about = """Free the seat of a player or bot at a table that still waits. Only the host can, or
    else the player who has been there longest: see `host`.
    """

    seat: SeatNumber

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.free(table, sender.id, self.seat, sender.hosting)


class Claiming(TableRequest):
    """A seat that is yours already, taken with another token or in a browser."""

    name = "claim"
    operation = "claim_seat"
    summary = "Ask for a seat that is yours"
    about = "You get it when the host agrees; during a game nobody else may have it open."

    seat: SeatNumber
    invite: Annotated[str, Field(max_length=64)]
    """The table's invitation, which spectators don't have."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        if self.invite != table.header.invite:
            raise NotYours("only who has the invitation can ask for a seat")
        return commands.claim(table, sender.id, self.seat)


class Admitting(TableRequest):
    """A claimed seat, to hand over."""

    name = "admit"
    summary = "Agree to a claim"
    about = "Give a seat to the person who says that it is theirs. Only the host can: see `host`."

    seat: SeatNumber

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.admit(table, self.seat, sender.hosting, sender.absent, agree=True)


class Denying(TableRequest):
    """A claimed seat, to keep."""

    name = "deny"
    summary = "Refuse a claim"
    about = "Only the host can: see `host`."

    seat: SeatNumber

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.admit(table, self.seat, sender.hosting, sender.absent, agree=False)


class TakingBack(TableRequest):
    """Your seats, taken back from bots."""

    name = "back"
    summary = "Take your seats back"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.back(table, sender.id)


class Saying(TableRequest):
    """A line of chat."""

    name = "say"
    summary = "Chat"
    about = "Players hear it; spectators don't."

    text: Annotated[str, Field(min_length=1, max_length=CHAT_LENGTH, examples=["Good game!"])]
    seat: SeatNumber | None = None
    """Which of your seats says it; by default the first."""

    @property
    def viewer(self) -> int | None:
        return self.seat

    def events(self, table: Table, sender: Sender) -> list[Event]:
        sender.check_speaks()
        seat = sender.seat(table, self.seat)
        return commands.say(table, sender.id, seat, self.text, sender.now)


class Reacting(TableRequest):
    """A reaction that the other players see at your plate for a moment."""

    name = "react"
    summary = "Send a reaction"
    about = "Players see it; spectators don't."

    reaction: ReactionName
    seat: SeatNumber | None = None
    """Which of your seats sends it; by default the first."""

    @property
    def viewer(self) -> int | None:
        return self.seat

    def events(self, table: Table, sender: Sender) -> list[Event]:
        sender.check_speaks()
        seat = sender.seat(table, self.seat)
        return commands.react(table, sender.id, seat, self.reaction, sender.now)


class NewChat(TableRequest):
    """How often a person can write in the chat."""

    name = "chat"
    operation = "set_chat"
    summary = "Slow the chat down, or turn it off"
    about = "Only the host can: see `host`. Without a chat, players still send reactions."

    chat: Chat

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.set_chat(table, self.chat, sender.hosting)


class NewPace(TableRequest):
    """How long bots take for a move."""

    name = "pace"
    operation = "set_pace"
    summary = "Set the pace of the bots"

    pace: Pace

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.set_pace(table, sender.id, self.pace)


class Skipping(TableRequest):
    """The end of the tutorial."""

    name = "skip"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return commands.skip_guide(table, sender.id)


REQUESTS: dict[str, type[TableRequest]] = {
    request.name: request
    for request in (
        NewMove,
        Undoing,
        Redoing,
        Agreeing,
        Refusing,
        AskingForPause,
        AgreeingToPause,
        EndingPause,
        Resigning,
        Leaving,
        Revealing,
        BotSeat,
        Filling,
        Wanting,
        WantingNone,
        Postponing,
        Freeing,
        Claiming,
        Admitting,
        Denying,
        TakingBack,
        Saying,
        Reacting,
        NewChat,
        NewPace,
        Skipping,
    )
}
"""All of them by name, in the order of the documentation."""
