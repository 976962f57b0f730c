"""Playing a record again, to get the match that it stands for."""

from __future__ import annotations

from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.kernel.errors import RecordError, RedoubleError
from redouble.match.match import Match
from redouble.match.record import Record

__all__ = ["replay"]


def replay(record: Record | str, number: int = 1) -> Match:
    """Play a record, or its JSON line, again and return the match.

    Raises :class:`RecordError`, which names the line, and the move if one is illegal.
    """
    number = checks.whole(number, "number", error=RecordError)
    if isinstance(record, str):
        record = Record.parse(record, number)
    try:
        return _replay(checks.instance(record, Record, "a record", RecordError))
    except RedoubleError as error:
        raise RecordError(f"line {number}: {error}") from None


def _replay(record: Record) -> Match:
    game = GAMES[record.game]
    if record.rules != game.version:
        raise RecordError(
            f"rules version {record.rules} of {game.name} is not the one played here, "
            f"{game.version}"
        )
    for name, value in record.options.items():
        if isinstance(value, str):  # a text might name a file
            raise RecordError(
                f"option {name} cannot be {checks.quoted(value)} in a record: text is not allowed"
            )
    match = Match(game, record.seats, record.seed, record.options, record.deck)
    for ply, move in enumerate(record.moves, 1):
        try:
            match.push(move)
        except RedoubleError as error:
            raise RecordError(f"move {ply}: {error}") from None
    ranks = None if match.outcome is None else match.outcome.ranks
    if record.ranks is not None and record.ranks != ranks:
        found = "the game is not over" if ranks is None else f"the moves give {list(ranks)}"
        raise RecordError(f"ranks {list(record.ranks)} are wrong: {found}")
    return match
