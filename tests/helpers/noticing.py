"""What networks see of positions and moves, for tests."""

from typing import Any

from redouble.bots.learned import network_of
from redouble.contract.game import WORK, Game
from redouble.contract.registry import GAMES
from redouble.match.match import Match

TAUGHT = [name for name, game in GAMES.items() if game.network is not None]


def seen(game: Game, state: Any, action: int) -> list[int]:
    """The traits of a legal move."""
    out = [0] * WORK
    return out[: network_of(game).traits(state, action, out)]


def noticed(game: Game, state: Any) -> list[int]:
    """The features of a position."""
    out = [0] * WORK
    return out[: network_of(game).features(state, out)]


def named(match: Match, move: str) -> set[int]:
    """The traits of a move written as text."""
    action = match.game.text.parse(match.state, move)
    return set(seen(match.game, match.state, action))
