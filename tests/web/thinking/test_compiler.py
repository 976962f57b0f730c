"""The compiler of a server: what it compiles first, what it remembers, and how it ends."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from redouble.analysis.prepare import Purpose, purposes
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.settings import Settings
from redouble.web.server import serve
from redouble.web.thinking import compiler
from redouble.web.thinking.compiler import Compiler, Work, Worker
from tests.web.helpers.house import in_house, until

ONE, TWO, *_ = GAMES.values()
ALL = [Work(game, purpose) for game in GAMES.values() for purpose in purposes(game)]


class Log:
    """The requests made to stand-ins for the worker and the loader."""

    def __init__(self) -> None:
        self.compiled: list[Work] = []
        self.loaded: list[Work] = []
        self.stopped = 0
        self.problem: Exception | None = None
        self.release = asyncio.Event()
        """Set when the worker may finish its current work."""


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    log = Log()

    async def compile_one(worker: Worker, work: Work) -> None:
        log.compiled.append(work)
        await log.release.wait()

    async def stop(worker: Worker) -> None:
        log.stopped += 1

    def load(game: Game, purpose: Purpose) -> None:
        if log.problem is not None:
            raise log.problem
        log.loaded.append(Work(game, purpose))

    monkeypatch.setattr(Worker, "compile", compile_one)
    monkeypatch.setattr(Worker, "stop", stop)
    monkeypatch.setattr(compiler, "prepare", load)
    return log


async def settled() -> None:
    """Let all pending tasks run."""
    for _ in range(20):
        await asyncio.sleep(0.005)


@in_house
async def test_code_is_compiled_and_loaded_once_for_all_waiters(log: Log) -> None:
    mine = Compiler()
    waiting = [asyncio.create_task(mine.load(ONE)) for _ in range(3)]
    await settled()
    assert not mine.is_ready(ONE)
    log.release.set()
    await asyncio.gather(*waiting)
    await mine.load(ONE)
    assert mine.is_ready(ONE)
    assert log.compiled == log.loaded == [Work(ONE, Purpose.SEARCH)]
    await mine.close()


@in_house
async def test_awaited_code_is_compiled_first(log: Log) -> None:
    wanted = ALL[-1]
    mine = Compiler()
    mine.compile_all()
    await settled()
    assert log.compiled == ALL[:1]
    waiting = asyncio.create_task(mine.load(*wanted))
    await settled()
    log.release.set()
    await waiting
    await until(lambda: log.stopped == 1)
    assert log.compiled == [ALL[0], wanted, *ALL[1:-1]]
    assert log.loaded == [wanted]
    assert log.stopped == 1
    await mine.close()


@in_house
async def test_asking_whether_code_is_ready_starts_loading_it(log: Log) -> None:
    log.release.set()
    mine = Compiler()
    assert not mine.is_ready(ONE)
    await until(lambda: mine.is_ready(ONE))
    assert not mine.is_ready(TWO)
    await mine.close()


@in_house
async def test_failed_compilation_is_retried(log: Log) -> None:
    log.release.set()
    log.problem = OSError("no room")
    mine = Compiler()
    with pytest.raises(OSError, match="no room"):
        await mine.load(ONE)
    assert not mine.is_ready(ONE)
    with pytest.raises(OSError, match="no room"):
        await until(lambda: mine.is_ready(ONE))
    log.problem = None
    await mine.load(ONE)
    assert mine.is_ready(ONE)
    await mine.close()


@in_house
async def test_without_a_worker_code_is_compiled_on_loading(
    log: Log, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(worker: Worker, work: Work) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(Worker, "compile", fail)
    mine = Compiler()
    await mine.load(ONE)
    assert log.loaded == [Work(ONE, Purpose.SEARCH)]
    await mine.close()
    assert "no more processes" in caplog.text


@in_house
async def test_closing_stops_the_worker_and_all_waiters(log: Log) -> None:
    mine = Compiler()
    mine.compile_all(delay=3600)
    waiting = asyncio.create_task(mine.load(ONE))
    await settled()
    await mine.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert log.stopped == 1
    assert log.loaded == []


# Real processes.


DEAF = "import time\nwhile True: time.sleep(1)"


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are processes here, unlike in the other tests of the pages."""
    monkeypatch.undo()


@pytest.mark.usefixtures("real")
@in_house
async def test_a_dead_worker_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker()
    monkeypatch.setattr(compiler, "WORKER", (sys.executable, "-c", "pass"))
    with pytest.raises((RuntimeError, OSError)):
        await worker.compile(Work(ONE, Purpose.SEARCH))
    answering = "import sys\nfor _ in sys.stdin: print('ready', flush=True)"
    monkeypatch.setattr(compiler, "WORKER", (sys.executable, "-c", answering))
    await worker.compile(Work(ONE, Purpose.SEARCH))
    await worker.compile(Work(TWO, Purpose.SEARCH))
    refusing = "import sys\nfor _ in sys.stdin: print('KeyError: x', flush=True)"
    await worker.stop()
    monkeypatch.setattr(compiler, "WORKER", (sys.executable, "-c", refusing))
    with pytest.raises(RuntimeError, match="KeyError: x"):
        await worker.compile(Work(ONE, Purpose.SEARCH))
    await worker.stop()


@pytest.mark.usefixtures("real")
@in_house
async def test_an_unresponsive_worker_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "WORKER", (sys.executable, "-c", DEAF))
    monkeypatch.setattr(compiler, "STOP_SECONDS", 0.1)
    worker = Worker()
    compiling = asyncio.create_task(worker.compile(Work(ONE, Purpose.SEARCH)))
    await until(lambda: worker._process is not None)
    process = worker._process
    assert process is not None
    compiling.cancel()
    await worker.stop()
    assert process.returncode == -signal.SIGKILL


def test_without_prepare_nothing_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float | None] = []
    monkeypatch.setattr(
        serve, "create_app", lambda folder, site, compile_after: asked.append(compile_after)
    )
    monkeypatch.setattr(serve, "_run", lambda *arguments: None)
    for prepared in (False, True):
        serve.serve(Settings(port=0, data=tmp_path / f"{prepared}", prepare=prepared))
    assert asked == [None, serve.COMPILE_AFTER]
