"""Lessons: positions of a learner's games, with what a teacher thinks of each legal move.

The learner plays against experts, so its lessons are about the positions that it comes into. It
shares the way with its teacher: part of its moves are the expert's. The teacher is the game's
heuristic, or a flat search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redouble.bots.flat import Rounds
from redouble.bots.playouts import SearchBuffers, policy_row
from redouble.bots.policy import Policy
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import functions, greedy, redact
from redouble.contract.registry import GAMES
from redouble.envs.batch import Batch
from redouble.kernel.engine import compiled, put
from redouble.kernel.rng import seed_words
from redouble.lab.shards import Shard, Stopped
from redouble.lab.training.network import Array, Encoding, forward

AT_ONCE = 32
"""Games that a shard plays at once."""
STEPS = 96
"""Moves of the learner in each of them."""
OPPONENTS = "expert"


def ask_all(
    states: Any, seen: Any, legal: Any, counts: Any, chance: Any, work: Any, moves: Any
) -> None:
    """Write the heuristic's move in each game; it sees what the seat to move may know."""
    for i in range(len(states)):
        put(seen, 0, states[i])
        redact(seen[0], seen[0].turn)
        moves[i] = greedy(seen[0], legal[i], counts[i], chance, work)


def see(seen: Any, states: Any, i: int) -> None:
    """Write to ``seen[1]`` what the seat to move of game ``i`` may know."""
    put(seen, 1, states[i])
    redact(seen[1], seen[1].turn)


@dataclass(frozen=True)
class Lessons:
    """Positions with a value for each legal move."""

    observations: Array
    """int8[n, size]"""
    counts: Array
    """int32[n]: how many actions are legal."""
    legal: Array
    """int16[sum of counts]: the legal actions, position by position."""
    values: Array
    """float32[sum of counts]: what the teacher gives for each; from 0 to 1 for a search."""

    def __len__(self) -> int:
        return len(self.counts)

    def at(self, rows: Array, actions: int) -> LessonTable:
        """Return the lessons of these rows, with a column for each action."""
        counts = self.counts[rows]
        ends = np.cumsum(counts)
        # The place of each legal action in the lists of all lessons.
        ahead = np.repeat(self._starts[rows] - (ends - counts), counts)
        at = np.arange(counts.sum()) + ahead
        where = np.repeat(np.arange(len(rows)), counts), self.legal[at]
        table = LessonTable(
            self.observations[rows],
            np.zeros((len(rows), actions), np.bool_),
            np.zeros((len(rows), actions), np.float32),
        )
        table.allowed[where] = True
        table.values[where] = self.values[at]
        return table

    @cached_property
    def _starts(self) -> Array:
        starts: Array = np.cumsum(self.counts) - self.counts
        return starts


@dataclass(frozen=True)
class LessonTable:
    """Some lessons with a column for each action."""

    observations: Array
    """int8[n, size]"""
    allowed: Array
    """bool[n, actions]: which are legal."""
    values: Array
    """float32[n, actions]: 0 for those that are not."""


def joined(parts: list[Lessons], size: int) -> Lessons:
    """Return the lessons of several parts, in order; ``size`` is that of the tensors."""
    none = Lessons(
        np.zeros((0, size), np.int8),
        np.zeros(0, np.int32),
        np.zeros(0, np.int16),
        np.zeros(0, np.float32),
    )
    names = ("observations", "counts", "legal", "values")
    columns = [[getattr(part, name) for part in (none, *parts)] for name in names]
    return Lessons(*map(np.concatenate, columns))


