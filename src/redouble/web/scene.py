"""A view prepared for templates: cards with their moves, seats with their names.

This module contains no rules. The view says what can be played, and why something can't.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from redouble.contract.game import Game
from redouble.contract.view import Fact, View
from redouble.match.story import ties_broken


@dataclass
class Face:
    """A card on the table: a :class:`Card` and what the page needs; face down it has no text."""

    text: str = ""
    color: str = ""
    rank: str = ""
    suit: str = ""
    pips: tuple[int, ...] = ()
    face: str = ""
    spoken: str = ""
    place: str = ""
    move: str = ""
    """The move made by playing just this card."""
    why: str = ""
    """Why the card can't be played, if it looks as if it could."""

    @property
    def up(self) -> bool:
        return bool(self.text)

    @property
    def key(self) -> str:
        """The name of the card's element from one drawing to the next; empty without a place."""
        return self.place and f"card-{self.place}"


@dataclass
class Pile:
    """A zone. Templates find it by its ``key`` or ``kind``; its ``name`` is for people."""

    key: str
    kind: str
    number: int
    name: str
    seat: int | None
    faces: list[Face]
    size: int
    spread: bool

    @property
    def top(self) -> Face | None:
        """The top or rightmost card."""
        return self.faces[-1] if self.faces else None

    def __iter__(self) -> Any:
        return iter(self.faces)

    def __len__(self) -> int:
        return len(self.faces)


@dataclass
class Place:
    """A seat at the table."""

    seat: int
    name: str
    bot: str = ""
    """The level of the bot that plays here."""
    open: bool = False
    stand_in: bool = False
    resigned: bool = False
    away: bool = False
    me: bool = False
    turn: bool = False
    rank: int | None = None
    score: int | None = None
    facts: dict[str, Fact] = field(default_factory=dict)
    """By their keys, as the piles are."""
    piles: dict[str, Pile] = field(default_factory=dict)

    @property
    def letter(self) -> str:
        return self.name[:1].upper() or "?"

    @property
    def hue(self) -> int:
        """The number of the seat's color."""
        return self.seat % 8


@dataclass
class BoardScene:
    """Everything that a game's template draws."""

    game: Game
    eyes: int | None
    """Whose view it is: a seat, SPECTATOR, or None for everything."""
    turn: int | None
    places: list[Place]
    piles: dict[str, Pile]
    """The table's own piles."""
    facts: dict[str, Fact]
    prompt: str
    board: dict[str, Any]
    outcome: dict[str, Any] | None
    moves: list[str]
    """The legal moves; empty unless the viewer is to move."""
    others: list[str]
    """The legal moves that aren't made by clicking a card."""
    dimmed: dict[str, str]
    about: dict[str, dict[str, Any]]
    """What each move does, by its text: see :attr:`View.moves`."""
    ties: list[str]
    """At the end: a sentence for each tie in points that another number broke."""
    ply: int
    describe: Callable[[str], str] = str
    """Puts a legal move into words, for its button."""

    @property
    def mine(self) -> Place | None:
        """The viewer's seat."""
        return next((place for place in self.places if place.me), None)

    @property
    def round(self) -> list[Place]:
        """The other seats, clockwise from the viewer."""
        mine = self.mine
        if mine is None:
            return self.places
        return self.places[mine.seat + 1 :] + self.places[: mine.seat]

    @property
    def placing(self) -> list[Place]:
        """The seats by final rank, winner first."""
        return sorted(self.places, key=lambda place: (place.rank or 0, place.seat))

    def moves_of(self, kind: str, **parts: Any) -> list[str]:
        """Return the legal moves whose description has this kind and these values."""
        wanted = {"kind": kind} | parts
        return [
            move
            for move in self.moves
            if move in self.about
            and all(self.about[move].get(key) == part for key, part in wanted.items())
        ]


def scene_of(
    view: View,
    game: Game,
    names: Sequence[str],
    playable: bool,
    describe: Callable[[str], str] = str,
) -> BoardScene:
    """Return the scene of a view.

    ``playable`` says whether the viewer may move now; ``describe`` puts a legal move into words.
    """
    moves = list(view.legal_moves) if playable else []
    dimmed = view.dimmed if playable else {}
    piles = [
        Pile(
            zone.key,
            zone.kind,
            zone.number,
            zone.name,
            zone.seat,
            [Face(**vars(card)) for card in zone.cards],
            zone.size,
            zone.spread,
        )
        for zone in sorted(view.zones, key=lambda zone: zone.seat is not None)
    ]
    others = _bind(piles, view, dimmed) if playable else []
    outcome = view.outcome
    places = [
        Place(
            seat=seat,
            name=names[seat],
            me=seat == view.seat,
            turn=seat == view.turn,
            rank=outcome["ranks"][seat] if outcome else None,
            score=outcome["scores"][seat] if outcome and outcome["scores"] else None,
            facts={fact.key: fact for fact in view.facts_of(seat)},
            piles={pile.key: pile for pile in piles if pile.seat == seat},
        )
        for seat in range(view.seats)
    ]
    return BoardScene(
        game=game,
        eyes=view.seat,
        turn=view.turn,
        places=places,
        piles={pile.key: pile for pile in piles if pile.seat is None},
        facts={fact.key: fact for fact in view.facts_of(None)},
        prompt=view.prompt,
        board=view.board,
        outcome=outcome,
        moves=moves,
        others=others,
        dimmed=dimmed,
        about=view.moves if playable else {},
        ties=ties_broken(view, names),
        ply=view.ply,
        describe=describe,
    )


def _bind(piles: Sequence[Pile], view: View, dimmed: dict[str, str]) -> list[str]:
    """Attach moves and reasons to their cards, and return the moves without a card.

    A move belongs to the mover's own cards with its text, else to those on the table, else to the
    top card of the zone that its description names.
    """
    tops = {pile.key: pile.top for pile in piles if pile.seat is None and pile.top}
    own = [face for pile in piles if pile.seat == view.turn for face in pile]
    table = [face for pile in piles if pile.seat is None for face in pile]
    others = []
    for move in view.legal_moves:
        found = [f for f in own if f.text == move] or [f for f in table if f.text == move]
        zone = view.moves.get(move, {}).get("zone")
        if not found and zone in tops:
            found = [tops[zone]]
        for face in found:
            face.move = move
        if not found:
            others.append(move)
    for text, why in dimmed.items():
        for face in [f for f in own if f.text == text] or [f for f in table if f.text == text]:
            face.why = why
    return others
