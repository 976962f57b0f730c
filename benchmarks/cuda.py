"""Measure batches and playouts on a graphics card; print a JSON line for each.

    .venv/bin/python benchmarks/cuda.py [--games 1000000] [--seconds 2] [--write] [NAME ...]

It needs a card that CUDA can use, and Redouble's extra ``cuda``. For every game:

* ``equality``: as many random games as ``--games`` on the card and on the processor, with the same
  seeds. Every final position, every generator and the number of moves have to be equal. Then steps
  of batches on both, with all that they show.
* ``playouts``: moves and whole random games per second, by the number of threads.
* ``steps``: steps of a batch per second, with masks and observations and without (``bare``), by
  its size. A step checks an action, makes the move and waits for the card. Bytes that a step moves
  at least (the state twice, the list of legal actions, the mask and the observation once) are
  compared with the memory's measured copying speed. Far below 1, not memory but instructions and
  diverging threads limit it.
* ``resources``: registers and bytes of local memory that a thread takes.

``--write`` updates results/cuda.csv with the fastest rows.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.pop(0)  # this file would be taken for the vendor's package, cuda

import numpy as np

from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import Batch
from redouble.envs.cards.cuda import CudaBatch, CudaDevice, CudaError, CudaPlayouts
from redouble.kernel.errors import MissingExtra
from redouble.kernel.rng import seed_words
from redouble.lab.simulate import Simulator

sys.path.append(str(Path(__file__).parent))
from tables import millions, write

SIZES = (1024, 4096, 16_384, 65_536, 262_144)
THREADS = 16_384
STEPS = 100
COPIED = 2**30
"""Bytes that are copied to measure the memory."""
HEADS = (
    *("game", "equal moves", "playouts: moves/s", "games/s"),
    *("steps/s", "bare", "of copying", "registers", "local bytes"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(GAMES))
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    try:
        device = CudaDevice()
    except (CudaError, MissingExtra) as error:
        sys.exit(f"benchmarks/cuda.py needs a graphics card: {error}")
    copied = copying_speed(wanted.seconds)
    print(json.dumps({"measured": "copying", "bytes_a_second": copied}), flush=True)
    rows = []
    for name in wanted.names:
        device = CudaDevice()  # one that holds the kernels of this game alone
        equal = shown(equality(name, wanted.games, device))
        shown(equality_of_steps(name, device))
        played = [shown(playouts(name, n, wanted.seconds, device)) for n in SIZES]
        stepped = [shown(steps(name, n, wanted.seconds, copied, device)) for n in SIZES]
        taken = shown({"measured": "resources", "game": name, **device.resources()})
        rows.append(cells(equal, played, stepped, taken))
    if wanted.write:
        write("cuda", HEADS, rows)


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """Print a row and return it."""
    print(json.dumps(row), flush=True)
    return row


def cells(equal: Any, played: Any, stepped: Any, taken: Any) -> list[object]:
    """Return a game's row of the table: its fastest playouts and steps."""
    fastest = max(played, key=lambda row: row["moves_a_second"])
    most = max(stepped, key=lambda row: row["steps"])
    return [
        equal["game"],
        millions(equal["moves"]),
        millions(fastest["moves_a_second"]),
        millions(fastest["games_a_second"]),
        millions(most["steps"]),
        millions(max(row["bare"] for row in stepped)),
        f"{100 * most['share_of_copying']:.0f}%",
        taken["step"]["registers"],
        taken["step"]["local_bytes"],
    ]


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


def equality_of_steps(name: str, device: CudaDevice) -> dict[str, Any]:
    """Take random steps on both, and raise unless each shows the same."""
    n = SIZES[0]
    card = CudaBatch(name, n=n, seed="equal", device=device)
    here = Batch(name, n=n, seed="equal", threads=1)
    card.reset()
    step = here.reset()
    for _ in range(STEPS):
        actions = here.sample()
        card.sample()  # moves the same generators on
        card.step(actions)
        step = here.step(actions)
        for kind in ("observations", "mask", "counts", "turn", "rewards", "done", "truncated"):
            found = device.download(getattr(card._arrays, "turns" if kind == "turn" else kind))
            if not np.array_equal(found.T, getattr(step, kind)):
                sys.exit(f"{name}: {kind} differ between the card and the processor")
        if card.states.tobytes() != here.states.tobytes():
            sys.exit(f"{name}: positions differ between the card and the processor")
    return {"measured": "equality of steps", "game": name, "steps": n * STEPS}


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
