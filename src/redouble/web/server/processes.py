"""Runs several servers that share a listening socket, and starts those again that end."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import StoreError

RESTART_SECONDS = 1.0
"""A process isn't started again sooner after its last start."""
STOP_SECONDS = 10.0
"""How long processes may take to stop before they are killed."""
NEVER = 2
"""The exit code of a process that would end in the same way if it were started again."""
_log = logging.getLogger(__name__)


def run_processes(work: Callable[..., None], count: int, *arguments: Any) -> bool:
    """Run ``work(number, *arguments)`` in processes numbered from 0, until interrupted.

    Each begins in a new interpreter, so all this must be picklable. They end with this process,
    even if it is killed. One that fails with a ``RedoubleError`` prints it. Returns False if one
    has ended at its first start with :data:`NEVER`; then all are stopped.
    """
    stop = threading.Event()
    for interruption in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interruption, lambda *_: stop.set())
    started: dict[int, float] = {}
    again: set[int] = set()

    def start(number: int) -> BaseProcess:
        started[number] = time.monotonic()
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=_work, args=(work, number, *arguments))
        process.start()
        return process

    processes = {number: start(number) for number in range(count)}
    try:
        while not stop.is_set():
            wait([process.sentinel for process in processes.values()], timeout=0.2)
            for number, process in processes.items():
                if process.is_alive():
                    continue  # its exit code counts once it is sure to have ended
                if process.exitcode == NEVER and number not in again:
                    return False
                rested = time.monotonic() - started[number] >= RESTART_SECONDS
                if rested and not stop.is_set():
                    _log.error("server %d has ended: it is started again", number)
                    process.join()
                    again.add(number)
                    processes[number] = start(number)
        return True
    finally:
        _end(list(processes.values()))


def _end(processes: list[BaseProcess]) -> None:
    until = time.monotonic() + STOP_SECONDS
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()


def _work(work: Callable[..., None], number: int, *arguments: Any) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        work(number, *arguments)
    except RedoubleError as error:
        print(f"redouble: {error}", file=sys.stderr, flush=True)
        # A database can come back; whatever else is wrong stays so.
        sys.exit(1 if isinstance(error, StoreError) else NEVER)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
