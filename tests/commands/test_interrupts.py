"""Interrupts at any moment, and where SIGINT is ignored: in the background, or after ``trap``.

A process that is started there ignores SIGINT, and so do its children by default.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from redouble.commands.errors import EXIT_INTERRUPTED
from tests.helpers.places import ROOT
from tests.helpers.programs import python
from tests.web.helpers.server import Server

INTERRUPTING = (
    "tests/lab/arena/test_arena.py::test_an_interrupt_from_outside_ends_all_programs_and_writes_the_results_so_far",
    "tests/lab/studies/test_study.py::test_ctrl_c_reports_the_results_so_far",
    "tests/terminal/test_play_live.py::test_a_slip_of_the_finger_does_not_lose_the_game",
    "tests/web/server/test_serve.py::test_it_prints_its_address_and_stops_promptly_with_open_streams[2]",
)
"""Tests that send SIGINT to a process of their own."""
QUIETLY = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")


def ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


SECONDS = (0, 0.02, 0.1, 0.3, 0.5)
"""After the command has begun; on a slow machine it is still importing modules at the end."""
ANNOUNCING = """
import sys

def announce(event, given):
    global announced
    if event == "import" and given[0].startswith("redouble.") and not announced:
        announced = given[0] != "redouble._start"
        if announced:
            print("begun", flush=True)

announced = False
sys.addaudithook(announce)
"""
"""A module that Python imports when it starts: it tells when the command's own code has begun."""


@pytest.mark.parametrize(
    "words", ["games", "rules double-down", "study double-down --games 500000", "play double-down"]
)
def test_an_interrupt_at_any_moment_is_quiet(words: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(ANNOUNCING)
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    script = "from redouble_command import main; main()"
    for number, seconds in enumerate(SECONDS):
        start = ["-m", "redouble"] if number % 2 else ["-c", script]
        with subprocess.Popen(
            [sys.executable, *start, *words.split()],
            env=os.environ | {"PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as started:
            assert started.stdout is not None
            assert started.stdout.readline() == "begun\n"
            time.sleep(seconds)
            started.send_signal(signal.SIGINT)
            _, said = started.communicate(timeout=60)
        assert started.returncode in (0, EXIT_INTERRUPTED, -signal.SIGINT), said
        assert "Traceback" not in said


@pytest.mark.thorough
def test_interrupting_tests_pass_where_interrupts_are_ignored() -> None:
    result = python(
        "-m", "pytest", *QUIETLY, *INTERRUPTING, cwd=ROOT, preexec_fn=ignore_interrupts, timeout=600
    )
    assert result.returncode == 0, result.stdout


def test_a_background_server_stops_on_request(tmp_path: Path) -> None:
    server = Server(tmp_path, before=ignore_interrupts)
    server.start()
    server.stop()
