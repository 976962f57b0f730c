"""What the interface for programs takes and gives; its OpenAPI is made from these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.game import Game
from redouble.contract.options import Number, Option, PerSeat
from redouble.contract.registry import GAMES
from redouble.contract.view import View
from redouble.match.record import MAX_LINE
from redouble.web.drawing import option_kind
from redouble.web.people import NAME_LENGTH
from redouble.web.queries import Row
from redouble.web.table import CHAT_LENGTH, USUAL_PACE, Status
from redouble.web.tables import SEED_LENGTH

MAX_SEAT = 99
MAX_PLY = 10**9
MAX_MOVE = 200
"""Characters of a move."""
MAX_OPTIONS = 50
MAX_LINES = 2000
"""Of an option that is a deck or a board."""

SeatNumber = Annotated[int, Field(ge=0, le=MAX_SEAT)]
Name = Annotated[str, Field(max_length=NAME_LENGTH, examples=["Anna"])]
Level = Annotated[str, Field(max_length=40, examples=[USUAL_LEVEL])]
Pace = Annotated[str, Field(max_length=40, examples=[USUAL_PACE])]
OptionText = Annotated[str, Field(max_length=200)]
OptionList = Annotated[list[int | OptionText], Field(max_length=MAX_LINES)]
OptionName = Annotated[str, Field(max_length=40)]
OptionValue = TypeAliasType("OptionValue", bool | int | OptionText | OptionList | None)


def _example(schema: dict[str, Any]) -> None:
    """A table for two, of a game that is installed; put in when the OpenAPI is made."""
    for game in GAMES.values():
        if game.min_seats <= 2 <= game.max_seats:
            seats = [{"kind": "me"}, {"kind": "bot"}]
            schema["examples"] = [{"game": game.name, "seats": seats, "pace": "instant"}]
            return


class _Given(BaseModel):
    """What a program sends: a field that is not known is a mistake, not passed over."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class _Answer(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)


class NewGuest(_Given):
    """Who you want to be."""

    name: Name = ""
    """What others call you; without it you get one."""


class NewSeat(_Given):
    """Who shall sit on a seat."""

    kind: Literal["me", "here", "friend", "bot"]
    """`me`; `here`: one more seat that you play; `friend`: open, for whoever has the invitation;
    `bot`."""
    name: Name = ""
    """Of a seat that is `here`."""
    level: Level = USUAL_LEVEL
    """Of a bot: one that `/api/games` lists."""


class NewTable(_Given):
    """A table that you want."""

    model_config = ConfigDict(json_schema_extra=_example)

    game: Annotated[str, Field(max_length=100)]
    """A name that `/api/games` lists."""
    seats: Annotated[list[NewSeat], Field(min_length=1, max_length=MAX_SEAT)]
    """One entry a seat, seat 0 first."""
    options: Annotated[dict[OptionName, OptionValue], Field(max_length=MAX_OPTIONS)] = {}
    """Options of the rules by name; those not given are at their defaults."""
    public: bool = False
    """Whether the first page and `GET /api/tables` offer the table to watch."""
    seed: Annotated[str, Field(max_length=SEED_LENGTH)] | None = None
    """The deal, by a number or name: only in a game for one."""
    pace: Pace | None = None
    """How long bots rest before they move: one that `/api/games` lists."""


class NewMove(_Given):
    """A move."""

    ply: Annotated[int, Field(ge=0, le=MAX_PLY)]
    """The `ply` of the state that you looked at when you decided."""
    move: Annotated[str, Field(max_length=MAX_MOVE)]
    """One of its `view.legal_moves`."""
    seat: SeatNumber | None = None
    """Which of your seats moves; without it, the one on turn."""


class Joining(_Given):
    """How you want to sit down."""

    name: Name = ""
    """The name you take from now on; without it you keep yours."""
    seat: SeatNumber | None = None
    """An open seat; without it the first one."""


class Resigning(_Given):
    """Who plays on for you."""

    level: Level = USUAL_LEVEL


class BotSeat(_Given):
    """A seat that a bot shall play."""

    seat: SeatNumber
    level: Level = USUAL_LEVEL


class Saying(_Given):
    """A line of chat."""

    text: Annotated[str, Field(min_length=1, max_length=CHAT_LENGTH, examples=["Good game!"])]
    seat: SeatNumber | None = None
    """Which of your seats says it; without it the first."""


class NewPace(_Given):
    """How long bots rest before they move."""

    pace: Pace


class NewRecord(_Given):
    """A recorded game."""

    record: Annotated[str, Field(max_length=MAX_LINE)]
    """The JSON line, as a text."""


class Guest(_Answer):
    """You."""

    name: str


class GuestToken(Guest):
    """You, and by what you are known: keep it."""

    token: str
    """To be sent as `Authorization: Bearer TOKEN`. There is no other way to be you again."""


class SeatSpan(_Answer):
    """How many play a game."""

    least: int
    most: int
    usual: int


