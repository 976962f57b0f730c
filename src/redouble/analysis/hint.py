"""Hints: the best move that a search finds, and the reason in words.

Like a bot, a hint uses nothing but an :class:`~redouble.match.match.Observation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

from redouble.analysis.shares import expected, loss_in_words, place_in_words
from redouble.bots.inputs import check_observation
from redouble.bots.learned import learned_move
from redouble.bots.policy import BEST, MAX_ITERATIONS, Policy
from redouble.contract.game import WORK
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, seed_words
from redouble.match.match import LegalMoves, Observation
from redouble.match.story import midsentence

if TYPE_CHECKING:
    from redouble.bots.search import Forecast

__all__ = ["Advice", "advise"]

ITERATIONS = 2000
"""Iterations of the search for the best move."""
WEIGHED = 1500
"""Iterations of the search that compares the two best moves, for each, and of the forecast of
replies."""
SEARCHING = Policy(iterations=ITERATIONS, method=BEST)
"""The search for the best move, and for what follows a move."""
LIKELY = 0.1
"""The smallest share of worlds that makes a reply likely."""
NOTABLE = 0.02
"""The smallest difference in share that is worth mentioning."""
WORLDS = 200
"""Worlds tried for one in which a likely reply is legal."""
QUICK = "a quick guess"
ONLY = "the only move"


@dataclass(frozen=True)
class Advice:
    """A suggested move."""

    action: int
    move: str
    """The move's text, as records hold it."""
    words: str
    """The move in words, as a short instruction."""
    reason: str
    """The reason, in words without a full stop."""
    quick: bool = False
    """Whether the move was only guessed, without a search."""

    def __str__(self) -> str:
        return f"{self.words}. {self.why}"

    @property
    def why(self) -> str:
        """The reason as a sentence."""
        return f"{self.reason[:1].upper()}{self.reason[1:]}."


def guess(observation: Observation) -> Advice:
    """Return the move by learned weights, else the heuristic's, at once and without compiled code.

    Raises :class:`~redouble.kernel.errors.InputError` if the observation cannot be used or has no
    legal move.
    """
    observation = _checked_choice(observation)
    action = learned_move(observation, _chance("guess"))
    return _advice(observation, action, QUICK, quick=True)


def advise(observation: Observation, names: Sequence[str], iterations: int = ITERATIONS) -> Advice:
    """Return the best move for the seat on turn, with the expected result and the worst reply.

    The advice depends only on what the seat knows. ``names`` are the names of the seats. The first
    call in a process may wait for the compiler.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, or if the
    observation has no legal move.
    """
    observation = _checked_choice(observation)
    checks.whole(iterations, "iterations", 1, MAX_ITERATIONS)
    given = checks.texts(names, "names")
    if len(given) != observation.state.seats:
        raise InputError(
            f"names has {len(given)} names: give one for each of {observation.state.seats} seats"
        )
    if len(observation.legal) == 1:
        return _advice(observation, observation.legal[0], ONLY)
    from redouble.bots.search import Search, compare, forecast

    search = Search(observation, _chance("look"), replace(SEARCHING, iterations=iterations))
    search.run(iterations)
    priors = {candidate.action: candidate.prior for candidate in search.candidates()[:2]}
    two = list(priors)
    weighed = iterations * WEIGHED // ITERATIONS
    found = compare(observation, _chance("after"), SEARCHING, two, weighed)
    shares = {action: each[observation.seat] for action, each in zip(two, found, strict=True)}
    best, *others = sorted(two, key=lambda action: -shares[action] - priors[action])
    seats = observation.state.seats
    reason = _expectation(shares[best], seats)
    for other in others:
        words = midsentence(observation.describe(other))
        if shares[best] - shares[other] < NOTABLE:
            reason += f". About as good: {words}"
        else:
            less = loss_in_words(shares[best], shares[other], seats)
            reason += f". Second best: {words}, {less}"
    after = forecast(observation, _chance("replies"), weighed, best)
    if danger := _danger(after, observation, best, names):
        reason += f". Watch out: {danger}"
    return _advice(observation, best, reason)


def _advice(observation: Observation, action: int, reason: str, quick: bool = False) -> Advice:
    return Advice(action, observation.name(action), observation.describe(action), reason, quick)


def _checked_choice(observation: Observation) -> Observation:
    found = check_observation(observation)
    if not found.legal:
        raise InputError("the seat has no legal move: ask the seat on turn")
    return found


def _chance(what: str) -> Generator:
    return seed_words(f"advice: {what}")


def _expectation(share: float, seats: int) -> str:
    if seats == 1:
        return f"you get {expected(share, seats)} of the way to a win on average"
    if seats == 2:
        return f"you win about {expected(share, seats)} games like this"
    return f"you'll probably finish {place_in_words(share, seats)} of {seats}"


def _danger(after: Forecast, observation: Observation, best: int, names: Sequence[str]) -> str:
    """Return the likely reply of another seat that hurts most; empty if none stands out."""
    usual = after.shares[observation.seat]
    worlds = sum(times for times, _ in after.replies.values())
    found = []
    for (seat, action), (times, shares) in after.replies.items():
        if seat != observation.seat and times >= LIKELY * worlds:
            share = shares[observation.seat]
            if share + 2 * sqrt(share * (1 - share) / times) < usual and usual - share >= NOTABLE:
                found.append((share, seat, action))
    if not found:
        return ""
    _, seat, action = min(found)
    words = _reply(observation, best, seat, action)
    return f"{names[seat]} could {midsentence(words)}" if words else ""


def _reply(observation: Observation, first: int, seat: int, action: int) -> str:
    """Return another seat's reply to a move in words, from a world in which it is legal.

    The world is as possible for the observer as the real one. Empty if none is found.
    """
    game, rng = observation.game, _chance("reply")
    for _ in range(WORLDS):
        world = observation.state.copy()
        game.rules.determinize(world, rng, [0] * WORK)
        game.rules.play(world, first)
        if world.turn == seat and action in LegalMoves(game, world).actions:
            game.rules.redact(world, seat)
            return game.in_words(world, action)
    return ""
