"""The requests and answers of the interface for programs; they define its OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasPath, BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.game import Game
from redouble.contract.options import Choice, Number, Option, PerSeat
from redouble.contract.registry import GAMES
from redouble.contract.view import View
from redouble.web.drawing.words import option_kind
from redouble.web.live.fair import MAX_OFFER
from redouble.web.live.plan import SEED_LENGTH
from redouble.web.people.people import NAME_LENGTH
from redouble.web.table import Status
from redouble.web.table.acts.base import MAX_SEAT, Digits, Given, Level, SeatNumber
from redouble.web.table.acts.bots import Pace
from redouble.web.table.clocks import UNTIL_BACK
from redouble.web.table.rest import MAX_ZONE

MAX_OPTIONS = 50
MAX_LINES = 2000
"""Lines of an option that is a deck or a board."""

Name = Annotated[str, Field(max_length=NAME_LENGTH, examples=["Anna"])]
Zone = Annotated[str, Field(max_length=MAX_ZONE, examples=["Europe/Berlin"])]
OptionText = Annotated[str, Field(max_length=200)]
OptionList = Annotated[list[int | OptionText], Field(max_length=MAX_LINES)]
OptionName = Annotated[str, Field(max_length=40)]
OptionValue = TypeAliasType("OptionValue", bool | int | OptionText | OptionList | None)


def _example(schema: dict[str, Any]) -> None:
    """Add an example to the OpenAPI: a table for two, of an installed game."""
    for game in GAMES.values():
        if game.min_seats <= 2 <= game.max_seats:
            seats = [{"kind": "me"}, {"kind": "bot"}]
            schema["examples"] = [{"game": game.name, "seats": seats, "pace": "instant"}]
            return


class Answered(BaseModel):
    """What the interface answers."""

    model_config = ConfigDict(use_attribute_docstrings=True, from_attributes=True)


class NewGuest(Given):
    """A guest to create."""

    name: Name = ""
    """Your name for other players; by default you get one."""


class NewSeat(Given):
    """Who gets a seat."""

    kind: Literal["me", "here", "friend", "bot"]
    """`me`; `here`: another seat that you play; `friend`: an open seat for a guest with the
    invitation; `bot`."""
    name: Name = ""
    """The name of a seat that is `here`."""
    level: Level = USUAL_LEVEL
    """The level of a bot: one that `/api/games` lists."""


class NewClock(Given):
    """How long players may think, and what happens when their time runs out."""

    control: Annotated[str, Field(max_length=40, examples=["2-minutes"])]
    """One of the `clocks` that `/api/games` lists."""
    then: Annotated[str, Field(max_length=40, examples=["until-back"])] = UNTIL_BACK
    """When a player's time runs out, a bot moves `once`, plays `until-back`, or takes over
    `for-good`."""
    nights: bool = False
    """Whether no time passes from 22 to 8 o'clock, where each player lives. Only with days for a
    move."""
    weekends: bool = False
    """Whether none passes on Saturdays and Sundays."""


class NewTable(Given):
    """A table to create."""

    model_config = ConfigDict(json_schema_extra=_example)

    game: Annotated[str, Field(max_length=100)]
    """A name that `/api/games` lists."""
    seats: Annotated[list[NewSeat], Field(min_length=1, max_length=MAX_SEAT)]
    """One entry for each seat, seat 0 first."""
    options: dict[OptionName, OptionValue] = Field({}, max_length=MAX_OPTIONS)
    """Options of the rules by name; the others have their defaults."""
    public: bool = False
    """Whether the home page and `GET /api/tables` list the table; anyone can watch it and take an
    open seat."""
    seed: Annotated[str, Field(max_length=SEED_LENGTH)] | None = None
    """The number or name of the deal. Only in a solitaire game."""
    pace: Pace | None = None
    """How long bots take for a move: one that `/api/games` lists."""
    offer: Annotated[str, Field(max_length=MAX_OFFER)] = ""
    """The offer from `POST /api/offers` that your share or promise answers."""
    share: Digits = ""
    """What you give to the deal: 32 random bytes as 64 hexadecimal digits. At a table with friends,
    give a `promise` instead."""
    promise: Digits = ""
    """The SHA-256 of a share that you reveal when all seats are taken."""
    clock: NewClock | None = None
    """The clock; by default there is none."""
    rated: bool = True
    """Whether the game changes the ratings of people who play it together."""
    zone: Zone = ""
    """Your time zone, where nights or weekends are off; by default UTC."""


class Rematching(Given):
    """What you give to the deal of the rematch."""

    share: Digits = ""
    """64 hexadecimal digits, drawn after you have read `fair.next`."""


class Joining(Given):
    """How you join a table."""

    name: Name = ""
    """Your new name; by default you keep yours."""
    seat: SeatNumber | None = None
    """An open seat; by default the first one."""
    share: Digits = ""
    """What you give to the deal, as for a new table, if you take the last seat."""
    promise: Digits = ""
    """The SHA-256 of a share that you reveal when all seats are taken."""
    zone: Zone = ""
    """Your time zone, as for a new table."""


class Guest(Answered):
    """You."""

    name: str


class GuestToken(Guest):
    """You and your token."""

    token: str
    """Send it as `Authorization: Bearer TOKEN`. Keep it: nothing else identifies you."""


class SeatSpan(Answered):
    """The numbers of players of a game."""

    min: int
    max: int
    usual: int


class OptionInfo(Answered):
    """An option of the rules."""

    name: str
    kind: str
    """`flag`: true or false; `number`, which may stand for `words`; `seats`: a list of numbers, one
    for each seat; `lines`: a list of lines, a deck or a board."""
    default: OptionValue
    meaning: str
    low: int | None = None
    """The smallest number."""
    high: int | None = None
    words: list[str] | None = None
    """What each number stands for, from `low` on, if it chooses something."""

    @classmethod
    def of(cls, option: Option) -> OptionInfo:
        return cls(
            name=option.name,
            kind="number" if isinstance(option, Choice) else option_kind(option),
            default=option.default,
            meaning=option.meaning,
            low=option.low if isinstance(option, (Number, PerSeat)) else None,
            high=option.high if isinstance(option, (Number, PerSeat)) else None,
            words=list(option.words) if isinstance(option, Choice) else None,
        )


class GameInfo(Answered):
    """A game that you can play."""

    name: str
    title: str
    summary: str
    rules: int
    """The version of the rules, which records name."""
    seats: SeatSpan
    options: list[OptionInfo]

    @classmethod
    def of(cls, game: Game) -> GameInfo:
        return cls(
            name=game.name,
            title=game.title,
            summary=game.summary,
            rules=game.version,
            seats=SeatSpan(min=game.min_seats, max=game.max_seats, usual=game.usual_seats),
            options=[OptionInfo.of(option) for option in game.options],
        )


class Catalogue(Answered):
    """The games and bots."""

    games: list[GameInfo]
    bots: list[str]
    """The bots that can take a seat, by name."""
    paces: dict[str, float]
    """Seconds that bots take for a move, by pace. Bots that search take longer."""
    clocks: dict[str, str]
    """The clocks that a table can have, by name, in words."""


class TableRow(Answered):
    """A table in a list."""

    table: str = Field(validation_alias="token")
    game: str
    status: str
    names: list[str]
    changed: float
    """When the game or its players last changed, in seconds since 1970."""


class TableList(Answered):
    """Tables that you can watch."""

    tables: list[TableRow]


class SeatState(Answered):
    """A seat at a table."""

    seat: int
    name: str
    kind: str
    """Who plays now: `person`, `bot` or `open`."""
    level: str | None
    """The level of the bot that plays now."""
    stand_in: bool
    """Whether a bot plays for a person who may come back."""
    away: bool
    """Whether the person seems to be away."""
    resigned: bool
    mine: bool
    """Whether the seat is yours."""


class LogEntry(Answered):
    """A line of the table's log in the words for your seat, after a name."""

    ply: int
    seat: int
    name: str
    """Who had the seat when it happened."""
    text: str = Field(validation_alias="words")
    move: bool
    """Whether it is a move."""


