"""A table: a match, who sits where, and everything that was done at it, in order.

A table is its header and its log and nothing else. The log is append-only; an entry's ``ply`` is
its position in it. So a table is loaded by applying its log again, and whoever holds the number of
the last entry knows whether something has happened since.

Nothing here reads or writes anything: :mod:`redouble.web.tables` keeps tables and their log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from redouble.bots import bot_named
from redouble.contract.game import Game
from redouble.kernel.errors import IllegalMove
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.record import MAX_NOTES, Record
from redouble.match.story import last_move
from redouble.web.errors import NotYours, Stale, TooLarge, TooMuch, WebError

LINES = 60
"""What was done: so many lines are kept for the pages of a table."""
CHAT_LINES = 30
CHAT_LENGTH = 200
"""Characters of one line of chat."""
CHAT_BURST, CHAT_SECONDS = 5, 10.0
"""A seat says at most so many lines in so many seconds."""
PACES = {"slow": 1.6, "normal": 0.8, "fast": 0.25, "instant": 0.0}
"""Seconds that a bot lets pass before it moves."""
USUAL_PACE = "normal"
Status = Literal["waiting", "playing", "over", "abandoned"]
TABLE = -1
"""The seat of an entry that no seat made."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table's log: at ``at`` (seconds since 1970) ``seat`` did ``kind``."""

    ply: int
    kind: str
    seat: int
    text: str
    at: float
    person: str | None = None
    """Who sits down or speaks, when somebody does."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a seat. ``person`` is the owner; ``bot`` the level of the bot that plays now."""

    name: str
    person: str | None = None
    bot: str = ""
    resigned: bool = False

    @property
    def open(self) -> bool:
        """Whether a friend may still sit down here."""
        return self.person is None and not self.bot

    @property
    def stand_in(self) -> bool:
        """Whether a bot plays for a person who may come back."""
        return bool(self.person and self.bot and not self.resigned)

    @property
    def kind(self) -> str:
        """``open``, ``bot`` or ``person``, by who decides now."""
        return "open" if self.open else "bot" if self.bot else "person"


@dataclass(frozen=True)
class Header:
    """What is fixed when a table is made."""

    token: str
    """The table's own address: whoever has it may watch."""
    invite: str
    """Whoever has this may sit down on an open seat."""
    game: Game
    options: Mapping[str, Any]
    seed: str
    seats: tuple[Seat, ...]
    host: str | None = None
    public: bool = False
    """Whether the home page offers the table to watch."""
    created: float = 0.0
    before: str = ""
    """The token of the table that this one is the rematch of."""


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was done, in the words each reader may hear it, seat names put in."""

    ply: int
    """Position in the log."""
    seat: int
    told: Mapping[int, str]
    """By reader: SPECTATOR, and the seats that hear it in other words than an onlooker."""
    moves: int
    """Moves made before it."""
    move: bool = True


@dataclass(frozen=True, slots=True)
class Said:
    """A line of chat."""

    ply: int
    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """A seat asks the others to take moves back until ``keep`` are left."""

    seat: int
    keep: int
    agreed: frozenset[str]
    """The people who have agreed."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A move that was made: by a page that showed between ``first`` and ``last`` entries."""

    seat: int
    move: str
    first: int
    last: int

    def matches(self, seat: int, move: str, ply: int) -> bool:
        return (self.seat, self.move) == (seat, move) and self.first <= ply <= self.last


