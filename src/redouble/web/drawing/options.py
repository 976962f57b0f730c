"""A game's options on pages: their form fields, and house rules in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.contract.game import Game
from redouble.contract.options import Data, Flag, Number, PerSeat


def option_kind(option: Any) -> str:
    """Return the form field for an option: ``flag``, ``number``, ``seats`` or ``lines``."""
    for kind, name in ((Flag, "flag"), (Number, "number"), (PerSeat, "seats"), (Data, "lines")):
        if isinstance(option, kind):
            return name
    raise TypeError(f"no form field for {type(option).__name__}")


def house_rules(game: Game, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the label and the value in words of each option that differs from the usual game."""
    return [
        (option.label, _option_value(options[option.name]))
        for option in game.options
        if options[option.name] != option.default
    ]


def _option_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
