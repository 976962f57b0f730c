"""Runs hint searches off the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from redouble.analysis.hint import ITERATIONS, Advice, advise, guess
from redouble.match.match import Observation
from redouble.web.compiler import Compiler
from redouble.web.pools import Pool

PATIENCE = 1.0
"""Seconds to wait for compiled code before a guess is given instead."""
EFFORT = ITERATIONS
"""Iterations of the search for a hint."""
RETRY_SECONDS = 2
"""Seconds after which a page that got a guess asks for a better hint."""
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


class Hints:
    """The hint searches of a site."""

    def __init__(self, compiler: Compiler, searches: Pool) -> None:
        self._compiler = compiler
        self._searches = searches

    async def hint(self, observation: Observation, names: Sequence[str], at: int) -> TableHint:
        """Return the best move that a search finds; a guess until its code is compiled."""
        if len(observation.legal) == 1:
            return TableHint(advise(observation, names), at)  # needs no search
        try:
            await asyncio.wait_for(self._compiler.load(observation.game), PATIENCE)
        except TimeoutError:
            return TableHint(guess(observation), at, coming=True)
        except Exception as error:  # a game whose search does not compile can still be played
            _log.error("no search for %s: %s", observation.game.name, error)
            return TableHint(guess(observation), at)
        return TableHint(await self._searches.run(advise, observation, names, EFFORT), at)