@dataclass
class Table:
    """The fold of a header and a log. Commands return entries to log; ``apply`` takes them in."""

    header: Header
    match: Match = field(init=False)
    seats: list[Seat] = field(init=False)
    ply: int = 0
    """Entries of the log so far."""
    last_move: int = 0
    """The log's length just after the last move, undo, or change of the position."""
    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=LINES))
    chat: deque[Said] = field(default_factory=lambda: deque(maxlen=CHAT_LINES))
    pace: str = USUAL_PACE
    undo_request: UndoRequest | None = None
    undone: list[str] = field(default_factory=list)
    """Moves taken back, the first to be made again last."""
    undos: int = 0
    hindsight: int = 0
    """How often moves were taken back after something hidden had been seen."""
    rematch: str = ""
    """The token of the table where the same players go on."""
    notes: list[tuple[int, str]] = field(default_factory=list)
    muted: dict[int, frozenset[int]] = field(default_factory=dict)
    """By seat: the seats whose chat it does not hear."""
    unguided: frozenset[int] = frozenset()
    """Seats of people who have put the guide to a first game away."""
    changed: float = 0.0
    """When the last entry was made."""

    def __post_init__(self) -> None:
        header = self.header
        names = [seat.name for seat in header.seats]
        self.match = Match(header.game, names, header.seed, header.options)
        self.seats = list(header.seats)
        self.changed = header.created
        self._movers: list[int] = []
        self._made: deque[_Made] = deque(maxlen=LINES)
        self._says: dict[int, tuple[float, ...]] = {}

    @classmethod
    def load(cls, header: Header, entries: Sequence[Entry]) -> Table:
        """The table whose log this is. Only moves that can still be heard of are put into words."""
        table = cls(header)
        heard = set(_standing(entries)[-LINES:])
        for entry in entries:
            table.apply(entry, in_words=entry.ply in heard)
        return table

    def copy(self) -> Table:
        """An independent table that stands where this one stands."""
        twin = object.__new__(type(self))
        for name, value in self.__dict__.items():  # what the containers hold is never changed
            twin.__dict__[name] = copy(value) if isinstance(value, (list, deque, dict)) else value
        twin.match = self.match.copy()
        return twin

    # What the table is like.

    @property
    def game(self) -> Game:
        return self.header.game

    @property
    def alone(self) -> bool:
        """Whether this is a game for one."""
        return self.match.seats == 1

    @property
    def waiting(self) -> bool:
        """Whether the game has not begun because seats are open."""
        return any(seat.open for seat in self.seats)

    @property
    def abandoned(self) -> bool:
        """Whether everybody who played has given up."""
        people = [seat for seat in self.seats if seat.person]
        return bool(people) and all(seat.resigned for seat in people) and not self.over_by_rules

    @property
    def over_by_rules(self) -> bool:
        return self.match.turn is None

    @property
    def over(self) -> bool:
        """Whether nothing more will be played."""
        return self.over_by_rules or self.abandoned

    @property
    def status(self) -> Status:
        """What is going on: it is over when the rules end it, abandoned when everybody gave up."""
        if self.over_by_rules:
            return "over"
        if self.abandoned:
            return "abandoned"
        return "waiting" if self.waiting else "playing"

    @property
    def turn(self) -> int | None:
        """The seat that everybody waits for; None while the game does not run."""
        return None if self.waiting or self.over else self.match.turn

    def seats_of(self, person: str | None) -> list[int]:
        """The seats that a person owns, a bot standing in or not."""
        if person is None:
            return []
        return [i for i, seat in enumerate(self.seats) if seat.person == person]

    def owned(self, person: str, seat: int) -> None:
        """Raise :class:`NotYours` unless the seat is this person's."""
        self._seat(seat)
        if self.seats[seat].person != person:
            raise NotYours(f"{self.seats[seat].name}'s seat is not yours")

    def people(self) -> dict[str, list[int]]:
        """The seats, by person, that people decide for now."""
        found: dict[str, list[int]] = {}
        for i, seat in enumerate(self.seats):
            if seat.person and not seat.bot:
                found.setdefault(seat.person, []).append(i)
        return found

    def readers(self) -> list[int]:
        """For whom moves are put into words: the seats that people own, and the onlookers."""
        return [i for i, seat in enumerate(self.seats) if seat.person or seat.open] + [SPECTATOR]

    def record(self) -> Record:
        """The game as a record. It tells everything: only for a table that is over.

        Raises :class:`NotYours` before.
        """
        if not self.over:
            raise NotYours("the record tells what is hidden: it can be had when the game is over")
        return self.match.record(self.notes[-MAX_NOTES:])

    # What can be done. Each command checks, and returns what is to be logged.

    def move(self, seat: int, move: str, ply: int) -> list[Entry]:
        """Make a move on a page that showed the log's first ``ply`` entries.

        Returns nothing when just this move was made from just there: it was sent twice.
        Raises :class:`Stale` when the position is no longer the one that the page showed, and
        :class:`IllegalMove`.
        """
        if ply < self.last_move:
            if any(made.matches(seat, move, ply) for made in self._made):
                return []
            raise Stale("a move was made since this page was drawn: look again before you play")
        if ply > self.ply:
            raise Stale(f"the table has {self.ply} entries, not yet {ply}: reload it")
        self._running()
        if self.match.turn != seat:
            raise NotYours(f"{self.seats[self._on_turn()].name} is to move, not you")
        if self.seats[seat].bot:
            raise NotYours("a bot plays for you: take your seat back first")
        action = self.match.legal_moves.action(move)
        if action is None:
            raise IllegalMove(self._why_not(move))
        return [self._entry("move", seat, self.match.legal_moves.name(action))]

    def repeated(self, person: str, move: str, ply: int) -> int | None:
        """The seat of a person that made just this move from just there; None when none did."""
        mine = self.seats_of(person)
        made = (seat for seat in mine for one in self._made if one.matches(seat, move, ply))
        return next(made, None) if ply < self.last_move else None

    def bot_move(self, action: int) -> list[Entry]:
        """The move of the bot on turn."""
        seat = self._on_turn()
        return [self._entry("move", seat, self.match.legal_moves.name(action))]

    def undo(self, person: str) -> list[Entry]:
        """Take back to the person's last decision, or ask the others whether that may be."""
        keep = self.undo_to(person)
        if keep is None:
            raise WebError("there is no decision of yours to take back")
        seat = self._movers[keep]
        if self.alone or not self._others(person):
            seen = not self.alone and self.match.learned(seat, keep)
            return [self._entry("undo", seat, f"{keep} seen" if seen else f"{keep}")]
        if self.undo_request is not None:
            raise Stale("somebody has asked to take back already: answer that first")
        return [self._entry("ask", seat, f"{keep}")]

    def redo(self, person: str) -> list[Entry]:
        """Make the move again that was taken back last: in a game for one."""
        self._running()
        if not self.alone or not self.undone:
            raise WebError("there is nothing to do again")
        seat = self._on_turn()
        if self.seats[seat].person != person:
            raise NotYours("this is not your game")
        if self.seats[seat].bot:
            raise NotYours("a bot plays for you: take your seat back first")
        return [self._entry("redo", seat, self.undone[-1])]

    def answer(self, person: str, agree: bool) -> list[Entry]:
        """Say whether moves may be taken back; when everybody agrees they are."""
        if self.undo_request is None:
            raise Stale("nobody asks to take back any more")
        mine = self.people().get(person)
        if not mine:
            raise NotYours("only those who play can answer")
        asker = self.seats[self.undo_request.seat].person
        if not agree:
            return [self._entry("refuse", mine[0])]
        if person == asker:
            raise NotYours("the others have to agree; you can take your question back")
        if person in self.undo_request.agreed:
            raise Stale("you have agreed already; others have not yet")
        entries = [self._entry("agree", mine[0])]
        if self._others(asker) <= self.undo_request.agreed | {person}:
            undo = self._entry("undo", self.undo_request.seat, f"{self.undo_request.keep}")
            entries.append(replace(undo, ply=self.ply + 1))
        return entries

    def resign(self, person: str, level: str) -> list[Entry]:
        """Give up: a bot plays the person's seats to the end, and they cannot come back."""
        if self.over:
            raise WebError("the game is over")
        if self.waiting:
            raise WebError("the game has not begun: leave the table instead")
        bot_named(level)
        mine = [i for i in self.seats_of(person) if not self.seats[i].resigned]
        if not mine:
            raise NotYours("you do not play here")
        return self._numbered([self._entry("resign", seat, level) for seat in mine])

    def leave(self, person: str) -> list[Entry]:
        """Get up from a table that still waits: the seats are open again."""
        if not self.waiting:
            raise WebError("the game has begun: resign, or just go; a bot can stand in for you")
        return self._numbered([self._entry("leave", seat) for seat in self._mine(person)])

    def sit(self, person: str, name: str, seat: int | None = None) -> list[Entry]:
        """Take an open seat, or the first one. Raises :class:`Stale` when none is left."""
        if self.seats_of(person):
            raise WebError("you sit at this table already")
        free = [i for i, one in enumerate(self.seats) if one.open]
        if not free:
            raise Stale("every seat at this table is taken; you can watch")
        if seat is None:
            seat = free[0]
        if seat not in free:
            raise Stale("that seat is taken; choose another")
        entry = self._entry("sit", seat, self._own_name(name, seat))
        return [replace(entry, person=person)]

    def hand_over(self, person: str, seat: int, level: str, absent: Collection[int]) -> list[Entry]:
        """Let a bot play a seat: an open one, one whose player is absent, or one's own."""
        bot_named(level)
        self._seat(seat)
        if self.over:
            raise WebError("the game is over")
        if not self.seats_of(person) and person != self.header.host:
            raise NotYours("only those who play here can hand a seat to a bot")
        if self.seats[seat].bot:
            raise Stale(f"a bot plays for {self.seats[seat].name} already")
        if self.seats[seat].person not in (None, person) and seat not in absent:
            raise NotYours(f"{self.seats[seat].name} is here and plays this seat")
        return [self._entry("bot", seat, level)]

    def back(self, person: str) -> list[Entry]:
        """Take the seats back that bots play for a person."""
        mine = [i for i in self._mine(person) if self.seats[i].stand_in]
        if not mine or self.over:
            raise Stale("no bot plays for you")
        return self._numbered([self._entry("back", seat) for seat in mine])

    def say(self, person: str, seat: int, text: str, now: float) -> list[Entry]:
        """Chat among the seats."""
        text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if not text:
            raise WebError("say something, or nothing")
        if len(text) > CHAT_LENGTH:
            raise TooLarge(f"a line of chat has at most {CHAT_LENGTH} characters")
        self.owned(person, seat)
        recent = [at for at in self._says.get(seat, ()) if now - at < CHAT_SECONDS]
        if len(recent) >= CHAT_BURST:
            raise TooMuch(f"at most {CHAT_BURST} lines in {CHAT_SECONDS:.0f} seconds")
        return [replace(self._entry("say", seat, text), person=person)]

    def mute(self, person: str, seat: int, other: int) -> list[Entry]:
        """Hear no more of another seat's chat, or hear it again."""
        self.owned(person, seat)
        self._seat(other)
        kind = "unmute" if other in self.muted.get(seat, ()) else "mute"
        return [self._entry(kind, seat, f"{other}")]

    def skip_guide(self, person: str) -> list[Entry]:
        """Show a person the guide to a first game no more, unless they ask for it."""
        mine = self._mine(person)
        return [] if self.unguided.intersection(mine) else [self._entry("unguided", mine[0])]

    def set_pace(self, person: str, pace: str) -> list[Entry]:
        """Change how long bots rest before they move."""
        check_pace(pace)
        if not self.seats_of(person) and person != self.header.host:
            raise NotYours("only those who play here can set the pace of the bots")
        return [self._entry("pace", TABLE, pace)] if pace != self.pace else []

    def go_on_at(self, token: str) -> list[Entry]:
        """Note where the rematch is. Raises :class:`Stale` when there is one."""
        if self.rematch:
            raise Stale("the rematch has begun already")
        return [self._entry("rematch", TABLE, token)]

    def undo_to(self, person: str | None) -> int | None:
        """How many moves are left when the person takes back; None when that cannot be."""
        mine = self.seats_of(person)
        if self.abandoned or (self.over_by_rules and not self.alone):
            return None
        if any(self.seats[i].bot for i in mine):
            return None
        found = (ply for ply in reversed(range(len(self._movers))) if self._movers[ply] in mine)
        return next(found, None)

    def hears(self, seat: int) -> list[Said]:
        """The chat as a seat hears it; onlookers hear none."""
        if seat == SPECTATOR:
            return []
        return [said for said in self.chat if said.seat not in self.muted.get(seat, ())]

    # Taking entries in.

    def apply(self, entry: Entry, in_words: bool = True) -> None:
        """Take in the next entry of the log."""
        assert entry.ply == self.ply, f"entry {entry.ply} after {self.ply}"
        self.ply += 1
        self.changed = entry.at
        getattr(self, f"_on_{entry.kind}")(entry, in_words)

    def _on_move(self, entry: Entry, in_words: bool) -> None:
        moves = self.match.ply
        self.match.push(entry.text)
        self._movers.append(entry.seat)
        self._position_changed(entry)
        self.undone.clear()
        told = {SPECTATOR: ""}
        if in_words:
            names = self.match.names
            heard = {r: last_move(self.match, names, r) for r in self.readers()}
            told = {r: words for r, words in heard.items() if r == SPECTATOR}
            told |= {r: words for r, words in heard.items() if words != told[SPECTATOR]}
        self.lines.append(Line(entry.ply, entry.seat, told, moves))

    def _on_redo(self, entry: Entry, in_words: bool) -> None:
        undone = self.undone[:-1]
        self._on_move(entry, in_words)
        self.undone = undone

    def _on_undo(self, entry: Entry, in_words: bool) -> None:
        keep, *seen = entry.text.split()
        while self.match.ply > int(keep):
            self.undone.append(self.match.pop())
            self._movers.pop()
        self._position_changed(entry)
        self.undos += 1
        self.hindsight += bool(seen)
        kept = [line for line in self.lines if not line.move or line.moves < int(keep)]
        self.lines = deque(kept, maxlen=LINES)
        self.notes = [(min(ply, self.match.ply), text) for ply, text in self.notes]
        if not self.alone:
            what = "takes back, having seen more" if seen else "takes back"
            self._tell(entry, what)

    def _on_ask(self, entry: Entry, in_words: bool) -> None:
        self.undo_request = UndoRequest(entry.seat, int(entry.text), frozenset())
        self._tell(entry, "asks to take back", note=False)

    def _on_agree(self, entry: Entry, in_words: bool) -> None:
        assert self.undo_request is not None
        person = self.seats[entry.seat].person
        assert person is not None
        self.undo_request = replace(self.undo_request, agreed=self.undo_request.agreed | {person})
        self._tell(entry, "agrees", note=False)

    def _on_refuse(self, entry: Entry, in_words: bool) -> None:
        own = self.undo_request is not None and self.undo_request.seat == entry.seat
        self.undo_request = None
        self._tell(entry, "no longer asks" if own else "does not agree", note=False)

    def _on_resign(self, entry: Entry, in_words: bool) -> None:
        self.seats[entry.seat] = replace(self.seats[entry.seat], bot=entry.text, resigned=True)
        self._tell(entry, "gives up" if self.alone else f"resigns; a bot ({entry.text}) plays on")
        self.undo_request = None

    def _on_leave(self, entry: Entry, in_words: bool) -> None:
        # What was said from the seat goes too: whoever sits down next did not say it.
        gone = self.seats[entry.seat].name
        self.chat = deque((s for s in self.chat if s.seat != entry.seat), maxlen=CHAT_LINES)
        self.lines = deque((one for one in self.lines if one.seat != entry.seat), maxlen=LINES)
        self.muted = {
            seat: others - {entry.seat} for seat, others in self.muted.items() if seat != entry.seat
        }
        self._says.pop(entry.seat, None)
        name = self._own_name(open_seat(entry.seat), entry.seat)
        self.seats[entry.seat] = Seat(name)
        self.unguided -= {entry.seat}
        self._rename(entry.seat, name)
        self._tell(entry, f"is free again: {gone} has left", note=False)

    def _on_sit(self, entry: Entry, in_words: bool) -> None:
        self.seats[entry.seat] = Seat(entry.text, entry.person)
        self._rename(entry.seat, entry.text)
        self._tell(entry, "sits down", note=False)

    def _on_bot(self, entry: Entry, in_words: bool) -> None:
        seat = self.seats[entry.seat]
        self.seats[entry.seat] = replace(seat, bot=entry.text)
        what = f"is away; a bot ({entry.text}) plays" if seat.person else f"is a bot ({entry.text})"
        self._tell(entry, what)
        self.undo_request = None

    def _on_back(self, entry: Entry, in_words: bool) -> None:
        self.seats[entry.seat] = replace(self.seats[entry.seat], bot="")
        self._tell(entry, "is back")

    def _on_say(self, entry: Entry, in_words: bool) -> None:
        self._says[entry.seat] = (*self._says.get(entry.seat, ()), entry.at)[-CHAT_BURST:]
        if entry.text:  # emptied when the person who said it wanted everything forgotten
            self.chat.append(Said(entry.ply, entry.seat, entry.text))

    def _on_mute(self, entry: Entry, in_words: bool) -> None:
        self.muted[entry.seat] = self.muted.get(entry.seat, frozenset()) | {int(entry.text)}

    def _on_unmute(self, entry: Entry, in_words: bool) -> None:
        self.muted[entry.seat] = self.muted.get(entry.seat, frozenset()) - {int(entry.text)}

    def _on_unguided(self, entry: Entry, in_words: bool) -> None:
        self.unguided |= {entry.seat}

    def _on_pace(self, entry: Entry, in_words: bool) -> None:
        self.pace = entry.text

    def _on_rematch(self, entry: Entry, in_words: bool) -> None:
        self.rematch = entry.text

    def _position_changed(self, entry: Entry) -> None:
        if entry.kind != "undo":
            self._made.append(_Made(entry.seat, entry.text, self.last_move, entry.ply))
        self.last_move = self.ply
        self.undo_request = None

    def _tell(self, entry: Entry, what: str, note: bool = True) -> None:
        """Something that is no move: told to everybody, and noted in the record."""
        told = {SPECTATOR: what}
        self.lines.append(Line(entry.ply, entry.seat, told, self.match.ply, move=False))
        if note:
            name = self.seats[entry.seat].name
            self.notes.append((self.match.ply, f"{name} {what}."))

    def _rename(self, seat: int, name: str) -> None:
        names = list(self.match.names)
        names[seat] = name
        self.match.names = tuple(names)

    def _own_name(self, name: str, seat: int) -> str:
        """The name, with a number when somebody else at the table has the same."""
        taken = {one.name for i, one in enumerate(self.seats) if i != seat}
        number, own = 2, name
        while own in taken:
            own, number = f"{name} {number}", number + 1
        return own

    # Small checks.

    def _entry(self, kind: str, seat: int, text: str = "") -> Entry:
        return Entry(self.ply, kind, seat, text, 0.0)

    def _numbered(self, entries: Iterable[Entry]) -> list[Entry]:
        return [replace(entry, ply=self.ply + i) for i, entry in enumerate(entries)]

    def _running(self) -> None:
        if self.over:
            raise Stale("the game is over")
        if self.waiting:
            raise Stale("the game has not begun: seats are open")

    def _on_turn(self) -> int:
        turn = self.match.turn
        assert turn is not None
        return turn

    def _seat(self, seat: int) -> None:
        if not 0 <= seat < len(self.seats):
            raise WebError(f"there is no seat {seat}; seats are 0 to {len(self.seats) - 1}")

    def _mine(self, person: str) -> list[int]:
        mine = self.seats_of(person)
        if not mine:
            raise NotYours("you do not sit at this table")
        return mine

    def _others(self, person: str | None) -> frozenset[str]:
        """The people who decide for other seats."""
        return frozenset(self.people()) - {person}

    def _why_not(self, move: str) -> str:
        legal = list(self.match.legal_moves)
        more = f" and {len(legal) - 12} more" if len(legal) > 12 else ""
        return f"{move!r} cannot be played now; these can: {', '.join(legal[:12])}{more}"


def open_seat(seat: int) -> str:
    """What a seat is called that nobody has taken."""
    return f"Seat {seat + 1}"


def _standing(entries: Iterable[Entry]) -> list[int]:
    """Where in the log the moves are that were not taken back."""
    plies: list[int] = []
    for entry in entries:
        if entry.kind in ("move", "redo"):
            plies.append(entry.ply)
        elif entry.kind == "undo":
            del plies[int(entry.text.split()[0]) :]
    return plies


def check_pace(pace: str) -> None:
    """Raise :class:`WebError` when bots cannot rest so long."""
    if pace not in PACES:
        raise WebError(f"pace cannot be {pace!r}: give one of {', '.join(PACES)}")
