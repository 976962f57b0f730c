"""Compiles the code that games need in the background and knows what is ready.

All compiling of a server goes through its :class:`Compiler`. A worker process does it, since the
compiler would keep the server's other threads from running; the server then loads the result from
disk, which takes a moment.
"""

import asyncio
import contextlib
import logging
import sys
from typing import NamedTuple

from redouble.analysis.prepare import READY, Purpose, prepare, purposes
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.cores import IN_BROWSER

WORKER = (sys.executable, "-m", "redouble.analysis.prepare")
STOP_SECONDS = 2.0
"""How long a worker may take to end before it is killed."""
_log = logging.getLogger(__name__)


class Work(NamedTuple):
    """What can be asked of a compiler: one game's code for one purpose."""

    game: Game
    purpose: Purpose


class Compiler:
    """The compiler of a server. Its methods belong to the server's event loop."""

    def __init__(self) -> None:
        self._waiting: list[Work] = []
        self._compiled: dict[Work, asyncio.Future[None]] = {}
        """What is on disk, or on its way there."""
        self._loaded: dict[Work, asyncio.Task[None]] = {}
        """The code that this process has loaded or is loading."""
        self._working: asyncio.Task[None] | None = None
        self._later: asyncio.Task[None] | None = None

    def compile_all(self, delay: float = 0.0) -> None:
        """Compile the code of every game, after a delay in seconds, without loading it.

        Anything a person is waiting for goes first.
        """

        async def compile_later() -> None:
            await asyncio.sleep(delay)
            for game in GAMES.values():
                for purpose in purposes(game):
                    self._compile(Work(game, purpose))

        self._later = asyncio.create_task(compile_later())

    async def load(self, game: Game, purpose: Purpose = Purpose.SEARCH) -> None:
        """Wait until the code is ready to be called in this process.

        It goes on when the caller stops waiting. Raises what kept the code from being compiled;
        the next call tries again.
        """
        work = Work(game, purpose)
        task = self._load(work)
        try:
            await asyncio.shield(task)
        finally:
            self._forget_failure(work, task)

    def begin(self, game: Game, purpose: Purpose = Purpose.SEARCH) -> None:
        """Begin to compile and load the code, unless that has begun.

        Tells nobody if it fails; whoever then calls :meth:`load` tries again.
        """
        work = Work(game, purpose)
        if work not in self._loaded:
            self._load(work).add_done_callback(lambda task: self._forget_failure(work, task))

    def is_ready(self, game: Game, purpose: Purpose = Purpose.SEARCH) -> bool:
        """Return whether the code can be called now, and begin to load it if not.

        Raises what kept it from being compiled, once; the next call tries again.
        """
        work = Work(game, purpose)
        task = self._load(work)
        if not task.done():
            return False
        self._forget_failure(work, task)
        task.result()
        return True

    async def close(self) -> None:
        """Stop the worker and everything that waits for it."""
        self._waiting.clear()
        tasks = [self._later, self._working, *self._loaded.values()]
        running = [task for task in tasks if task is not None and not task.done()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _load(self, work: Work) -> asyncio.Task[None]:
        async def compile_and_load() -> None:
            await asyncio.shield(self._compile(work, urgent=True))
            await asyncio.to_thread(prepare, *work)

        if work not in self._loaded:
            self._loaded[work] = asyncio.create_task(compile_and_load())
        return self._loaded[work]

    def _forget_failure(self, work: Work, task: asyncio.Task[None]) -> None:
        failed = task.done() and (task.cancelled() or task.exception() is not None)
        if failed and self._loaded.get(work) is task:
            del self._loaded[work]

    def _compile(self, work: Work, urgent: bool = False) -> asyncio.Future[None]:
        """Let the worker compile this; ``urgent`` work goes first."""
        if work not in self._compiled:
            self._compiled[work] = asyncio.get_running_loop().create_future()
            self._waiting.append(work)
        if urgent and work in self._waiting:
            self._waiting.remove(work)
            self._waiting.insert(0, work)
        if self._waiting and (self._working is None or self._working.done()):
            self._working = asyncio.create_task(self._compile_waiting())
        return self._compiled[work]

    async def _compile_waiting(self) -> None:
        async with contextlib.AsyncExitStack() as stack:
            worker = Worker()
            stack.push_async_callback(worker.stop)
            while self._waiting:
                work = self._waiting.pop(0)
                done = self._compiled[work]
                try:
                    await worker.compile(work)
                except (OSError, RuntimeError) as error:
                    _log.warning(
                        "%s: %s is not compiled yet: %s", work.game.title, work.purpose, error
                    )
                    del self._compiled[work]  # loading it compiles it in this process
                if not done.done():
                    done.set_result(None)


class NoCompiler(Compiler):
    """The compiler of a browser's tab, where everything was compiled with the edition."""

    def _compile(self, work: Work, urgent: bool = False) -> asyncio.Future[None]:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done


class Worker:
    """A process that compiles one piece of work after the other, started with the first."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def compile(self, work: Work) -> None:
        """Compile. Raises :class:`OSError` without a process, :class:`RuntimeError` on failure."""
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *WORKER,
                stdin=asyncio.subprocess.PIPE,  # the worker ends when this pipe closes
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in the terminal is for the server
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        answer = ""
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(f"{work.game.name} {work.purpose}\n".encode())
            await self._process.stdin.drain()
            answer = (await self._process.stdout.readline()).decode().strip()
        if not answer:
            await self.stop()
            raise RuntimeError("the worker ended before it was done")
        if answer != READY:
            raise RuntimeError(answer)

    async def stop(self) -> None:
        """End the process at once, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()


def compiler_here() -> Compiler:
    """Return the compiler that works here."""
    return NoCompiler() if IN_BROWSER else Compiler()
