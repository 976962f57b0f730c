"""A table's page, its stream of changes, and the commands it posts."""

import ipaddress
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Form, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from pydantic import ValidationError
from starlette.datastructures import FormData

from redouble.contract.page.html import Html
from redouble.match.guide import guide_of
from redouble.web.drawing.addresses import static_version
from redouble.web.drawing.board import Viewpoint, board_of, since_own_move, viewpoint
from redouble.web.drawing.markup.board import draw, draw_board, draw_moments
from redouble.web.drawing.markup.log import draw_since
from redouble.web.errors import NotYours, NotYourSeat, Stale, WebError
from redouble.web.feature import TableCommand, TablePlace, TableVisit, features_of
from redouble.web.gate.compression import accepts_gzip, compress_page, compressed, plain
from redouble.web.live import lists
from redouble.web.live.live import Live
from redouble.web.people.people import Person
from redouble.web.people.repeats import new_mark
from redouble.web.site import At, Site, at_table
from redouble.web.table import Table
from redouble.web.table.acts import ACTS, Act
from redouble.web.table.acts.base import MAX_SEAT
from redouble.web.table.acts.checks import check_owner
from redouble.web.table.acts.deals import Revealing
from redouble.web.table.acts.play import NewMove
from redouble.web.table.talk import CHATS
from redouble.web.thinking.hints import TableHint
from redouble.web.visitor import CurrentUser, Fields, FormText, SiteOf, Visitor, marked, welcome
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

STILL = "event: still\ndata:\n\n"
"""A stream's sign of life, at its start and after silence: a page without one asks for boards."""

SHORT = {"text": "say", "reaction": "react"}
"""The acts of buttons that send nothing but a phrase or a reaction, by the field's name."""


async def _at_table(token: str, site: SiteOf, person: CurrentUser) -> At:
    return await at_table(site, token, person)


AtTable = Annotated[At, Depends(_at_table)]


@dataclass(frozen=True)
class Look:
    """A visitor who looks at a table, from the ``seat`` that they ask for.

    With ``guide`` they are offered the tutorial.
    """

    site: Site
    live: Live
    person: Person | None
    seat: int | None
    guide: int | None
    encoding: str | None
    """What the visitor's browser accepts."""
    outdated: bool = False
    """Whether their page has the scripts of before an update: it learns that from its board."""

    @property
    def point(self) -> Viewpoint:
        """The viewpoint on the table as it stands. Raises :class:`NotYourSeat`."""
        return viewpoint(self.live.table, self.person, self.seat, self.guide or 0)

    async def endings(self, point: Viewpoint) -> tuple[Html, ...]:
        """Return what features show in the panel at the end of the game; nothing before."""
        if not self.live.table.over:
            return ()
        visit = TableVisit(self.site, self.live, self.person, point)
        return await features_of(self.site).on_table(TablePlace.ENDING, visit)

    async def board(self, hint: TableHint | None = None) -> Response:
        """Return the board alone. Call it under the table's lock."""
        point = self.point
        endings = await self.endings(point)
        await self.site.tables.note_people(self.live)
        return self.compressed(HTMLResponse(draw_board(self.live, point, hint, endings)))

    def compressed(self, page: Response) -> Response:
        return compress_page(page, self.encoding, not self.live.table.waiting)


async def _look(
    token: str,
    site: SiteOf,
    person: Visitor,
    seat: Annotated[int | None, Query()] = None,
    guide: int | None = None,
    version: str = "",
    accept_encoding: Annotated[str | None, Header()] = None,
) -> Look:
    outdated = version not in ("", static_version())
    live = await site.table(token, person)
    return Look(site, live, person, seat, guide, accept_encoding, outdated)


Looking = Annotated[Look, Depends(_look)]


