"""Small positions solved by brute force: every world, every line, every outcome of chance.

It computes what a move is worth to a seat that knows only what it sees, when every seat decides
like that:

- The worlds of a seat are found without ``determinize``, as in law L4: every order of the cards
  that it has not seen is written into the shuffles they came from, and the game is played again
  from there. A result is a world if every move was legal and the position looks the same to the
  seat. All worlds are equally likely: that is the contract of ``determinize``.
- A move is worth what the moving seat gets from the play that follows, averaged over its worlds:
  the share of opponents beaten; in a solitaire game, the value that ``evaluate`` gives the end.
- Later, too, each mover chooses one move for all the worlds that *it* cannot tell apart, found in
  the same way. So no seat plays by what only the world knows (the error called strategy fusion),
  and every opponent knows its own hand. No seat infers anything from how others chose their moves,
  as in the worlds of the rules.
- A shuffle or a pick is tried with each of its outcomes. So is a guess: moves that are equally good
  for a seat, but not in the same worlds, are equally likely.

Values are intervals. If several moves give an opponent the same in all of its worlds, it may play
any of them; if a line grows too long or chance has too many outcomes, the interval covers every
result that the places taken so far allow. A position is used only if that leaves no doubt: each of
its moves is certainly best, within A_TRIFLE, or certainly worse than the best, by CLEARLY.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import factorial, prod
from statistics import fmean
from typing import Any, TypeVar

from redouble.analysis.shares import of_ranks
from redouble.contract.game import Game
from redouble.games.double_dominoes.rules import IN_PIT
from redouble.kernel.piles import ERASED
from redouble.kernel.state import EVERYONE
from redouble.match.match import Match
from redouble.testing.chance import Impossible, Tape, controlled

MAX_ORDERS = 800
"""Of the cards that a seat has not seen."""
MAX_OUTCOMES = 6
"""Of one chance event."""
MAX_CHOICES = 6
"""In a line between several seats; alone there are none that come round."""
MAX_WORK = 40_000
"""Actions made for one position."""
CLEARLY = 0.05
A_TRIFLE = 0.01
DEAL = -1
"""The action before the first: the setup."""
SETS = ("double-decker",)
"""Where hands are sets of cards that are all different: which lies at which of a hand's places is
never asked before it is played."""

Interval = tuple[float, float]
Action = TypeVar("Action", int, str)
"""Actions by their numbers or by their texts."""


class TooLarge(Exception):
    """The position is too large for brute force."""


class Fork(Exception):
    """Chance has to decide: ``outcomes`` are all there are, none if they are too many."""

    def __init__(self, outcomes: Sequence[Any]) -> None:
        self.outcomes = outcomes


class Script(Tape):
    """Chance as it is written down; behind its end every event is a fork."""

    def load(self, events: Sequence[Any], at: int) -> None:
        self.events, self.at, self.recording = list(events), at, False

    def below(self, generator: Any, n: int) -> int:
        self._fork(n, lambda: range(n))
        return super().below(generator, n)

    def pick(self, generator: Any, deck: Any, known_to: Any, hand: Any, n: int, card: int) -> int:
        copies = [i for i in range(n) if deck[hand[i]] == card]
        seen = [i for i in copies if known_to[hand[i]] == EVERYONE]
        self._fork(n, lambda: seen[:1] or copies)
        return super().pick(generator, deck, known_to, hand, n, card)

    def shuffle(self, generator: Any, cards: Any, n: int) -> None:
        self._fork(orders(cards[:n]), lambda: arrangements(cards[:n]))
        super().shuffle(generator, cards, n)

    def shuffle_places(self, generator: Any, deck: Any, places: Any, n: int) -> None:
        cards = [deck[place] for place in places[:n]]
        self._fork(orders(cards), lambda: arrangements(cards))
        super().shuffle_places(generator, deck, places, n)

    def _fork(self, outcomes: int, all_of_them: Callable[[], Sequence[Any]]) -> None:
        if not self.recording and self.at == len(self.events):
            raise Fork(list(all_of_them()) if outcomes <= MAX_OUTCOMES else [])


@dataclass
class Line:
    """A world with its history: what chance and the seats did, and where it can be resumed."""

    state: Any
    events: list[Any]
    actions: list[int]
    """DEAL first."""
    shuffles: dict[int, tuple[Any, int]]
    """Of the actions in which cards were shuffled, by their index: the state and the number of
    events before."""
    start: Line | None = None
    """The same world when the question was asked; None before."""
    choices: int = 0
    """Since then."""


@dataclass
class Choice:
    """The actions that may be best; at a ``guess`` each will do, but not in the same worlds."""

    actions: list[int]
    guess: bool


class Brute:
    """A match whose next decision is solved by brute force."""

    def __init__(self, match: Match, max_work: int = MAX_WORK) -> None:
        self.game = match.game
        self._max_work = max_work
        self._chance = Script()
        self._out = [0] * (self.game.rules.MAX_LEGAL + 1)
        self._work = 0
        self._choices: dict[str, Choice] = {}
        self._results: dict[str, list[Interval]] = {}
        self._at_start: dict[str, list[Line]] = {}
        with controlled(self.game, self._chance):
            self._line = self._played(match)

    def worlds(self) -> list[Any]:
        """What the seat to move cannot tell from the real position. Raises :class:`TooLarge`."""
        with controlled(self.game, self._chance):
            return [world.state for world in self._worlds(self._line)]

    def values_by_world(self) -> dict[int, list[Interval]]:
        """What each action brings the seat to move in each world. Raises :class:`TooLarge`."""
        with controlled(self.game, self._chance):
            return self._values(self._line)

    def values(self) -> dict[int, Interval]:
        """What each action is worth to the seat to move. Raises :class:`TooLarge`."""
        return {action: mean(each) for action, each in self.values_by_world().items()}

    def _played(self, match: Match) -> Line:
        """The match, played once more to see what chance does."""
        state = self.game.header(match.seats, match.options, match.seed, match.deck)
        line = Line(state, self._chance.events, [], {})
        for move in (None, *match.moves):
            before, at = state.copy(), len(line.events)
            line.actions.append(DEAL if move is None else self.game.text.parse(state, move))
            self._make(state, line.actions[-1])
            if shuffled(line.events[at:]):
                line.shuffles[len(line.actions) - 1] = before, at
        return line

    def _make(self, state: Any, action: int) -> None:
        if action == DEAL:
            self.game.rules.setup(state)
        else:
            self.game.rules.play(state, action)

    def _gone_on(
        self, line: Line, events: list[Any], actions: list[int], shuffles: Container[int] = ()
    ) -> Line:
        """The line with more actions, in some of which cards are shuffled.

        Raises :class:`Impossible` where an action is not legal or chance cannot have done what the
        events say, and :class:`Fork` behind their end.
        """
        state, noted, choices = line.state.copy(), dict(line.shuffles), line.choices
        self._chance.load(events, len(line.events))
        self._work += 1
        for index, action in enumerate(actions, len(line.actions)):
            if index in shuffles:
                noted[index] = state.copy(), self._chance.at
            legal = [DEAL] if action == DEAL else self._legal(state)
            if action not in legal:
                raise Impossible("an action is not legal")
            choices += len(legal) > 1
            self._make(state, action)
            self._work += 1
            if self._work > self._max_work:
                raise TooLarge
        return Line(state, events, [*line.actions, *actions], noted, line.start, choices)

    def _worlds(self, line: Line) -> list[Line]:
        """The lines that the seat to move cannot tell from this one."""
        seat = line.state.turn
        start = line.start
        if start is None or shuffled(line.events[len(start.events) :]) or self.game.name in SETS:
            return self._rearranged(line, seat)
        # Nothing was shuffled since the question was asked: the worlds are among those of then.
        key = f"{seat} {vars(self._sight(start, seat))}"
        if key not in self._at_start:
            self._at_start[key] = self._rearranged(start, seat)
        observation = self._sight(line, seat)
        found = []
        for begun in self._at_start[key]:
            events = begun.events + line.events[len(start.events) :]
            with suppress(Impossible, Fork):
                world = self._gone_on(begun, events, line.actions[len(start.actions) :])
                if self._sight(world, seat) == observation:
                    found.append(replace(world, choices=line.choices))
        return found

    def _rearranged(self, line: Line, seat: int) -> list[Line]:
        """The lines that a seat cannot tell from this one: with each order of what it has not seen
        of a shuffle, the game from there on.
        """
        observation = self._sight(line, seat)
        refuse_what_is_in_doubt(self.game, observation)
        hidden: dict[int, list[int]] = {}
        for place in range(observation.deck_n):
            if observation.deck[place] == ERASED:
                hidden.setdefault(line.state.deck[place].event, []).append(place)
        first = max(
            index
            for index, (_, at) in line.shuffles.items()
            if at <= min(hidden, default=len(line.events))
        )
        state, at = line.shuffles[first]
        earlier = {index: noted for index, noted in line.shuffles.items() if index < first}
        begun = Line(state, line.events[:at], line.actions[:first], earlier)
        found = []
        for events in self._reordered(line, observation, hidden):
            # A fork: chance would be asked where it was not in the real game.
            with suppress(Impossible, Fork):
                world = self._gone_on(begun, events, line.actions[first:], line.shuffles)
                if self._sight(world, seat) == observation:
                    start = world if line.start is None else None
                    found.append(replace(world, start=start, choices=line.choices))
        return found

    def _reordered(
        self, line: Line, observation: Any, hidden: Mapping[int, Sequence[int]]
    ) -> Iterator[list[Any]]:
        """The events of a line with each order of the cards at each shuffle's hidden places."""
        each = []
        for places in hidden.values():
            cards = [line.state.deck[place] for place in places]
            each.append(arrangements(cards, interchangeable(self.game, observation, places)))
        if prod(map(len, each)) > MAX_ORDERS:
            raise TooLarge
        for orders_now in product(*each):
            events = line.events[:]
            for (event, places), order in zip(hidden.items(), orders_now, strict=True):
                events[event] = events[event][:]
                for place, card in zip(places, order, strict=True):
                    events[event][line.state.deck[place].position] = card
            yield events

    def _values(self, line: Line) -> dict[int, list[Interval]]:
        """What each action is worth to the seat to move, in each of its worlds."""
        seat = line.state.turn
        worlds = self._worlds(line)
        return {
            action: [self._after(world, action)[seat] for world in worlds]
            for action in self._legal(line.state)
        }

    def _after(self, line: Line, action: int) -> list[Interval]:
        """The result for all seats when this action is made, over every outcome of chance."""
        results, weights = [], []
        waiting = [(line.events, 1.0)]
        while waiting:
            events, weight = waiting.pop()
            try:
                after = self._gone_on(line, events, [action])
            except Fork as fork:
                if not fork.outcomes:
                    return limits(self.game, line.state)
                share = weight / len(fork.outcomes)
                waiting += [([*events, outcome], share) for outcome in fork.outcomes]
                continue
            if shuffled(events[len(line.events) :]):
                after.shuffles[len(line.actions)] = line.state, len(line.events)
            results.append(self._result(after))
            weights.append(weight)
        return [mean(each, weights) for each in zip(*results, strict=True)]

    def _result(self, line: Line) -> list[Interval]:
        """The result for all seats from here."""
        key = f"{line.choices} {vars(line.state)}"
        if key not in self._results:
            self._results[key] = self._tried(line)
        return self._results[key]

    def _tried(self, line: Line) -> list[Interval]:
        actions = self._legal(line.state)
        if not actions:
            return [(share, share) for share in shares(self.game, line.state)]
        if line.choices == MAX_CHOICES and line.state.seats > 1:
            return limits(self.game, line.state)
        if len(actions) == 1:
            return self._after(line, actions[0])
        choice = self._choice(line)
        results = [self._after(line, action) for action in choice.actions]
        return [(mean if choice.guess else hull)(each) for each in zip(*results, strict=True)]

    def _choice(self, line: Line) -> Choice:
        """The actions that the seat to move may play, given what it sees."""
        key = f"{vars(self._sight(line, line.state.turn))}"
        if key not in self._choices:
            values = self._values(line)
            best = best_of({action: mean(each) for action, each in values.items()})
            different = {tuple(values[action]) for action in best}
            sure = all(low == high for action in best for low, high in values[action])
            self._choices[key] = Choice(best, sure and len(different) == len(best))
        return self._choices[key]

    def _legal(self, state: Any) -> list[int]:
        return self._out[: self.game.rules.legal(state, self._out)]

    def _sight(self, line: Line, seat: int) -> Any:
        observation = line.state.copy()
        self.game.rules.redact(observation, seat)
        return observation


