"""How fast the rules run: random playouts on both engines, one core and all, and compile times."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain, count, repeat
from pathlib import Path
from random import Random
from typing import Any

from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.kernel.cores import cores
from redouble.kernel.errors import InputError
from redouble.kernel.state import size

__all__ = ["Speed", "SpeedReport", "machine", "measure"]

MAX_MOVES = 1_000_000
"""Moves after which a random game is given up; no game's random play comes near it."""


@dataclass(frozen=True)
class Speed:
    """A measured rate: whole random games, and the moves in them."""

    seconds: float
    games: int
    moves: int

    def __post_init__(self) -> None:
        if checks.number(self.seconds, "seconds", 0) == 0.0:
            raise InputError("seconds cannot be 0: give the time that was measured")
        checks.whole(self.games, "games", 0)
        checks.whole(self.moves, "moves", 0)

    @property
    def games_a_second(self) -> float:
        return self.games / self.seconds

    @property
    def moves_a_second(self) -> float:
        return self.moves / self.seconds

    def __str__(self) -> str:
        return f"{self.moves_a_second:12,.0f} moves/s {self.games_a_second:12,.0f} playouts/s"

    def __add__(self, other: Speed) -> Speed:
        """Combine two measurements that were made at the same time, in threads."""
        if not isinstance(other, Speed):
            return NotImplemented
        longer = max(self.seconds, other.seconds)
        return Speed(longer, self.games + other.games, self.moves + other.moves)

    def to_dict(self) -> dict[str, Any]:
        """The rate as plain JSON."""
        rates = {"games_a_second": self.games_a_second, "moves_a_second": self.moves_a_second}
        return {**asdict(self), **rates}


@dataclass(frozen=True)
class SpeedReport:
    """Everything measured for a game with a number of seats."""

    game: str
    seats: int
    state_bytes: int
    record_bytes: int
    interpreted: Speed
    compiled: Speed
    threads: int
    all_cores: Speed
    cold_seconds: float
    """Seconds from the start of a process to its first compiled playout, with nothing cached."""
    warm_seconds: float
    """The same with the compiled code cached."""

    def __str__(self) -> str:
        lines = [
            f"{self.game}, {self.seats} seat{'s' if self.seats > 1 else ''}",
            f"  compiled, one core      {self.compiled}",
            f"  compiled, {self.threads:2} threads    {self.all_cores}",
            f"  interpreted, one core   {self.interpreted}",
            f"  first compiled playout  {self.cold_seconds:.1f} s after the start of a process, "
            f"{self.warm_seconds:.2f} s when cached",
            f"  state                   {self.record_bytes} bytes",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON."""
        data = asdict(self)
        for name in ("interpreted", "compiled", "all_cores"):
            data[name] = getattr(self, name).to_dict()
        return data


def measure(game: Game, seats: int, seconds: float) -> SpeedReport:
    """Measure each engine for about ``seconds``; compiling takes additional time.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and
    :class:`SeatsError` and :class:`OptionError` as :func:`redouble.new` does.
    """
    checks.instance(game, Game, "game")
    checks.number(seconds, "seconds", 0.001, 3600)
    from redouble.kernel.engine import dtype
    from redouble.lab.simulate import Simulator

    header = game.header(seats, {})
    cold, warm = _process_seconds(game, seats)
    threads = cores()
    simulators = [Simulator(game, seats, seed=str(thread)) for thread in range(threads)]
    for simulator in simulators:
        simulator.playouts(1)
    compiled = compiled_speed(simulators[0], seconds)
    with ThreadPoolExecutor(threads) as pool:
        speeds = list(pool.map(lambda simulator: compiled_speed(simulator, seconds), simulators))
    return SpeedReport(
        game=game.name,
        seats=seats,
        state_bytes=size(type(header)),
        record_bytes=dtype(type(header)).itemsize,
        interpreted=interpreted_speed(game, seats, seconds),
        compiled=compiled,
        threads=threads,
        all_cores=sum(speeds[1:], speeds[0]),
        cold_seconds=cold,
        warm_seconds=warm,
    )


def machine() -> dict[str, Any]:
    """Return the machine that figures are measured on, as plain JSON."""
    from redouble.kernel.engine import versions

    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    cpu = names[0] if names else (not lines and platform.processor()) or platform.machine()
    return {"cpu": cpu, "cores": cores(), "system": platform.system(), **versions()}


def first_playout(game: Game, seats: int) -> None:
    """Compile or load a playout and run it once: what a process started afresh has to do."""
    from redouble.lab.simulate import Simulator

    Simulator(game, seats).playouts(1)


def interpreted_speed(game: Game, seats: int, seconds: float) -> Speed:
    """Random games on plain Python state, deals included."""
    rules = game.rules
    options = game.check_options(seats, {})
    dice = Random(0)
    out = [0] * (rules.MAX_LEGAL + 1)

    def one(number: int) -> int:
        state = game.header(seats, options, f"bench {number}")
        rules.setup(state)
        moves = 0
        while (n := rules.legal(state, out)) and moves < MAX_MOVES:
            rules.play(state, out[int(dice.random() * n)])
            moves += 1
        return moves

    return _timed(one, seconds, ((number, 1) for number in count()))


def compiled_speed(simulator: Any, seconds: float) -> Speed:
    """Random games of a :class:`~redouble.lab.simulate.Simulator`, deals included."""
    sizes = chain((2**k for k in range(10)), repeat(1024))
    batches = ((games, games) for games in sizes)
    return _timed(lambda games: simulator.playouts(games, MAX_MOVES), seconds, batches)


def _timed(play: Callable[[int], int], seconds: float, batches: Iterator[tuple[int, int]]) -> Speed:
    """Play batch after batch until the time is up. A batch is an argument and its games."""
    games = moves = 0
    start = time.perf_counter()
    spent = 0.0
    while spent < seconds:
        argument, played = next(batches)
        moves += play(argument)
        games += played
        spent = time.perf_counter() - start
    return Speed(spent, games, moves)


def _process_seconds(game: Game, seats: int) -> tuple[float, float]:
    """Wall seconds of a fresh process up to its first playout: nothing cached, then all cached."""
    code = (  # Ctrl-C ends it together with this process, and without a word
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
        "from redouble.lab.bench import first_playout; "
        "from redouble.contract.registry import GAMES; "
        "first_playout(GAMES[sys.argv[1]], int(sys.argv[2]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "REDOUBLE_CACHE_DIR": folder}
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", code, game.name, str(seats)], env=environment, check=True
            )
            seconds.append(time.perf_counter() - start)
    return seconds[0], seconds[1]
