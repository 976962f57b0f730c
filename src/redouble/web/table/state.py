"""A table as it stands: the match, who sits where, the chat, and what can be asked about it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Self

from redouble.contract.game import Game
from redouble.contract.view import View
from redouble.kernel.state import SPECTATOR
from redouble.match.fair import Share
from redouble.match.match import Match
from redouble.match.record import MAX_NOTES, Record
from redouble.match.story import YOU, move_in_words
from redouble.web.errors import NotYours
from redouble.web.table.clocks import Clocks
from redouble.web.table.pace import USUAL_PACE
from redouble.web.table.parts import Claims, Copyable, Hands, KeptSeat, NextGame, Pause, Undone
from redouble.web.table.seats import Header, Seat, unique
from redouble.web.table.talk import OPEN_CHAT, PUBLIC_CHAT, Talk

MAX_LINES = 60
"""Lines of the log that a table's pages can show."""
KEPT_SECONDS = {False: 60.0, True: 24 * 3600.0}
"""How long a rematch keeps its seats, by whether it is a correspondence game."""
DESERTED_SECONDS = 600
"""After this time at least a game ends that nobody plays any more."""
BOT_SECONDS = 30.0
"""After this time another server looks after a bot that hasn't moved, at a table with a clock."""
NOT_DEALT = ""
"""The seed of what a table's match is before the cards are dealt: nobody gets to play it."""
Status = Literal["waiting", "playing", "over", "abandoned", "closed"]


class HeardLine(NamedTuple):
    """An event in the words of one reader, which come after a name."""

    ply: int
    seat: int
    name: str
    """Who had the seat when it happened, or ``YOU``."""
    words: str
    moves: int
    move: bool
    letter: str
    """What stands for the player in a picture."""

    def up_to(self, moment: int) -> HeardLine:
        """Return the line without what comes after a moment of the move, the first being 0.

        What a move leads to follows in the order of its moments, each behind a semicolon.
        """
        told = self.words.split("; ")[: moment + 1]
        return self._replace(words="; ".join(told))


