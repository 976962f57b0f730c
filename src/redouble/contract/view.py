"""Views: the piles of cards, facts and prompt that one seat sees.

A view is made only from a redacted state, so it cannot hold anything that its seat does not know.
It is plain data: pages, terminals and programs can draw any game from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar

from redouble.contract.drawing import BOARDS, Drawing
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.state import SPECTATOR

__all__ = ["Card", "Fact", "Scene", "View", "Zone", "back", "fact"]

KEPT_CARDS = 4096
"""Cards that each function keeps which makes them, since every view shows mostly the same."""
KEPT_ZONES = 2048
"""Zones that each function keeps which makes them."""
KEPT_FACTS = 2048


@dataclass(frozen=True)
class Card:
    """A card: what names it, what it is, how people read it, and which card it is.

    Drawings take what they need from the fields and never take texts apart. A game fills the
    fields that its cards have. A face-down card has nothing but a ``place``. Raises
    :class:`~redouble.kernel.errors.InputError` if a text isn't a string.
    """

    text: str = ""
    """The card's name in moves, decks and ``dimmed``, such as ``8H``; empty if it lies face
    down."""
    color: str = ""
    rank: str = ""
    """Its number or figure without the suit or the color, such as ``8`` or ``K``."""
    suit: str = ""
    """The suit's name, such as ``hearts``."""
    pips: tuple[int, ...] = ()
    """The numbers on the parts of a tile: two on a domino."""
    face: str = ""
    """How people write the card, such as ``8♥``; the text, unless the game gives another."""
    spoken: str = ""
    """How a screen reader says it, such as ``8 of hearts``; the face and the color, unless the game
    gives another."""
    place: str = ""
    """Which card it is, for everybody who follows it by eye: no other card of the view has this
    place, and the card keeps it until it is shuffled. Letters, digits, ``-`` and ``_``: the number
    of the shuffle, where there are several, and the place that the card had after it."""

    @property
    def up(self) -> bool:
        """Whether the card lies face up."""
        return bool(self.text)

    def __post_init__(self) -> None:
        for name in ("text", "color", "face", "spoken"):
            _check_text(getattr(self, name), name)
        _default(self, "face", self.text)
        _default(self, "spoken", f"{self.face}, {self.color}" if self.color else self.face)

    def __hash__(self) -> int:
        return hash((self.text, self.place))  # the rest rarely differs, and hashing it takes long


def back(place: str) -> Card:
    """Return a card that lies face down at a place.

    Raises :class:`~redouble.kernel.errors.InputError` if the place is not a text.
    """
    return _back(checks.text(place, "place"))


@lru_cache(maxsize=KEPT_CARDS)
def _back(place: str) -> Card:
    return Card(place=place)


@dataclass(frozen=True, init=False)
class Zone:
    """A pile of cards.

    ``cards`` lists the cards to draw, from the bottom or the left. ``size`` counts all cards in the
    pile: a draw pile may list only the cards that are drawn next, a discard pile only those on top.
    Face-down cards are in an order that everybody knows, never in that of the hidden cards.
    """

    kind: str
    """What the zone is, such as ``cell``: a word for programs, which never changes."""
    cards: tuple[Card, ...]
    seat: int | None = None
    size: int = 0
    spread: bool = False
    """Whether the cards lie side by side (a hand), or on top of each other (a pile)."""
    number: int = 0
    """Which of the owner's zones of this kind it is, from 1; 0 if there is only one."""
    name: str = ""
    """What people call it; kind and number, unless the game gives another."""

    def __init__(
        self,
        kind: str,
        cards: tuple[Card, ...],
        seat: int | None = None,
        size: int = 0,
        spread: bool = False,
        number: int = 0,
        name: str = "",
    ) -> None:
        _check_text(name, "name")
        _check_whole(number, "number")
        # In one call: setting frozen fields is slow, and a move makes about a hundred of these.
        vars(self).update(
            kind=kind, cards=cards, seat=seat, size=size, spread=spread, number=number,
            name=name or _words(kind, number),
        )  # fmt: skip

    def __hash__(self) -> int:
        cards = self.cards
        ends = (cards[0], cards[-1]) if cards else None  # few zones differ in the middle only
        return hash((self.kind, self.seat, self.number, self.size, ends))

    @property
    def key(self) -> str:
        """The zone's name for programs: no other zone of its owner has it."""
        return f"{self.kind}-{self.number}" if self.number else self.kind


