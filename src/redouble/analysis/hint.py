"""A hint and its reason: the best move by a search from what a seat knows, in words.

Like a bot, it is told an :class:`~redouble.match.match.Observation` and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from redouble.analysis.shares import expected
from redouble.bots.greedy import GreedyBot
from redouble.bots.inputs import check_observation
from redouble.bots.policy import MAX_ITERATIONS, Policy
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, seed_words
from redouble.match.match import Observation

if TYPE_CHECKING:
    from redouble.bots.search import Search

ITERATIONS = 2000
"""Of the search for the best move."""
WEIGHED = 1500
"""Of the search of what follows each of the two best moves."""
LIKELY = 0.1
"""The share of visits from which on a reply is one to reckon with."""
FELT = 0.02
"""A difference in share that is worth a word."""
QUICK = "a quick guess, by the look of the cards"
ONLY = "there is no other move"


@dataclass(frozen=True)
class Advice:
    """A move that is suggested."""

    action: int
    move: str
    reason: str
    """Why, in words without a full stop."""
    quick: bool = False
    """Whether it was only guessed."""

    def __str__(self) -> str:
        return f"{self.move}: {self.reason}."


def guess(observation: Observation) -> Advice:
    """What the game's heuristic player would do: at once, and with nothing compiled."""
    action = GreedyBot().choose(observation, _chance("guess"))
    return Advice(action, observation.name(action), QUICK, quick=True)


def advise(observation: Observation, names: Sequence[str], iterations: int = ITERATIONS) -> Advice:
    """Return the best move for the seat on turn, what to expect from it and which reply to fear.

    It depends only on what the seat knows. ``names`` are the names of the seats. The first call in
    a process may wait for the compiler. Raises :class:`~redouble.kernel.errors.InputError` if an
    argument cannot be used, or if the observation has no legal move.
    """
    if not check_observation(observation).legal:
        raise InputError("the seat has no legal move: ask the seat on turn")
    checks.whole(iterations, "iterations", 1, MAX_ITERATIONS)
    given = checks.texts(names, "names")
    if len(given) != observation.state.seats:
        raise InputError(
            f"names has {len(given)} names: give one for each of {observation.state.seats} seats"
        )
    if len(observation.legal) == 1:
        return Advice(observation.legal[0], observation.name(observation.legal[0]), ONLY)
    from redouble.bots.search import Search

    search = Search(observation, _chance("look"), Policy())
    search.run(iterations)
    two = [candidate.action for candidate in search.candidates()[:2]]
    after = {}
    for action in two:
        after[action] = Search(observation, _chance(f"after {action}"), Policy(), first=action)
        after[action].run(iterations * WEIGHED // ITERATIONS)
    shares = {action: one.shares()[observation.seat] for action, one in after.items()}
    best, *others = sorted(two, key=lambda action: -shares[action])
    seats = observation.state.seats
    reason = _expecting(shares[best], seats)
    for other in others:
        name = observation.name(other)
        if shares[best] - shares[other] < FELT:
            reason += f"; {name} is about as good"
        else:
            reason += f"; with {name} {expected(shares[other], seats)}"
    if feared := _feared(after[best], observation, names):
        reason += f". To be feared next: {feared}"
    return Advice(best, observation.name(best), reason)


def _chance(what: str) -> Generator:
    return seed_words(f"advice: {what}")


def _expecting(share: float, seats: int) -> str:
    """What a seat can expect, in words."""
    figure = expected(share, seats)
    if seats == 1:
        return f"you get {figure} of the way to a win on average"
    if seats == 2:
        return f"you win about {figure} games like this"
    return f"you end in place {figure} of {seats} on average"


def _feared(after: Search, observation: Observation, names: Sequence[str]) -> str:
    """The likely reply of another seat that would hurt most; empty when none stands out."""
    nodes, values = after.nodes, after.values
    usual = after.shares()[observation.seat]
    found = []
    child = int(nodes["first"][0])
    while child:
        entry = nodes[child]
        seat, visits = int(entry["seat"]), int(entry["visits"])
        if seat != observation.seat and visits >= LIKELY * after.iterations:
            share = float(values[child, observation.seat]) / visits
            if share + 2 * sqrt(share * (1 - share) / visits) < usual and usual - share >= FELT:
                found.append((share, seat, int(entry["action"])))
        child = int(entry["next"])
    if not found:
        return ""
    _, seat, action = min(found)
    return f"{names[seat]} plays {observation.name(action)}"
