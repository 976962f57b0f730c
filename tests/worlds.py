"""What the laws range over: every installed game, seat count and a spread of options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import redouble
from redouble.contract.game import Game
from redouble.contract.options import Flag, Number, PerSeat
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError


@dataclass(frozen=True)
class Setting:
    """A game with a seat count and options."""

    name: str
    seats: int
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def game(self) -> Game:
        return GAMES[self.name]

    def header(self, seed: str) -> Any:
        checked = self.game.check_options(self.seats, dict(self.options))
        return self.game.header(self.seats, checked, seed)

    def __str__(self) -> str:
        options = ",".join(f"{name}={value}".replace(" ", "") for name, value in self.options)
        return f"{self.name}-{self.seats}" + (f"[{options}]" if options else "")


def own_games() -> list[str]:
    """The names of the games that this package brings; strangers' have documents of their own."""
    home = Path(redouble.__file__).parent
    return [name for name in GAMES if GAMES[name].folder.is_relative_to(home)]


def seat_counts(game: Game) -> list[int]:
    """Every number of seats that the game can have with some options."""
    return list(range(game.min_seats, game.max_seats + 1))


def settings(spread: int) -> Iterator[Setting]:
    """Each game at each seat count: with default options where they allow it, and with ``spread``
    random combinations of options (the same in every run)."""
    for name in GAMES:
        game = GAMES[name]
        for seats in seat_counts(game):
            dice = Random(f"{name} {seats}")
            wanted: list[dict[str, Any]] = [{}]
            wanted += [random_options(game, seats, dice) for _ in range(40 * spread)]
            found: list[Setting] = []
            for options in wanted:
                setting = Setting(name, seats, tuple(sorted(options.items())))
                try:
                    game.check_options(seats, options)
                except RedoubleError:
                    continue
                if setting not in found:
                    found.append(setting)
                if len(found) > spread:
                    break
            assert found, f"no options let {seats} play {name}"
            yield from found


def random_options(game: Game, seats: int, dice: Random) -> dict[str, Any]:
    """Each option at its default or, as often, at a random value."""
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