@router.get("/t/{token}", Cost.PAGE, Cost.SEARCH)
async def show_table(request: Request, look: Looking, hint: bool = False) -> Response:
    """Show a table. A person's first table of a game offers its tutorial."""
    site, live, person = look.site, look.live, look.person
    live.mark_seen(person)
    if look.guide is None:
        look = replace(look, guide=int(await _is_new(site, live.table, person)))
    advice = await site.hint(live, look.point.seat) if hint else None
    async with live.lock:
        point, table = look.point, live.table
        endings = await look.endings(point)
        await site.tables.note_people(live)
        happened = since_own_move(table, point)
        board = draw(board_of(live, point, advice, endings, since=happened))
    base, token = str(request.base_url).rstrip("/"), table.header.token
    seated = point.seat >= 0 or (person is not None and table.header.host == person.id)
    features, visit = features_of(site), TableVisit(site, live, person, point, new_mark())
    page = site.page(
        "table.html",
        table=table,
        point=point,
        board=board,
        steps=bool(guide_of(table.game).steps),
        signs=guide_of(table.game).signs,
        person=person,
        invite_url=f"{base}/join/{table.header.invite}" if seated else "",
        watch_url=f"{base}/t/{token}",
        local=is_local(request.url.hostname or ""),
        now=site.now(),
        hosting=person is not None and live.host() == person.id,
        chats=CHATS,
        turns=(await site.turns(person)).besides(token),
        watched=_watched(table, person),
        page_mark=visit.mark,
        pills=await features.on_table(TablePlace.PILL, visit),
        inviting=await features.on_table(TablePlace.WAITING, visit) if seated else (),
        menu=await features.on_table(TablePlace.MENU, visit),
    )
    return look.compressed(page)


@router.get("/t/{token}/stream", Cost.STREAM)
async def stream_table(
    look: Looking, seen: int = -1, last_event_id: Annotated[str | None, Header()] = None
) -> StreamingResponse:
    """Stream the board after every change as server-sent events, with the ply as their id.

    A client that reconnects sends the last id it received and gets only newer events.
    """
    _ = look.point  # refuses other people's seats
    known = last_event_id if last_event_id and len(last_event_id) < 12 else ""
    last = int(known) if known.isdecimal() else seen
    messages = _messages(look, -1 if look.outdated else last)
    headers = {"X-Accel-Buffering": "no", "Vary": "Accept-Encoding"}
    sent: AsyncIterator[str] | AsyncIterator[bytes] = plain(messages)
    if accepts_gzip(look.encoding):
        sent = compressed(messages, lambda: not look.live.table.waiting)
        headers["Content-Encoding"] = "gzip"
    return StreamingResponse(sent, media_type="text/event-stream", headers=headers)


async def _messages(look: Look, last: int) -> AsyncIterator[list[str]]:
    """Yield what is sent at once: the events of a change, its moments first, or a comment."""
    site, live = look.site, look.live
    version = live.version if last == live.table.ply else -1
    moves = live.table.match.ply
    if version == live.version:
        yield [STILL]
    async for changed in site.tables.changes(live, look.person):
        if not changed:
            yield [STILL]
            continue
        async with live.lock:
            await site.tables.note_people(live)
            if live.version == version:
                yield [named_event("news", "")]
                continue
            version = live.version
            try:
                point = look.point
            except NotYourSeat:  # it was given up or freed: the page is loaded anew, to watch
                yield [named_event("elsewhere", "")]
                return
            endings = await look.endings(point)
            html = draw_board(live, point, endings=endings)
            ply, before, moves = live.table.ply, moves, live.table.match.ply
            boards = draw_moments(live, point) if moves == before + 1 else []
        yield [*map(sse, boards), sse(html, ply)]


def named_event(name: str, html: str) -> str:
    """Return a server-sent event that isn't a board."""
    return f"event: {name}\n{sse(html)}"


def sse(html: str, ply: int | None = None) -> str:
    """Return one server-sent event; one with a ``ply`` is what a client has when it reconnects."""
    lines = "data: " + html.strip().replace("\n", "\ndata: ")
    return f"{lines}\n\n" if ply is None else f"id: {ply}\n{lines}\n\n"


