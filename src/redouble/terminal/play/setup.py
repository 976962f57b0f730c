"""What a person wants to play, and the match and the session it gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redouble.bots import BOT_NAMES, BOTS
from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.game import Game
from redouble.contract.options import read_lines
from redouble.kernel.errors import DeckError, SeatsError
from redouble.match.match import Match
from redouble.terminal.ask.screen import Screen
from redouble.terminal.play.session import Session


@dataclass(frozen=True)
class Setup:
    game: Game
    seats: int | None = None
    people: int | None = None
    bot: str = USUAL_LEVEL
    names: Sequence[str] = ()
    seed: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    deck: Sequence[str] | None = None
    pace: float = 0.0
    auto: bool | None = None
    """Whether a person's only legal move is played for them; None: except in a solitaire."""

    def seat_count(self) -> int:
        """The number of players: as given, as named, or the usual one."""
        if self.seats is not None:
            return self.seats
        return len(self.names) or self.game.usual_seats

    def start(self) -> Match:
        """Deal a new match. Raises a :class:`RedoubleError` if the choices are not possible."""
        seats = self.seat_count()
        self.game.check_seats(seats)
        names = _seat_names(seats, self._people(seats), self.names)
        return Match(self.game, names, self.seed, self.options, self.deck)

    def session(self, match: Match, screen: Screen) -> Session:
        """A session with people on the first seats and bots on the others."""
        people = self._people(match.seats)
        bots = dict.fromkeys(range(people, match.seats), BOTS[self.bot])
        auto = match.seats > 1 if self.auto is None else self.auto
        return Session(match, bots, screen, self.pace if screen.live else 0.0, auto)

    def _people(self, seats: int) -> int:
        people = 1 if self.people is None else self.people
        if not 0 <= people <= seats:
            raise SeatsError(f"{people} people can't share {seats} seats: give 0 to {seats}")
        return people


def _seat_names(seats: int, people: int, given: Sequence[str]) -> list[str]:
    if len(given) > seats:
        raise SeatsError(f"{len(given)} names for {seats} seats: give at most one per seat")
    if any(not name.strip() for name in given):
        raise SeatsError("a name is empty: give every player a name")
    persons = ["Player"] if people == 1 else [f"Player {n}" for n in range(1, people + 1)]
    others = [name for name in BOT_NAMES if name not in given]
    others += [f"Bot {n}" for n in range(1, seats + 1)]
    return [*given, *[*persons, *others[: seats - people]][len(given) :]]


def read_deck(text: str) -> list[str]:
    """Return the order of a deck: from a file of cards, or from cards separated by commas."""
    if not Path(text).is_file():
        if "," not in text and ("/" in text or "." in text):
            raise DeckError(f"deck: there is no file {text}: check its name")
        return [card.strip() for card in text.split(",")]
    lines = [line.split("#", 1)[0] for line in read_lines(Path(text))]
    return [card for line in lines for card in line.replace(",", " ").split()]
