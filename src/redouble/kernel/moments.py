"""Moments: what people should see in the middle of a move.

A move can set off a lot at once: a card is played, a chip is lost, and the next round is dealt. The
rules call :func:`moment` at the points in between that are worth seeing. Compiled, the call is
nothing at all. Interpreted, it keeps a copy of the state while someone is watching.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from redouble.kernel.state import State

__all__ = ["moment"]
# These functions are what rules and matches are made with, so they check nothing.

Moments = list[tuple[int, Any]]
"""What a move shows on its way, in order: kinds and states."""
S = TypeVar("S", bound=State)

_watched: ContextVar[list[tuple[int, Any]] | None] = ContextVar("_watched", default=None)


def moment(s: State, kind: int) -> None:
    """Show the state as it is now, in the middle of a move; ``kind`` is a number of the game."""
    seen = _watched.get()
    if seen is not None:
        seen.append((kind, s.copy()))


def watch(play: Callable[[S, int], None], state: S, action: int) -> list[tuple[int, S]]:
    """Make a move and return its moments in order: kinds and states.

    The state is left exactly as ``play`` leaves it.
    """
    seen: list[tuple[int, S]] = []
    token = _watched.set(seen)
    try:
        play(state, action)
    finally:
        _watched.reset(token)
    return seen
