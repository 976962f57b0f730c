"""What each move of a decision is worth, exactly: every world, every line, every outcome of chance.

A move is judged by what its seat knows: all worlds that it can't tell apart count, each with its
probability in the game's ``determinize``. Later, too, each seat makes a move
that is best by what *it* knows then, found in the same way. No seat concludes anything from how
others chose their moves. If several moves are equally good for a seat, each is as likely.

Values are intervals: a line that gets too long can still have any result. A value is exact if both
ends are the same.
"""

import marshal
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from threading import Lock
from typing import Any

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.trees.chance import Answer, ChanceEvent, ChanceNeeded, scripted_rules
from redouble.envs.trees.worlds import NO_CHANCE, UNDECIDED, Deck, LazyScript, TooManyWorlds, Worlds
from redouble.kernel.shares import share_beaten

MAX_WORK = 8_000
"""Moves tried and worlds made for one decision: a second or two."""
MAX_WORLDS = 1_000
MAX_OUTCOMES = 3_000
"""Of the chance in one move."""
MAX_CHOICES = 8
"""Decisions in a line among several seats; behind them it can have any result."""
MAX_HIDDEN = 6
"""Hidden cards in a solitaire game."""
SOLVER_POSITIONS = 20_000
TRIFLE = 1e-9
"""Values that differ by less are the same: they are sums of floating-point numbers."""

Interval = tuple[float, float]
ANYTHING: Interval = (0.0, 1.0)
Outcome = tuple[float, Any, list[int], list[Interval] | None]
"""A probability, a position, the legal actions in it, and its result if the game is over."""


class ExactSolver:
    """The values of the moves of one game, found anew for each decision."""

    def __init__(self, game: Game, max_work: int = MAX_WORK) -> None:
        self.game = game
        self._max_work = max_work
        self._play = scripted_rules(game).play
        self._worlds = Worlds(game)
        self._out = [0] * (game.rules.MAX_LEGAL + 1)
        self.open = False
        """Whether all was known in the position that was judged last, its unseen piles included."""
        self.world_count = 0
        self._begin()

    def _begin(self) -> None:
        self._work = 0
        self._results: dict[bytes, list[Interval]] = {}
        self._choices: dict[bytes, tuple[list[int], bool]] = {}

    def values(self, seen: Any) -> dict[int, Interval]:
        """Return what each legal action is worth to the seat to move, by what it knows.

        ``seen`` is the state redacted for this seat. Raises :class:`TooManyWorlds`.
        """
        self._begin()
        worlds = self._made(seen)
        self.world_count = len(worlds)
        self.open = len(worlds) == 1 and not worlds[0][0].deck.pool_of
        return self._weighed(seen, worlds, 0)

    def _made(self, seen: Any) -> list[tuple[Any, float]]:
        worlds = self._worlds.of(seen, min(MAX_WORLDS, self._max_work - self._work))
        self._work += len(worlds)
        return worlds

    def _weighed(
        self, seen: Any, worlds: Sequence[tuple[Any, float]], choices: int
    ) -> dict[int, Interval]:
        seat = seen.turn
        if seen.seats == 1 and any(len(world.deck.pool_of) > MAX_HIDDEN for world, _ in worlds):
            raise TooManyWorlds

        return {
            action: mean(
                [(p, self._after(world, action, choices + 1)[seat]) for world, p in worlds]
            )
            for action in self._legal(seen)
        }

    def _after(self, state: Any, action: int, choices: int) -> list[Interval]:
        results = [
            (chance, over if over is not None else self._result(after, legal, choices))
            for chance, after, legal, over in self._outcomes(state, action)
        ]
        return [
            mean([(chance, shares[seat]) for chance, shares in results])
            for seat in range(state.seats)
        ]

    def _outcomes(self, state: Any, action: int) -> Iterator[Outcome]:
        waiting: list[tuple[tuple[Answer, ...], float]] = [((), 1.0)]
        tried = 0
        while waiting:
            answers, chance = waiting.pop()
            tried += 1
            self._work += 1
            if self._work > self._max_work or tried > MAX_OUTCOMES:
                raise TooManyWorlds
            after = copied(state)
            after.rng = LazyScript(after.deck, answers)
            try:
                self._play(after, action)
                legal = self._legal(after)
                over = None if legal else self._shares(after)
            except ChanceNeeded as needed:
                waiting += [
                    ((*answers, drawn), chance * share) for drawn, share in draws(needed.event)
                ]
                continue
            after.rng = NO_CHANCE
            after.deck.script = None
            yield chance, after, legal, over

    def _shares(self, state: Any) -> list[Interval]:
        if state.seats == 1:
            won = float(self.game.outcome(state).won[0])
            return [(won, won)]
        ranks = [0] * state.seats
        self.game.rules.rank(state, ranks)
        shares = [share_beaten(ranks, state.seats, seat) for seat in range(state.seats)]
        return [(share, share) for share in shares]

    def _result(self, state: Any, legal: Sequence[int], choices: int) -> list[Interval]:
        key = frozen(state, choices if state.seats > 1 else 0)
        if key not in self._results:
            self._results[key] = self._tried(state, legal, choices)
        return self._results[key]

    def _tried(self, state: Any, legal: Sequence[int], choices: int) -> list[Interval]:
        if state.seats == 1 and not state.deck.pool_of and self.game.solver is not None:
            return [solved(self.game, state)]
        if len(legal) == 1:
            return self._after(state, legal[0], choices)
        if state.seats == 1:
            each = [self._after(state, action, choices)[0] for action in legal]
            return [(max(low for low, _ in each), max(high for _, high in each))]
        if choices >= MAX_CHOICES:
            return [ANYTHING] * state.seats
        best, alike = self._choice(state, choices)
        results = [self._after(state, action, choices + 1) for action in best]
        merge = average if alike else hull
        return [merge(each) for each in zip(*results, strict=True)]

    def _choice(self, state: Any, choices: int) -> tuple[list[int], bool]:
        """Return the actions that may be best for the seat to move, and whether all surely are."""
        seen = redacted(self.game, state)
        key = frozen(seen, choices)
        if key not in self._choices:
            values = self._weighed(seen, self._made(seen), choices)
            best = best_of(values)
            least = max(low for low, _ in values.values())
            self._choices[key] = best, all(values[action][0] >= least - TRIFLE for action in best)
        return self._choices[key]

    def _legal(self, state: Any) -> list[int]:
        return self._out[: self.game.rules.legal(state, self._out)]


