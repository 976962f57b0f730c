"""Why a puzzle's best move is best: what comes of it, and of another move, in the next turns.

Both moves are made in the same positions, which are all possible for the seat to move, and careful
players go on. What differs clearly is shown in the numbers that players of the game count.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from redouble.bots.inputs import check_observation
from redouble.contract.game import WORK, Game
from redouble.contract.parts import Outlook
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, seed_words
from redouble.match.match import Observation

__all__ = ["LOOKS_ALIKE", "reason"]

WORLDS = 100
"""Positions in which both moves are tried."""
TIMES = {0: "right away", 1: "by your next turn", 3: "by your third turn from now"}
"""After how many more turns of the seat its numbers are compared."""
MAX_PLIES = 30
"""Moves per seat that are made at most until then."""
CLEAR = 4.0
"""How many standard errors make a difference clear."""
NOTABLE = 0.1
"""The smallest difference that is shown."""
LOOKS_ALIKE = "It pays off only later: three turns on, the numbers are still about the same."


@dataclass(frozen=True)
class Contrast:
    """What came of two moves at some time: the number in each position, and the words for it."""

    best: Sequence[int]
    other: Sequence[int]
    when: str
    outlook: Outlook
    mine: bool
    """Whether the number is the seat's own, not that of the others together."""

    @property
    def gain(self) -> float:
        """By how much the best move is better on average; 0 if that isn't clear."""
        gaps = [a - b for a, b in zip(self.best, self.other, strict=True)]
        mean = sum(gaps) / len(gaps)
        spread = sqrt(sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1))
        if abs(mean) < max(NOTABLE, CLEAR * spread / sqrt(len(gaps))):
            return 0.0
        return mean if self.outlook.fewer != self.mine else -mean

    def sentence(self, called: str) -> str:
        """Return what came of the best move, and of the other one, which is called ``called``."""
        if not self._once:
            return f"after the best move {self._said(self.best)}; after {called}, {self._other}"
        if self._constant:
            return f"after {called} {self.outlook.once} {self.when}, but not after the best one"
        best, other = (f"{sum(one)}" for one in (self.best, self.other))
        happens = f"{self.outlook.once} {self.when} in {best} of {WORLDS} deals"
        return f"after the best move {happens}; after {called}, in {other}"

    def concession(self) -> str:
        """Return by what the best move is worse."""
        if self._once and self._constant:
            return f"though {self.outlook.once} {self.when}"
        return f"though {self._counted(self.best)} rather than {self._other} {self.when}"

    @property
    def _once(self) -> bool:
        """Whether something either happens or doesn't."""
        return self.mine and bool(self.outlook.once) and {*self.best, *self.other} <= {0, 1}

    @property
    def _constant(self) -> bool:
        return len(set(self.best)) == len(set(self.other)) == 1

    def _said(self, numbers: Sequence[int]) -> str:
        return f"{self._counted(numbers)} {self.when}" + ("" if self._constant else ", on average")

    def _counted(self, numbers: Sequence[int]) -> str:
        text = self.outlook.you if self.mine else self.outlook.others
        number = self._mean(numbers)
        return text.format("no" if number == "0" else number, s="" if number == "1" else "s")

    @property
    def _other(self) -> str:
        number = self._mean(self.other)
        return "none" if number == "0" else number

    def _mean(self, numbers: Sequence[int]) -> str:
        return f"{sum(numbers) / len(numbers):.{0 if self._constant else 1}f}"


def reason(observation: Observation, best: int, other: int, called: str) -> str:
    """Return in one sentence what the best move gains over another one.

    The same arguments give the same sentence. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    legal = check_observation(observation).legal
    for action in (best, other):
        if checks.whole(action, "action") not in legal:
            raise InputError(f"{checks.quoted(action)} is not a legal action: choose two of them")
    checks.text(called, "called")
    seat, seats = observation.seat, range(observation.state.seats)
    others = [one for one in seats if one != seat]
    tried = [
        [_outlooks(observation, action, number) for number in range(WORLDS)]
        for action in (best, other)
    ]
    though = ""
    for when in TIMES.values():
        came = [[next(outlooks) for outlooks in worlds] for worlds in tried]
        for mine in (True, False):
            counted = [seat] if mine else others
            one, two = ([sum(at[k].value for k in counted) for at in worlds] for worlds in came)
            outlook = came[0][0][seat]
            found = Contrast(one, two, when, outlook, mine)
            if not mine and not outlook.others:
                continue
            if found.gain > 0:
                said = f"{though}, {found.sentence(called)}" if though else found.sentence(called)
                return f"{said[0].upper()}{said[1:]}."
            if found.gain < 0 and mine and not though:
                though = found.concession()
    return LOOKS_ALIKE


def _outlooks(observation: Observation, action: int, number: int) -> Iterator[list[Outlook]]:
    """Yield what has come of an action for each seat at each of ``TIMES``, in one position."""
    game, before = observation.game, observation.state
    rng: Generator = list(seed_words(f"position {number}"))
    s = before.copy()
    game.rules.determinize(s, rng, [0] * WORK)
    game.rules.play(s, action)
    out, work = [0] * (game.rules.MAX_LEGAL + 1), [0] * WORK
    turns, left, last = 0, MAX_PLIES * s.seats, observation.seat
    for wanted in TIMES:
        while turns < wanted and left and (n := game.rules.legal(s, out)):
            game.rules.play(s, game.player.greedy(s, out, n, rng, work) if n > 1 else out[0])
            left -= 1
            turns += s.turn == observation.seat != last
            last = s.turn
        yield [_outlook(game, before, s, seat) for seat in range(s.seats)]


def _outlook(game: Game, before: Any, after: Any, seat: int) -> Outlook:
    """Return what has come of a move; without numbers of the game's own, by its evaluation."""
    if game.words.outlook is not None:
        return game.words.outlook(before, after, seat)
    values = [0] * after.seats
    game.player.evaluate(after, values)
    behind = sum(values[seat] > value for value in values)
    return Outlook(behind, "bots judge you ahead of {} player{s}")
