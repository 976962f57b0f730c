"""Training a small network: rounds of lessons, first from the expert, then from a search.

Imitation comes first: in each position the network learns the move of the game's heuristic. Then it
learns from a flat search with the heuristic's playouts, which gives a value to every legal move:
moves that are better than what the network does on average become more likely. That is a step of
policy improvement at every position that the network comes into (Lagoudakis and Parr,
"Reinforcement Learning as Classification", 2003; Anthony, Tian and Barber, "Thinking Fast and Slow
with Deep Learning and Tree Search", 2017). The positions are those of the network's own games
against experts (Ross, Gordon and Bagnell, "DAgger", 2011).

A round depends only on the plan and on the rounds before it, so work that is interrupted and
resumed gives the same network, and so does any number of threads or machines of one kind.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from redouble.bots.policy import MAX_ITERATIONS
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.agent import UNREADABLE, Agent
from redouble.kernel import checks
from redouble.kernel.errors import InputError, RedoubleError
from redouble.kernel.rng import seed_words
from redouble.lab.selfplay import self_play
from redouble.lab.shards import Executor, Shard, Threads, carry_out, check_callable, check_executor
from redouble.lab.training.checkpoint import (
    TrainingError,
    damaged,
    read_checkpoint,
    write_checkpoint,
)
from redouble.lab.training.lessons import AT_ONCE, STEPS, Lessons, LessonsJob, joined
from redouble.lab.training.network import Array, Encoding, Network, forward

__all__ = [
    "MAX_ROUNDS",
    "TrainingError",
    "TrainingPlan",
    "TrainingProgress",
    "TrainingRound",
    "train",
]

MAX_ROUNDS = 10_000
MAX_POSITIONS = 1_000_000
"""Positions of a round."""
MAX_WEIGHTS = 80_000
"""Weights of a network that learn; its file then takes less than 200 KB."""
WIDTHS = (128, 96, 64, 48, 32, 24, 16)
"""Neurons of each of the two inner layers: the first number with which the weights are few enough.
"""
GAMES_SEEN, SEEN_BOT = 300, "club"
"""The games whose observations decide which values of the slots are told apart."""
IMITATED = 120_000
"""Positions of a round of imitation."""
ASKED = 0.25
"""The share of positions that a search judges: those that follow each other are much alike."""
IMITATION_RATE, RATE = 2e-3, 1e-3
"""Adam's step sizes in the first round of each part; they fall to zero with the last."""
EPOCHS, PART = 3, 512
"""How often a lesson is looked at, and how many are at once."""
ALONE = 3
"""The round of imitation, counted from 0, in which all moves played are the network's own."""
FORBIDDEN = -1e9
"""The score of an illegal move."""
EXPERT, SEARCH = "expert", "search"


@dataclass(frozen=True)
class TrainingPlan:
    """What is trained, and how long.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and what
    :meth:`Game.check_options` raises.
    """

    game: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: str = "train"
    imitate: int = 6
    """Rounds that learn from the expert."""
    improve: int = 20
    """Rounds that learn from a search, after those."""
    positions: int = 60_000
    """About how many positions a search judges in a round."""
    iterations: int = 400
    """Iterations of the search in a position."""

    def __post_init__(self) -> None:
        game = GAMES[checks.text(self.game, "game")]
        object.__setattr__(self, "options", game.check_options(self.seats, self.options))
        checks.text(self.seed, "seed")
        checks.whole(self.imitate, "imitate", 0, MAX_ROUNDS)
        checks.whole(self.improve, "improve", 0, MAX_ROUNDS)
        checks.whole(self.positions, "positions", 1, MAX_POSITIONS)
        checks.whole(self.iterations, "iterations", 1, MAX_ITERATIONS)

    @property
    def rounds(self) -> int:
        """The number of rounds of both kinds."""
        return self.imitate + self.improve

    @property
    def command(self) -> str:
        """The command that trains by this plan, without the name of a file."""
        words = [f"redouble train {self.game} --seats {self.seats}"]
        for option in GAMES[self.game].options:
            value = self.options[option.name]
            if value != option.default:
                text = ",".join(map(str, value)) if isinstance(value, list) else str(value).lower()
                words.append(shlex.join(["--option", f"{option.name}={text}"]))
        for name in ("imitate", "improve", "positions", "iterations"):
            words.append(f"--{name} {getattr(self, name)}")
        return " ".join([*words, f"--seed {shlex.quote(self.seed)}"])