class MomentState(Answered):
    """What there was to see in the middle of the last move."""

    name: str = Field(validation_alias=AliasPath("kind", "name"))
    """Its kind, such as `chip-lost`; each game has its own."""
    title: str
    detail: str
    view: View
    """What the seat saw then; it holds no legal moves."""


class ChatLine(Answered):
    """A line of chat."""

    ply: int
    seat: int
    text: str


class ReactionState(Answered):
    """What a player shows to the others for a moment."""

    ply: int
    seat: int
    reaction: str = Field(validation_alias="look")
    """Its name, such as `smile`."""


class UndoRequestState(Answered):
    """A player asks to undo: agree or refuse."""

    seat: int
    moves: int
    """How many moves would be undone."""
    agreed: bool
    """Whether you have agreed."""


class PauseRequestState(Answered):
    """A player asks for a pause: agree, or end it."""

    seat: int
    agreed: bool
    """Whether you have agreed."""


class TimeControlState(Answered):
    """The clock of a table. Seconds are whole numbers, times in seconds since 1970."""

    move: int
    """The seconds for each move; 0 with a bank."""
    bank: int
    """The seconds for the whole game; 0 without a bank."""
    increment: int
    """What each move adds to the bank."""
    then: str
    """What happens when a player's time runs out: `once`, `until-back` or `for-good`."""
    nights: bool
    weekends: bool
    """Whether they are off."""
    seat: int | None
    """The seat whose clock runs; null while a bot is to move, and in a pause."""
    since: float | None
    """When its turn began, by the table's log."""
    until: float | None
    """When its time runs out."""
    banks: list[float]
    """What each seat had left at the start of the turn; empty without a bank."""
    paused: bool
    """Whether the players have agreed to a pause: nobody can move."""
    pause_request: PauseRequestState | None


