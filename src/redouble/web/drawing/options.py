"""A game's options on pages: their form fields, and house rules in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.contract.game import Game
from redouble.contract.options import Choice, Data, Flag, Number, Option, PerSeat

KINDS: dict[type[Option], str] = {
    Flag: "flag",
    Choice: "choice",
    Number: "number",
    PerSeat: "seats",
    Data: "lines",
}
"""The form fields for options; a choice is a number as well, and comes first."""


def option_kind(option: Any) -> str:
    """Return the form field for an option: one of ``KINDS``."""
    for kind, name in KINDS.items():
        if isinstance(option, kind):
            return name
    raise TypeError(f"no form field for {type(option).__name__}")


def house_rules(game: Game, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the label and the value in words of each option that differs from the usual game."""
    return [
        (option.label, option.in_words(options[option.name]))
        for option in game.options
        if str(options[option.name]) != str(option.default)  # a form's values are texts
    ]