class OptionInfo(_Answer):
    """An option of a game's rules."""

    name: str
    kind: str
    """`flag`: true or false; `number`; `seats`: a list of numbers, one a seat; `lines`: a list of
    lines, a deck or a board."""
    default: OptionValue
    meaning: str
    low: int | None = None
    """The least number."""
    high: int | None = None

    @classmethod
    def of(cls, option: Option) -> OptionInfo:
        return cls(
            name=option.name,
            kind=option_kind(option),
            default=option.default,
            meaning=option.meaning,
            low=option.low if isinstance(option, (Number, PerSeat)) else None,
            high=option.high if isinstance(option, (Number, PerSeat)) else None,
        )


class GameInfo(_Answer):
    """A game that can be played here."""

    name: str
    title: str
    summary: str
    rules: int
    """The version of the rules that is played; records name it."""
    seats: SeatSpan
    options: list[OptionInfo]

    @classmethod
    def of(cls, game: Game) -> GameInfo:
        return cls(
            name=game.name,
            title=game.title,
            summary=game.summary,
            rules=game.version,
            seats=SeatSpan(least=game.min_seats, most=game.max_seats, usual=game.usual_seats),
            options=[OptionInfo.of(option) for option in game.options],
        )


class Catalogue(_Answer):
    """What there is to play, and against whom."""

    games: list[GameInfo]
    bots: list[str]
    """Their levels."""
    paces: dict[str, float]
    """Seconds that bots rest before they move."""


class TableRow(_Answer):
    """A table in a list."""

    table: str
    game: str
    status: str
    names: list[str]
    changed: float
    """When something was last done there, in seconds since 1970."""

    @classmethod
    def of(cls, row: Row) -> TableRow:
        return cls(
            table=row.token,
            game=row.game,
            status=row.status,
            names=list(row.names),
            changed=row.changed,
        )


class TableList(_Answer):
    """Tables that anybody may watch."""

    tables: list[TableRow]


class SeatState(_Answer):
    """A seat at a table."""

    seat: int
    name: str
    kind: str
    """`person`, `bot` or `open`: who decides now."""
    level: str | None
    """Of the bot that plays now, a stand-in included."""
    stand_in: bool
    """Whether a bot plays for a person who may come back."""
    away: bool
    """Whether the person shows no sign of life."""
    resigned: bool
    mine: bool
    """Whether the seat is yours."""


class ToldLine(_Answer):
    """Something that was done, in the words that you may hear: a name, then these words."""

    ply: int
    seat: int
    text: str
    move: bool
    """Whether it was a move."""


class ChatLine(_Answer):
    """A line of chat."""

    ply: int
    seat: int
    text: str


class AskState(_Answer):
    """Somebody asks to take moves back: agree, or refuse."""

    seat: int
    moves: int
    """How many moves would be taken back."""
    agreed: bool
    """Whether you have agreed."""


class TableState(_Answer):
    """A table as one seat, or an onlooker, sees it."""

    table: str
    """Its token: whoever has it may watch."""
    invite: str | None
    """For `POST /api/join/{invite}`; people open `/join/` and this in a browser. Only those who sit
    at the table, or made it, are told."""
    game: str
    options: dict[str, OptionValue]
    """Those that are not at their defaults."""
    status: Status
    ply: int
    """Entries in the table's log: it grows with everything that is done."""
    seat: int | None
    """The seat of yours that looks; none for an onlooker."""
    turn: int | None
    """The seat that everybody waits for; none while nothing can be played."""
    my_turn: bool
    """Whether a move of `seat` is asked for now: one of `view.legal_moves`."""
    seats: list[SeatState]
    view: View
    """What the seat sees. When the game has ended by its rules, everything."""
    told: list[ToldLine]
    """What was done last, the latest last."""
    chat: list[ChatLine]
    """What the players said last; nothing for an onlooker."""
    ask: AskState | None
    pace: str
    rematch: str | None
    """The table where the same players go on."""
    record: str | None
    """Where the record can be had, once the table is over."""


class Hint(_Answer):
    """What your seat could play."""

    move: str
    reason: str
    """Why, in words."""
    quick: bool
    """Whether it is only a guess, since the search is not at hand."""
    again: int | None
    """Seconds after which to send the same request again for a better one, while the search is
    being compiled; none when there is none to come."""


class RecordState(_Answer):
    """A recorded game: `redouble replay` and the library read it."""

    game: str
    rules: int
    seats: list[str]
    options: dict[str, Any]
    seed: str
    deck: list[str] | None = None
    moves: str
    notes: list[list[int | str]] | None = None
    """Pairs of a number of moves made, and what happened then besides moves."""
    ranks: list[int] | None = None


class ReviewState(_Answer):
    """A review, or how far it is."""

    status: Literal["none", "being made", "ready", "impossible"]
    """`none`: nobody has asked for it yet; `impossible`: see `problem`."""
    percent: int
    problem: str = ""
    review: dict[str, Any] | None = None
    """As `redouble review --json` prints it; docs/review.md says what the figures mean."""


class KeptRecord(_Answer):
    """A record that is kept here."""

    token: str
    url: str
    """The page where people look at it; `GET /api/records/{record}` has the record."""


class Problem(_Answer):
    """What went wrong, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    """One sentence: what was wrong, and what would be right."""
