"""How long players may think, and the clocks that follow from a table's log.

A turn starts when the event that caused it was stored. So a restart or another process changes no
clock, and the log gives the same ones whenever it is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from redouble.contract.game import Game
from redouble.web.errors import WebError
from redouble.web.table.rest import Rest

CREDIT = 0.5
"""Seconds that each move is given for its way through the network: they cost nobody time."""
FIRST_SECONDS = 30
"""What the first move of a game gets besides, unless it has days: people still arrive."""
RETURN_SECONDS = 10
"""What players have at least when they take their seat back from the bot that stood in."""
MINUTE, HOUR, DAY = 60, 3600, 24 * 3600

ONCE, UNTIL_BACK, FOR_GOOD = "once", "until-back", "for-good"
THEN = {
    ONCE: "a bot makes this one move",
    UNTIL_BACK: "a bot plays until they're back",
    FOR_GOOD: "a bot takes over the seat",
}
"""What can happen when a player's time runs out, in the words of the form."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long players may think, in seconds, and what happens when their time runs out."""

    move: int = 0
    """For each move; 0 with a bank, or without a limit."""
    bank: int = 0
    """For the whole game."""
    increment: int = 0
    """What each move adds to the bank."""
    then: str = UNTIL_BACK
    """One of ``THEN``."""
    rest: Rest = field(default_factory=Rest)

    def __bool__(self) -> bool:
        return bool(self.move or self.bank)

    @property
    def slow(self) -> bool:
        """Whether it is a correspondence game."""
        return self.move >= DAY

    @property
    def first(self) -> int:
        """What the first move of a game gets besides."""
        return FIRST_SECONDS if self.move and not self.slow else 0

    @property
    def name(self) -> str:
        """Its name among ``CONTROLS``; empty if it has none."""
        alike = (name for name, one in CONTROLS.items() if one.times == self.times)
        return next(alike, "")

    @property
    def times(self) -> tuple[int, int, int]:
        """The seconds for a move, in the bank, and for each move in addition."""
        return self.move, self.bank, self.increment

    @property
    def words(self) -> str:
        """The time in words, such as ``2 minutes a move``."""
        if self.bank:
            each = f" and {in_words(self.increment)} for each move" if self.increment else ""
            return f"{in_words(self.bank)} a game{each}"
        return f"{in_words(self.move)} a move" if self.move else "no clock"

    @property
    def sentences(self) -> str:
        """What is agreed, in sentences."""
        if not self:
            return "There is no clock."
        off = {
            (True, True): " Nights and weekends don't count.",
            (True, False): " Nights don't count.",
            (False, True): " Weekends don't count.",
        }.get((self.rest.nights, self.rest.weekends), "")
        first = f" The first move gets {in_words(self.first)} more." if self.first else ""
        return (
            f"Each player has {self.words}.{first}{off} When the time runs out, {THEN[self.then]}."
        )


def in_words(seconds: int) -> str:
    """Return a round number of seconds in words: ``30 seconds``, ``1 day``."""
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds // unit} {name}{'' if seconds == unit else 's'}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"


def left_in_words(seconds: float) -> str:
    """Return the time that is left as pages show it: ``1:05``, ``3 h``, ``2 days``."""
    whole = max(0, int(seconds))
    if whole < HOUR:
        return f"{whole // MINUTE}:{whole % MINUTE:02}"
    if whole < 2 * DAY:
        return f"{whole // HOUR} h"
    return f"{whole // DAY} days"


UNTIMED = TimeControl()
CONTROLS = {
    "none": UNTIMED,
    "30-seconds": TimeControl(move=30),
    "2-minutes": TimeControl(move=2 * MINUTE),
    "5-minutes": TimeControl(bank=5 * MINUTE, increment=10),
    "1-day": TimeControl(move=DAY),
    "3-days": TimeControl(move=3 * DAY),
}
"""The controls that a table can have, by name."""


def usual_control(game: Game) -> TimeControl:
    """Return the clock of people who don't know each other, so that nobody can freeze a game."""
    return TimeControl(move=game.setups.thinking)


