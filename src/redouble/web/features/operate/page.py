"""How the server is, for machines that watch over it."""

import asyncio
import time

import sqlalchemy as sa
from fastapi.responses import PlainTextResponse

from redouble.web.errors import WebError
from redouble.web.site import Written
from redouble.web.store import notices
from redouble.web.store.clock import state_at
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/health", include_in_schema=False)

WAIT_SECONDS = 2.0
"""What the database may take to answer."""
PROVED_SECONDS = 3.0
"""How long a write proves that the database can be written; between, it only has to answer."""


@router.get("/live", Cost.FILE)
async def live() -> PlainTextResponse:
    """Say that the process answers; if it doesn't, start it again."""
    return PlainTextResponse("alive\n")


@router.get("/ready", Cost.FILE)
async def ready(site: SiteOf) -> PlainTextResponse:
    """Say whether to send visitors here: 503 while the server stops, or if it can't write.

    On an almost full disk games go on, so visitors are welcome. So they are while old data stay
    because the clock was set, which is said here, too.
    """
    if problem := await _problem(site):
        return PlainTextResponse(f"{problem}\n", 503)
    state = await site.store.run(state_at, site.now())
    return PlainTextResponse(f"ready\n{state.words}\n" if state.words else "ready\n")


async def _problem(site: SiteOf) -> str:
    if site.tables.closing.is_set():
        return "the server is stopping"
    now = time.monotonic()
    proved = now - site.written.at < PROVED_SECONDS
    if proved and site.written.problem:
        return site.written.problem
    problem = ""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            if proved:
                await site.store.run(lambda c: c.execute(sa.select(1)) and None)
            else:
                await site.store.run(notices.prove, site.store.id)
    except TimeoutError:
        problem = "the database doesn't answer"
    except WebError as error:
        problem = str(error)
    if not proved:
        site.written = Written(now, problem)
    return problem