@dataclass(frozen=True, init=False)
class Fact:
    """A number or word about one seat or the table.

    A view lists the most important facts first: where space is short, the last may be left out.
    """

    kind: str
    """What the fact is, such as ``round``: a word for programs, which never changes."""
    value: int | str
    seat: int | None = None
    number: int = 0
    """Which of the owner's facts of this kind it is, from 1; 0 if there is only one."""
    name: str = ""
    """What people call it; kind and number, unless the game gives another."""
    text: str = ""
    """The value as people read it, such as ``2 of 5``; the value itself, unless the game gives
    another."""

    def __init__(
        self,
        kind: str,
        value: int | str,
        seat: int | None = None,
        number: int = 0,
        name: str = "",
        text: str = "",
    ) -> None:
        _check_text(name, "name")
        _check_whole(number, "number")
        _check_text(text, "text")
        vars(self).update(
            kind=kind, value=value, seat=seat, number=number,
            name=name or _words(kind, number), text=text or str(value),
        )  # fmt: skip

    @property
    def key(self) -> str:
        """The fact's name for programs: no other fact of its owner has it."""
        return f"{self.kind}-{self.number}" if self.number else self.kind


def fact(
    kind: str,
    value: int | str,
    seat: int | None = None,
    number: int = 0,
    name: str = "",
    text: str = "",
) -> Fact:
    """Return a fact; the same object for the same fact, since views show mostly the same ones.

    Raises :class:`~redouble.kernel.errors.InputError` as :class:`Fact` does.
    """
    try:
        return _fact(kind, value, seat, number, name, text)
    except TypeError:  # something that can't be kept
        return Fact(kind, value, seat, number, name, text)


_fact = lru_cache(maxsize=KEPT_FACTS, typed=True)(Fact)
"""Facts that are kept; typed, since 1 and True are equal and read differently."""


def _check_text(value: object, what: str) -> None:
    if type(value) is not str:
        checks.text(value, what)


def _check_whole(value: object, what: str) -> None:
    if type(value) is not int:
        checks.whole(value, what)


def _words(kind: str, number: int) -> str:
    return f"{kind} {number}" if number else kind


def _default(thing: Card, name: str, value: str) -> None:
    if not getattr(thing, name):
        object.__setattr__(thing, name, value)


