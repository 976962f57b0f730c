"""Chance under the tests' control: record the chance events of a game, and replay them changed.

A determinization is verified by its history: its own shuffles and hidden moves, played from the
start, must be legal and lead to exactly that position (law L4). To know which shuffle put a card
where it is, cards are tagged while the real game is played: an ``Origin`` is an int with the number
of the shuffle and the position in which the card came out of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from types import ModuleType
from typing import Any

from redouble.contract.game import Game
from redouble.kernel import piles, rng
from redouble.kernel.moments import Moments, watch
from redouble.kernel.state import EVERYONE, State

SOURCES = ("below", "shuffle", "shuffle_places", "pick")


class Origin(int):
    """A card with the chance event that dealt it, and its position after that event."""

    event: int
    position: int

    @classmethod
    def of(cls, card: int, event: int, position: int) -> Origin:
        tagged = cls(card)
        tagged.event = event
        tagged.position = position
        return tagged


class Impossible(AssertionError):
    """The scripted history cannot have happened."""


@dataclass
class Tape:
    """The outcomes of a game's chance events, in order."""

    events: list[Any] = field(default_factory=list)
    at: int = 0
    recording: bool = True
    copy: str = ""
    """Which of equal cards in a hand is played, ``first`` or ``last``; by default chance decides.

    A copy that everyone has seen is played first in any case, as in :func:`piles.pick`."""

    def rewound(self) -> Tape:
        """Return a copy that replays the events from the start."""
        copies = [list(e) if isinstance(e, list) else e for e in self.events]
        return Tape(copies, 0, recording=False)

    def below(self, generator: Any, n: int) -> int:
        if self.recording:
            self.events.append(rng.below(generator, n))
        outcome: int = self._next(int)
        if not 0 <= outcome < n:
            raise Impossible(f"a number below {n} cannot be {outcome}")
        return outcome

    def pick(self, generator: Any, deck: Any, known_to: Any, hand: Any, n: int, card: int) -> int:
        if self.recording and self.copy:
            copies = [i for i in range(n) if deck[hand[i]] == card]
            seen = [i for i in copies if known_to[hand[i]] == EVERYONE]
            self.events.append((seen[:1] or copies)[0 if self.copy == "first" else -1])
        elif self.recording:
            self.events.append(piles.pick(generator, deck, known_to, hand, n, card))
        index: int = self._next(int)
        if not (0 <= index < n and deck[hand[index]] == card):
            raise Impossible(f"card {card} is not at index {index} of the hand")
        return index

    def shuffle(self, generator: Any, cards: Any, n: int) -> None:
        if self.recording:
            piles.shuffle(generator, cards, n)
            self.events.append([int(card) for card in cards[:n]])
        self._deal(cards, list(range(n)))

    def shuffle_places(self, generator: Any, deck: Any, places: Any, n: int) -> None:
        if self.recording:
            piles.shuffle_places(generator, deck, places, n)
            self.events.append([int(deck[place]) for place in places[:n]])
        self._deal(deck, list(places[:n]))

    def _deal(self, cards: Any, places: list[int]) -> None:
        event = self.at
        order = self._next(list)
        if sorted(order) != sorted(cards[place] for place in places):
            raise Impossible("the determinization shuffles cards that are not there")
        for position, place in enumerate(places):
            cards[place] = Origin.of(order[position], event, position)

    def _next(self, kind: type) -> Any:
        if self.at >= len(self.events) or not isinstance(self.events[self.at], kind):
            raise Impossible("the determinization has other chance events")
        self.at += 1
        return self.events[self.at - 1]


@contextmanager
def controlled(game: Game, tape: Tape) -> Iterator[None]:
    """Make the game's rules take their chance events from the tape."""
    package = game.rules.Position.__module__.rpartition(".")[0]
    changed: list[tuple[Any, str, Any]] = []
    for module in _modules(package, len(sys.modules)):
        for name in SOURCES:
            original = vars(module).get(name)
            if original in (getattr(piles, name, None), getattr(rng, name, None)):
                changed.append((module, name, original))
                setattr(module, name, getattr(tape, name))
    try:
        yield
    finally:
        for module, name, original in changed:
            setattr(module, name, original)


@cache
def _modules(package: str, loaded: int) -> list[ModuleType]:
    """Return the modules of a package; ``loaded``, the number of all, is the cache's key.

    There may be thousands, and a law replays thousands of histories.
    """
    return [module for name, module in sys.modules.items() if name.startswith(f"{package}.")]


def differing(*states: State) -> Iterator[tuple[tuple[Any, ...], Sequence[Any]]]:
    """Yield the path of every number that is not the same in all states, with the number in each.

    Those of the generator are left out.
    """
    for declared in states[0].FIELDS:
        if declared.name != "rng":
            values = [getattr(state, declared.name) for state in states]
            yield from _differing((declared.name,), values)