def shuffled(events: Sequence[Any]) -> bool:
    return any(isinstance(event, list) for event in events)


def orders(cards: Sequence[int]) -> int:
    """How many orders of these cards look different."""
    return factorial(len(cards)) // prod(map(factorial, Counter(map(int, cards)).values()))


def arrangements(cards: Sequence[int], groups: Sequence[int] | None = None) -> list[list[int]]:
    """These orders; of those that differ only within a group of places, the rising one.

    Raises :class:`TooLarge`.
    """
    before = {
        i: j
        for i in range(len(groups or ()))
        for j in range(i)
        if groups and groups[i] == groups[j]
    }
    found: list[list[int]] = []

    def fill(begun: list[int], left: Counter[int]) -> None:
        if len(begun) == len(cards):
            found.append(begun)
            if len(found) > MAX_ORDERS:
                raise TooLarge
        for card in sorted(left):
            last = before.get(len(begun))
            if left[card] and (last is None or begun[last] < card):
                fill([*begun, card], left - Counter([card]))

    fill([], Counter(map(int, cards)))
    return found


def interchangeable(game: Game, observation: Any, places: Sequence[int]) -> list[int] | None:
    """A number for each of these places, the same where nothing tells which card lies at which."""
    return [place % observation.seats for place in places] if game.name in SETS else None


