"""The plan of a study: its settings, checked before any game is played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redouble.bots import BOTS
from redouble.bots.levels import LEVELS
from redouble.bots.policy import Policy
from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.kernel.border import JsonShape
from redouble.kernel.errors import RedoubleError, SeatsError

__all__ = ["Axis", "StudyError", "StudyPlan", "StudySetting", "other_setting", "setting"]

MAX_GAMES = 10**12
POLICIES = {
    **LEVELS,
    "learned": Policy(learned=True),
    "greedy": Policy(),
    "random": Policy(mistakes=1.0),
}
"""The policy of each bot in compiled games."""


class StudyError(RedoubleError):
    """A study that cannot be carried out, or data that is not its findings."""


@dataclass(frozen=True)
class StudySetting:
    """A game with its seats, options and bots, as a study plays it.

    Raises :class:`StudyError`, :class:`UnknownBot`, and what :meth:`Game.check_seats` and
    :meth:`Game.check_options` raise.
    """

    game: Game
    seats: int
    options: Mapping[str, Any]
    """Every option by name, checked."""
    bots: tuple[str, ...]
    """The name of a bot for each seat. If they differ, they rotate from game to game."""

    def __post_init__(self) -> None:
        checks.instance(self.game, Game, "game", StudyError).check_seats(self.seats)
        object.__setattr__(self, "options", self.game.check_options(self.seats, self.options))
        names = checks.texts(self.bots, "bots", StudyError)
        if len(names) != self.seats:
            raise StudyError(f"{len(names)} bots for {self.seats} seats: name one for each seat")
        object.__setattr__(self, "bots", tuple(BOTS[name].name for name in names))

    @property
    def mixed(self) -> bool:
        """Whether the bots differ."""
        return len(set(self.bots)) > 1

    @property
    def changed(self) -> dict[str, Any]:
        """The options that are not at their defaults."""
        defaults = {option.name: option.default for option in self.game.options}
        return {name: value for name, value in self.options.items() if value != defaults[name]}

    def __str__(self) -> str:
        who = ", ".join(self.bots) if self.mixed else f"all {self.bots[0]}"
        rules = ", ".join(f"{name}={_short(value)}" for name, value in self.changed.items())
        seats = "1 seat" if self.seats == 1 else f"{self.seats} seats"
        return f"{seats}, {who}, {rules or 'standard rules'}"


@dataclass(frozen=True)
class StudyPlan:
    """A study: one or two settings, the games in each, and the bots that measure skill.

    Raises :class:`StudyError` and :class:`UnknownBot`.
    """

    settings: tuple[StudySetting, ...]
    games: int
    seed: str
    skill: tuple[str, str] | None = None
    """The stronger and the weaker bot that measure skill; None leaves skill out."""

    def __post_init__(self) -> None:
        settings = checks.items(self.settings, "settings", "settings", StudyError)
        if len(settings) not in (1, 2):
            raise StudyError(f"a study cannot have {len(settings)}: give one or two settings")
        for one in settings:
            checks.instance(one, StudySetting, "a setting", StudyError)
        if settings[-1].game is not settings[0].game:
            raise StudyError("the settings are of different games: give two of the same game")
        object.__setattr__(self, "settings", settings)
        checks.whole(self.games, "games", 1, MAX_GAMES, StudyError)
        checks.text(self.seed, "seed", StudyError)
        if self.skill is not None:
            pair = checks.texts(self.skill, "skill", StudyError)
            if len(pair) != 2:
                raise StudyError("skill needs two bots: give the stronger one, then the weaker")
            object.__setattr__(self, "skill", tuple(BOTS[name].name for name in pair))

    @property
    def game(self) -> Game:
        """The game that is studied."""
        return self.settings[0].game


@dataclass(frozen=True)
class Axis(JsonShape):
    """What a sweep changes, and to which values: ``seats``, ``bots`` or an option of the rules.

    Raises :class:`StudyError` if there are no values, or one of them twice.
    """

    name: str
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        checks.text(self.name, "the name of what is swept", StudyError)
        values = checks.items(self.values, f"the values of {self.name}", "values", StudyError)
        if not values:
            raise StudyError(f"{self.name} has no values: give at least one")
        if any(value in values[:i] for i, value in enumerate(values)):
            raise StudyError(f"{self.name} has a value twice: give each once")
        object.__setattr__(self, "values", tuple(values))


def setting(game: Game, seats: int | None, options: Mapping[str, Any], bots: str) -> StudySetting:
    """Return a setting; ``bots`` is one name, or one per seat separated by commas.

    Raises :class:`UnknownBot`, :class:`SeatsError`, :class:`OptionError` or :class:`DeckError`.
    """
    checks.instance(game, Game, "game", StudyError)
    seats = game.usual_seats if seats is None else seats
    game.check_seats(seats)
    names = read_bots(bots)
    if len(names) not in (1, seats):
        raise SeatsError(f"{len(names)} bots for {seats} seats: name one, or one per seat")
    all_names = names * seats if len(names) == 1 else names
    return StudySetting(game, seats, game.check_options(seats, options), all_names)


def split_against(given: Sequence[str]) -> tuple[int | None, str | None, list[str]]:
    """Return the seats, bots and options among the ``name=value`` texts of a second setting.

    Raises :class:`StudyError` if the seats are not a number.
    """
    seats, bots, options = None, None, []
    for text in checks.texts(given, "the changes", StudyError):
        name, sign, value = text.partition("=")
        if sign and name.strip() == "seats":
            if not (value.strip().isascii() and value.strip().isdecimal() and len(value) < 9):
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
    """Return the first setting with these changes. Raises what :func:`setting` raises."""
    checks.instance(first, StudySetting, "first", StudyError)
    if not isinstance(options, Mapping):
        raise checks.wrong("options", options, "a dictionary", StudyError)
    names = ",".join(first.bots) if first.mixed else first.bots[0]
    return setting(first.game, seats or first.seats, {**first.options, **options}, bots or names)


def skill_pair(text: str) -> tuple[str, str] | None:
    """Read ``strong,weak`` or ``none``. Raises :class:`StudyError` or :class:`UnknownBot`."""
    if checks.text(text, "skill", StudyError).strip() == "none":
        return None
    names = read_bots(text)
    if len(names) != 2:
        raise StudyError(
            f"--skill cannot be {text!r}: give two bots, the stronger one first, or none"
        )
    return names[0], names[1]


def read_bots(text: str) -> tuple[str, ...]:
    """Read names separated by commas. Raises :class:`UnknownBot`."""
    return tuple(BOTS[name.strip()].name for name in checks.text(text, "bots").split(","))


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        if all(isinstance(part, int) for part in value):
            return ",".join(map(str, value))
        return "custom"
    return str(value)