@dataclass(frozen=True, slots=True)
class LogLine:
    """An event in words: after a name, each reader reads their own."""

    ply: int
    """Position in the log."""
    seat: int
    name: str
    """Who had the seat when it happened."""
    texts: dict[int, str]
    """The words by reader: those of SPECTATOR, and of the seats that may know more. A move's have
    seats for names."""
    names: tuple[str, ...]
    """Who sat at the table."""
    moves: int
    """Moves that were made before it."""
    move: bool = True
    """Whether it is a move."""

    def heard(self, reader: int, you: str = "") -> HeardLine:
        """Return the line as a reader reads it, as "you" if their name is ``you``."""
        told = self.texts.get(reader, self.texts[SPECTATOR])
        own = self.seat == reader and self.name == you
        addressed = reader if reader >= 0 and self.names[reader] == you else None
        words = move_in_words(told, self.names, self.seat if own else SPECTATOR, addressed)
        name = YOU if own else self.name
        letter = self.name[:1].upper()
        return HeardLine(self.ply, self.seat, name, words, self.moves, self.move, letter)


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
class Table(Copyable):
    """A table: its header with the events of its log so far.

    Only :func:`redouble.web.table.fold.apply` changes it; acts ask it.
    """

    header: Header
    match: Match = field(init=False)
    seats: list[Seat] = field(init=False)
    ply: int = 0
    """Entries in the log so far."""
    last_move: int = 0
    """The length of the log just after the position last changed."""
    lines: deque[LogLine] = field(default_factory=lambda: deque(maxlen=MAX_LINES))
    talk: Talk = field(init=False)
    pace: str = USUAL_PACE
    undone: Undone = field(default_factory=Undone)
    clocks: Clocks = field(default_factory=Clocks)
    pause: Pause = field(default_factory=Pause)
    casual: bool = False
    """Whether the players want no rating for this game."""
    given_up: bool = False
    """Whether the game has ended because nobody came back to it."""
    next: NextGame = field(default_factory=NextGame)
    notes: list[tuple[int, str]] = field(default_factory=list)
    """What the record says besides moves, each with the number of moves before it."""
    closed: str = ""
    """Why the game can't go on, if it was closed."""
    claims: Claims = field(default_factory=Claims)
    kept: dict[int, KeptSeat] = field(default_factory=dict)
    """By seat: who had it in the game before, and hasn't joined this one."""
    want_bots: frozenset[int] = frozenset()
    """The seats of people who agree to bots at the open ones."""
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
    hands: Hands = field(default_factory=Hands)
    shares: dict[int, Share] = field(default_factory=dict)
    """By seat: what players have promised or given to a fair deal."""
    made: deque[MoveMade] = field(default_factory=lambda: deque(maxlen=MAX_LINES))
    """The last moves of people: a request for one of these may be sent twice."""
    now: float = field(init=False)
    """When the last event happened, in seconds since 1970."""
    changed: float = field(init=False)
    """When the game last went on: no chat or request delays what follows from that."""

    def __post_init__(self) -> None:
        header = self.header
        self.seats = list(header.seats)
        self.talk = Talk(PUBLIC_CHAT if header.public else OPEN_CHAT)
        self.now = self.changed = header.created
        if header.fair is None or header.fair.deferred:
            seed = header.seed if header.fair is None else NOT_DEALT
            self.match = Match(header.game, self._names(), seed, header.options)
        else:
            self.shares = {one.seat: one for one in header.fair.shares}
            self.deal()
        self.clocks = Clocks(seat=self.thinking, since=header.created)

    def deal(self) -> None:
        """Deal the cards of a fair deal, from the server's secret and the shares so far."""
        header, game = self.header, self.header.game
        assert header.fair is not None
        seats = len(self.seats)
        seed, fair = header.fair.deal(game.name, game.version, seats, header.seed, self.shares)
        self.match = Match(header.game, self._names(), seed, header.options, fair=fair)

    def _names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    def copy(self) -> Self:
        twin = super().copy()
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
    def rated(self) -> bool:
        """Whether the game can change the ratings of several people who play it."""
        return not (self.casual or self.alone or self.header.compares)

    @property
    def one_player(self) -> bool:
        """Whether one person plays, with one seat; the other seats are bots'."""
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
    def claimed(self) -> list[int]:
        """The seats that people claim, while the host can answer."""
        return sorted(self.claims.asked) if self.gathering else []

    @property
    def for_anyone(self) -> bool:
        """Whether anyone can take a seat."""
        return self.header.public and self.gathering

    @property
    def asks_about_bots(self) -> frozenset[int]:
        """The seats of people who haven't agreed to bots at the open ones."""
        return frozenset(i for i, seat in enumerate(self.seats) if seat.person) - self.want_bots

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
        """Whether everyone who played has resigned, or nobody came back."""
        left = [seat.resigned for seat in self.seats if seat.person]
        return (self.given_up or (bool(left) and all(left))) and not self.over_by_rules

    @property
    def deserted(self) -> bool:
        """Whether nobody plays any more: the time of all who haven't resigned has run out.

        Bots make no moves either until one of them returns.
        """
        left = [i for i, seat in enumerate(self.seats) if seat.person and not seat.resigned]
        return bool(left) and self.hands.missing.issuperset(left)

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
        """``over`` when the rules ended the game, ``abandoned`` when nobody plays any more.

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
        stands = self.waiting or self.over or self.pause.begun or self.deserted
        return None if stands else self.match.turn

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
    def due(self) -> float | None:
        """When the server has to act at a table with a clock, in seconds since 1970.

        That is when the time of the player to move runs out, or when a game that nobody plays any
        more ends. A bot moves by itself, unless its server has stopped: then another one looks
        after it.
        """
        control = self.clocks.control
        if control and self.deserted and not self.over:
            return self.changed + max(DESERTED_SECONDS, control.move)
        if not control or self.turn is None:
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

    def is_out(self, seat: int) -> bool:
        """Return whether a seat makes no more moves, although the game goes on."""
        return not self.over and self.match.is_out(seat)

    def only_bots_play(self) -> bool:
        """Return whether everyone who plays is out, so that bots alone go on."""
        here = [i for i, seat in enumerate(self.seats) if seat.person and not seat.bot]
        return bool(here) and all(self.is_out(seat) for seat in here)

    def others(self, person: str | None) -> frozenset[str]:
        """Return the people who play the other seats themselves."""
        return frozenset(self.people()) - {person}

    def open_to(self, person: str, now: float) -> list[int]:
        """Return the open seats that a person can take: first those that are kept for them."""
        held = now < self.header.created + KEPT_SECONDS[self.clocks.control.slow]
        free = [i for i, seat in enumerate(self.seats) if seat.open]
        mine = [i for i in free if i in self.kept and self.kept[i].person == person]
        return mine + [i for i in free if i not in mine and not (held and i in self.kept)]

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