def control_of(
    control: str, then: str, nights: bool = False, weekends: bool = False
) -> TimeControl:
    """Return a time control. Raises :class:`WebError` for one that no table can have."""
    found = CONTROLS.get(control or "none")
    if found is None:
        raise WebError(f"clock {control!r} is unknown: use one of {', '.join(CONTROLS)}")
    if not found:
        return found
    if (then := then or UNTIL_BACK) not in THEN:
        raise WebError(f"{then!r} can't follow when time runs out: use one of {', '.join(THEN)}")
    if (nights or weekends) and not found.slow:
        raise WebError("nights and weekends are only off in correspondence games")
    return replace(found, then=then, rest=Rest(nights, weekends))


class Turn(NamedTuple):
    """Whose turn it is, since when and until when, in seconds since 1970."""

    seat: int
    """A seat that a person plays."""
    since: float
    until: float | None
    """None without a clock."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of a table after an entry of its log."""

    control: TimeControl = UNTIMED
    banks: tuple[float, ...] = ()
    """What is left to each seat at the start of the turn, with a bank."""
    zones: dict[int, str] = field(default_factory=dict)
    """The time zones of seats, where nights or weekends are off. Never changed, but replaced."""
    seat: int | None = None
    """The seat of the person whose clock runs."""
    since: float = 0.0
    used: float = 0.0
    """The seconds of this turn's time that had passed before ``since``."""
    opening: bool = True
    """Whether no move has been made."""

    @property
    def left(self) -> float:
        """The seconds that the running clock showed at the start of the turn."""
        if self.control.bank and self.seat is not None:
            return self.banks[self.seat]
        return max(0.0, self.control.move + self.opening * self.control.first - self.used)

    @property
    def turn(self) -> Turn | None:
        """Whose turn it is; None while nobody has to think."""
        if self.seat is None:
            return None
        until = None
        if self.control:
            zone = self.zones.get(self.seat, "")
            until = self.control.rest.after(self.since, self.left + CREDIT, zone)
        return Turn(self.seat, self.since, until)

    def begin(self, control: TimeControl, seats: int, at: float) -> Clocks:
        """Return the clocks of a new table."""
        return replace(self, control=control, banks=(float(control.bank),) * seats, since=at)

    def in_zone(self, seat: int, zone: str) -> Clocks:
        """Return the clocks with the time zone of a seat."""
        return replace(self, zones=self.zones | {seat: zone})

    def run_out(self, seat: int, at: float, then: str) -> Clocks:
        """Return the clocks after a player's time has run out: they get little, if they return."""
        little = 0 if then == ONCE else self.control.increment
        used = 0.0 if then == ONCE else max(0.0, float(self.control.move - RETURN_SECONDS))
        banks = self._banks(seat, float(little)) if self.control.bank else self.banks
        return replace(self, banks=banks, used=used, since=at)

    def follow(
        self, seat: int | None, at: float, *, moved: bool, by_move: bool, opening: bool
    ) -> Clocks:
        """Return the clocks after an event, when the person at ``seat`` has to think.

        ``moved`` says whether the turn is a new one, ``by_move`` whether a move has ended the last
        one, and ``opening`` whether none has been made.
        """
        if seat == self.seat and not moved:
            return self
        banks, used = self.banks, self.used
        if self.seat is not None and self.control:
            spent = self.control.rest.between(self.since, at, self.zones.get(self.seat, ""))
            if by_move:
                spent = max(0.0, spent - CREDIT)
            if self.control.bank:
                added = self.control.increment if by_move else 0
                banks = self._banks(self.seat, max(0.0, banks[self.seat] - spent) + added)
            used += spent
        used = 0.0 if moved else used
        return replace(self, banks=banks, seat=seat, since=at, used=used, opening=opening)

    def _banks(self, seat: int, seconds: float) -> tuple[float, ...]:
        return (*self.banks[:seat], seconds, *self.banks[seat + 1 :])
