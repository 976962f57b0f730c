"""What an observer has seen of a game, ply by ply, as a text.

A transcript begins with everything that the observer saw after the deal. Each ply adds a line: who
moved, the move or ``?`` if the observer can't see it, and every field of the state that changed for
the observer's eyes, through the moments of the move. All of it is taken from redacted states.
"""

from collections.abc import Iterator
from typing import Any

from redouble.contract.game import Game
from redouble.kernel.moments import Moments
from redouble.kernel.state import SPECTATOR, State


def opening(game: Game, state: State, seat: int) -> str:
    """Return the first line of a transcript: what ``seat`` sees of a whole position."""
    seen = game.redacted(state, seat)
    return " ".join([f"seat {seat}:", *_changes(game.rules.Position(), seen)])


def ply(game: Game, before: State, action: int, moments: Moments, after: State, seat: int) -> str:
    """Return the line of a move, as ``seat`` saw it."""
    seen = game.redacted(before, seat)
    secret = seat != before.turn and game.rules.hidden(before, action)
    words = [f"\n{before.turn} {'?' if secret else game.text.name(before, action)}:"]
    for state in (*(state for _, state in moments), after):
        now = game.redacted(state, seat)
        words += _changes(seen, now)
        seen = now
    return " ".join(words)


def secrets(game: Game, state: State, seat: int) -> str:
    """Return what ``seat`` sees of a position and a spectator doesn't."""
    seen = [game.redacted(state, viewer) for viewer in (SPECTATOR, seat)]
    return " ".join([f"seat {seat}:", *_changes(*seen)])


def whole(game: Game, state: State) -> str:
    """Return every field of a position that isn't zero."""
    return " ".join(_changes(game.rules.Position(), state))


def _changes(old: State, new: State) -> Iterator[str]:
    """Yield the fields of ``new`` that differ from ``old``, but for the generator."""
    before = old.__dict__
    for name, value in new.__dict__.items():
        if value != before[name] and name != "rng":
            yield from _changed(name, before[name], value)


def _changed(name: str, old: Any, new: Any) -> Iterator[str]:
    if not isinstance(new, list):
        yield f"{name}={new}"
        return
    differing = [i for i, value in enumerate(new) if value != old[i]]
    if isinstance(new[0], list) or len(differing) == 1:
        for i in differing:
            yield from _changed(f"{name}[{i}]", old[i], new[i])
    elif differing:
        first, last = differing[0], differing[-1]
        yield f"{name}[{first}:]={','.join(map(str, new[first : last + 1]))}"