@dataclass(frozen=True)
class LessonsJob:
    """The lessons of a round, as sharded work."""

    game: str
    seats: int
    options: Mapping[str, Any]
    seed: str
    encoding: Encoding
    layers: tuple[Array, ...]
    """The learner's weights and biases."""
    own: float
    """The share of the moves that are the learner's; the others are the expert's."""
    iterations: int
    """Iterations of the teacher's search; 0 for the heuristic."""
    asked: float
    """The share of positions that the teacher is asked about."""
    number: int
    """How many shards there are."""

    def shards(self) -> Iterator[Shard]:
        """Return the shards; each is a number of games begun anew."""
        for number in range(self.number):
            yield Shard("lessons", number, 1)

    def warm(self) -> None:
        """Compile or load what the teacher needs."""
        teacher = Teacher(self)
        teacher.teach(f"{self.seed} warm", AT_ONCE, 4, lambda: False)

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], Lessons]:
        """Return what gives the lessons of a shard."""
        teacher = Teacher(self)

        def teach(shard: Shard) -> Lessons:
            return teacher.teach(f"{self.seed} {shard.first}", AT_ONCE, STEPS, stopped)

        return teach


class Teacher:
    """Plays a learner's games in one thread, and says what each move is worth."""

    def __init__(self, job: LessonsJob) -> None:
        self._job = job
        self._game: Game = GAMES[job.game]
        policy = Policy(iterations=job.iterations, method="flat")
        self._policy = np.array(policy_row(policy, self._game, job.seats), np.float64)
        header = self._game.header(job.seats, job.options)
        self._buffers = SearchBuffers(self._game, job.seats, header, self._game.rules.MAX_LEGAL + 2)
        loops = functions(self._game)
        self._ask, self._see = compiled(ask_all, **loops), compiled(see, **loops)
        self._work = np.zeros(WORK, np.int64)

    def teach(self, seed: str, games: int, steps: int, stopped: Callable[[], bool]) -> Lessons:
        """Play this number of games at once, so many steps, and return the lessons."""
        job = self._job
        chance = np.array(seed_words(f"teacher of {seed}"), np.uint64)
        dice = np.random.default_rng(seed_words(f"learner of {seed}"))
        batch = Batch(
            self._game,
            job.seats,
            games,
            job.options,
            seed,
            1,
            mask=False,
            opponents=OPPONENTS if job.seats > 1 else None,
        )
        step = batch.reset()
        expert, rows = np.zeros(games, np.int64), np.arange(games)
        parts: list[Lessons] = []
        for _ in range(steps):
            if stopped():
                raise Stopped
            self._ask(
                batch.states,
                self._buffers.states,
                step.legal.copy(),
                step.counts,
                chance,
                self._work,
                expert,
            )
            legal, counts = step.legal[:, : step.counts.max()], step.counts
            allowed = np.arange(legal.shape[1]) < counts[:, None]
            asked = (counts > 1) & (dice.random(games) < job.asked)
            for i in np.flatnonzero(asked).tolist():
                choices = legal[i, : counts[i]].copy()
                if job.iterations:
                    values = self._searched(batch, i, chance, choices)
                else:
                    values = (choices == expert[i]).astype(np.float32)
                parts.append(
                    Lessons(
                        batch.current().observations[i : i + 1].copy(),
                        counts[i : i + 1].copy(),
                        choices,
                        values,
                    )
                )
            scores = forward(job.layers, job.encoding.features(step.observations))[-1]
            best = np.where(allowed, scores[rows[:, None], legal * allowed], -np.inf).argmax(axis=1)
            own = dice.random(games) < job.own
            step = batch.step(np.where(own, legal[rows, best], expert))
        return joined(parts, batch.size)

    def _searched(self, batch: Batch, i: int, chance: Array, choices: Array) -> Array:
        """Return what a flat search gives for each legal move of game ``i``."""
        arrays = self._buffers
        self._see(arrays.states, batch.states, i)
        seat = int(arrays.states[1]["turn"])
        arrays.clear(seat)
        Rounds(self._game, arrays, chance, self._policy, -1).run(self._job.iterations)
        children = arrays.children()
        actions, visits = arrays.nodes["action"][children], arrays.nodes["visits"][children]
        order = np.searchsorted(choices, actions)
        values = np.zeros(len(choices), np.float32)
        values[order] = arrays.values[children, seat] / np.maximum(visits, 1)
        return values
