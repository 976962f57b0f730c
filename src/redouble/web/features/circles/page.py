"""Circles: their page, who joins and leaves, and the next table in a tap."""

import contextlib
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from redouble.contract.page import html
from redouble.contract.page.html import Html
from redouble.contract.registry import GAMES
from redouble.web.errors import NotFound, WebError
from redouble.web.feature import Fragment, TableVisit, Visit
from redouble.web.features.circles import circles
from redouble.web.features.circles.evenings import MAX_DEALS, MAX_WAITING, evenings_of, sealed
from redouble.web.features.circles.seasons import Season, season_table
from redouble.web.features.daily.page import best_first
from redouble.web.features.daily.tries import Dailies
from redouble.web.live import lists
from redouble.web.live.plan import TablePlan, seat_plans
from redouble.web.people.mutes import apart_from
from redouble.web.people.people import Person, is_guest
from redouble.web.site import Site
from redouble.web.table import Sender
from redouble.web.table.acts.seats import Leave
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor, marked
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

MONTH = 7
"""Characters of a season in an address."""


async def strip(visit: Visit) -> Fragment | None:
    """Show a person's circles on the home page."""
    if visit.person is None:
        return None
    joined = await visit.site.store.run(circles.circles_of, visit.person.id)
    return visit.part("circles/strip.html", circles=joined) if joined else None


async def pill(visit: TableVisit) -> Html | None:
    """Return the way from a table to its circle, for those who play there."""
    circle = visit.table.header.circle
    shown = circle and visit.point.seat >= 0
    return html.a({"class": "pill", "href": f"/circles/{circle}"}, "Circle") if shown else None


