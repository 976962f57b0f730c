"""Compiling ahead of time: by a command, and by workers that end with their parent."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from redouble.analysis.prepare import READY, Purpose, purposes
from redouble.contract.registry import GAMES
from tests.helpers.command import Run
from tests.helpers.programs import finished

ENDS_WITHIN = 30.0
"""Seconds, on a machine that is busy with other things."""

BUSY = """
import sys, time
from redouble.analysis import prepare

def compile_for_ever(game, purpose):
    print(f"begun {game.name}", flush=True)
    while True:
        pass

prepare.prepare = compile_for_ever
prepare.work(sys.stdin, sys.stdout)
"""
"""A worker that is busy."""

PARENT = """
import subprocess, sys, time
worker = subprocess.Popen(
    [sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
worker.stdin.write("double-down search\\n")
worker.stdin.flush()
print(worker.pid, worker.stdout.readline(), flush=True)
time.sleep(600)
"""
"""A process that has a busy worker and says so."""


@contextlib.contextmanager
def running(*command: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process that is killed at the end, if it still runs."""
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def runs(pid: int) -> bool:
    """Whether a process is there that is not a zombie."""
    done = finished("ps", "-o", "stat=", "-p", str(pid))
    return bool(done.stdout.strip()) and not done.stdout.startswith("Z")


def test_the_command_prepares_a_game(run: Run) -> None:
    assert run("prepare", "double-down") == (0, "Double Down... ready\n", "")


def test_only_games_with_a_solver_have_one_to_compile() -> None:
    for game in GAMES.values():
        assert (Purpose.SOLVER in purposes(game)) == (game.solver is not None)
        assert Purpose.SEARCH in purposes(game)


def test_a_worker_answers_each_request_and_goes_on_after_an_error() -> None:
    with running("-m", "redouble.analysis.prepare") as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        for request, answer in (
            ("chess search", "UnknownGame: "),
            ("double-down lunch", "ValueError: "),
            ("chess", "ValueError: "),
            ("double-down search", READY),
        ):
            worker.stdin.write(f"{request}\n")
            worker.stdin.flush()
            assert worker.stdout.readline().startswith(answer)


def test_a_worker_ends_with_its_requests_even_while_it_compiles() -> None:
    with running("-c", BUSY) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write("double-down search\n")
        worker.stdin.flush()
        assert worker.stdout.readline() == "begun double-down\n"
        worker.stdin.close()
        assert worker.wait(ENDS_WITHIN) == 0


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_worker_ends_with_its_parent_however_it_ends(sent: signal.Signals) -> None:
    with running("-c", PARENT, BUSY) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline().split()[0])
        assert runs(pid)
        parent.send_signal(sent)
        parent.wait(ENDS_WITHIN)
        until = time.monotonic() + ENDS_WITHIN
        while runs(pid):
            assert time.monotonic() < until
            time.sleep(0.02)