def mean(values: Sequence[tuple[float, Interval]]) -> Interval:
    """Return the mean of intervals with these weights, whose sum is 1."""
    return (
        sum(weight * low for weight, (low, _) in values),
        sum(weight * high for weight, (_, high) in values),
    )


def average(values: Sequence[Interval]) -> Interval:
    return mean([(1 / len(values), each) for each in values])


def hull(values: Sequence[Interval]) -> Interval:
    """Return the interval that contains all of these."""
    return min(low for low, _ in values), max(high for _, high in values)


def best_of(values: Mapping[int, Interval]) -> list[int]:
    """Return the actions that no other is certainly better than."""
    least = max(low for low, _ in values.values())
    return [action for action, (_, high) in values.items() if high >= least - TRIFLE]


def draws(event: ChanceEvent) -> list[tuple[Answer, float]]:
    """Return all outcomes of an event, with their probabilities."""
    found: list[tuple[Answer, float]] = [(event.settled(()), 1.0)]
    while any(len(drawn) < event.n for drawn, _ in found):
        found = [
            (event.settled((*drawn, number)), chance * share)
            for drawn, chance in found
            for number, share in (event.outcomes(drawn) if len(drawn) < event.n else [])
        ] + [(drawn, chance) for drawn, chance in found if len(drawn) == event.n]
        if len(found) > MAX_OUTCOMES:
            raise TooManyWorlds
    return found


def copied(state: Any) -> Any:
    """Return an independent copy of a state with a lazy deck."""
    twin = state.copy()
    twin.deck = state.deck.twin()
    return twin


def redacted(game: Game, state: Any) -> Any:
    """Return what the seat to move knows of a state with a lazy deck."""
    seen = state.copy()
    seen.deck = state.deck.plain()
    seen.rng = NO_CHANCE[:]
    game.rules.redact(seen, seen.turn)
    return seen


def frozen(state: Any, choices: int) -> bytes:
    """Return a key of a state, the same for equal ones."""
    values = [value if type(value) is not Deck else None for value in vars(state).values()]
    deck = state.deck
    if isinstance(deck, Deck):
        cards = list.__getitem__(deck, slice(None))
        pools = [deck.pools[deck.pool_of[p]] for p, c in enumerate(cards) if c == UNDECIDED]
        values += [cards, pools, list(deck.pool_of.items())]
    return marshal.dumps((choices, values), 2)


_COMPILED = Lock()


@cache
def _solver(name: str) -> Any:
    from redouble.kernel.backend import compiled, np

    solver = GAMES[name].solver
    assert solver is not None
    out, work = np.zeros(solver.MAX_MOVES + 1, np.int64), np.zeros(solver.WORK, np.int64)
    return compiled(solver.winnable), out, work, solver


def solved(game: Game, state: Any) -> Interval:
    """Return whether a solitaire position in which all is known can be won, by its solver."""
    from redouble.kernel.backend import to_records

    whole = state.copy()
    whole.deck = list(state.deck)
    whole.rng = [1, 1, 1, 1]  # never asked: no card is left to chance
    with _COMPILED:
        winnable, out, work, solver = _solver(game.name)
        found = winnable(to_records(whole)[0], out, work, SOLVER_POSITIONS)
    if found == solver.UNDECIDED:
        return ANYTHING
    return (0.0, 0.0) if found == solver.LOST else (1.0, 1.0)
