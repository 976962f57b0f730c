"""What a study simulates: settings, checked before anything is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redouble.bots import BOTS
from redouble.bots.levels import LEVELS
from redouble.bots.policy import Policy
from redouble.contract.game import Game
from redouble.kernel.errors import RedoubleError, SeatsError

POLICIES = {**LEVELS, "greedy": Policy(), "random": Policy(mistakes=1.0)}
"""How each bot decides when whole games are compiled."""


class StudyError(RedoubleError):
    """A study that cannot be made."""


@dataclass(frozen=True)
class StudySetting:
    """A game as it is played in a study."""

    game: Game
    seats: int
    options: Mapping[str, Any]
    """Every option by its name, checked."""
    bots: tuple[str, ...]
    """One a seat. Where they differ, they go round the seats."""

    @property
    def mixed(self) -> bool:
        """Whether different bots meet."""
        return len(set(self.bots)) > 1

    @property
    def changed(self) -> dict[str, Any]:
        """The options that are not at their defaults."""
        defaults = {option.name: option.default for option in self.game.options}
        return {name: value for name, value in self.options.items() if value != defaults[name]}

    def to_dict(self) -> dict[str, Any]:
        """The setting as plain JSON."""
        return {"seats": self.seats, "bots": list(self.bots), "options": dict(self.options)}

    def __str__(self) -> str:
        who = ", ".join(self.bots) if self.mixed else f"all {self.bots[0]}"
        rules = ", ".join(f"{name}={_short(value)}" for name, value in self.changed.items())
        seats = "1 seat" if self.seats == 1 else f"{self.seats} seats"
        return f"{seats}, {who}, {rules or 'rules as published'}"


@dataclass(frozen=True)
class StudyPlan:
    """A study: one setting or two, so many games of each, and the pair that measures skill."""

    settings: tuple[StudySetting, ...]
    games: int
    seed: str
    skill: tuple[str, str] | None = None
    """The stronger and the weaker bot that measure skill; None: it is not measured."""

    def __post_init__(self) -> None:
        if self.games < 1:
            raise StudyError(f"a study needs at least one game, not {self.games}")

    @property
    def game(self) -> Game:
        return self.settings[0].game


def setting(game: Game, seats: int | None, options: Mapping[str, Any], bots: str) -> StudySetting:
    """A setting as somebody asked for it; ``bots`` is a name, or a name a seat with commas.

    Raises :class:`UnknownBot`, :class:`SeatsError`, :class:`OptionError` or :class:`DeckError`.
    """
    seats = game.usual_seats if seats is None else seats
    game.check_seats(seats)
    names = read_bots(bots)
    if len(names) not in (1, seats):
        raise SeatsError(f"{len(names)} bots for {seats} seats: name one, or one a seat")
    whole = names * seats if len(names) == 1 else names
    return StudySetting(game, seats, game.check_options(seats, options), whole)


def split_against(given: Sequence[str]) -> tuple[int | None, str | None, list[str]]:
    """The seats, the bots and the options among texts ``name=value`` of a second setting.

    Raises :class:`StudyError` when the seats are no number.
    """
    seats, bots, options = None, None, []
    for text in given:
        name, sign, value = text.partition("=")
        if sign and name.strip() == "seats":
            if not value.strip().isdecimal():
                raise StudyError(f"--against seats cannot be {value!r}: give a whole number")
            seats = int(value)
        elif sign and name.strip() == "bots":
            bots = value
        else:
            options.append(text)
    return seats, bots, options


def other_setting(
    first: StudySetting, seats: int | None, bots: str | None, options: Mapping[str, Any]
) -> StudySetting:
    """The first setting with these changes. Raises what :func:`setting` raises."""
    names = ",".join(first.bots) if first.mixed else first.bots[0]
    return setting(first.game, seats or first.seats, {**first.options, **options}, bots or names)


def skill_pair(text: str) -> tuple[str, str] | None:
    """``strong,weak``, or ``none``. Raises :class:`StudyError` or :class:`UnknownBot`."""
    if text.strip() == "none":
        return None
    names = read_bots(text)
    if len(names) != 2:
        raise StudyError(
            f"--skill cannot be {text!r}: give two bots, the stronger one first, or none"
        )
    return names[0], names[1]


def read_bots(text: str) -> tuple[str, ...]:
    """Names with commas between them. Raises :class:`UnknownBot`."""
    return tuple(BOTS[name.strip()].name for name in text.split(","))


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        if all(isinstance(part, int) for part in value):
            return ",".join(map(str, value))
        return "own file"
    return str(value)
