"""Settings for the laws: a game at every seat count, with a spread of its options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from redouble.contract.game import Game
from redouble.contract.options import Choice, Flag, Number, PerSeat
from redouble.kernel import checks
from redouble.kernel.errors import InputError, RedoubleError

__all__ = ["Setting", "settings_of"]

MAX_SPREAD = 10_000
"""Random combinations of options for each seat count."""


@dataclass(frozen=True)
class Setting:
    """A game with a seat count and options.

    Raises :class:`~redouble.kernel.errors.InputError` for other types, and what
    :meth:`Game.check_seats` raises.
    """

    game: Game
    seats: int
    options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        checks.instance(self.game, Game, "game").check_seats(self.seats)
        for pair in checks.items(self.options, "options", "pairs of a name and a value"):
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
                raise checks.wrong("an option", pair, "its name and its value", InputError)

    @property
    def name(self) -> str:
        """The game's name."""
        return self.game.name

    def header(self, seed: str) -> Any:
        """Return a state that the game's ``setup`` can deal from."""
        checked = self.game.check_options(self.seats, dict(self.options))
        return self.game.header(self.seats, checked, seed)

    def widest(self) -> Setting:
        """Return the setting with each number of its options at its highest, where they allow it.

        What a number chooses has no order, so choices stay as they are.
        """
        options = dict(self.options)
        for option in self.game.options:
            if isinstance(option, Number) and not isinstance(option, Choice):
                wider = options | {option.name: option.high}
                with suppress(RedoubleError):
                    self.game.check_options(self.seats, wider)
                    options = wider
        return Setting(self.game, self.seats, tuple(sorted(options.items())))

    def __str__(self) -> str:
        options = ",".join(f"{name}={value}".replace(" ", "") for name, value in self.options)
        return f"{self.name}-{self.seats}" + (f"[{options}]" if options else "")


def settings_of(game: Game, spread: int = 3) -> Iterator[Setting]:
    """Return settings of a game for every seat count that it allows.

    Each count is tried with the default options, if they allow it, and with up to ``spread`` random
    combinations of options, which are the same in every run. Raises :class:`RedoubleError` if no
    options were found for one of the seat counts.
    """
    checks.instance(game, Game, "game")
    return _settings(game, checks.whole(spread, "spread", 0, MAX_SPREAD))


def _settings(game: Game, spread: int) -> Iterator[Setting]:
    for seats in range(game.min_seats, game.max_seats + 1):
        dice = Random(f"{game.name} {seats}")
        wanted: list[dict[str, Any]] = [{}]
        wanted += [random_options(game, seats, dice) for _ in range(40 * max(spread, 1))]
        found: list[Setting] = []
        for options in wanted:
            setting = Setting(game, seats, tuple(sorted(options.items())))
            try:
                game.check_options(seats, options)
            except RedoubleError:
                continue
            if setting not in found:
                found.append(setting)
            if len(found) > spread:
                break
        if not found:
            raise RedoubleError(
                f"{game.name} says that {seats} can play, but no options were found that allow it:"
                " correct min_seats, max_seats or the checks of its options"
            )
        yield from found


def random_options(game: Game, seats: int, dice: Random) -> dict[str, Any]:
    """Return random values for about half of a game's options; the others keep their defaults."""
    options: dict[str, Any] = {}
    for option in game.options:
        if dice.random() < 0.5:
            continue
        if isinstance(option, Flag):
            options[option.name] = not option.default
        elif isinstance(option, Number):
            high = min(option.high, max(option.low + 3, 3 * abs(option.default)))
            options[option.name] = dice.randint(option.low, high)
        elif isinstance(option, PerSeat):
            span = range(option.low, min(option.high, option.low + 90) + 1)
            options[option.name] = [dice.choice(span) for _ in range(seats)]
    return options
