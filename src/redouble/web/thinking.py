"""Hints by a search, off the event loop, and the code that searches need.

Code that is not compiled yet is compiled by a process of its own: the compiler keeps other threads
of this one from running.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from redouble.analysis.hint import ITERATIONS, Advice, advise, guess
from redouble.analysis.prepare import prepare
from redouble.contract.game import Game
from redouble.match.match import Observation

PATIENCE = 1.0
"""Seconds that whoever asks for a hint waits for code; then they get a guess."""
EFFORT = ITERATIONS
"""Iterations of the search for a hint."""
AGAIN = 2
"""Seconds after which whoever got a guess looks for something better."""
AT_ONCE = 2
"""Hints that are thought about at the same time; others wait."""
_log = logging.getLogger(__name__)

prepared: set[str] = set()
"""The games whose search this process has at hand."""


@dataclass(frozen=True)
class Hint:
    """An advice, and the position that it is for."""

    advice: Advice
    at: int
    """The ply of the table's last move."""
    coming: bool = False
    """Whether a better one is being made ready."""

    @property
    def again(self) -> int | None:
        """Seconds after which it makes sense to ask again; None: this is the best there is."""
        return AGAIN if self.coming else None


class Thinking:
    """What of a site thinks about games."""

    def __init__(self) -> None:
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._room = asyncio.Semaphore(AT_ONCE)

    async def hint(self, observation: Observation, names: Sequence[str], at: int) -> Hint:
        """The best move by a search; a guess while the code for it is not there."""
        if len(observation.legal) == 1:
            return Hint(advise(observation, names), at)  # that takes no search
        try:
            await asyncio.wait_for(self.get_ready(observation.game), PATIENCE)
        except TimeoutError:
            return Hint(guess(observation), at, coming=True)
        except Exception as error:  # a game that does not compile can still be played
            _log.error("no search for %s: %s", observation.game.name, error)
            return Hint(guess(observation), at)
        async with self._room:
            return Hint(await asyncio.to_thread(advise, observation, names, EFFORT), at)

    async def get_ready(self, game: Game) -> None:
        """Wait until the search for a game is at hand. It goes on when nobody waits."""
        if game.name in prepared:
            return
        if game.name not in self._loading:
            self._loading[game.name] = asyncio.create_task(self._load(game))
        await asyncio.shield(self._loading[game.name])

    async def close(self) -> None:
        """End what was begun."""
        for task in list(self._loading.values()):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _load(self, game: Game) -> None:
        try:
            await _compile_aside(game)
            await asyncio.to_thread(prepare, game)
            prepared.add(game.name)
        finally:
            del self._loading[game.name]


async def _compile_aside(game: Game) -> None:
    """Let another process compile the search for a game; it lies on the disk then."""
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "redouble", "prepare", game.name),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError as error:
        _log.warning("no process to compile the search for %s: %s", game.name, error)
        return
    try:
        if await process.wait():
            _log.warning("the search for %s could not be compiled aside", game.name)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
