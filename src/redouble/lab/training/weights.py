"""Learning the weights that come with a game: from a plan to a line of the game's file.

:mod:`redouble.lab.training.gradient` says how they are learned.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from redouble.bots.learned import LearnedWeights, check_traits, read_weights
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.lab.training.checkpoint import read_checkpoint, write_checkpoint
from redouble.lab.training.gradient import Gradient

MAX_UPDATES = 1_000_000
EVERY = 100
"""Updates between two checkpoints, which are also told."""
GAMES_MEASURED = 40_000
UNIT = 100
"""Weights in files are whole hundredths."""


@dataclass(frozen=True)
class WeightsPlan:
    """Whose weights are learned, and how long.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """

    game: str
    seats: int
    updates: int = 900
    seed: str = "1"

    def __post_init__(self) -> None:
        game = GAMES[checks.text(self.game, "game")]
        game.check_seats(self.seats)
        check_traits(game)
        if self.seats == 1:
            raise InputError(f"{game.title} alone has no experts to beat: give at least 2 seats")
        checks.whole(self.updates, "updates", 1, MAX_UPDATES)
        checks.text(self.seed, "seed")

    @property
    def command(self) -> str:
        """The command that learns by this plan, without the name of a file."""
        words = ["redouble", "weights", self.game, "--seats", str(self.seats)]
        return shlex.join([*words, "--updates", str(self.updates), "--seed", self.seed])


@dataclass(frozen=True)
class WeightsProgress:
    """How far learning has come."""

    updates: int
    share: float | None = None
    """The mean share of experts beaten in the last of these updates, after every hundred of them.
    The moves are drawn, so the weights themselves reach more."""


def learn_weights(
    plan: WeightsPlan, watch: Callable[[WeightsProgress], None], checkpoint: Path
) -> LearnedWeights:
    """Learn the weights of a game for a number of seats, and measure what they reach.

    ``watch`` is called after every update. All that is needed to go on is written to ``checkpoint``
    now and then; if it exists at the beginning, learning goes on from there.

    Raises :class:`~redouble.lab.training.checkpoint.TrainingError` if the checkpoint is damaged or
    of another plan, and what :class:`~redouble.lab.training.gradient.Gradient` raises.
    """
    game = GAMES[plan.game]
    gradient = Gradient(game, plan.seats, plan.seed)
    about = {**asdict(plan), "rules": game.version, "weights": game.weights}
    if checkpoint.exists():
        gradient.restore(read_checkpoint(checkpoint, about, gradient.kept()))
    watch(WeightsProgress(gradient.updates))
    shares: list[float] = []
    while gradient.updates < plan.updates:
        shares.append(gradient.improve(gradient.updates / plan.updates))
        told = None
        if gradient.updates % EVERY == 0 or gradient.updates == plan.updates:
            write_checkpoint(checkpoint, about, gradient.kept())
            told = fmean(shares)
            shares.clear()
        watch(WeightsProgress(gradient.updates, told))
    whole = (gradient.weights * UNIT).round()
    reached = gradient.measure(GAMES_MEASURED, whole)
    beats = f"{100 * reached.share:.1f} +- {100 * reached.error:.1f} %"
    return LearnedWeights(plan.command, beats, GAMES_MEASURED, whole.astype(int).tolist())


def add_to_file(file: Path, game: Game, seats: int, found: LearnedWeights) -> None:
    """Write weights into a file, in place of those for as many seats.

    Raises :class:`~redouble.kernel.errors.InputError` if the file is broken.
    """
    kept = {**(read_weights(file, game) if file.exists() else {}), seats: found}
    lines = [f'"{number}": {json.dumps(asdict(kept[number]))}' for number in sorted(kept)]
    new = file.with_name(f"{file.name}.new")
    new.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    new.replace(file)