def refuse_what_is_in_doubt(game: Game, observation: Any) -> None:
    """Refuse positions with a domino face down in the pit: that action is not known."""
    if game.name == "double-dominoes" and any(
        observation.where[place] == IN_PIT and observation.deck[place] == ERASED
        for place in range(observation.deck_n)
    ):
        raise TooLarge


def shares(game: Game, state: Any) -> tuple[float, ...]:
    """The share of opponents that each seat has beaten; alone, the judgement of ``evaluate``."""
    out = [0] * state.seats
    if state.seats == 1:
        game.player.evaluate(state, out)
        return (out[0] / 1000,)
    game.rules.rank(state, out)
    return of_ranks(out)


def limits(game: Game, state: Any) -> list[Interval]:
    """What each seat can still get: who is out of Double Down has its place."""
    if game.name != "double-down":
        return [(0.0, 1.0)] * state.seats
    others = state.seats - 1
    gone = state.seats - state.seats_in
    return [
        ((out - 1) / others, (out - 1) / others) if out else (gone / others, 1.0)
        for out in state.place_out[: state.seats]
    ]


def mean(values: Sequence[Interval], weights: Sequence[float] = ()) -> Interval:
    low, high = (fmean(bounds, weights or None) for bounds in zip(*values, strict=True))
    return low, high


def hull(values: Sequence[Interval]) -> Interval:
    return min(low for low, _ in values), max(high for _, high in values)


def best_of(values: Mapping[Action, Interval]) -> list[Action]:
    """The actions that no other is certainly better than."""
    least = max(low for low, _ in values.values())
    return [action for action, (_, high) in values.items() if high >= least - 1e-9]


def is_clear(values: Mapping[Any, Interval], clearly: float = CLEARLY) -> bool:
    """Whether each action is certainly best or clearly worse, with at least one worse."""
    best = best_of(values)
    least = max(low for low, _ in values.values())
    worse = [high for action, (_, high) in values.items() if action not in best]
    sure = all(values[action][0] >= least - A_TRIFLE for action in best)
    return sure and bool(worse) and max(worse) <= least - clearly
