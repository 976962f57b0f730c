"""What a game's solver, which knows the hidden cards, says about deals and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redouble.contract.game import Game
from redouble.match.match import Match

if TYPE_CHECKING:
    from redouble.analysis.solve import Foresight, Solving

DIFFICULTIES = ("any", "easy", "medium", "hard")
"""The difficulties that a player can ask of a deal; ``any`` is any deal that can be won."""
UNGRADED = ("any",)


@dataclass(frozen=True)
class SolverAnswer:
    """What the solver says about a table."""

    hint: str = ""
    """A move that keeps the win, in words; empty when none is known or the game is over."""
    left: int = 0
    """The number of moves to the win that begins with the hint."""
    foresight: Foresight | None = None
    """For a game that is over or cannot be won any more."""
    said: str = ""
    """What the foresight says, in a sentence."""


def difficulties(game: Game, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the difficulties to choose from with these checked options; none without a solver."""
    if game.solver is None:
        return ()
    return DIFFICULTIES if game.solver.graded(options) else UNGRADED


def solving(game: Game) -> Solving:
    """Return a game's solver. Its methods take a while: call them in a thread.

    Before the first call, wait until the site's compiler has loaded its code.
    """
    from redouble.analysis.solve import solving_for

    return solving_for(game)


def answer(match: Match) -> SolverAnswer:
    """Return what the solver says about a match as it stands."""
    solver = solving(match.game)
    if match.turn is not None:
        solution = solver.solve(match.state)
        if solution.winnable is not False:
            first = match.describe(solution.moves[0]) if solution.moves else ""
            return SolverAnswer(first, len(solution.moves))
    foresight = solver.foresight(match)
    return SolverAnswer(foresight=foresight, said=foresight.said(match))
