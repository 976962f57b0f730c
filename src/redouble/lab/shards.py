"""Experiments in shards: numbered games of a series, cut into ranges that are played anywhere.

An :class:`Experiment` says how its games are cut, and plays a range. An :class:`Executor` decides
where: :class:`Threads` on this machine, or :class:`~redouble.lab.cluster.Cluster` on many. What the
games of a shard are depends only on its series and its numbers. So the results are the same
wherever, in whatever order and however often shards are played.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from redouble.bots.inputs import MAX_THREADS
from redouble.kernel import checks
from redouble.kernel.cores import cores
from redouble.kernel.errors import InputError, RedoubleError

__all__ = ["Executor", "Experiment", "Ran", "Shard", "Stopped", "Threads", "carry_out"]

TICK = 0.1
"""Seconds between progress reports."""
GRACE = 5.0
"""Seconds that interrupted work waits for the shards in progress."""


@dataclass(frozen=True)
class Shard:
    """A range of the games, or other numbered units, of a series.

    Raises :class:`~redouble.kernel.errors.InputError` if a number is out of range.
    """

    series: str
    first: int
    count: int

    def __post_init__(self) -> None:
        checks.text(self.series, "series")
        checks.whole(self.first, "first", 0)
        checks.whole(self.count, "count", 1)


def cut(series: str, total: int, size: int) -> Iterator[Shard]:
    """Return the shards of a series of ``total`` games, each with at most ``size`` of them."""
    for first in range(0, total, size):
        yield Shard(series, first, min(size, total - first))


class Stopped(Exception):
    """A shard was given up because the work has been stopped. It has no result."""


Result = TypeVar("Result")
Take = Callable[[Shard, Result], None]
"""A function that gets the result of each shard."""
Made = TypeVar("Made", covariant=True)


@runtime_checkable
class Experiment(Protocol[Made]):
    """Work that can be cut into shards. It can be pickled, and so can its results."""

    def shards(self) -> Iterable[Shard]:
        """Return all shards, in the order in which they are wanted."""

    def warm(self) -> None:
        """Compile or load what the players call, before several of them would do it at once."""

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], Made]:
        """Return a player for one thread; it may raise :class:`Stopped` once ``stopped()``."""


@runtime_checkable
class Executor(Protocol):
    """Where shards are played."""

    def prepare(self, job: Experiment[Any]) -> None:
        """Compile or load what the players call, as far as that can be done beforehand."""

    def run(self, job: Experiment[Result], take: Take[Result], stop: threading.Event) -> None:
        """Play shards until none are left or ``stop`` is set; raise what a player raises.

        ``take`` gets each result, from one thread at a time.
        """


class Threads:
    """Plays shards in threads of this process; compiled code lets them run at the same time.

    Raises :class:`~redouble.kernel.errors.InputError` if ``number`` is out of range.
    """

    def __init__(self, number: int | None = None) -> None:
        if number is not None:
            checks.whole(number, "threads", 1, MAX_THREADS)
        self.number = number or cores()

    def prepare(self, job: Experiment[Any]) -> None:
        """Compile or load the code once, before the threads would wait for each other."""
        check_job(job).warm()

    def run(self, job: Experiment[Result], take: Take[Result], stop: threading.Event) -> None:
        """Play the shards of a job."""
        shards = iter(check_job(job).shards())
        check_callable(take, "take", "a function of a shard and its result")
        checks.instance(stop, threading.Event, "stop")
        handing, taking = threading.Lock(), threading.Lock()
        failures: list[BaseException] = []

        def work() -> None:
            try:
                play = job.player(stop.is_set)
                while True:
                    with handing:
                        shard = None if stop.is_set() else next(shards, None)
                    if shard is None:
                        return
                    result = play(shard)
                    with taking:
                        take(shard, result)
            except Stopped:
                pass
            except BaseException as error:  # raised again by the thread that waits
                failures.append(error)
                stop.set()

        workers = [threading.Thread(target=work, daemon=True) for _ in range(self.number)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if failures:
            raise failures[0]


def check_job(job: Experiment[Result]) -> Experiment[Result]:
    """Return the job; raise :class:`~redouble.kernel.errors.InputError` if it is none."""
    if isinstance(job, type) or not isinstance(job, Experiment):
        raise checks.wrong("job", job, "an object with shards(), warm() and player()", InputError)
    return job


def check_callable(
    function: object, name: str, right: str, error: type[RedoubleError] = InputError
) -> None:
    """Raise the error for what cannot be called."""
    if not callable(function):
        raise checks.wrong(name, function, right, error)


class Ran(NamedTuple):
    """How work went."""

    complete: bool
    """Whether it ended by itself."""
    seconds: float
    """How long it took, without what :meth:`Executor.prepare` did."""


def carry_out(
    job: Experiment[Result],
    executor: Executor | None,
    take: Take[Result],
    watch: Callable[[bool], None],
    enough: Callable[[], bool] = lambda: False,
) -> Ran:
    """Play the shards of a job and give each result to ``take``.

    Without an ``executor`` all cores of this machine are used.
    ``take`` is called by one thread at a time, never by the calling one, and after it ``enough``:
    if that is true, the work is complete, and the shards in progress are given up. The calling
    thread calls ``watch`` again and again, with whether the work is being stopped. Ctrl-C stops the
    work: shards in progress get ``GRACE`` seconds to end. A second Ctrl-C is raised.
    """
    check_job(job)
    executor = Threads() if executor is None else executor
    if isinstance(executor, type) or not isinstance(executor, Executor):
        raise checks.wrong("executor", executor, "an executor, such as Threads(2)", InputError)
    check_callable(take, "take", "a function of a shard and its result")
    check_callable(watch, "watch", "a function of whether the work is being stopped")
    check_callable(enough, "enough", "a function that tells whether the work is complete")
    stop, finished, full = threading.Event(), threading.Event(), threading.Event()
    taking, closed = threading.Lock(), False
    failure: list[BaseException] = []

    def until_closed(shard: Shard, result: Result) -> None:
        with taking:
            if not (closed or full.is_set()):
                take(shard, result)
                if enough():
                    full.set()
                    stop.set()

    def run() -> None:
        try:
            executor.run(job, until_closed, stop)
        except BaseException as error:  # raised again below
            failure.append(error)
        finished.set()

    executor.prepare(job)
    begun = perf_counter()
    # Daemons, so that Ctrl-C does not wait longer than GRACE for the games in progress.
    threading.Thread(target=run, daemon=True).start()
    complete = True
    try:
        while not (finished.wait(TICK) or full.is_set()):
            watch(False)
        watch(False)
        # What follows needs the cores, and an interpreter that exits under compiled code may hang.
        finished.wait(GRACE)
    except KeyboardInterrupt:
        complete = full.is_set()
        stop.set()
        watch(True)
        finished.wait(GRACE)
    with taking:
        closed = True  # what arrives from now on is too late
    if failure and not full.is_set():
        raise failure[0]
    return Ran(complete, perf_counter() - begun)


class InOrder(Generic[Result]):
    """Puts the results of each series into the order of its shards, however they arrive."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        """The games of each series before the first one that is missing."""
        self._waiting: dict[tuple[str, int], tuple[int, Result]] = {}

    def take(self, shard: Shard, part: Result) -> list[Result]:
        """Return the results that follow those returned before, up to the next missing one."""
        self._waiting[shard.series, shard.first] = shard.count, part
        ready = []
        while (key := (shard.series, self.done[shard.series])) in self._waiting:
            count, result = self._waiting.pop(key)
            self.done[shard.series] += count
            ready.append(result)
        return ready


def add_up(
    job: Experiment[Result],
    executor: Executor | None,
    add: Callable[[Result, Result], Result],
    watch: Callable[[int], None],
) -> tuple[dict[str, Result], Ran]:
    """Play the shards of a job and add up the results of each series in order.

    So sums of floating-point numbers are the same each time. After Ctrl-C a series has the sum of
    its first shards, or none. ``watch`` is called again and again with the number of games done.
    """
    check_callable(watch, "watch", "a function of the number of games played so far")
    order: InOrder[Result] = InOrder()
    sums: dict[str, Result] = {}
    done = 0

    def take(shard: Shard, part: Result) -> None:
        nonlocal done
        for each in order.take(shard, part):
            known = shard.series in sums
            sums[shard.series] = add(sums[shard.series], each) if known else each
        done += shard.count

    ran = carry_out(job, executor, take, lambda stopping: watch(done))
    return sums, ran