@router.get("/t/{token}/board", Cost.PAGE)
async def board(look: Looking, seen: int = -1) -> Response:
    """Return the board, or nothing if the page has ``seen`` it: for pages without a stream."""
    live, person = look.live, look.person
    live.mark_seen(person)
    async with live.lock:
        _ = look.point  # refuses other people's seats
        known = live.table.ply == seen and not look.outdated
        if known and not live.asks_about_undo(person.id if person else None):
            return Response(status_code=204)
        return await look.board()


@router.post("/t/{token}/go-on", Cost.PAGE, status_code=204)
async def go_on(look: Looking) -> None:
    """Note that a person has seen enough of a moment: bots play on when all players have."""
    look.live.mark_seen(look.person)
    if look.person is not None:
        look.site.exchange.go_on(look.live, look.person)


@router.get("/t/{token}/since", Cost.PAGE)
async def since(look: Looking) -> Response:
    """Return what happened since the viewer's last move, for a page that has missed some of it."""
    table = look.live.table
    happened = since_own_move(table, look.point)
    if not happened:
        return Response(status_code=204)
    return HTMLResponse(draw_since(happened, table.match.names))


@router.get("/t/{token}/hint", Cost.SEARCH)
async def hint(look: Looking, guessed: int | None = None) -> Response:
    """Return the board with a hint.

    A page that shows a quick guess asks again with the ply that it was ``guessed`` at. The reply
    is empty until the search has finished, and once the table has moved on.
    """
    live, seat = look.live, look.point.seat
    if guessed not in (None, live.table.last_move):
        return Response(status_code=204)
    advice = await look.site.hint(live, seat)
    async with live.lock:
        moved_on = advice is None or advice.coming or live.table.last_move != advice.at
        if guessed is not None and moved_on:
            return Response(status_code=204)
        return await look.board(advice)


@router.post("/t/{token}/move", Cost.PAGE)
async def move(request: Request, at: AtTable, form: Fields) -> Response:
    """Make a move."""
    await at.do(_given(NewMove, form))
    return _done(request, at, form)


@router.post("/t/{token}/rematch", Cost.TABLE)
async def rematch(token: str, site: SiteOf, person: CurrentUser, share: FormText = "") -> Response:
    live = await site.tables.rematch(await site.table(token, person), person, share)
    return RedirectResponse(f"/t/{live.table.header.token}", 303)


@router.post("/t/{token}/reveal", Cost.PAGE, status_code=204)
async def reveal_share(at: AtTable, form: Fields) -> None:
    """Reveal the share of a fair deal that a person has promised."""
    await at.do(_given(Revealing, form))


@router.post("/t/{token}/do", Cost.PAGE)
async def do(request: Request, at: AtTable, form: Fields) -> Response:
    """Carry out what a form asks for."""
    name = form.get("command") or next((SHORT[one] for one in SHORT if one in form), None)
    acts = PAGE_ACTS | features_of(at.site).commands
    if isinstance(name, str) and name in acts:
        await acts[name](at, form)
        return _done(request, at, form)
    kind = ACTS.get(name) if isinstance(name, str) else None
    if kind is None:
        known = ", ".join([*ACTS, *acts])
        raise WebError(f"{name!r} is not a command: use one of {known}")
    act = _given(kind, form)
    # Else the page asks whether to go ahead.
    if not (act.costs(at.table, at.sender) and at.site.exchange.warn(at.live, at.person)):
        await at.do(act)
    return _done(request, at, form)


async def _finish(at: At, form: FormData) -> None:
    check_owner(at.table, at.person.id, number_in(form, "seat"))
    at.site.tables.robots.finish(at.live)


async def _play_out(at: At, form: FormData) -> None:
    if not at.table.seats_of(at.person.id):
        raise NotYours("only players can skip to the end")
    await at.site.tables.robots.play_out(at.live)


async def _keep_playing(at: At, form: FormData) -> None:
    at.site.exchange.keep_playing(at.live, at.person)


PAGE_ACTS: dict[str, TableCommand] = {
    "finish": _finish,
    "play-out": _play_out,
    "keep": _keep_playing,
}
"""What only pages post, since it isn't one entry of the log."""


