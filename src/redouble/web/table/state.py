"""A table as it stands: the match, who sits where, the chat, and what can be asked about it."""

from __future__ import annotations

from collections import deque
from copy import copy
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from redouble.contract.game import Game
from redouble.contract.view import View
from redouble.kernel.state import SPECTATOR
from redouble.match.fair import Share
from redouble.match.match import Match
from redouble.match.record import MAX_NOTES, Record
from redouble.web.errors import NotYours
from redouble.web.table.clocks import Clocks
from redouble.web.table.deal import fair_deal
from redouble.web.table.events import TABLE
from redouble.web.table.pace import USUAL_PACE
from redouble.web.table.seats import Header, Seat, unique
from redouble.web.table.talk import (
    CHAT_BURST,
    CHAT_SECONDS,
    CHATS,
    OPEN_CHAT,
    PUBLIC_CHAT,
    Reaction,
    wait_for,
)

MAX_LINES = 60
"""Lines of the log that a table's pages can show."""
MAX_MESSAGES = 30
"""Lines of chat that a table's pages can show."""
BOT_SECONDS = 30.0
"""After this time another server looks after a bot that hasn't moved, at a table with a clock."""
NOT_DEALT = ""
"""The seed of what a table's match is before the cards are dealt: nobody gets to play it."""
Status = Literal["waiting", "playing", "over", "abandoned", "closed"]


class HeardLine(NamedTuple):
    """An event in the words of one reader, which come after the name of ``seat``."""

    ply: int
    seat: int
    words: str
    moves: int
    move: bool

    def up_to(self, moment: int) -> HeardLine:
        """Return the line without what comes after a moment of the move, the first being 0.

        What a move leads to follows in the order of its moments, each behind a semicolon.
        """
        told = self.words.split("; ")[: moment + 1]
        return self._replace(words="; ".join(told))


@dataclass(frozen=True, slots=True)
class LogLine:
    """An event in words: after the name of ``seat``, each reader reads their own."""

    ply: int
    """Position in the log."""
    seat: int
    texts: dict[int, str]
    """The words by reader: those of SPECTATOR, and of the seats that may know more."""
    moves: int
    """Moves that were made before it."""
    move: bool = True
    """Whether it is a move."""

    def heard(self, reader: int) -> HeardLine:
        """Return the line as a reader reads it."""
        words = self.texts.get(reader, self.texts[SPECTATOR])
        return HeardLine(self.ply, self.seat, words, self.moves, self.move)


@dataclass(frozen=True, slots=True)
class Message:
    """A line of chat."""

    ply: int
    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """A seat asks the others to undo moves until ``keep`` are left."""

    seat: int
    keep: int
    agreed: frozenset[str]
    """The people who have agreed."""


@dataclass(frozen=True, slots=True)
class PauseRequest:
    """A seat asks the others for a pause."""

    seat: int
    agreed: frozenset[str]
    """The people who have agreed."""


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A person's move, made on a page that showed ``first`` to ``last`` entries of the log."""

    seat: int
    move: str
    first: int
    last: int

    def matches(self, seat: int, move: str, ply: int) -> bool:
        """Return whether a request is for this move, sent again."""
        return (self.seat, self.move) == (seat, move) and self.first <= ply <= self.last


