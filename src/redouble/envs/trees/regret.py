"""What the moves of a game gave away, where that can be found exactly."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from redouble.envs.trees.exact import MAX_WORK, TRIFLE, ExactSolver
from redouble.envs.trees.worlds import TooManyWorlds
from redouble.kernel import checks
from redouble.kernel.errors import InputError, SeatsError
from redouble.match.match import Match, Observation

__all__ = ["METHODS", "ExactValues", "MoveRegret", "exact_values", "move_regrets"]

METHODS = ("solver", "open", "worlds")
"""How a decision was judged: by the solver of a solitaire game in which all is known, by trying
everything in the only position that is possible, or in all possible ones."""
MAX_EFFORT = 10_000_000
MAX_MISSES = 5
"""Decisions in a row that are too large, before which none is tried."""


@dataclass(frozen=True)
class ExactValues:
    """What each move of a decision is worth to the seat to move."""

    values: dict[str, float]
    """The expected share of opponents beaten; in a solitaire game the chance to win."""
    method: str
    """One of METHODS."""
    worlds: int
    """How many positions the seat can't tell apart, unseen piles left out."""

    def __post_init__(self) -> None:
        if not isinstance(self.values, dict) or not self.values:
            raise checks.wrong(
                "values", self.values, "a dict with the value of each move", InputError
            )
        for move, value in self.values.items():
            checks.number(value, f"the value of {checks.text(move, 'a move')}", -TRIFLE, 1 + TRIFLE)

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that are worth most."""
        most = max(self.values.values())
        return tuple(move for move, value in self.values.items() if value >= most - TRIFLE)


@dataclass(frozen=True)
class MoveRegret:
    """A decision between several moves, and what the move gave away."""

    ply: int
    """The number of moves before it."""
    seat: int
    move: str
    regret: float | None
    """How much more the best move was worth, by what the seat knew; None if it isn't known."""
    exact: ExactValues | None
    """None if the decision is too large to be judged exactly."""


def exact_values(observation: Observation, max_work: int = MAX_WORK) -> ExactValues | None:
    """Return what each legal move is worth, exactly; None if that takes too much.

    It depends only on what the seat to move knows. Every position that the seat can't tell from the
    real one counts, every line and every outcome of chance. Each seat goes on with what is best by
    its own knowledge, without conclusions from how others chose their moves; among equally good
    moves each is as likely. ``max_work`` is the number of moves tried. Raises
    :class:`~redouble.kernel.errors.InputError`.
    """
    checks.instance(observation, Observation, "observation")
    checks.whole(max_work, "max_work", 1, MAX_EFFORT)
    if observation.state.turn != observation.seat or not observation.legal:
        raise InputError("there is no decision to judge: give the observation of the seat to move")
    return _judged(ExactSolver(observation.game, max_work), observation)


def move_regrets(
    match: Match, seats: Collection[int] | None = None, since: int = 0, max_work: int = MAX_WORK
) -> tuple[MoveRegret, ...]:
    """Return what the decisions of these seats gave away, from ply ``since`` on, in order.

    Without ``seats`` all of them are judged. The regret of a decision depends only on what its seat
    knew. :func:`exact_values` says what ``max_work`` is. Decisions are judged from the last one on:
    before MAX_MISSES in a row that are too large, no others are tried. Raises
    :class:`~redouble.kernel.errors.InputError` or :class:`~redouble.kernel.errors.SeatsError`.
    """
    checks.instance(match, Match, "match")
    if seats is not None and (isinstance(seats, str) or not isinstance(seats, Collection)):
        raise checks.wrong("seats", seats, "a collection of seat numbers", InputError)
    wanted = range(match.seats) if seats is None else seats
    for seat in wanted:
        checks.whole(seat, "a seat", 0, match.seats - 1, SeatsError)
    checks.whole(since, "since", 0)
    checks.whole(max_work, "max_work", 1, MAX_EFFORT)
    solver = ExactSolver(match.game, max_work)
    found, misses = [], 0
    for ply, observation, move in reversed(list(_decisions(match, wanted, since))):
        exact = _judged(solver, observation) if misses < MAX_MISSES else None
        misses = misses + 1 if exact is None else 0
        regret = None
        if exact is not None:
            regret = max(exact.values.values()) - exact.values[move]
            regret = regret if regret > TRIFLE else 0.0
        found.append(MoveRegret(ply, observation.seat, move, regret, exact))
    return tuple(reversed(found))


def _decisions(
    match: Match, seats: Collection[int], since: int
) -> Iterator[tuple[int, Observation, str]]:
    """Yield the ply of each decision between several moves, what its seat knew, and its move."""
    moves = match.moves
    at = match.copy()
    while at.ply:
        at.pop()
    for ply, move in enumerate(moves):
        if ply >= since and at.turn in seats and len(at.legal_moves) > 1:
            yield ply, at.observation(), move
        at.push(move)


def _judged(solver: ExactSolver, observation: Observation) -> ExactValues | None:
    try:
        found = solver.values(observation.state)
    except TooManyWorlds:
        return None
    if any(high - low > TRIFLE for low, high in found.values()):
        return None
    alone = observation.state.seats == 1 and observation.game.solver is not None
    method = "solver" if alone and solver.open else "open" if solver.open else "worlds"
    return ExactValues(
        {observation.name(action): low for action, (low, _) in found.items()},
        method,
        solver.world_count,
    )
