"""What programs do at a table: an operation for each act that pages post, too."""

import inspect
from typing import Annotated, Any

from fastapi import Path

from redouble.kernel.state import SPECTATOR
from redouble.web.api import shapes
from redouble.web.api.asking import AtTable, Known, Seat, state
from redouble.web.api.docs import about
from redouble.web.api.shapes import TableState
from redouble.web.api.state import state_of
from redouble.web.errors import Stale
from redouble.web.site import At
from redouble.web.table.acts import ACTS, Act
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)


def act(summary: str, answer: str = "The changed table.") -> dict[str, Any]:
    """Return what all operations that change a table have in common in the OpenAPI."""
    return about(summary, answer, "play", 400, 401, 403, 404, 409, 413, 422, 503)


@router.post("/join/{invite}", Cost.PAGE, **act("Join a table"))
async def join(
    invite: Annotated[str, Path(max_length=64, description="The table's invitation.")],
    site: SiteOf,
    person: Known,
    given: shapes.Joining | None = None,
) -> TableState:
    """Take an open seat. If you already have a seat, nothing changes."""
    live = await site.tables.invited(invite)
    given = given or shapes.Joining()
    await site.sit(live, person, given.name, given.seat, given.share, given.promise, given.zone)
    return await state(site, live, person)


def _operate(kind: type[Act]) -> None:
    """Add the operation of a request, whose body is its arguments if it has any."""
    needed = [field.is_required() for field in kind.posted().values()]

    async def bare(at: AtTable) -> TableState:
        return await _done(at, kind())

    async def with_body(at: AtTable, given: Any) -> TableState:
        return await _done(at, given)

    async def perhaps_with_body(at: AtTable, given: Any = None) -> TableState:
        return await _done(at, given or kind())

    with_body.__annotations__["given"] = kind
    perhaps_with_body.__annotations__["given"] = kind | None
    declare = router.post(
        f"/tables/{{table}}/{kind.name}",
        Cost.PAGE,
        name=kind.operation or kind.name,
        description=inspect.cleandoc(kind.about) or None,
        **act(kind.summary),
    )
    declare(with_body if any(needed) else perhaps_with_body if needed else bare)


async def _done(at: At, given: Act) -> TableState:
    await at.do(given)
    return await state(at.site, at.live, at.person, given.viewer)


for request in ACTS.values():
    if request.summary:
        _operate(request)


@router.post("/tables/{table}/hint", Cost.SEARCH, **act("Get a hint", answer="The hint."))
async def hint(at: AtTable, seat: Seat = None) -> shapes.Hint:
    """The best move that a search finds with the knowledge of your seat, and the reason."""
    async with at.live.lock:
        now = state_of(at.live, at.person, seat)
    hint = await at.site.hint(at.live, SPECTATOR if now.seat is None else now.seat)
    if hint is None or not now.my_turn:
        raise Stale("it isn't your turn: wait for it")
    return shapes.Hint.model_validate(hint)


@router.post(
    "/tables/{table}/rematch", Cost.TABLE, **act("Start a rematch", answer="The new table.")
)
async def rematch(at: AtTable, given: shapes.Rematching | None = None) -> TableState:
    """A new table with the same options and pace, and your seat there. All players get the same
    one, and it is dealt when all have asked. Each can give a share.
    """
    share = (given or shapes.Rematching()).share
    return await state(at.site, await at.site.tables.rematch(at.live, at.person, share), at.person)