class FairDealState(Answered):
    """What the server has bound itself to before the cards of a table."""

    number: int
    """Counts the server's commitments, from 1; `/fair/commitments` lists them."""
    commitment: str
    """The SHA-256 of the server's secret, which stands in the record when the game is over."""
    link: str
    """The SHA-256 of the number, the link before it and the commitment."""
    dealt: bool
    """Whether the cards are dealt. Until then `view` shows a table that nobody plays at."""
    seats: list[int]
    """The seats that have given a share or promised one."""
    owed: bool
    """Whether the share that you promised is awaited: `POST /api/tables/{table}/reveal` now."""
    next: str | None
    """The commitment to the server's secret for a rematch, when the game is over."""


class OfferState(Answered):
    """A commitment that a table can be made with."""

    offer: str = Field(validation_alias="id")
    commitment: str
    """The SHA-256 of the server's secret: note it before you draw your share."""


class TableState(Answered):
    """A table as one seat or a spectator sees it."""

    table: str
    """Its token; anyone who has it can watch."""
    invite: str | None
    """The invitation for `POST /api/join/{invite}`; in a browser it is at `/join/{invite}`. Only
    players and the host get it."""
    game: str
    options: dict[str, OptionValue]
    """The options that differ from their defaults."""
    status: Status
    ply: int
    """The number of entries in the table's log, which grows with every change."""
    seat: int | None
    """The seat whose view this is; null for a spectator."""
    turn: int | None
    """The seat to move; null while no move can be made."""
    my_turn: bool
    """Whether it is the turn of `seat`: play one of `view.legal_moves`."""
    seats: list[SeatState]
    view: View
    """What the seat sees; everything when the rules have ended the game."""
    moments: list[MomentState]
    """What there was to see in the middle of the last move, in order; often nothing."""
    log: list[LogEntry]
    """The last lines of the log, newest last."""
    chat: list[ChatLine]
    """The last lines of chat; none for a spectator."""
    chat_pause: int | None
    """The seconds between two lines of chat of one person; null if the host has turned it off."""
    reactions: list[ReactionState]
    """The reactions of the last seconds; none for a spectator."""
    undo_request: UndoRequestState | None
    claims: list[int]
    """Seats that are claimed from another browser: the host admits or denies each claim."""
    host: int | None
    """The seat whose player lets others in and out; null if it is nobody at the table."""
    pace: str
    clock: TimeControlState | None
    """Null at a table without a clock."""
    rated: bool
    """Whether the game changes the ratings of people who play it together."""
    fair: FairDealState | None
    """Null for solitaire games, daily deals and old tables."""
    rematch: str | None
    """The table of the rematch."""
    record: str | None
    """Where to get the record, when the game is over."""


class Hint(Answered):
    """A suggested move."""

    move: str = Field(validation_alias=AliasPath("advice", "move"))
    words: str = Field(validation_alias=AliasPath("advice", "words"))
    """The move as people read it, such as `Play the red 7`."""
    reason: str = Field(validation_alias=AliasPath("advice", "reason"))
    """The reason, in words."""
    quick: bool = Field(validation_alias=AliasPath("advice", "quick"))
    """Whether it is only a quick guess, because the search isn't ready."""
    again: int | None
    """Seconds after which to ask again for a better hint, while the search is being compiled; null
    when this is the best one."""


class RecordState(Answered):
    """A record, as `redouble replay` and the library read it."""

    game: str
    rules: int
    seats: list[str]
    options: dict[str, Any]
    seed: str
    deck: list[str] | None = None
    moves: str
    notes: list[list[int | str]] | None = None
    """Pairs: a number of moves, and what happened after them."""
    ranks: list[int] | None = None


class Problem(Answered):
    """What went wrong, as in RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    """What was wrong and what to do."""


class WrongField(Answered):
    """A field of a request that isn't as described."""

    name: str
    """The path to it, such as `seats.0.kind`; empty for the body as a whole."""
    where: str
    """`body`, `query`, `path` or `header`."""
    message: str
    """What is wrong with it."""


class WrongRequest(Problem):
    """A request that isn't as described."""

    fields: list[WrongField]
    """At most five wrong fields."""
