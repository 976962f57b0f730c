"""Teams: threads that share out the games of a batch, and are ready for its next job.

A job is one loop over all games: to deal, to check, to play or to draw. The games are cut into
parts, and each thread has a range of them. It takes its parts one by one, then those that others
have left, so a thread that comes late can help less but holds nobody up. All of this happens in
compiled code. After a job the threads watch for the next one for a moment, and then sleep: waking
a thread takes long beside a step of a fast game.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redouble.kernel.cores import cores
from redouble.kernel.engine import compiled
from redouble.kernel.primitives import add, exchange, load

__all__: list[str] = []
# Batches alone make teams, and they have checked what they give them.

Array = np.ndarray[Any, np.dtype[Any]]

LINE = 16
"""Words from one shared word to the next: no two lie in one line of a processor's cache, or in two
lines that it fetches together."""
JOB, NUMBER, BUSY, ENDED, FOUND, NEXT = (LINE * i for i in range(6))
"""The last job and its number, how many threads are at work, whether the team has ended, what was
found, and the next part of the first thread's range. Those of the others follow."""
WATCHING = 1_000_000
"""How often a thread looks for another job before it sleeps: for about half a millisecond."""
PART = 64
"""Games in a part at most: some microseconds' work, so that all threads finish at the same time."""
PAUSE = 1e-4
"""Seconds between looks at threads that haven't finished, because the machine runs others."""


def part_of(job: int, first: int, last: int, games: Any) -> int:
    """Do a job on the games from ``first`` to before ``last``; return what was found, or 0.

    A placeholder, as those in :mod:`redouble.contract.placeholders`: a batch brings the function.
    """
    return 0


def serve(
    words: Any, n: int, size: int, threads: int, thread: int, job: int, watching: int, games: Any
) -> None:
    """Do a job, as thread 0; as another, do jobs until none has come for a while."""
    parts = (n + size - 1) // size
    if thread == 0:
        while load(words, BUSY):
            pass  # the last job was interrupted
        exchange(words, JOB, job)
        exchange(words, FOUND, 0)
        for other in range(threads):
            exchange(words, NEXT + LINE * other, parts * other // threads)
        add(words, NUMBER, 1)
    left = 1
    while left:
        number = load(words, NUMBER)
        add(words, BUSY, 1)
        for k in range(threads):
            other = (thread + k) % threads
            at, end = NEXT + LINE * other, parts * (other + 1) // threads
            while load(words, at) < end:
                part = add(words, at, 1)
                if part < end:
                    first = part * size
                    found = part_of(load(words, JOB), first, min(first + size, n), games)
                    if found:
                        exchange(words, FOUND, found)
        add(words, BUSY, -1)
        left = watching if thread else 0
        while left and load(words, NUMBER) == number:
            left = 0 if load(words, ENDED) else left - 1


def finished(words: Any, watching: int) -> bool:
    """Wait a moment for all threads to leave their work; return whether they have."""
    left = watching
    while left and load(words, BUSY):
        left -= 1
    return load(words, BUSY) == 0


def leave(words: Any) -> None:
    """Leave the work, as a thread that an error has thrown out of it."""
    add(words, BUSY, -1)


class Team:
    """The threads that do the jobs of a batch of ``n`` games: the caller's, number 0, and helpers.

    ``games`` has a tuple for each thread, which ``part_of`` gets. ``bound`` holds that function and
    rules that replace placeholders in it. Helpers start after the first job, and end when nothing
    refers to the team anymore.
    """

    def __init__(
        self, n: int, games: Sequence[tuple[Any, ...]], bound: dict[str, Callable[..., Any]]
    ) -> None:
        self._loop, self._games = compiled(serve, **bound), games
        self._finished, self._leave = compiled(finished), compiled(leave)
        self._sizes = n, max(1, min(PART, n // len(games))), len(games)
        self._watching = WATCHING if len(games) <= cores() else 0
        self._gather()

    def _gather(self) -> None:
        self._process = os.getpid()
        self._words = np.zeros(NEXT + LINE * len(self._games), np.int64)
        self._sleepers: deque[threading.Lock] = deque()
        self._errors: deque[BaseException] = deque()
        self._helpers: list[threading.Thread] = []
        self._end = weakref.finalize(self, _end, self._words, self._sleepers, self._helpers)

    def run(self, job: int) -> int:
        """Do a job on all games and return what was found, or 0. Raises what a thread raises."""
        if len(self._games) > 1 and self._process != os.getpid():
            self._end.detach()  # a fork has left the helpers behind
            self._gather()
        while self._sleepers:
            self._sleepers.pop().release()
        try:
            self._loop(self._words, *self._sizes, 0, job, self._watching, self._games[0])
        finally:
            while self._helpers and not self._finished(self._words, self._watching):
                time.sleep(PAUSE)
        if self._errors:
            raise self._errors.pop()
        if not self._helpers:
            self._start()  # now that their loop is compiled
        return int(self._words[FOUND])

    def _start(self) -> None:
        for thread, games in enumerate(self._games[1:], 1):
            given = (self._words, *self._sizes, thread, 0, self._watching, games)
            help_with = (self._loop, self._leave, given, self._sleepers, self._errors)
            self._helpers.append(threading.Thread(target=_help, args=help_with, daemon=True))
            self._helpers[-1].start()


def _help(
    loop: Callable[..., None],
    leave: Callable[[Array], None],
    given: tuple[Any, ...],
    sleepers: deque[threading.Lock],
    errors: deque[BaseException],
) -> None:
    """Do jobs as a helper; the team itself is not known here, so that it can end."""
    words, alarm = given[0], threading.Lock()
    alarm.acquire()
    while not words[ENDED]:
        try:
            loop(*given)
        except BaseException as error:
            errors.append(error)
            leave(words)
        sleepers.append(alarm)
        if not words[ENDED]:  # otherwise nobody may be left to wake it
            alarm.acquire()


def _end(words: Array, sleepers: deque[threading.Lock], helpers: list[threading.Thread]) -> None:
    words[ENDED] = 1
    while sleepers:
        sleepers.pop().release()
    for helper in helpers:
        if helper is not threading.current_thread():
            helper.join()
