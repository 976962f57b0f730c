"""A game's rules in words, as long as a reader wants them."""

from collections.abc import Mapping
from typing import Any

from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.match.guide import guide_of
from redouble.match.match import Match

__all__ = ["rules_in_words"]

RULES = ("brief", "full", "none")
"""How much of the rules a player reads."""


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
        view = match.view(0)
        names = {zone.key: zone.name for zone in view.zones}
        names |= {fact.key: fact.name for fact in view.facts}
        steps = [
            (names.get(step.at, "").rstrip("0123456789").rstrip(), step.say)  # "cell", not "cell 7"
            for step in guide_of(game).steps
        ]
        if steps:
            parts.append(
                "\n".join(f"- {name}: {say}" if name else f"- {say}" for name, say in steps)
            )
    elif rules == "full":
        parts = [game.rulebook().strip()]
    chosen = [
        f"- {option.label}: {option.in_words(match.options[option.name])}. {option.meaning}"
        for option in game.options
        if match.options[option.name] != option.default
    ]
    if chosen:
        parts.append("Options of this game:\n\n" + "\n".join(chosen))
    return "\n\n".join(parts)
