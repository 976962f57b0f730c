"""Rules whose chance is decided from outside, one event after another.

Every chance event of a game is a number below n, a shuffle, or which of equal cards is played. The
rules ask their state's generator for it. Here the functions that ask are replaced in a copy of the
rules, and a :class:`Script` takes the generator's place: it answers from a list, and raises
:class:`ChanceNeeded` where the list ends. A shuffle is answered card by card, and equal cards are
one outcome.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NamedTuple

from redouble.contract.game import Game
from redouble.kernel import piles, rng
from redouble.kernel.state import EVERYONE

Answer = tuple[int, ...]
"""How an event came out: the cards of a shuffle in order, otherwise one number."""


@dataclass(frozen=True)
class ChanceEvent:
    """A chance event: ``n`` numbers, each drawn from what is left of ``pool``."""

    pool: tuple[int, ...]
    n: int
    cards: bool = False
    """Whether the numbers are cards of the deck."""

    def outcomes(self, drawn: Answer) -> list[tuple[int, float]]:
        """Return what can be drawn next, ascending, with the probabilities."""
        left = Counter(self.pool)
        left.subtract(drawn)
        rest = len(self.pool) - len(drawn)
        return [(number, left[number] / rest) for number in sorted(left) if left[number]]

    def settled(self, drawn: Answer) -> Answer:
        """Return the draws with those after them that have only one outcome."""
        while len(drawn) < self.n and len(outcomes := self.outcomes(drawn)) == 1:
            drawn += (outcomes[0][0],)
        return drawn


class ChanceNeeded(Exception):
    """The rules ask for an event that the script doesn't answer."""

    def __init__(self, event: ChanceEvent) -> None:
        self.event = event


class Script:
    """Answers to the events of one move. It takes the place of a state's generator."""

    def __init__(self, deck: Any, answers: Sequence[Answer] = ()) -> None:
        self._deck = deck
        self._answers = answers
        self._at = 0

    def below(self, n: int) -> int:
        return self._answer(ChanceEvent(tuple(range(n)), 1))[0]

    def shuffle(self, cards: Any, n: int) -> None:
        cards[:n] = self._answer(ChanceEvent(tuple(sorted(cards[:n])), n, cards is self._deck))

    def shuffle_places(self, deck: Any, places: Any, n: int) -> None:
        pool = tuple(sorted(deck[place] for place in places[:n]))
        dealt = self._answer(ChanceEvent(pool, n, cards=True))
        for place, card in zip(places, dealt, strict=False):
            deck[place] = card

    def pick(self, deck: Any, known_to: Any, hand: Any, n: int, card: int) -> int:
        return self._answer(ChanceEvent(copies_of(deck, known_to, hand, n, card), 1))[0]

    def first_copy(self, deck: Any, known_to: Any, order: Any, hand: Any, n: int, card: int) -> int:
        copies = copies_of(deck, known_to, hand, n, card)
        return min(copies, key=lambda i: order[hand[i]])

    def _answer(self, event: ChanceEvent) -> Answer:
        drawn = event.settled(())
        if len(drawn) == event.n:
            return drawn
        if self._at == len(self._answers):
            raise ChanceNeeded(event)
        self._at += 1
        return self._answers[self._at - 1]


SCRIPTED: dict[Any, Any] = {
    rng.below: lambda script, *given: script.below(*given),
    piles.shuffle: lambda script, *given: script.shuffle(*given),
    piles.shuffle_places: lambda script, *given: script.shuffle_places(*given),
    piles.pick: lambda script, *given: script.pick(*given),
    piles.first_copy: lambda script, *given: script.first_copy(*given),
}
"""What asks for chance, and what answers instead."""


def copies_of(deck: Any, known_to: Any, hand: Any, n: int, card: int) -> tuple[int, ...]:
    """Return the indices of the copies of a card of which one is played from a hand."""
    copies = [i for i in range(n) if deck[hand[i]] == card]
    seen = [i for i in copies if known_to[hand[i]] == EVERYONE]
    return tuple(seen[:1] or copies)


class ScriptedRules(NamedTuple):
    """The rules of a game for states whose generator is a :class:`Script`."""

    setup: Callable[[Any], None]
    play: Callable[[Any, int], None]
    determinize: Callable[[Any, Any, Any], None]


def scripted_rules(game: Game, scripted: Mapping[Any, Any] = SCRIPTED) -> ScriptedRules:
    """Return a copy of a game's rules that takes its chance from scripts.

    The functions of the game's package are the same, but call each other's copies, and those of
    ``scripted`` where they ask for chance. So they change nothing for anybody else, in this thread
    or another.
    """
    home = game.rules.Position.__module__
    package = home.rpartition(".")[0]
    modules = {
        name: module
        for name, module in sys.modules.items()
        if name == home or (package and name.startswith(package + "."))
    }
    spaces: dict[str, dict[str, Any]] = {name: {} for name in modules}

    def twin(value: Any) -> Any:
        if not isinstance(value, FunctionType):
            return value
        if value in scripted:
            return scripted[value]
        if value.__module__ not in spaces:
            return value
        copy = FunctionType(
            value.__code__,
            spaces[value.__module__],
            value.__name__,
            value.__defaults__,
            value.__closure__,
        )
        copy.__kwdefaults__ = value.__kwdefaults__
        return copy

    for name, module in modules.items():
        spaces[name].update({key: twin(value) for key, value in vars(module).items()})
    rules = game.rules
    return ScriptedRules(twin(rules.setup), twin(rules.play), twin(rules.determinize))
