"""Who sits at a table, and what is fixed when a table is made."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict

from redouble.contract.game import Game
from redouble.match.fair import FairDeal, Share, seed_of
from redouble.web.table.names import looks


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a seat. ``person`` owns it; ``bot`` is the level of the bot that plays now."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    person: str | None = None
    bot: str = ""
    resigned: bool = False

    @property
    def open(self) -> bool:
        """Whether a friend can still sit here."""
        return self.person is None and not self.bot

    @property
    def stand_in(self) -> bool:
        """Whether a bot plays for a person who may come back."""
        return bool(self.person and self.bot and not self.resigned)

    @property
    def kind(self) -> str:
        """``open``, ``bot`` or ``person``, by who decides now."""
        return "open" if self.open else "bot" if self.bot else "person"


@dataclass(frozen=True, slots=True)
class Pledge:
    """What the server has bound itself to before a fair deal."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    number: int
    previous: str
    commitment: str
    link: str
    shares: tuple[Share, ...] = ()
    """What was given when the table was made."""
    deferred: bool = False
    """Whether the cards are dealt only when all seats are taken and their shares are known."""

    def deal(
        self, game: str, rules: int, seats: int, secret: str, shares: Mapping[int, Share]
    ) -> tuple[str, FairDeal]:
        """Return the seed of a game with these shares, and what its record says about it."""
        fair = FairDeal(
            number=self.number,
            previous=self.previous,
            commitment=self.commitment,
            link=self.link,
            secret=secret,
            shares=tuple(shares[seat] for seat in sorted(shares)),
        )
        return seed_of(game, rules, seats, secret, fair.shares), fair


@dataclass(frozen=True)
class Header:
    """What is fixed when a table is made."""

    token: str
    """The table's token, which is its address; anyone who has it can watch."""
    invite: str
    """The invitation, with which a guest can take an open seat."""
    game: Game
    options: Mapping[str, Any]
    seed: str
    """What all chance comes from; of a fair deal, the server's secret."""
    seats: tuple[Seat, ...]
    host: str | None = None
    """The person who made the table."""
    public: bool = False
    """Whether the home page lists the table, so that anyone can watch and take an open seat."""
    created: float = 0.0
    """In seconds since 1970."""
    before: str = ""
    """The token of the table that this one is the rematch of."""
    daily: str = ""
    """The day whose deal this is, as 2026-11-22; empty for other deals."""
    circle: str = ""
    """The circle whose members alone can play; empty for other tables."""
    evening: str = ""
    """The duplicate evening whose deal this is; empty for other deals."""
    deals_left: int = 0
    """How many deals of the evening come after this one."""
    fair: Pledge | None = None
    """The pledge of a fair deal; solitaire tables, daily deals and old tables have none."""
    rewritten: int = 0
    """How often the table's rows were rewritten, such as when a player's name was deleted."""

    @property
    def compares(self) -> bool:
        """Whether others play the same deal, so that nobody gets help or takes a move back."""
        return bool(self.daily or self.evening)


def unique(name: str, taken: Collection[str]) -> str:
    """Return a name that looks like none that is taken: this one, or this one with a number."""
    number, own = 2, name
    taken = {looks(one) for one in taken}
    while looks(own) in taken:
        own, number = f"{name} {number}", number + 1
    return own


def open_seat(seat: int) -> str:
    """Return the name of a seat that is still open."""
    return f"Player {seat + 1}"
