"""A game's rules in words, as long as a reader wants them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.match.guide import GuideStep, guide_of
from redouble.match.match import Match

__all__ = ["RULES", "rules_in_words"]

RULES = ("brief", "full", "none")
"""How much of the rules a player is told."""


def rules_in_words(
    game: Game, seats: int, options: Mapping[str, Any] | None = None, rules: str = "brief"
) -> str:
    """Return a game's rules, as Markdown.

    ``brief`` has the summary, the steps of the tutorial and the options that differ from their
    defaults; ``full`` has the rulebook and those options; ``none`` has the title and the options.
    Raises :class:`~redouble.kernel.errors.RedoubleError` if an argument can't be used.
    """
    checks.instance(game, Game, "game")
    checks.one_of(rules, RULES, "rules")
    match = Match(game, seats, "rules", options)
    parts = [f"# {game.title}\n\nFor {checks.counted(seats, 'player')}."]
    if rules == "brief":
        parts[0] = f"# {game.title}\n\n{game.summary} For {checks.counted(seats, 'player')}."
        names = _names(match)
        steps = [_step(one, names) for one in guide_of(game).steps]
        if steps:
            parts.append("\n".join(steps))
    elif rules == "full":
        parts = [game.rulebook().strip()]
    if chosen := _options(match):
        parts.append("Options of this game:\n\n" + "\n".join(chosen))
    return "\n\n".join(parts)


def _names(match: Match) -> dict[str, str]:
    """Return what people call the zones and facts of a game's views, by their keys."""
    view = match.view(0)
    names = {zone.key: zone.name for zone in view.zones}
    return names | {fact.key: fact.name for fact in view.facts}


def _step(step: GuideStep, names: Mapping[str, str]) -> str:
    """Return a step of the tutorial with the name of what it points at."""
    name = names.get(step.at)
    return f"- {name}: {step.say}" if name else f"- {step.say}"


def _options(match: Match) -> list[str]:
    """Return the options that differ from their defaults, with what they mean."""
    return [
        f"- {option.label}: {option.in_words(match.options[option.name])}. {option.meaning}"
        for option in match.game.options
        if match.options[option.name] != option.default
    ]
