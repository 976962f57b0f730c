"""A study on all cores: threads play chunks of games, which are added up in their order.

So the number of threads does not change the results, and a study that is stopped early is exactly
the study of its first games.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from time import perf_counter

from redouble.bots.inputs import MAX_THREADS
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.lab.study.plan import POLICIES, StudyPlan
from redouble.lab.study.series import CHUNK, Part, Series, plays_of, warm

__all__ = ["StudyOutcome", "carry_out"]

TICK = 0.1
"""Seconds between two reports of progress."""
GRACE = 5.0
"""Seconds that an interrupted study waits for the games in progress."""


@dataclass(frozen=True)
class Chunk:
    """Games of the main series, or deals that measure skill."""

    skill: bool
    first: int
    count: int


@dataclass(frozen=True)
class StudyOutcome:
    """What a study has counted."""

    main: Part
    skill: Part | None
    """None when the study was stopped before any of it was played."""
    stopped: bool
    played: int
    """Games in all, of every setting and for skill."""
    seconds: float
    """Time that they took, without the loading of compiled code."""


class _InOrder:
    """Adds parts up in the order of their chunks, whatever order they come in."""

    def __init__(self) -> None:
        self.total: Part | None = None
        self._next = 0
        self._waiting: dict[int, tuple[int, Part]] = {}

    def take(self, first: int, count: int, part: Part) -> None:
        self._waiting[first] = (count, part)
        while self._next in self._waiting:
            count, part = self._waiting.pop(self._next)
            self.total = part if self.total is None else self.total + part
            self._next += count


class _Work:
    """The chunks of a plan and what was made of them; its methods may be called by any thread."""

    def __init__(self, plan: StudyPlan, threads: int) -> None:
        self.plan = plan
        self.finished = threading.Event()
        """Set when no thread is at work any more."""
        self.done = 0
        """Games and deals played."""
        self.stopped = False
        self.failure: BaseException | None = None
        self.sums = {False: _InOrder(), True: _InOrder()}
        self._chunks = chunks(plan)
        self._lock = threading.Lock()
        self._working = threads

    def run(self) -> None:
        """Play chunks until there are none left."""
        try:
            series = Series(self.plan)
            while (chunk := self._take()) is not None:
                play = series.skill if chunk.skill else series.main
                part = play(chunk.first, chunk.count)
                with self._lock:
                    self.sums[chunk.skill].take(chunk.first, chunk.count, part)
                    self.done += chunk.count
        except BaseException as error:  # handed to the thread that waits
            self.failure = error
            self.stopped = True
        with self._lock:
            self._working -= 1
            if not self._working:
                self.finished.set()

    def _take(self) -> Chunk | None:
        with self._lock:
            return None if self.stopped else next(self._chunks, None)

    def totals(self) -> tuple[Part | None, Part | None]:
        """What was added up so far: at large, and of skill."""
        with self._lock:
            return self.sums[False].total, self.sums[True].total


def deals_for_skill(plan: StudyPlan) -> int:
    """Deals that are played from every seat: as many games as the others, or a few more."""
    if plan.skill is None:
        return 0
    plays = min(plays_of(setting) for setting in plan.settings)
    return -(-plan.games // plays)


def chunks(plan: StudyPlan) -> Iterator[Chunk]:
    """All the work, in an order that measures everything from the start."""
    bots = [bot for setting in plan.settings for bot in setting.bots]
    pair = plan.skill or ()
    plays = max(plays_of(setting) for setting in plan.settings)
    ours = _cut(False, plan.games, 1 if _searches(bots) else CHUNK)
    skill = _cut(True, deals_for_skill(plan), 1 if _searches(pair) else max(1, CHUNK // plays))
    return (chunk for _, chunk in merge(ours, skill, key=lambda pair: pair[0]))


def _cut(skill: bool, whole: int, size: int) -> Iterator[tuple[float, Chunk]]:
    """The chunks of some work, and what share of it lies before each."""
    for first in range(0, whole, size):
        yield first / whole, Chunk(skill, first, min(size, whole - first))


def _searches(bots: Iterable[str]) -> bool:
    return any(POLICIES[bot].iterations for bot in bots)


def carry_out(plan: StudyPlan, threads: int, watch: Callable[[int, int], None]) -> StudyOutcome:
    """Play the games of a plan and return what was counted.

    ``watch`` is called with the games done and the games in all. Ctrl-C ends the study early, with
    the chunks that are complete. Raises :class:`KeyboardInterrupt` if there is none yet, and
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    checks.instance(plan, StudyPlan, "plan")
    checks.whole(threads, "threads", 1, MAX_THREADS)
    if not callable(watch):
        raise checks.wrong("watch", watch, "a function of games done and in all", InputError)
    for setting in plan.settings:
        warm(plan.game, setting)
    start = perf_counter()
    work = _Work(plan, threads)
    all_of_it = plan.games + deals_for_skill(plan)
    # Daemons, so that Ctrl-C does not wait longer than GRACE for the games in progress.
    workers = [threading.Thread(target=work.run, daemon=True) for _ in range(threads)]
    try:
        for worker in workers:
            worker.start()
        while not work.finished.wait(TICK):
            watch(work.done, all_of_it)
    except KeyboardInterrupt:
        work.stopped = True
        # What follows needs the cores, and an interpreter that exits under compiled code may hang.
        work.finished.wait(GRACE)
    if work.failure is not None:
        raise work.failure
    main, skill = work.totals()
    if main is None:
        raise KeyboardInterrupt
    played = main.games * len(plan.settings)
    if skill is not None:
        played += skill.games * sum(plays_of(setting) for setting in plan.settings)
    return StudyOutcome(main, skill, work.done < all_of_it, played, perf_counter() - start)
