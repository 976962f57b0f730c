"""What players of a game for one expect: finishing a won game, what a solver says, statistics."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redouble.bots import BOTS, own_chance
from redouble.contract.game import WORK, Game
from redouble.kernel.rng import seed_words
from redouble.match.match import Match, Observation

if TYPE_CHECKING:
    from redouble.analysis.solve import Foresight, Solving

FINISHER = "greedy"
MAX_PLIES = 2000
LEVELS = ("any", "easy", "medium", "hard")
"""How hard a deal shall be that somebody asks for; ``any`` that can be won."""
UNGRADED = ("any",)

_PREPARE = "import sys; from redouble.analysis.solve import prepare; prepare(sys.argv[1])"
_worker = ThreadPoolExecutor(1, "solver")
_ready: dict[str, Future[None]] = {}


def can_finish(match: Match) -> bool:
    """Whether nothing is hidden any more and the careful bot plays the game to a win.

    Both are certain: the player sees all that there is, and the rest is played out, without chance.
    """
    return bool(finishing_moves(match))


def finishing_moves(match: Match) -> list[str]:
    """The moves that win the game from here, where :func:`can_finish`; else none."""
    game = match.game
    seat = match.turn
    if seat is None or match.seats != 1:
        return []
    state = match.seen_by(seat)
    if set(game.rules.Position.differences(state, match.state)) - {"rng"}:
        return []  # something is hidden yet
    game.rules.determinize(state, seed_words("finish"), [0] * WORK)  # gives it a generator to watch
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


def levels(game: Game, options: Mapping[str, Any]) -> tuple[str, ...]:
    """What can be asked of a deal with these checked options; nothing where no solver can tell."""
    if game.solver is None:
        return ()
    return LEVELS if game.solver.graded(options) else UNGRADED


def is_ready(game: Game) -> bool:
    """Whether a game's solver can answer; the first time this is asked it is made ready.

    That takes some ten seconds once, and hardly any when the compiled code is kept on disk. It goes
    on in a process of its own, since a compiler keeps the other threads from running.
    """
    if game.name not in _ready:
        _ready[game.name] = _worker.submit(_make_ready, game.name)
    making = _ready[game.name]
    if making.done():
        making.result()  # raises what went wrong
        return True
    return False


def _make_ready(name: str) -> None:
    from redouble.analysis.solve import prepare

    command = [sys.executable, "-c", _PREPARE, name]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    prepare(name)


def solving(game: Game) -> Solving:
    """A game's solver. What it does takes a while: call it in a thread, when :func:`is_ready`."""
    from redouble.analysis.solve import solving_for

    return solving_for(game)


@dataclass(frozen=True)
class Verdict:
    """What a solver that knows the hidden cards says of a table."""

    hint: str = ""
    """A move that keeps the win; empty when none is known, or the game is over."""
    left: int = 0
    """Moves to the win from here, by that line."""
    foresight: Foresight | None = None
    """Of a game that is over, or cannot be won any more."""


def verdict(match: Match) -> Verdict:
    """What the solver says of a game as it stands."""
    solver = solving(match.game)
    if match.turn is not None:
        solution = solver.solve(match.state)
        if solution.winnable is not False:
            first = solution.moves[0] if solution.moves else ""
            return Verdict(first, len(solution.moves))
    return Verdict(foresight=solver.foresight(match))


@dataclass(frozen=True)
class Statistics:
    """A person's results in one game."""

    played: int
    won: int
    streak: int
    """Games won in a row up to now."""
    best_streak: int
    average_rank: float
    """From 1; of games with others."""
    average_score: float | None

    @property
    def share(self) -> int:
        """Games won, in percent."""
        return round(100 * self.won / self.played) if self.played else 0


def statistics(results: Iterable[Mapping[str, Any]]) -> Statistics:
    """Count results, the first first. Those that do not count are left out."""
    rows = [row for row in results if row["counts"]]
    streak = best = 0
    for row in rows:
        streak = streak + 1 if row["won"] else 0
        best = max(best, streak)
    scores = [row["score"] for row in rows if row["score"] is not None]
    return Statistics(
        played=len(rows),
        won=sum(row["won"] for row in rows),
        streak=streak,
        best_streak=best,
        average_rank=sum(row["rank"] for row in rows) / len(rows) if rows else 0.0,
        average_score=sum(scores) / len(scores) if scores else None,
    )