@dataclass
class Table:
    """A table: its header with the events of its log so far.

    Only :func:`redouble.web.table.fold.apply` changes it; commands ask it.
    """

    header: Header
    match: Match = field(init=False)
    seats: list[Seat] = field(init=False)
    ply: int = 0
    """Entries in the log so far."""
    last_move: int = 0
    """The length of the log just after the position last changed."""
    lines: deque[LogLine] = field(default_factory=lambda: deque(maxlen=MAX_LINES))
    chat: deque[Message] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES))
    chat_times: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """By person: when they last wrote in the chat, also at a seat that they have left since."""
    chat_mode: str = field(init=False)
    """How often a person writes in the chat: one of ``CHATS``."""
    reactions: dict[int, Reaction] = field(default_factory=dict)
    """By seat: its last reaction."""
    reaction_times: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """By person: when they last sent reactions."""
    pace: str = USUAL_PACE
    undo_request: UndoRequest | None = None
    undone: list[str] = field(default_factory=list)
    """Undone moves, the next one to redo last."""
    undos: int = 0
    hindsight: int = 0
    """How often a player undid moves after seeing something hidden."""
    clocks: Clocks = field(default_factory=Clocks)
    pause_request: PauseRequest | None = None
    paused: bool = False
    """Whether the clocks stand, and nobody moves, because all players wanted that."""
    passed: bool = False
    """Whether a bot has taken over the seat of a player whose time ran out."""
    rematch: str = ""
    """The token of the table where the same players continue."""
    rematch_by: int = TABLE
    """The seat that has asked for it, or ``TABLE``."""
    later: frozenset[int] = frozenset()
    """The seats of people who don't continue right now."""
    wants: dict[str, str] = field(default_factory=dict)
    """The names of spectators who want a bot's seat in the next game, by person."""
    notes: list[tuple[int, str]] = field(default_factory=list)
    """What the record says besides moves, each with the number of moves before it."""
    muted: dict[int, frozenset[int]] = field(default_factory=dict)
    """By seat: the seats whose chat it doesn't hear."""
    closed: str = ""
    """Why the game can't go on, if it was closed."""
    claims: dict[int, str] = field(default_factory=dict)
    """By seat: the person who says that it is theirs, until the host has answered."""
    denied: frozenset[tuple[int, str]] = frozenset()
    """Seats that people have claimed in vain."""
    helped: bool = False
    """Whether the solver was asked before the end."""
    played_out_from: int | None = None
    """How many moves had been made when somebody skipped to the end; None if nobody did."""
    unguided: frozenset[int] = frozenset()
    """The seats of people who have skipped the guide."""
    movers: list[int] = field(default_factory=list)
    """The seat of each move that counts."""
    choices: list[bool] = field(default_factory=list)
    """Of each move that counts, whether there was another."""
    shares: dict[int, Share] = field(default_factory=dict)
    """By seat: what players have promised or given to a fair deal."""
    made: deque[MoveMade] = field(default_factory=lambda: deque(maxlen=MAX_LINES))
    """The last moves of people: a request for one of these may be sent twice."""
    changed: float = field(init=False)
    """When the last event happened, in seconds since 1970."""

    def __post_init__(self) -> None:
        header = self.header
        self.seats = list(header.seats)
        self.chat_mode = PUBLIC_CHAT if header.public else OPEN_CHAT
        self.changed = header.created
        if header.fair is None or header.fair.deferred:
            seed = header.seed if header.fair is None else NOT_DEALT
            self.match = Match(header.game, self._names(), seed, header.options)
        else:
            self.shares = {one.seat: one for one in header.fair.shares}
            self.deal()
        self.clocks = Clocks(seat=self.thinking, since=header.created)

    def deal(self) -> None:
        """Deal the cards of a fair deal, from the server's secret and the shares so far."""
        header = self.header
        assert header.fair is not None
        seats, version = len(self.seats), header.game.version
        seed, fair = fair_deal(
            header.game.name, version, seats, header.seed, header.fair, self.shares
        )
        self.match = Match(header.game, self._names(), seed, header.options, fair=fair)

    def _names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    def copy(self) -> Table:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        for name, value in self.__dict__.items():  # what the containers hold never changes
            twin.__dict__[name] = copy(value) if isinstance(value, (list, deque, dict)) else value
        twin.match = self.match.copy()
        return twin

    @property
    def game(self) -> Game:
        return self.header.game

    @property
    def alone(self) -> bool:
        """Whether this is a solitaire game."""
        return self.match.seats == 1

    @property
    def one_player(self) -> bool:
        """Whether one person plays here, with one seat; the other seats are bots'."""
        return sum(bool(seat.person) for seat in self.seats) == 1 and not self.waiting

    @property
    def waiting(self) -> bool:
        """Whether the game hasn't begun: seats are open, or the cards aren't dealt."""
        return not self.closed and (True in [seat.open for seat in self.seats] or not self.dealt)

    @property
    def dealt(self) -> bool:
        """Whether the cards are dealt; a fair deal may wait for the players' shares."""
        return self.header.fair is None or self.match.fair is not None

    def view(self, eyes: int | None) -> View:
        """Return what a seat sees, or with None everything; all face down before the deal."""
        return self.match.view(eyes) if self.dealt else self.match.view(SPECTATOR).face_down()

    @property
    def gathering(self) -> bool:
        """Whether seats are open."""
        return not self.closed and True in [seat.open for seat in self.seats]

    @property
    def for_anyone(self) -> bool:
        """Whether anyone can take a seat."""
        return self.header.public and self.gathering

    @property
    def dealing(self) -> bool:
        """Whether all seats are taken and the cards aren't dealt yet."""
        return not (self.dealt or self.closed or self.gathering)

    def owes_share(self, seat: int) -> bool:
        """Return whether the person at a seat has promised a share and can reveal it now."""
        promised = self.shares.get(seat)
        one = self.seats[seat]
        plays = one.person is not None and not one.bot
        return self.dealing and plays and promised is not None and not promised.share

    @property
    def abandoned(self) -> bool:
        """Whether everyone who played has resigned. A clock alone never ends a game."""
        left = [seat.resigned for seat in self.seats if seat.person]
        return bool(left) and all(left) and not self.over_by_rules and not self.passed

    @property
    def over_by_rules(self) -> bool:
        """Whether the rules have ended the game."""
        return self.match.turn is None

    @property
    def over(self) -> bool:
        """Whether no more moves will be made."""
        return self.over_by_rules or self.abandoned or bool(self.closed)

    @property
    def status(self) -> Status:
        """``over`` when the rules ended the game, ``abandoned`` when everyone resigned.

        ``closed`` when the operator ended it before.
        """
        if self.over_by_rules:
            return "over"
        if self.closed:
            return "closed"
        if self.abandoned:
            return "abandoned"
        return "waiting" if self.waiting else "playing"

    @property
    def turn(self) -> int | None:
        """The seat to move; None while the game isn't being played."""
        return None if self.waiting or self.over or self.paused else self.match.turn

    @property
    def thinking(self) -> int | None:
        """The seat of the person to move; None while it is nobody's turn, or a bot's."""
        turn = self.turn
        return None if turn is None or self.seats[turn].kind != "person" else turn

    @property
    def waits_for_the_absent(self) -> bool:
        """Whether nobody may call a bot for a player who is away, since the clock will do it."""
        return bool(self.clocks.control) and not self.waiting

    @property
    def claimable(self) -> bool:
        """Whether players can claim their seats from other browsers: not in a game over days."""
        return self.gathering or not self.clocks.control.slow

    @property
    def due(self) -> float | None:
        """When the server has to act at a table with a clock, in seconds since 1970.

        That is when the time of the player to move runs out. A bot moves by itself, unless its
        server has stopped: then another one looks after it.
        """
        if not self.clocks.control or self.turn is None:
            return None
        turn = self.clocks.turn
        return self.changed + BOT_SECONDS if turn is None else turn.until

    def seats_of(self, person: str | None) -> list[int]:
        """Return the seats that a person owns, including those that a bot plays for them."""
        if person is None:
            return []
        return [i for i, seat in enumerate(self.seats) if seat.person == person]

    def people(self) -> dict[str, list[int]]:
        """Return the seats that people play themselves, by person."""
        found: dict[str, list[int]] = {}
        for i, seat in enumerate(self.seats):
            if seat.person and not seat.bot:
                found.setdefault(seat.person, []).append(i)
        return found

    def bots(self) -> list[int]:
        """Return the seats that belong to bots, without those where one stands in for a person."""
        return [i for i, seat in enumerate(self.seats) if seat.bot and not seat.person]

    @property
    def seats_to_want(self) -> int:
        """How many more people can have a bot's seat in the next game."""
        free = self.header.public and not (self.waiting or self.rematch or self.closed)
        return len(self.bots()) - len(self.wants) if free else 0

    def is_out(self, seat: int) -> bool:
        """Return whether a seat makes no more moves, although the game goes on."""
        return not self.over and self.match.is_out(seat)

    def only_bots_play(self) -> bool:
        """Return whether everyone who plays here is out, so that bots alone go on."""
        here = [i for i, seat in enumerate(self.seats) if seat.person and not seat.bot]
        return bool(here) and all(self.is_out(seat) for seat in here)

    def others(self, person: str | None) -> frozenset[str]:
        """Return the people who play the other seats themselves."""
        return frozenset(self.people()) - {person}

    def readers(self) -> list[int]:
        """Return who reads the moves: the seats that people own or can take, and SPECTATOR."""
        return [i for i, seat in enumerate(self.seats) if seat.person or seat.open] + [SPECTATOR]

    def hears(self, seat: int) -> list[Message]:
        """Return the chat as a seat hears it; spectators hear none."""
        if seat == SPECTATOR:
            return []
        return [said for said in self.chat if said.seat not in self.muted.get(seat, ())]

    def reacting(self, seat: int, now: float) -> list[Reaction]:
        """Return the reactions that a seat sees now; spectators see none."""
        if seat == SPECTATOR or not self.reactions:
            return []
        muted = self.muted.get(seat, ())
        return [one for one in self.reactions.values() if one.shown(now) and one.seat not in muted]

    @property
    def chat_pause(self) -> int | None:
        """The seconds between two lines of chat of one person; None if nobody writes."""
        return CHATS[self.chat_mode]

    def seconds_to_say(self, person: str, now: float) -> float:
        """Return how long a person waits until they can write in the chat; 0 if they needn't."""
        times = self.chat_times.get(person)
        if not times:
            return 0.0
        pause = wait_for(times, 1, self.chat_pause or 0, now)
        return max(pause, wait_for(times, CHAT_BURST, CHAT_SECONDS, now))

    def undo_to(self, person: str | None, step: bool = True) -> int | None:
        """Return how many moves stay when a person undoes; None when they can't.

        By one ``step`` they get back to their last move, else to the last one with a choice.
        """
        mine = self.seats_of(person)
        if self.header.compares:
            return None
        if self.closed or self.abandoned or (self.over_by_rules and not self.alone):
            return None
        if any(self.seats[i].bot for i in mine):
            return None
        own = [ply for ply in reversed(range(len(self.movers))) if self.movers[ply] in mine]
        decided = (ply for ply in own if self.choices[ply] or step)
        return next(decided, own[0] if own else None)

    def repeated(self, person: str, move: str, ply: int) -> int | None:
        """Return the seat of a person that already made this move from there; None if none did."""
        mine = self.seats_of(person)
        made = (seat for seat in mine for one in self.made if one.matches(seat, move, ply))
        return next(made, None) if ply < self.last_move else None

    def unique_name(self, name: str, seat: int) -> str:
        """Return the name for a seat, with a number if another seat has the same name."""
        taken = {one.name for i, one in enumerate(self.seats) if i != seat}
        return unique(name, taken)

    def record(self) -> Record:
        """Return the game as a record, which shows every hidden card.

        Raises :class:`NotYours` while the game runs.
        """
        if not self.over:
            raise NotYours("the record shows hidden cards: you get it when the game is over")
        return self.match.record(self.notes[-MAX_NOTES:])
