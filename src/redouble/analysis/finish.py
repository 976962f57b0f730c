"""Automatic finishes for one-player games that are won and leave no choice."""

from redouble.contract.game import WORK
from redouble.kernel import checks
from redouble.kernel.rng import seed_words
from redouble.match.match import Match

__all__ = ["can_finish", "finishing_moves"]

MAX_PLIES = 2000
"""Moves after which a game counts as endless."""


def can_finish(match: Match) -> bool:
    """Return whether the player sees every card, has no more choices, and wins.

    Raises :class:`~redouble.kernel.errors.InputError` if it isn't given a match.
    """
    return bool(finishing_moves(match))


def finishing_moves(match: Match) -> list[str]:
    """Return the texts of the forced moves that win the game; none unless :func:`can_finish`.

    The match is left as it is. Raises :class:`~redouble.kernel.errors.InputError` if it isn't given
    one.
    """
    game = checks.instance(match, Match, "match").game
    seat = match.turn
    if seat is None or match.seats != 1 or len(match.legal_moves) != 1:
        return []
    state = match.seen_by(seat)
    if set(game.rules.Position.differences(state, match.state)) - {"rng"}:
        return []  # some cards are still hidden
    game.rules.determinize(state, seed_words("finish"), [0] * WORK)  # gives the state a generator
    generator = list(state.rng)
    out = [0] * (game.rules.MAX_LEGAL + 1)
    moves: list[str] = []
    while state.turn >= 0 and len(moves) < MAX_PLIES:
        if game.rules.legal(state, out) != 1:
            return []
        moves.append(game.text.name(state, out[0]))
        game.rules.play(state, out[0])
    won = state.turn < 0 and game.text.REASONS[state.reason].won
    return moves if won and list(state.rng) == generator else []
