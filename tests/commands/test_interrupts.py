"""Interrupts where SIGINT is ignored: in a script's background, or after ``trap '' INT``.

A process that is started there ignores SIGINT, and so do its children by default.
"""

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


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3])
def test_an_interrupt_at_any_moment_is_quiet(seconds: float) -> None:
    code = "import redouble_command as c; print('ready', flush=True); c.main()"
    command = [sys.executable, "-c", code, "games"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as started:
        assert started.stdout is not None
        started.stdout.readline()
        time.sleep(seconds)
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
    assert started.returncode in (0, EXIT_INTERRUPTED, -signal.SIGINT)
    assert said.strip() == b""


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