@dataclass(frozen=True)
class TrainingRound:
    """What a round found, on positions that the network had not learned from yet."""

    teacher: str
    """``expert`` or ``search``."""
    positions: int
    agreed: float
    """The share of positions in which the network's move was the teacher's best."""
    missed: float
    """How much less than the best move its moves were worth, on average; 1 is a game."""

    def __post_init__(self) -> None:
        checks.one_of(self.teacher, (EXPERT, SEARCH), "teacher")
        checks.whole(self.positions, "positions", 0)
        checks.number(self.agreed, "agreed", 0, 1)
        checks.number(self.missed, "missed")


@dataclass(frozen=True)
class TrainingProgress:
    """How far training has come."""

    rounds: tuple[TrainingRound, ...]
    """The rounds that are complete."""
    part: float
    """How much of the lessons of the next one there is, from 0 to 1."""

    def __post_init__(self) -> None:
        for one in checks.items(self.rounds, "rounds", "rounds"):
            checks.instance(one, TrainingRound, "a round")
        checks.number(self.part, "part", 0, 1)


def train(
    plan: TrainingPlan,
    executor: Executor | None = None,
    watch: Callable[[TrainingProgress], None] = lambda progress: None,
    checkpoint: Path | None = None,
) -> Agent:
    """Train a network and return it as an agent; its ``training`` says how it was made.

    Without an ``executor`` all cores of this machine give lessons. ``watch`` is called again and
    again. After each round, all that is needed to go on is written to ``checkpoint``, if one is
    given; if it exists at the beginning, training goes on from there. Ctrl-C raises
    :class:`KeyboardInterrupt`.

    Raises :class:`TrainingError` if the game has too many actions or observations for a small
    network, or if the checkpoint is broken or of another plan.
    """
    checks.instance(plan, TrainingPlan, "plan")
    where = Threads() if executor is None else check_executor(executor, InputError)
    check_callable(watch, "watch", "a function of the progress")
    if checkpoint is not None:
        checks.instance(checkpoint, Path, "checkpoint", TrainingError)
    learner = Learner(plan, where)
    if checkpoint is not None and checkpoint.exists():
        learner.read(checkpoint)
    while len(learner.rounds) < plan.rounds:
        lessons = _lessons(learner, where, watch)
        learner.learn(lessons)
        if checkpoint is not None:
            learner.write(checkpoint)
    watch(TrainingProgress(tuple(learner.rounds), 0.0))
    return learner.agent()


def _lessons(
    learner: Learner, where: Executor, watch: Callable[[TrainingProgress], None]
) -> Lessons:
    """Return the lessons of the learner's next round."""
    job = learner.job()
    parts: dict[int, Lessons] = {}

    def take(shard: Shard, part: Lessons) -> None:
        parts[shard.first] = part

    def follow(stopping: bool) -> None:
        watch(TrainingProgress(tuple(learner.rounds), len(parts) / job.number))

    if not carry_out(job, where, take, follow).complete:
        raise KeyboardInterrupt
    return joined([parts[number] for number in sorted(parts)], learner.size)


