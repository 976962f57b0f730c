"""People, games, tables to read and follow, and records."""

import contextlib
from collections.abc import AsyncIterator

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from redouble.bots import BOTS
from redouble.contract.registry import GAMES
from redouble.web.api import shapes
from redouble.web.api.asking import Asker, Known, Seat, Token, state
from redouble.web.api.docs import about, problems
from redouble.web.api.shapes import TableState
from redouble.web.api.state import seat_of
from redouble.web.errors import NotYours, WebError
from redouble.web.live import lists
from redouble.web.live.live import Live
from redouble.web.live.plan import SeatPlan, TablePlan
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.table import PACES
from redouble.web.table.clocks import CONTROLS, UNTIMED, control_of
from redouble.web.visitor import SiteOf, arrived, client_of, device_of
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)

HEARTBEAT = '{"heartbeat":true}\n'
NDJSON = "application/x-ndjson"
LINES = {"type": "string", "description": "Lines of JSON, each a `TableState` or a heartbeat."}


@router.post(
    "/guests",
    Cost.PAGE,
    status_code=201,
    **about("Create a guest", "You and your token.", "people", 400, 403, 413, 422, 503),
)
async def new_guest(
    request: Request, site: SiteOf, given: shapes.NewGuest | None = None
) -> shapes.GuestToken:
    """Create a guest. The name is optional."""
    person = site.people.newcomer(given.name if given else "", device_of(request))
    try:
        taken = site.take_guest(client_of(request), request.scope["route"].path)
    except WebError:
        site.people.dismiss(person)
        raise
    try:
        await site.people.keep(person)
    except BaseException:
        site.rates.give_back(taken)
        raise
    arrived(request, person)
    return shapes.GuestToken(name=person.name, token=site.people.token(person))


@router.get("/me", Cost.PAGE, **about("Read who you are", "You.", "people", 401, 503))
async def me(person: Known) -> shapes.Guest:
    return shapes.Guest(name=person.name)


@router.get("/games", Cost.PAGE, **about("List the games and bots", "The games and bots.", "games"))
async def list_games(site: SiteOf) -> shapes.Catalogue:
    """All games with their seats and options, the bots of this server, and their paces."""
    return shapes.Catalogue(
        games=[shapes.GameInfo.of(game) for game in GAMES.values()],
        bots=list(BOTS),
        paces=PACES,
        clocks={name: control.words for name, control in CONTROLS.items()},
    )


@router.get(
    "/tables",
    Cost.PAGE,
    **about("List tables to watch", "The tables, last changed first.", "tables", 503),
)
async def list_tables(site: SiteOf) -> shapes.TableList:
    """Public tables that changed within the last hour. Tables that wait for players are listed only
    while one of them is there.
    """
    rows = await site.tables.public_tables()
    return shapes.TableList(tables=[shapes.TableRow.model_validate(row) for row in rows])


@router.post(
    "/offers",
    Cost.PAGE,
    status_code=201,
    **about("Get an offer for a fair deal", "The offer.", "tables", 401, 403, 503),
)
async def new_offer(site: SiteOf, person: Known) -> shapes.OfferState:
    """The server binds itself to its secret for a table before you give your share of the deal. An
    offer is good for one table.
    """
    return shapes.OfferState.model_validate(site.tables.secrets.offer())


@router.post(
    "/tables",
    Cost.TABLE,
    status_code=201,
    **about("Create a table", "The table.", "tables", 400, 401, 403, 404, 413, 422, 429, 503),
)
async def new_table(site: SiteOf, person: Known, given: shapes.NewTable) -> TableState:
    """The game begins when all seats for friends are taken. You don't have to play yourself."""
    if given.share and not given.offer:
        raise WebError("a share answers an offer: get one from POST /api/offers first")
    plan = TablePlan(
        game=GAMES[given.game],
        seats=[SeatPlan(seat.kind, seat.name, seat.level) for seat in given.seats],
        options=given.options,
        public=given.public,
        seed=given.seed,
        pace=given.pace,
        offer=given.offer,
        share=given.share,
        promise=given.promise,
        control=UNTIMED if given.clock is None else control_of(**given.clock.model_dump()),
        zone=given.zone,
        rated=given.rated,
    )
    live = await site.create(person, plan)
    return await state(site, live, person)


@router.get(
    "/tables/{table}",
    Cost.PAGE,
    **about("Read a table", "The table.", "tables", 401, 403, 404, 422, 503, anyone=True),
)
async def table_state(table: Token, site: SiteOf, person: Asker, seat: Seat = None) -> TableState:
    """The table as your seat sees it, or as spectators do if you don't play there."""
    live = await site.table(table, person)
    live.mark_seen(person)
    return await state(site, live, person, seat)


@router.get(
    "/tables/{table}/stream",
    Cost.STREAM,
    summary="Follow a table",
    tags=["tables"],
    response_class=StreamingResponse,
    responses={
        200: {"description": "The lines.", "content": {NDJSON: {"schema": LINES}}},
        **problems(401, 403, 404, 422, 503),
    },
    openapi_extra={"security": [{}]},
)
async def stream(table: Token, site: SiteOf, person: Asker, seat: Seat = None) -> StreamingResponse:
    """Lines of JSON, each the table's state as from `GET /api/tables/{table}`: one at once and one
    after each change, or after the last of several quick ones. After a quiet second, and then
    every 15 seconds, comes the line `{"heartbeat":true}`. The stream ends after a line whose
    `status` is `over`, `abandoned` or `closed`.
    """
    live = await site.table(table, person)
    seat_of(live.table, person, seat)
    # Naming the encoding keeps proxies from compressing lines, which would delay them.
    headers = {"Content-Encoding": "identity", "X-Accel-Buffering": "no"}
    return StreamingResponse(lines(site, live, person, seat), media_type=NDJSON, headers=headers)


async def lines(
    site: Site, live: Live, person: Person | None, seat: int | None
) -> AsyncIterator[str]:
    """Yield the lines of a table's stream."""
    async with contextlib.aclosing(site.tables.changes(live, person)) as changes:
        async for changed in changes:
            if not changed:
                yield HEARTBEAT
                continue
            try:
                now = await state(site, live, person, seat)
            except NotYours:
                return  # the seat was given up
            yield f"{now.model_dump_json()}\n"
            if now.status in lists.ENDED:
                return


@router.get(
    "/tables/{table}/record",
    Cost.RENDERING,
    response_model=shapes.RecordState,
    **about(
        "Read the record of a table", "The record.", "records", 401, 403, 404, 422, 503, anyone=True
    ),
)
async def table_record(table: Token, site: SiteOf, person: Asker) -> Response:
    """The deal and all moves as one line of JSON, when the game is over; 403 before. A daily
    deal's record is 403 for anyone who hasn't finished the deal, until its results are final.
    """
    return line_of(str(await site.table_record(table, person)))


def line_of(line: str) -> Response:
    return Response(f"{line}\n", media_type="application/json")
