"""Chance under the tests' control: record what a game drew, and make another world draw its own.

An imagined world is proved by its history: its own shuffles and its own hidden moves, played from
the start, must be legal and lead to exactly that world (law L4). To know which shuffle put a card
where it lies, cards are tagged while a real game is played: an ``Origin`` is an int that remembers
the shuffle and the position it came out of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from redouble.contract.game import Game
from redouble.kernel import piles, rng
from redouble.kernel.state import EVERYONE, State

SOURCES = ("below", "shuffle", "shuffle_places", "pick")


class Origin(int):
    """A card that remembers the chance event and the position it came out of."""

    event: int
    position: int

    @classmethod
    def of(cls, card: int, event: int, position: int) -> Origin:
        tagged = cls(card)
        tagged.event = event
        tagged.position = position
        return tagged


class Impossible(AssertionError):
    """The scripted world cannot have happened."""


@dataclass
class Tape:
    """The outcomes of a game's chance events, in order."""

    events: list[Any] = field(default_factory=list)
    at: int = 0
    recording: bool = True
    copy: str = ""
    """Which of equal cards in a hand is played, ``first`` or ``last``; by default chance decides.

    A copy that everyone has seen goes first in any case, as in :func:`piles.pick`."""

    def rewound(self) -> Tape:
        """A copy to be played from the start."""
        copies = [list(e) if isinstance(e, list) else e for e in self.events]
        return Tape(copies, 0, recording=False)

    def below(self, generator: Any, n: int) -> int:
        if self.recording:
            self.events.append(rng.below(generator, n))
        outcome: int = self._next(int)
        if not 0 <= outcome < n:
            raise Impossible(f"one of {n} cannot be {outcome}")
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
            raise Impossible(f"card {card} does not lie at place {index} of the hand")
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
            raise Impossible("the world shuffles other cards than lie there")
        for position, place in enumerate(places):
            cards[place] = Origin.of(order[position], event, position)

    def _next(self, kind: type) -> Any:
        if self.at >= len(self.events) or not isinstance(self.events[self.at], kind):
            raise Impossible("the world has other chance events")
        self.at += 1
        return self.events[self.at - 1]


@contextmanager
def controlled(game: Game, tape: Tape) -> Iterator[None]:
    """Let the game's rules draw from the tape."""
    package = game.rules.Position.__module__.rpartition(".")[0]
    modules = [m for name, m in sys.modules.items() if name.startswith(package + ".")]
    changed: list[tuple[Any, str, Any]] = []
    for module in modules:
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


def leaves(state: State) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every number of a state with its path, the generator left out."""
    for declared in state.FIELDS:
        if declared.name != "rng":
            yield from _leaves((declared.name,), getattr(state, declared.name))


def _leaves(path: tuple[Any, ...], value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves((*path, index), item)
    else:
        yield path, value


@dataclass
class History:
    """A real game, played under a tape: its start, its actions and the state before each."""

    game: Game
    header: State
    tape: Tape
    states: list[Any]
    actions: list[int]

    def world(self, imagined: State, redacted: State) -> Tape:
        """The tape of an imagined world: erased cards come out as it imagines them."""
        tape = self.tape.rewound()
        now = dict(leaves(self.states[-1]))
        seen = dict(leaves(redacted))
        for path, value in leaves(imagined):
            if seen[path] != now[path] or seen[path] != value:
                card = now[path]
                if isinstance(card, Origin):
                    tape.events[card.event][card.position] = value
        return tape

    def replay(self, imagined: State, redacted: State, seat: int) -> Any:
        """The state that the imagined world's own history leads to.

        Moves hidden from ``seat`` are searched for: of the legal ones, those that write what the
        imagined world holds. Raises :class:`Impossible` when its history is not legal.
        """
        tape = self.world(imagined, redacted)
        final = dict(leaves(imagined))
        settled = self._settled
        state = self.header.copy()
        with controlled(self.game, tape):
            self.game.rules.setup(state)
            for ply, action in enumerate(self.actions):
                state = self._step(state, tape, ply, action, seat, final, settled[ply])
        return state

    def _step(
        self,
        state: State,
        tape: Tape,
        ply: int,
        action: int,
        seat: int,
        final: dict[Any, Any],
        settled: set[Any],
    ) -> State:
        rules = self.game.rules
        out = [0] * (rules.MAX_LEGAL + 1)
        legal = out[: rules.legal(state, out)]
        before = self.states[ply]
        if state.turn != before.turn:
            raise Impossible(f"ply {ply}: seat {state.turn} moves instead of {before.turn}")
        if before.turn == seat or not rules.hidden(before, action):
            if action not in legal:
                raise Impossible(f"ply {ply}: {self.game.text.name(before, action)} is not legal")
            rules.play(state, action)
            return state
        start = tape.at
        # The real move first: a choice of an earlier game may have left no trace to tell it by.
        for candidate in sorted(legal, key=lambda legal_action: legal_action != action):
            attempt = state.copy()
            tape.at = start
            try:
                rules.play(attempt, candidate)
            except Impossible:
                continue
            if all(final[p] == value for p, value in leaves(attempt) if p in settled):
                return attempt
        raise Impossible(f"ply {ply}: no hidden move leads to the imagined world")

    @cached_property
    def _settled(self) -> list[set[Any]]:
        """For each ply, the paths that change in it and never afterwards."""
        maps = [dict(leaves(state)) for state in self.states]
        last: dict[Any, int] = {}
        for ply in range(len(self.actions)):
            for path, value in maps[ply + 1].items():
                if value != maps[ply][path]:
                    last[path] = ply
        settled: list[set[Any]] = [set() for _ in self.actions]
        for path, ply in last.items():
            settled[ply].add(path)
        return settled


def play_history(
    game: Game,
    header: State,
    choose: Callable[[State, list[int]], int],
    plies: int,
    copy: str = "",
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
        history = History(game, header, tape, [state.copy()], [])
        while len(history.actions) < plies and (n := game.rules.legal(state, out)):
            action = choose(state, out[:n])
            game.rules.play(state, action)
            history.actions.append(action)
            history.states.append(state.copy())
    return history
