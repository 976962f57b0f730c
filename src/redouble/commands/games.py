"""``redouble games``: the installed games."""

from __future__ import annotations

import json
from typing import Any

from redouble.commands.arguments import AsJson
from redouble.contract.game import Game
from redouble.contract.registry import GAMES


def games(as_json: AsJson = False) -> None:
    """List the installed games and their rule options."""
    if as_json:
        print(json.dumps([_row(game) for game in GAMES.values()], ensure_ascii=False))
        return
    from rich.console import Console

    from redouble.terminal.ask.pages import games_and_options

    Console(highlight=False).print(games_and_options(GAMES))


def _row(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "rules": game.version,
        "seats": [game.min_seats, game.max_seats],
        "summary": game.summary,
        "options": [
            {"name": o.name, "default": o.default, "meaning": o.meaning} for o in game.options
        ],
    }