class Learner:
    """A network in training: the rounds so far, and how it learns from the lessons of the next."""

    def __init__(self, plan: TrainingPlan, where: Executor) -> None:
        self.plan = plan
        self.rounds: list[TrainingRound] = []
        self._game: Game = GAMES[plan.game]
        games = self_play(
            *(self._game, [SEEN_BOT], GAMES_SEEN, plan.seats, plan.options),
            f"slots of {plan.seed}",
            where,
        )
        if games.stopped:
            raise KeyboardInterrupt
        if not games.decisions:
            raise TrainingError(
                f"{self._game.title} has no choices with these options: there is nothing to learn"
            )
        observations = games.samples().observations
        self.size = observations.shape[1]
        self._encoding = Encoding.of(observations)
        self._actions = self._game.actions(plan.options, plan.seats)
        self._network = Network(self._widths(), self._dice("weights"))

    def job(self) -> LessonsJob:
        """Return the lessons of the next round."""
        plan, number = self.plan, len(self.rounds)
        imitates = number < plan.imitate
        asked = 1.0 if imitates else ASKED
        positions = IMITATED if imitates else plan.positions
        shards = max(1, round(positions / (AT_ONCE * STEPS * asked)))
        return LessonsJob(
            plan.game,
            plan.seats,
            plan.options,
            f"{plan.seed} round {number + 1}",
            self._encoding,
            tuple(self._network.arrays),
            min(1.0, number / ALONE) if imitates else 1.0,
            0 if imitates else plan.iterations,
            asked,
            shards,
        )

    def learn(self, lessons: Lessons) -> None:
        """Learn the lessons of the next round."""
        plan, number = self.plan, len(self.rounds)
        imitates = number < plan.imitate
        done = number / plan.imitate if imitates else (number - plan.imitate) / plan.improve
        rate = (IMITATION_RATE if imitates else RATE) * (1.0 - done)
        dice = self._dice(f"round {number + 1}")
        found = self._judged(lessons, EXPERT if imitates else SEARCH)
        if number == plan.imitate:
            self._network.forget()  # the other teacher's slopes are of another size
        for _ in range(EPOCHS):
            order = dice.permutation(len(lessons))
            for first in range(0, len(order), PART):
                part = lessons.at(order[first : first + PART], self._actions)
                values = forward(self._network.arrays, self._encoding.features(part.observations))
                chances = softmax(np.where(part.allowed, values[-1], FORBIDDEN))
                if imitates:
                    slope = chances - part.values
                else:
                    mean = (chances * part.values).sum(axis=1, keepdims=True)
                    slope = chances * (mean - part.values)
                self._network.learn(values, slope / len(slope), rate)
        self.rounds.append(found)

    def agent(self) -> Agent:
        """Return the network as an agent."""
        layers = [*self._encoding.layers(), *self._network.rounded()]
        training = {
            "command": self.plan.command,
            "seed": self.plan.seed,
            "rounds": [asdict(one) for one in self.rounds],
        }
        return Agent(self._game, self.plan.seats, layers, self.plan.options, training=training)

    def write(self, path: Path) -> None:
        """Write all that is needed to go on, so that the file is whole at any moment."""
        write_checkpoint(path, self._about(), self._kept())

    def read(self, path: Path) -> None:
        """Go on from what :meth:`write` wrote. Raises :class:`TrainingError`."""
        network = self._network
        held = read_checkpoint(path, self._about(), self._kept())
        try:
            self.rounds = [TrainingRound(**one) for one in json.loads(str(held["rounds"]))]
            network.steps = int(held["steps"])
        except (RedoubleError, *UNREADABLE):
            raise damaged(path) from None
        for name, arrays in self._parts().items():
            arrays[:] = [held[f"{name}{i}"] for i in range(len(arrays))]

    def _kept(self) -> dict[str, Any]:
        """Return the arrays of a checkpoint."""
        return {
            "rounds": np.array(json.dumps([asdict(one) for one in self.rounds])),
            "steps": np.array(self._network.steps),
            **{
                f"{name}{i}": array
                for name, arrays in self._parts().items()
                for i, array in enumerate(arrays)
            },
        }

    def _parts(self) -> dict[str, list[Array]]:
        network = self._network
        return {"array": network.arrays, "mean": network.means, "square": network.squares}

    def _about(self) -> dict[str, Any]:
        """Return what a checkpoint has to have in common with this training."""
        return {**asdict(self.plan), "rules": self._game.version, "features": len(self._encoding)}

    def _widths(self) -> tuple[int, ...]:
        """Return the widths of the layers that learn, the largest that the weights allow."""
        inputs, outputs = len(self._encoding), self._actions
        for width in WIDTHS:
            if width * (inputs + width + outputs) <= MAX_WEIGHTS:
                return inputs, width, width, outputs
        raise TrainingError(
            f"{self._game.title} has {inputs:,} features and {outputs:,} actions: a network of at"
            f" most {MAX_WEIGHTS:,} weights is too small for them"
        )

    def _dice(self, what: str) -> np.random.Generator:
        return np.random.default_rng(seed_words(f"{what} of {self.plan.seed}"))

    def _judged(self, lessons: Lessons, teacher: str) -> TrainingRound:
        """Return how well the network does in the lessons before it learns from them."""
        agreed = missed = 0.0
        for first in range(0, len(lessons), PART):
            rows = np.arange(first, min(first + PART, len(lessons)))
            part = lessons.at(rows, self._actions)
            scores = forward(self._network.arrays, self._encoding.features(part.observations))[-1]
            own = np.where(part.allowed, scores, FORBIDDEN).argmax(axis=1)
            best = np.where(part.allowed, part.values, FORBIDDEN).max(axis=1)
            lost = best - part.values[np.arange(len(rows)), own]
            agreed += float((lost == 0).sum())
            missed += float(lost.sum())
        n = max(len(lessons), 1)
        return TrainingRound(teacher, len(lessons), agreed / n, missed / n)


def softmax(scores: Array) -> Array:
    """Return the chances that scores [n, actions] stand for."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances: Array = powers / powers.sum(axis=1, keepdims=True)
    return chances
