"""Runs hint searches off the event loop."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from redouble.analysis.hint import ITERATIONS, Advice, advise, guess
from redouble.match.match import Observation
from redouble.web.thinking.compiler import Compiler
from redouble.web.thinking.pools import Pool

PATIENCE = 0.25
"""Seconds to wait for a search and its code before a guess is given instead."""
EFFORT = ITERATIONS
"""Iterations of the search for a hint."""
RETRY_SECONDS = 2
"""Seconds after which a page that got a guess asks for a better hint."""
MAX_KEPT = 64
"""Searches that may be kept for pages that ask again."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TableHint:
    """Advice for one position of a table."""

    advice: Advice
    at: int
    """The ply of the table's last move."""
    coming: bool = False
    """Whether better advice is on its way."""

    @property
    def again(self) -> int | None:
        """Seconds after which to ask again; None when this advice is final."""
        return RETRY_SECONDS if self.coming else None


@dataclass(frozen=True, eq=False)
class _Running:
    """A search that a page waits for, or will ask for again."""

    observation: Observation
    names: tuple[str, ...]
    task: asyncio.Task[Advice | None]


class Hints:
    """The hint searches of a site."""

    def __init__(self, compiler: Compiler, searches: Pool) -> None:
        self._compiler = compiler
        self._searches = searches
        self._running: list[_Running] = []

    async def hint(self, observation: Observation, names: Sequence[str], at: int) -> TableHint:
        """Return the best move that a search finds; a guess if that takes longer than PATIENCE.

        The search goes on, and answers the next call for the same position.
        """
        if len(observation.legal) == 1:
            return TableHint(advise(observation, names), at)  # needs no search
        running = self._begun(observation, tuple(names))
        await asyncio.wait({running.task}, timeout=PATIENCE)
        if not running.task.done():
            return TableHint(guess(observation), at, coming=True)
        if running in self._running:
            self._running.remove(running)
        advice = running.task.result()
        return TableHint(guess(observation) if advice is None else advice, at)

    def _begun(self, observation: Observation, names: tuple[str, ...]) -> _Running:
        for one in self._running:
            if one.names == names and one.observation == observation:
                return one
        task = asyncio.create_task(self._advice(observation, names))
        # An error is told to those who ask again, and to nobody else.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        found = _Running(observation, names, task)
        self._running = [*self._running[1 - MAX_KEPT :], found]
        return found

    async def _advice(self, observation: Observation, names: Sequence[str]) -> Advice | None:
        try:
            await self._compiler.load(observation.game)
        except Exception as error:  # a game whose search does not compile can still be played
            _log.error("no search for %s: %s", observation.game.name, error)
            return None
        return await self._searches.run(advise, observation, names, EFFORT)