@router.get("/circles", Cost.PAGE)
async def own_circles(site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show a person's circles, and the form for a new one."""
    return await _own_circles(site, person)


async def _own_circles(
    site: Site, person: Person | None, error: WebError | None = None
) -> HTMLResponse:
    joined = await site.store.run(circles.circles_of, person.id) if person else []
    return site.page(
        "circles/circles.html",
        error=error,
        person=person,
        circles=joined,
        asks_name=person is None or is_guest(person),
        name_length=circles.NAME_LENGTH,
    )


@router.post("/circles", Cost.PAGE)
async def new_circle(
    request: Request, site: SiteOf, person: CurrentUser, circle: FormText = "", name: FormText = ""
) -> Response:
    """Make a circle that you own."""
    try:
        circles.clean_name(circle)
        person = await _named(site, person, name)
        made = await site.store.run(circles.create, person.id, circle)
    except WebError as error:
        return marked(await _own_circles(site, person, error), request, error)
    return RedirectResponse(f"/circles/{made}", 303)


@router.get("/circles/join/{link}", Cost.PAGE)
async def invited(request: Request, link: str, site: SiteOf, person: Visitor) -> Response:
    """Show the page behind a circle's link."""
    found = await site.store.run(circles.invitation, link)
    me = person.id if person else ""
    if await site.store.run(circles.are_members, found.id, [me]):
        return RedirectResponse(f"/circles/{found.id}", 303)
    return _invitation(site, person, found, link)


def _invitation(
    site: Site,
    person: Person | None,
    found: circles.CircleInvitation,
    link: str,
    error: WebError | None = None,
) -> HTMLResponse:
    return site.page(
        "circles/join_circle.html", error=error, person=person, circle=found, link=link
    )


@router.post("/circles/join/{link}", Cost.PAGE)
async def join(
    request: Request, link: str, site: SiteOf, person: CurrentUser, name: FormText = ""
) -> Response:
    """Become a member."""
    found = await site.store.run(circles.invitation, link)
    try:
        circles.check_not_full(found.members)
        person = await _named(site, person, name)
        circle = await site.store.run(circles.join, person.id, link)
    except NotFound:  # the link was renewed meanwhile
        raise
    except WebError as error:
        return marked(_invitation(site, person, found, link, error), request, error)
    return RedirectResponse(f"/circles/{circle}", 303)


async def _named(site: Site, person: Person, name: str) -> Person:
    """Return a person by the name that a form gives them, stored."""
    if name.strip() and name.strip() != person.name:
        person = await site.people.rename(person, name)
    if is_guest(person):
        raise WebError("the other members see who you are: enter your name")
    await site.people.keep(person)
    return person


@router.get("/circles/{circle}", Cost.PAGE)
async def show_circle(
    request: Request,
    circle: str,
    site: SiteOf,
    person: Visitor,
    season: Annotated[str, Query(max_length=MONTH)] = "",
) -> HTMLResponse:
    """Show a circle to a member: who is in it, its tables, its games and its season."""
    me = person.id if person else ""
    now = Season.at(site.now())
    chosen = Season.parse(season) if season else now
    found, members, apart, evenings = await site.store.run(
        lambda c: (
            circles.circle_of(c, me, circle),
            circles.members_of(c, circle),
            apart_from(c, me),
            evenings_of(c, circle),
        )
    )
    open_tables, played = await site.store.run(lists.of_circle, circle, apart)
    rows = await site.store.run(season_table, circle, chosen, members, sealed(site.now()))
    online = site.tables.online()
    first = Season.at(found.made)
    several = [game for game in GAMES.values() if game.max_seats > 1]
    last = next((row.game for row in [*open_tables, *played]), "")
    return site.page(
        "circles/circle.html",
        person=person,
        circle=found,
        members=[
            (one, one.person in online - apart and not one.hides)
            for one in members
            if found.mine or one.person not in apart  # the owner can remove everybody
        ],
        link=f"{str(request.base_url).rstrip('/')}/circles/join/{found.link}",
        open_tables=open_tables,
        played=played,
        season=chosen,
        before=chosen.before if chosen > first else None,
        after=chosen.after if chosen < now else None,
        rows=[one for one in enumerate(rows, 1) if one[1].member.person not in apart],
        several=several,
        last=last,
        evenings=[one for one in evenings if one.game in GAMES],
        plans=sum(one.started is None for one in evenings) < MAX_WAITING,
        max_deals=MAX_DEALS,
        today=await _today(site, me, [one for one in members if one.person not in apart]),
        now=site.now(),
        name_length=circles.NAME_LENGTH,
        max_members=circles.MAX_MEMBERS,
    )


async def _today(site: Site, me: str, members: Sequence[circles.Member]) -> dict[str, Any]:
    """Return the circle's game of the day, and the results at deals that a member has finished."""
    day = site.service(Dailies).today()
    game = list(GAMES.values())[day.toordinal() % len(GAMES)]
    found = await site.service(Dailies).among([one.person for one in members], day)
    shown = []
    for one in sorted(GAMES.values(), key=lambda one: one is not game):
        tries = found.get(one.name, {})
        if me in tries:  # never before: who knows how others fared knows something of the deal
            shown.append((one, best_first(members, tries)))
    return {
        "day": day,
        "game": game,
        "played": me in found.get(game.name, {}),
        "results": shown,
    }


@router.post("/circles/{circle}/tables", Cost.TABLE)
async def next_table(
    circle: str,
    site: SiteOf,
    person: CurrentUser,
    game: FormText = "",
    people: Annotated[int | None, Form(ge=2, le=circles.MAX_MEMBERS)] = None,
) -> RedirectResponse:
    """Open a table by the usual rules, by default with room for all members.

    Bots take the usual seats that are left over.
    """
    chosen, me = GAMES[game], person.id
    if chosen.max_seats == 1:
        raise WebError(f"{chosen.title} is for one player")
    _, members = await site.store.run(
        lambda c: (circles.circle_of(c, me, circle), circles.members_of(c, circle))
    )
    room = min(max(people or len(members), 2), chosen.max_seats)
    players = max(chosen.usual_seats, room)
    seats = seat_plans(players, room - 1)
    live = await site.create(person, TablePlan(chosen, seats, circle=circle))
    token = live.table.header.token
    for other in await site.store.run(circles.call_members, me, circle, token):
        site.exchange.call(other)
    return RedirectResponse(f"/t/{token}", 303)


@router.post("/circles/{circle}/name", Cost.PAGE)
async def rename(
    circle: str, site: SiteOf, person: CurrentUser, name: FormText = ""
) -> RedirectResponse:
    """Give the circle another name, as its owner."""
    await site.store.run(circles.rename, person.id, circle, name)
    return RedirectResponse(f"/circles/{circle}", 303)


@router.post("/circles/{circle}/link", Cost.PAGE)
async def renew(circle: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Make a new link, as the owner."""
    await site.store.run(circles.renew, person.id, circle)
    return RedirectResponse(f"/circles/{circle}#invite", 303)


@router.post("/circles/{circle}/leave", Cost.PAGE)
async def leave(circle: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Leave the circle."""
    await site.store.run(circles.leave, person.id, circle)
    await _stand_up(site, circle, person.id)
    return RedirectResponse("/circles", 303)


@router.post("/circles/{circle}/members/{member}/remove", Cost.PAGE)
async def remove(circle: str, member: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Remove a member, as the owner."""
    gone = await site.store.run(circles.remove, person.id, circle, member)
    await _stand_up(site, circle, gone)
    return RedirectResponse(f"/circles/{circle}#members", 303)


async def _stand_up(site: Site, circle: str, person: str) -> None:
    """Free the seats where somebody who isn't a member any more waits for a game of the circle."""
    for token in await site.store.run(circles.waits_of, circle, person):
        with contextlib.suppress(WebError):  # begun meanwhile: then it goes on
            live = await site.tables.get(token)
            await site.tables.act(live, lambda table: Leave().events(table, Sender(person)))
    site.exchange.call(person)


@router.post("/circles/{circle}/members/{member}/owner", Cost.PAGE)
async def hand_on(circle: str, member: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Let another member own the circle."""
    await site.store.run(circles.hand_on, person.id, circle, member)
    return RedirectResponse(f"/circles/{circle}#members", 303)