@router.get("/join/{invite}", Cost.PAGE)
async def invitation(request: Request, invite: str, site: SiteOf, person: Visitor) -> Response:
    """Show the page behind an invitation link."""
    live = await site.tables.invited(invite)
    if live.table.seats_of(person.id if person else None):
        return RedirectResponse(f"/t/{live.table.header.token}", 303)
    return await _invitation(request, site, live, person)


@router.post("/join/{invite}", Cost.PAGE)
async def join(
    request: Request,
    invite: str,
    site: SiteOf,
    person: CurrentUser,
    name: FormText = "",
    share: FormText = "",
    promise: FormText = "",
    zone: FormText = "",
    claim: Annotated[int | None, Form(ge=0, le=MAX_SEAT)] = None,
) -> Response:
    """Take the first open seat, or claim one that was taken in another browser."""
    live = await site.tables.invited(invite)
    try:
        if claim is not None:
            await site.claim(live, person, claim)
            return RedirectResponse(f"/join/{invite}", 303)
        await site.sit(live, person, name, share=share, promise=promise, zone=zone)
    except WebError as error:
        if isinstance(error, Stale) and claim is None:
            await welcome(request.scope, succeeded=False)
            return RedirectResponse(f"/t/{live.table.header.token}", 303)
        said = error.sentence
        page = await _invitation(request, site, live, person, said, error.status)
        return marked(page, request, error)
    return RedirectResponse(f"/t/{live.table.header.token}", 303)


async def _invitation(
    request: Request,
    site: Site,
    live: Live,
    person: Person | None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    table, me = live.table, person.id if person else ""
    claims = table.claims
    outside = await site.tables.is_outside(live, me)
    await site.tables.note_people(live)
    return site.page(
        "join.html",
        status,
        table=table,
        person=person,
        problem=problem,
        outside=outside,
        host=live.host_name(),
        strangers=live.strangers,
        asked=next((at for at in table.claimed if claims.asked[at] == me), None),
        denied=[at for at, who in claims.denied if person and who == person.id],
        taken=[
            (number, seat.name)
            for number, seat in enumerate(table.seats)
            if seat.person and table.gathering
        ],
        invite_url=str(request.url_for("invitation", invite=table.header.invite)),
    )


def is_local(host: str) -> bool:
    """Return whether an address leads to the visitor's own machine, wherever it is opened."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _watched(table: Table, person: Person | None) -> list[tuple[int, str]]:
    if person is None or table.alone or table.seats_of(person.id):
        return []
    return [(i, seat.name) for i, seat in enumerate(table.seats) if seat.person]


async def _is_new(site: Site, table: Table, person: Person | None) -> bool:
    """Return whether a person is new to this game and hasn't skipped its tutorial."""
    mine, here = table.seats_of(person.id if person else None), table.header
    if person is None or not mine or table.over or table.unguided.intersection(mine):
        return False
    return bool(guide_of(table.game).steps) and not await site.store.run(
        lists.plays_elsewhere, person.id, here.game.name, here.token
    )


def _given(kind: type[Act], form: FormData) -> Act:
    """Return an act from a form, which may have more fields: ``guide``, for one."""
    try:
        return kind.model_validate({name: form[name] for name in kind.posted() if name in form})
    except ValidationError as error:
        raise RequestValidationError(
            [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        ) from None


def number_in(form: FormData, name: str) -> int:
    """Return a number of a form; -1 if it has none."""
    text = form.get(name)
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 9 else -1


def _done(request: Request, at: At, form: FormData) -> Response:
    """Reply to a command: empty for the page's script, which gets the stream; else a redirect."""
    if "hx-request" in request.headers:
        return Response(status_code=204)
    seat, guide = number_in(form, "seat"), number_in(form, "guide")
    several = len(at.table.seats_of(at.person.id)) > 1
    shown = {"seat": seat} if several and seat >= 0 else {}
    shown |= {"guide": guide} if guide > 0 else {}
    query = f"?{urlencode(shown)}" if shown else ""
    return RedirectResponse(f"/t/{at.table.header.token}{query}", 303)