@dataclass(frozen=True)
class Scene:
    """What a game shows of a redacted state."""

    zones: tuple[Zone, ...]
    facts: tuple[Fact, ...]
    prompt: str = ""
    """What the seat to move must decide, and why: one or two sentences; empty at the end."""
    board: dict[str, Any] = field(default_factory=dict)
    """Plain JSON for the game's own page; empty if zones and facts are enough."""
    dimmed: dict[str, str] = field(default_factory=dict)
    """Why cards in the hand of the seat to move can't be played now: a short sentence for each, by
    the card's text. Only in that seat's own scene and in the scene of everything."""
    moves: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What legal moves do, by their text: plain JSON for the game's own page, which doesn't
    parse texts. Each has a ``kind`` and names its cards or places; one with a ``zone`` plays the
    top card of the table's zone with this key. Empty if the game needs none, and, like
    ``dimmed``, for every seat but the one to move."""
    tie_break: str = ""
    """At the end: the kind of the fact that ranked seats with equal scores, which only these seats
    have. Empty when no scores were equal, and during the game."""


@dataclass(frozen=True, repr=False)
class View:
    """A scene as one seat sees it, with the moves open to that seat; it prints as a table."""

    game: str
    seats: int
    seat: int | None
    """The seat that this view is for; -1 for a spectator, None for a view of everything."""
    ply: int
    turn: int | None
    zones: tuple[Zone, ...]
    facts: tuple[Fact, ...]
    prompt: str
    board: dict[str, Any]
    legal_moves: tuple[str, ...]
    """Only in the view of the seat to move, and in the view of everything."""
    outcome: dict[str, Any] | None
    dimmed: dict[str, str] = field(default_factory=dict)
    """Why cards in the hand of the seat to move can't be played now: a short sentence for each, by
    the card's text. Only in that seat's own view and in the view of everything."""
    moves: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What legal moves do, as far as the game says: see :class:`Scene`."""
    tie_break: str = ""
    """The kind of the fact that ranked seats with equal scores: see :class:`Scene`."""

    def __post_init__(self) -> None:
        if not isinstance(self.moves, dict):
            raise checks.wrong("moves", self.moves, "a dictionary of legal moves", InputError)
        legal = checks.texts(self.legal_moves, "legal_moves")
        for move in self.moves:
            if move not in legal:
                shown = checks.quoted(move)
                raise InputError(f"moves: {shown} is not legal: describe legal moves only")
        _check_things(self.zones, Zone, "zones")
        _check_things(self.facts, Fact, "facts")
        if self.tie_break and self.tie_break not in {
            one.kind for one in self.facts if one.seat is not None
        }:
            shown = checks.quoted(self.tie_break)
            raise InputError(f"tie_break: no seat has a fact {shown}: list it in facts")

    def to_dict(self) -> dict[str, Any]:
        """Return the view as plain JSON."""
        return asdict(self)

    def lines(
        self,
        title: str = "",
        names: Sequence[str] | None = None,
        me: int | None = None,
        you: bool = True,
    ) -> list[str]:
        """Return the view in plain sentences: for pipes, files, screen readers and models.

        The table comes first, then the seats clockwise, and last the one that looks (``me``, or
        the view's own seat), marked ``you``. Raises :class:`~redouble.kernel.errors.InputError`
        if an argument can't be used.
        """
        title = checks.text(title, "title") or self.game
        names = self._names(names)
        me = self.seat if me is None else checks.whole(me, "me", SPECTATOR, self.seats - 1)
        facts = [_fact_in_words(fact) for fact in self.facts_of(None)]
        text = [f"--- {title}" + (f": {', '.join(facts)}" if facts else "")]
        board = self.drawn(False) or Drawing(())
        text += ["".join(span.text for span in line).rstrip() for line in board.lines]
        piles = [zone for zone in self.zones_of(None) if zone.key not in board.zones]
        text += [_zone_in_words(zone) for zone in piles]
        first = 0 if me is None else me + 1
        for step in range(self.seats):
            seat = (first + step) % self.seats
            parts = [_fact_in_words(fact) for fact in self.facts_of(seat)]
            shown = (zone for zone in self.zones_of(seat) if zone.key not in board.zones)
            parts += [_zone_in_words(zone) for zone in shown]
            if parts:
                mark = " (you)" if you and seat == me else ""
                text.append(f"{names[seat]}{mark}: {'; '.join(parts)}")
        return text

    def drawn(self, unicode: bool) -> Drawing | None:
        """Return the board as the game draws it in a terminal; None if there is none.

        ``unicode`` tells whether the terminal can show more than ASCII.
        """
        draw = BOARDS.get(self.game) if self.board else None
        return None if draw is None else draw(self.board, unicode)

    def table(self, title: str = "", names: Sequence[str] | None = None) -> str:
        """Return what ``print`` shows: the :meth:`lines`, and who may make which moves.

        Raises :class:`~redouble.kernel.errors.InputError` if an argument can't be used.
        """
        names, said = self._names(names), self.lines(title, names, you=False)
        if self.outcome is not None:
            ranks = zip(names, self.outcome["ranks"], strict=True)
            places = ", ".join(f"{name} {rank}" for name, rank in ranks)
            said.append(f"The game is over ({self.outcome['reason']}); ranks: {places}")
        elif self.turn is not None:
            moves = f": {', '.join(self.legal_moves)}" if self.legal_moves else ""
            said.append(f"{names[self.turn]} is to move{moves}")
        return "\n".join(said)

    def _names(self, names: Sequence[str] | None) -> tuple[str, ...]:
        if names is None:
            return tuple(f"Player {seat + 1}" for seat in range(self.seats))
        found = checks.texts(names, "names")
        if len(found) != self.seats:
            raise InputError(f"names: {len(found)} names, expected {self.seats}: one per seat")
        return found

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        whose = {None: "of everything", SPECTATOR: "for spectators"}
        seat = whose.get(self.seat, f"for seat {self.seat}")
        return f"<View {seat}: {self.game} at ply {self.ply}>"

    def face_down(self) -> View:
        """Return the view with all cards face down, and nobody to move: before the deal."""
        zones = tuple(
            replace(zone, cards=tuple(back(card.place) for card in zone.cards))
            for zone in self.zones
        )
        return replace(self, zones=zones, turn=None, prompt="", legal_moves=(), dimmed={}, moves={})

    def zone(self, kind: str, seat: int | None = None, number: int = 0) -> Zone:
        """Return a zone by its kind: one of the table, or with ``seat`` one of that seat.

        ``number`` says which, where the owner has several of this kind. Raises
        :class:`~redouble.kernel.errors.InputError`, which lists what there is.
        """
        return _look_up("zone", self.zones, kind, seat, number)

    def fact(self, kind: str, seat: int | None = None, number: int = 0) -> Fact:
        """Return a fact by its kind: one of the table, or with ``seat`` one of that seat.

        ``number`` says which, where the owner has several of this kind. Raises
        :class:`~redouble.kernel.errors.InputError`, which lists what there is.
        """
        return _look_up("fact", self.facts, kind, seat, number)

    def zones_of(self, seat: int | None) -> list[Zone]:
        """Return the zones of a seat, or with None those of the table.

        Raises :class:`~redouble.kernel.errors.InputError` if a seat is no whole number.
        """
        seat = _seat(seat)
        return [zone for zone in self.zones if zone.seat == seat]

    def facts_of(self, seat: int | None) -> list[Fact]:
        """Return the facts of a seat, or with None those of the table.

        Raises :class:`~redouble.kernel.errors.InputError` if a seat is no whole number.
        """
        seat = _seat(seat)
        return [fact for fact in self.facts if fact.seat == seat]


