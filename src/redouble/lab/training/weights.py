"""Learning the network that comes with a game: from a plan to an entry of the game's file.

:mod:`redouble.lab.training.gradient` says how it is learned.
"""

from __future__ import annotations

import json
import shlex
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from redouble.bots.learned import LearnedWeights, network_of, read_weights
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.lab.training.checkpoint import read_checkpoint, write_checkpoint
from redouble.lab.training.gradient import Gradient

MAX_UPDATES = 1_000_000
MAX_NEURONS = 1024
EVERY = 20
"""Updates between two checkpoints, which are also told."""
GAMES_MEASURED = 40_000
"""Games that measure what a network reaches."""


@dataclass(frozen=True)
class WeightsPlan:
    """Which game a network learns, with which numbers of seats, and how long.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """

    game: str
    seats: tuple[int, ...]
    updates: int = 1000
    neurons: int = 48
    later: float = 0.5
    """The weight of each later judgment of the game when a move is credited, relative to the
    judgment before it: 0 to 1. Choose more in games where a good move pays off late."""
    seed: str = "1"

    def __post_init__(self) -> None:
        game = GAMES[checks.text(self.game, "game")]
        network_of(game)
        if not checks.items(self.seats, "seats", "numbers of seats"):
            raise InputError("seats is empty: give at least one number of seats")
        for seats in self.seats:
            game.check_seats(seats)
            if seats == 1:
                raise InputError(
                    f"{game.title} alone has no experts to beat: give at least 2 seats"
                )
        if list(self.seats) != list(range(self.seats[0], self.seats[-1] + 1)):
            raise InputError("seats has gaps: give numbers that follow each other, such as 3, 4, 5")
        checks.whole(self.updates, "updates", 1, MAX_UPDATES)
        checks.whole(self.neurons, "neurons", 1, MAX_NEURONS)
        checks.number(self.later, "later", 0, 1)
        checks.text(self.seed, "seed")

    @property
    def players(self) -> str:
        """The numbers of seats, such as ``3-7``."""
        return _players(self.seats)

    @property
    def command(self) -> str:
        """The command that learns by this plan, without the name of a file."""
        words = ["redouble", "weights", self.game, "--seats", self.players]
        words += ["--updates", str(self.updates), "--neurons", str(self.neurons)]
        words += ["--later", f"{self.later:g}"]
        words += ["--seed", self.seed]
        return shlex.join(words)


@dataclass(frozen=True)
class WeightsProgress:
    """How far learning has come."""

    updates: int
    share: float | None = None
    """The mean share of others beaten in the last of these updates, whenever a checkpoint is
    written. The moves are drawn, so the network itself reaches more."""


def learn_weights(
    plan: WeightsPlan,
    watch: Callable[[WeightsProgress], None],
    checkpoint: Path,
    threads: int = 1,
) -> LearnedWeights:
    """Learn a game's network for some numbers of seats, and measure what it reaches.

    ``watch`` is called after every update. All that is needed to go on is written to ``checkpoint``
    now and then; if it exists at the beginning, learning goes on from there.

    Raises :class:`~redouble.lab.training.checkpoint.TrainingError` if the checkpoint is damaged or
    of another plan, and what :class:`~redouble.lab.training.gradient.Gradient` raises.
    """
    game = GAMES[plan.game]
    gradient = Gradient(game, plan.seats, plan.seed, plan.neurons, plan.later, threads)
    sees = network_of(game)
    inputs = [sees.feature_count, sees.trait_count]
    about = {**asdict(plan), "rules": game.version, "inputs": inputs}
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
    reached = {seats: gradient.measure(seats, GAMES_MEASURED) for seats in plan.seats}
    network, unit = gradient.rounded()
    return LearnedWeights(
        plan.command,
        {
            seats: f"{100 * found.share:.1f} +- {100 * found.error:.1f} %"
            for seats, found in reached.items()
        },
        GAMES_MEASURED,
        unit,
        network.traits.tolist(),
        b64encode(network.rows.tobytes()).decode(),
        b64encode(network.last.tobytes()).decode(),
    )


def add_to_file(file: Path, game: Game, found: LearnedWeights) -> None:
    """Write a network into a file, in place of those for one of its numbers of seats.

    Raises :class:`~redouble.kernel.errors.InputError` if the file is broken.
    """
    known = read_weights(file, game).values() if file.exists() else ()
    others = [one for one in known if not one.beats.keys() & found.beats.keys()]
    kept = sorted([*others, found], key=lambda one: min(one.beats))
    lines = [f'"{_players([*one.beats])}": {json.dumps(asdict(one))}' for one in kept]
    new = file.with_name(f"{file.name}.new")
    new.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    new.replace(file)


def _players(seats: Sequence[int]) -> str:
    first, last = seats[0], seats[-1]
    return f"{first}" if first == last else f"{first}-{last}"