def _differing(
    path: tuple[Any, ...], values: Sequence[Any]
) -> Iterator[tuple[tuple[Any, ...], Sequence[Any]]]:
    first = values[0]
    if values.count(first) == len(values):
        return
    if isinstance(first, list):
        for index, parts in enumerate(zip(*values, strict=True)):
            yield from _differing((*path, index), parts)
    else:
        yield path, values


def _number(state: State, path: tuple[Any, ...]) -> Any:
    value = getattr(state, path[0])
    for index in path[1:]:
        value = value[index]
    return value


@dataclass
class History:
    """A game with its tape: its start, its actions and all its states in order."""

    game: Game
    header: State
    tape: Tape
    states: list[Any]
    actions: list[int]
    moments: list[Moments]
    """What there was to see in the middle of each move: kinds and states."""

    def world(self, guessed: State, redacted: State) -> Tape:
        """Return the tape of a determinization: erased cards come out as it has them."""
        tape = self.tape.rewound()
        for _, (card, value, _) in differing(self.states[-1], guessed, redacted):
            if isinstance(card, Origin):
                tape.events[card.event][card.position] = value
        return tape

    def replay(
        self, guessed: State, redacted: State, seat: int, *, only_ends: bool = False
    ) -> History:
        """Return a determinization's own history; ``only_ends``: with its first and last state.

        Moves hidden from ``seat`` are found by search: those legal moves whose lasting effects
        agree with the determinization. Raises :class:`Impossible` if its history is not legal.
        """
        tape = self.world(guessed, redacted)
        settled = self._settled
        state = self.header.copy()
        with controlled(self.game, tape):
            self.game.rules.setup(state)
            history = History(self.game, self.header, tape, [state.copy()], [], [])
            for ply, action in enumerate(self.actions):
                state, made, seen = self._step(
                    state, tape, ply, action, seat, guessed, settled[ply]
                )
                history.actions.append(made)
                history.moments.append(seen)
                if not only_ends or ply == len(self.actions) - 1:
                    history.states.append(state.copy())
        return history

    def _step(
        self,
        state: State,
        tape: Tape,
        ply: int,
        action: int,
        seat: int,
        guessed: State,
        settled: set[Any],
    ) -> tuple[State, int, Moments]:
        """Make a move of the determinization; return its state, the move and its moments."""
        rules = self.game.rules
        out = [0] * (rules.MAX_LEGAL + 1)
        legal = out[: rules.legal(state, out)]
        before = self.states[ply]
        if state.turn != before.turn:
            raise Impossible(f"ply {ply}: seat {state.turn} moves instead of {before.turn}")
        if before.turn == seat or not rules.hidden(before, action):
            if action not in legal:
                raise Impossible(f"ply {ply}: {self.game.text.name(before, action)} is not legal")
            return state, action, watch(rules.play, state, action)
        start = tape.at
        # The real move comes first: nothing may be left that tells a choice in an earlier game.
        for candidate in sorted(legal, key=lambda legal_action: legal_action != action):
            attempt = state.copy()
            tape.at = start
            try:
                seen = watch(rules.play, attempt, candidate)
            except Impossible:
                continue
            if all(_number(attempt, path) == _number(guessed, path) for path in settled):
                return attempt, candidate, seen
        raise Impossible(f"ply {ply}: no hidden move leads to the determinization")

    @cached_property
    def _settled(self) -> list[set[Any]]:
        """The paths that change for the last time at each ply."""
        last: dict[Any, int] = {}
        for ply, states in enumerate(pairwise(self.states)):
            last |= dict.fromkeys((path for path, _ in differing(*states)), ply)
        settled: list[set[Any]] = [set() for _ in self.actions]
        for path, ply in last.items():
            settled[ply].add(path)
        return settled


def play_history(
    game: Game, header: State, choose: Callable[[State, list[int]], int], plies: int, copy: str = ""
) -> History:
    """Play a real game from ``header`` for at most ``plies`` plies under a recording tape.

    ``copy`` says which of equal cards is played, see :class:`Tape`.
    """
    tape = Tape(copy=copy)
    state = header.copy()
    out = [0] * (game.rules.MAX_LEGAL + 1)
    with controlled(game, tape):
        tape.at = 0
        game.rules.setup(state)
        history = History(game, header, tape, [state.copy()], [], [])
        while len(history.actions) < plies and (n := game.rules.legal(state, out)):
            action = choose(state, out[:n])
            history.moments.append(watch(game.rules.play, state, action))
            history.actions.append(action)
            history.states.append(state.copy())
    return history