T = TypeVar("T", Zone, Fact)


def _fact_in_words(fact: Fact) -> str:
    """A number follows the name, a word a colon, and a yes is left out."""
    if fact.value == "yes":
        return fact.name
    return f"{fact.name}{'' if isinstance(fact.value, int) else ':'} {fact.text}"


def _zone_in_words(zone: Zone) -> str:
    if not zone.size:
        return f"{zone.name}: empty"
    if not any(card.up for card in zone.cards):
        return f"{zone.name}: {zone.size} face down"
    cards = zone.cards if zone.spread else zone.cards[-1:]
    text = " ".join(card.face if card.up else "(face down)" for card in cards)
    if zone.size > len(cards):
        text += f" on {zone.size - len(cards)} more"
    return f"{zone.name}: {text}"


def _seat(seat: int | None) -> int | None:
    return None if seat is None else checks.whole(seat, "seat")


def _look_up(what: str, things: Sequence[T], kind: str, seat: int | None, number: int) -> T:
    checks.text(kind, "kind")
    checks.whole(number, "number")
    seat = _seat(seat)
    found = {(thing.kind, thing.seat, thing.number): thing for thing in things}
    if (kind, seat, number) in found:
        return found[kind, seat, number]
    owner = "the table" if seat is None else f"seat {seat}"
    shown = checks.quoted(kind) + (f" with number {checks.quoted(number)}" if number else "")
    owners = [str(thing.seat) for thing in things if thing.kind == kind and thing.seat != seat]
    if owners:
        right = f"give seat={checks.either(list(dict.fromkeys(owners)))}"
    else:
        right = f"there are {', '.join(_kinds(things, seat)) or 'none'}"
    raise InputError(f"{owner} has no {what} {shown}: {right}")


def _kinds(things: Sequence[Zone | Fact], seat: int | None) -> Iterator[str]:
    """Yield the kinds that an owner has, with their numbers if there are several."""
    numbers: dict[str, list[int]] = {}
    for thing in things:
        if thing.seat == seat:
            numbers.setdefault(thing.kind, []).append(thing.number)
    for kind, each in numbers.items():
        yield kind if each == [0] else f"{kind} (number {checks.either(list(map(str, each)))})"


def _check_things(things: Sequence[Zone | Fact], kind: type[Zone | Fact], what: str) -> None:
    for thing in checks.items(things, what, what):
        if type(thing) is not kind:
            checks.instance(thing, kind, what)
        if thing.seat is not None and type(thing.seat) is not int:
            checks.whole(thing.seat, f"{what}: seat")
    keys = [(thing.seat, thing.key) for thing in things]
    if len(set(keys)) < len(keys):
        [((seat, key), times)] = Counter(keys).most_common(1)
        owner = "the table" if seat is None else f"seat {seat}"
        shown = checks.quoted(key)
        raise InputError(f"{what}: {owner} has {times} called {shown}: number them")
