"""A view prepared for drawing: cards with their moves, seats with their names."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from redouble.contract.view import Fact

HUES = 8
"""Colors of seats."""


class Face(NamedTuple):
    """A card on the table: a :class:`~redouble.contract.view.Card` with what can be done with it.

    Face down it has no text. Equal faces are drawn alike, so their drawings can be kept.
    """

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


@dataclass(frozen=True, eq=False)
class Pile:
    """A zone. Drawings find it by its ``key`` or ``kind``; its ``name`` is for people.

    Zones that show the same are mostly the same pile, by which drawings of it are kept.
    """

    key: str
    kind: str
    number: int
    name: str
    seat: int | None
    faces: tuple[Face, ...]
    size: int
    spread: bool

    @property
    def top(self) -> Face | None:
        """The top or rightmost card."""
        return self.faces[-1] if self.faces else None

    def __iter__(self) -> Iterator[Face]:
        return iter(self.faces)

    def __len__(self) -> int:
        return len(self.faces)


@dataclass
class Place:
    """A seat at the table."""

    seat: int
    name: str
    bot: str = ""
    """The level of the bot that plays the seat."""
    motif: str = ""
    """The picture that the player has chosen; empty for the first letter of their name."""
    open: bool = False
    stand_in: bool = False
    resigned: bool = False
    away: bool = False
    me: bool = False
    turn: bool = False
    reaction: tuple[str, int] | None = None
    """What the player shows for a moment: a drawing's name, and a number of its own."""
    rank: int | None = None
    score: int | None = None
    facts: dict[str, Fact] = field(default_factory=dict)
    """By their keys, as the piles are."""
    piles: dict[str, Pile] = field(default_factory=dict)

    letter: str = ""
    """What the player's picture shows without a motif."""

    def __post_init__(self) -> None:
        self.letter = self.letter or self.name[:1].upper() or "?"

    @property
    def addressed(self) -> str:
        """The name within a sentence."""
        return "you" if self.name == "You" else self.name

    @property
    def hue(self) -> int:
        """The number of the seat's color."""
        return self.seat % HUES

    @property
    def looks(self) -> tuple[Hashable, ...]:
        """All that can be seen of the place, by which drawings of it are kept."""
        return (
            *(self.seat, self.name, self.letter, self.bot, self.motif, self.open),
            *(self.stand_in, self.resigned, self.away, self.me),
            *(self.turn, self.reaction, self.rank, self.score),
            *self.facts.values(),
            *self.piles.values(),
        )


@dataclass
class BoardScene:
    """Everything that the page of a game draws, and how."""

    game: str
    """The game's name."""
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
    still: bool = False
    """Whether this is a picture: without buttons, and without names for its cards."""
    keyed: bool = False
    """Whether the cards of a picture have names after all, because they fly: in a replay."""
    hint: str = ""
    """The move that a hint suggests."""
    guide_at: str = ""
    """What the tutorial's step points at: the key of a zone or fact, or ``prompt``, ``hand``,
    ``seats``, ``me`` or ``moves``."""

    @property
    def named(self) -> bool:
        """Whether cards have names that they keep from one drawing to the next."""
        return self.keyed or not self.still

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

    def first_move(self, kind: str, **parts: Any) -> str:
        """Return the first of these moves; empty if there is none."""
        return next(iter(self.moves_of(kind, **parts)), "")

    def pointed(self, key: str) -> str:
        """Return the class of what the tutorial's step points at, if it points at this."""
        return "pointed" if self.guide_at and self.guide_at == key else ""
