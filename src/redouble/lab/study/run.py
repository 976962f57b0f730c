"""Running a study on all cores: threads play chunks of games, which are added up in order.

The results do not depend on the number of threads, and a study that is stopped early equals a study
of its first games.
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
"""Seconds between progress reports."""
GRACE = 5.0
"""Seconds that an interrupted study waits for the games in progress."""


@dataclass(frozen=True)
class Chunk:
    """A range of games of the main series, or of deals that measure skill."""

    skill: bool
    first: int
    count: int


@dataclass(frozen=True)
class StudyOutcome:
    """The sums of a study, of which :func:`~redouble.lab.study.figures.findings` makes figures."""

    plan: StudyPlan
    main: Part
    skill: Part | None
    """None if skill is not measured, or if the study was stopped before its first deal."""
    stopped: bool
    played: int
    """The total number of games, including those for skill."""
    seconds: float
    """The time they took, without loading compiled code."""


class _InOrder:
    """Adds up parts in the order of their chunks, in whatever order they arrive."""

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
    """The chunks of a plan and their sums, shared by all threads."""

    def __init__(self, plan: StudyPlan, threads: int) -> None:
        self.plan = plan
        self.finished = threading.Event()
        """Set when the last thread has ended."""
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
        except BaseException as error:  # raised again by the thread that waits
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
        """Return the sums so far, of the main series and of the deals for skill."""
        with self._lock:
            return self.sums[False].total, self.sums[True].total


def deals_for_skill(plan: StudyPlan) -> int:
    """Return the number of deals for skill: together they have as many games as the main series."""
    if plan.skill is None:
        return 0
    plays = min(plays_of(setting) for setting in plan.settings)
    return -(-plan.games // plays)


def chunks(plan: StudyPlan) -> Iterator[Chunk]:
    """Return all chunks, the two series interleaved, so that an early stop has some of both."""
    bots = [bot for setting in plan.settings for bot in setting.bots]
    pair = plan.skill or ()
    plays = max(plays_of(setting) for setting in plan.settings)
    ours = _cut(False, plan.games, 1 if _searches(bots) else CHUNK)
    skill = _cut(True, deals_for_skill(plan), 1 if _searches(pair) else max(1, CHUNK // plays))
    return (chunk for _, chunk in merge(ours, skill, key=lambda pair: pair[0]))


def _cut(skill: bool, total: int, size: int) -> Iterator[tuple[float, Chunk]]:
    """Cut a series into chunks, each with the share of the series that comes before it."""
    for first in range(0, total, size):
        yield first / total, Chunk(skill, first, min(size, total - first))


def _searches(bots: Iterable[str]) -> bool:
    return any(POLICIES[bot].iterations for bot in bots)


def carry_out(plan: StudyPlan, threads: int, watch: Callable[[int, int], None]) -> StudyOutcome:
    """Play the games of a plan and return what was counted.

    ``watch`` is called with the number of games done and the total. Ctrl-C ends the study early,
    with the chunks that are complete. Raises :class:`KeyboardInterrupt` if there are none yet, and
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    checks.instance(plan, StudyPlan, "plan")
    checks.whole(threads, "threads", 1, MAX_THREADS)
    if not callable(watch):
        raise checks.wrong("watch", watch, "a function of the games done and the total", InputError)
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
    return StudyOutcome(plan, main, skill, work.done < all_of_it, played, perf_counter() - start)
