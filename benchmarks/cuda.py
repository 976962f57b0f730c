"""Measure batches and playouts on a graphics card; print a JSON line for each.

    .venv/bin/python benchmarks/cuda.py [--games 1000000] [--seconds 2] [NAME ...]

It needs a card that CUDA can use, and Redouble's extra ``cuda``. For every game:

* ``equality``: as many random games as ``--games`` on the card and on the processor, with the same
  seeds. Every final position, every generator and the number of moves have to be equal.
* ``playouts``: moves and whole random games per second, by the number of threads.
* ``steps``: steps of a batch per second, with masks and observations and without (``bare``), by
  its size. A step checks an action, makes the move and waits for the card.
* ``roofline``: bytes that a step moves at least (the state twice, the list of legal actions, the
  mask and the observation once), and what share of the memory's measured copying speed that is. Far
  below 1, not memory but instructions and diverging threads limit it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

import numpy as np

from redouble.contract.registry import GAMES
from redouble.envs.cards.cuda import CudaBatch, CudaDevice, CudaError, CudaPlayouts
from redouble.kernel.errors import MissingExtra
from redouble.kernel.rng import seed_words
from redouble.lab.simulate import Simulator

SIZES = (1024, 4096, 16_384, 65_536, 262_144)
THREADS = 16_384
COPIED = 2**30
"""Bytes that are copied to measure the memory."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(GAMES))
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=2.0)
    wanted = parser.parse_args()
    try:
        device = CudaDevice()
    except (CudaError, MissingExtra) as error:
        sys.exit(f"benchmarks/cuda.py needs a graphics card: {error}")
    copied = copying_speed(wanted.seconds)
    print(json.dumps({"measured": "copying", "bytes_a_second": copied}), flush=True)
    for name in wanted.names:
        show(equality(name, wanted.games, device))
        for n in SIZES:
            show(playouts(name, n, wanted.seconds, device))
        for n in SIZES:
            show(steps(name, n, wanted.seconds, copied, device))


def show(row: dict[str, Any]) -> None:
    print(json.dumps(row), flush=True)


def equality(name: str, games: int, device: CudaDevice) -> dict[str, Any]:
    """Play random games on both, and raise unless every thread ends in the same state."""
    each = max(1, games // THREADS)
    card = CudaPlayouts(name, n=THREADS, seed="equal", device=device)
    moves = card.play(each)
    states, generators = card.states, device.download(card._generators)
    simulator = Simulator(card.game, card.seats)
    expected = 0
    for thread in range(THREADS):
        simulator._rng[:] = seed_words(f"game {thread} of equal")
        expected += simulator.playouts(each)
        if (
            simulator._states[0].tobytes() != states[thread].tobytes()
            or simulator._rng.tolist() != generators[:, thread].tolist()
        ):
            sys.exit(f"{name}: thread {thread} ends in another state than on the processor")
    if moves != expected:
        sys.exit(f"{name}: {moves} moves on the card, {expected} on the processor")
    return {"measured": "equality", "game": name, "games": each * THREADS, "moves": moves}


def playouts(name: str, n: int, seconds: float, device: CudaDevice) -> dict[str, Any]:
    """Random games per second, each thread playing one at a time."""
    card = CudaPlayouts(name, n=n, seed="speed", device=device)
    card.play()
    games = moves = 0
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        moves += card.play(8)
        games += 8 * n
    rates = {"moves_a_second": moves / spent, "games_a_second": games / spent}
    return {"measured": "playouts", "game": name, "threads": n, **rates}


def steps(name: str, n: int, seconds: float, copied: float, device: CudaDevice) -> dict[str, Any]:
    """Steps of a batch per second, and the roofline of memory."""
    rates = {}
    for kind, shown in (("steps", True), ("bare", False)):
        # Masks of games with very many actions would take gigabytes.
        mask = shown and n * GAMES[name].rules.ACTIONS < COPIED
        batch = CudaBatch(name, n=n, seed="speed", mask=mask, observations=shown, device=device)
        counts = device.download(batch.reset().counts)
        batch.step(batch.sample())
        done = 0
        begun = time.perf_counter()
        while (spent := time.perf_counter() - begun) < seconds:
            batch.step(batch.sample())
            done += n
        rates[kind] = done / spent
        if shown:
            least = 2 * batch._record.itemsize + 2 * float(np.mean(counts))
            least += batch._masked + batch._tensor
    share = rates["steps"] * least / copied
    found = {"bytes_a_step": least, "share_of_copying": share}
    return {"measured": "steps", "game": name, "n": n, **rates, **found}


def copying_speed(seconds: float) -> float:
    """Bytes per second that the card reads and writes when it copies an array."""
    from numba import cuda

    source = cuda.device_array(COPIED // 8, np.uint64)
    target = cuda.device_array_like(source)
    target.copy_to_device(source)
    cuda.synchronize()
    copies = 0
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        target.copy_to_device(source)
        cuda.synchronize()
        copies += 1
    return 2 * COPIED * copies / spent


if __name__ == "__main__":
    main()
