"""Automatic finishes for one-player games that are certainly won."""

from __future__ import annotations

from redouble.bots import BOTS, own_chance
from redouble.contract.game import WORK
from redouble.kernel import checks
from redouble.kernel.rng import seed_words
from redouble.match.match import Match, Observation

__all__ = ["can_finish", "finishing_moves"]

FINISHER = "greedy"
"""The bot that finishes the game."""
MAX_PLIES = 2000
"""Moves after which the bot gives up."""


def can_finish(match: Match) -> bool:
    """Return whether the player sees every card and the finishing bot wins from here.

    The win is certain, because nothing is hidden and no move depends on chance. Raises
    :class:`~redouble.kernel.errors.InputError` if it isn't given a match.
    """
    return bool(finishing_moves(match))


def finishing_moves(match: Match) -> list[str]:
    """Return the texts of the moves that win the game from here; none unless :func:`can_finish`.

    The match is left as it is. Raises :class:`~redouble.kernel.errors.InputError` if it isn't given
    one.
    """
    game = checks.instance(match, Match, "match").game
    seat = match.turn
    if seat is None or match.seats != 1:
        return []
    state = match.seen_by(seat)
    if set(game.rules.Position.differences(state, match.state)) - {"rng"}:
        return []  # some cards are still hidden
    game.rules.determinize(state, seed_words("finish"), [0] * WORK)  # gives the state a generator
    generator = list(state.rng)
    out = [0] * (game.rules.MAX_LEGAL + 1)
    moves: list[str] = []
    bot = BOTS[FINISHER]
    while state.turn >= 0 and len(moves) < MAX_PLIES:
        legal = tuple(out[: game.rules.legal(state, out)])
        seen = state.copy()
        game.rules.redact(seen, seat)
        action = bot.choose(
            Observation(game, seat, seen, legal), own_chance("finish", seat, len(moves))
        )
        moves.append(game.text.name(state, action))
        game.rules.play(state, action)
    won = state.turn < 0 and game.text.REASONS[state.reason].won
    return moves if won and list(state.rng) == generator else []
