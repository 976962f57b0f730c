"""Teams of threads: they share jobs, sleep between them, and end with their batch."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from redouble.envs.arrays.batch import Batch
from redouble.envs.arrays.team import Team
from redouble.kernel.engine import compiled
from redouble.kernel.primitives import add, exchange, load
from tests.helpers.known import known
from tests.helpers.programs import python

Array = np.ndarray[Any, np.dtype[Any]]
MANY = 200_000
PATIENCE = 120.0
"""Seconds for what takes a moment on an idle machine."""
SLOW, FAILING = 2, 3
"""Jobs that take the first thread long, so that helpers get parts; the second one fails in them."""


def count(job: int, first: int, last: int, games: Any) -> int:
    """Add 1 for each game and job, and note the thread; return the job if it finds game 70."""
    thread, made, by = games
    for i in range(first, last):
        made[i] += 1
        by[i] = thread
    if job == FAILING and thread > 0:
        raise ValueError("the helper cannot")
    if job >= SLOW and thread == 0:
        for _ in range(MANY):
            add(made, 0, 0)
    return job if first <= 70 < last else 0


def team(n: int, threads: int) -> tuple[Team, Array, Array]:
    made, by = np.zeros((2, n), np.int64)
    return Team(n, [(i, made, by) for i in range(threads)], {"part_of": count}), made, by


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def count_up(words: Any, times: int) -> None:
    for _ in range(times):
        add(words, 1, 1)


def test_no_thread_loses_what_another_adds() -> None:
    words, loop = np.zeros(2, np.int64), compiled(count_up)
    threads = [threading.Thread(target=loop, args=(words, MANY)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert words.tolist() == [0, 4 * MANY]


def change_words(words: Any, found: Any) -> None:
    found[0] = add(words, 1, 5)
    found[1] = exchange(words, 1, 3)
    found[2] = load(words, 1)


def test_compiled_and_interpreted_accesses_do_the_same() -> None:
    words, found = [7, 8], [0, 0, 0]
    change_words(words, found)
    assert (words, found) == ([7, 3], [8, 13, 3])
    row, seen = np.array([7, 8]), np.zeros(3, np.int64)
    compiled(change_words)(row, seen)
    assert (row.tolist(), seen.tolist()) == (words, found)


@pytest.mark.parametrize(("n", "threads"), [(1, 1), (100, 1), (5, 5), (63, 2), (1000, 3)])
def test_every_game_has_its_part_in_every_job(n: int, threads: int) -> None:
    several, made, _ = team(n, threads)
    for jobs in range(1, 200):
        assert several.run(1) == (1 if n > 70 else 0)
        assert (made == jobs).all()


def test_helpers_take_parts() -> None:
    several, _, by = team(1000, 2)

    def helped() -> bool:
        several.run(SLOW)
        return set(by.tolist()) == {0, 1}

    wait_until(helped)


def test_an_error_in_a_helper_is_raised_and_the_team_goes_on() -> None:
    several, made, _ = team(1000, 2)
    several.run(0)

    def fails() -> bool:
        try:
            several.run(FAILING)
        except ValueError as error:
            return str(error) == "the helper cannot"
        return False

    wait_until(fails)
    before = made.copy()
    for _ in range(50):
        several.run(0)
    assert (made == before + 50).all()


def test_a_batch_that_waits_takes_no_time_of_a_processor() -> None:
    before = helpers()
    batch = Batch("double-or-quits", n=4096, seed="idle", threads=2)
    batch.reset()
    batch.step(batch.sample())
    (helper,) = helpers() - before
    assert helper.ident is not None
    clock = time.pthread_getcpuclockid(helper.ident)

    def is_idle() -> bool:
        worked = time.clock_gettime(clock)
        time.sleep(0.1)
        return time.clock_gettime(clock) - worked < 0.01

    wait_until(is_idle)


def helpers() -> set[threading.Thread]:
    return {each for each in threading.enumerate() if "_help" in each.name}


def test_the_threads_of_a_batch_end_with_it() -> None:
    before = helpers()
    batch = Batch("double-or-quits", n=64, seed="ends", threads=3)
    batch.reset()
    assert len(helpers() - before) == 2
    batch.step(batch.sample())
    del batch
    assert not helpers() - before


def played(n: int, threads: int, steps: int) -> bytes:
    batch = Batch("double-or-quits", n=n, seed="several", threads=threads)
    batch.reset()
    for _ in range(steps):
        step = batch.step(batch.sample())
    return batch.states.tobytes() + step.observations.tobytes() + step.mask.tobytes()


def test_helpers_change_no_byte() -> None:
    alone = played(700, 1, 30)
    assert [played(700, threads, 30) for threads in (2, 5)] == [alone, alone]


def test_several_batches_at_once_play_as_each_alone() -> None:
    alone = played(300, 1, 100)
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(played(300, 2, 100))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [alone] * 4


FORK = """
import os
from redouble.envs.arrays.batch import Batch
batch = Batch("double-or-quits", n=300, seed="fork", threads=2)
batch.reset()
child = os.fork()
for _ in range(50):
    batch.step(batch.sample())
if child:
    os.waitpid(child, 0)
print(hash(batch.states.tobytes()), flush=True)
"""
STEPS = """
from redouble.envs.arrays.batch import Batch
batch = Batch("double-or-quits", n=2000, seed="stop", threads=2)
batch.reset()
print("playing", flush=True)
while True:
    batch.step(batch.sample())
"""


def test_a_fork_plays_on_with_threads_of_its_own() -> None:
    run = python("-W", "ignore", "-c", FORK, check=True, timeout=100)
    parent, child = run.stdout.split()
    assert parent == child


def test_ctrl_c_stops_a_batch() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STEPS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert known(run.stdout).readline() == "playing\n"
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=60)
    assert errors.rstrip().endswith("KeyboardInterrupt")
