"""Friends: who they are, whether they are online, requests, and invitations to tables."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.datastructures import FormData

from redouble.contract.page import html
from redouble.contract.page.html import Html
from redouble.contract.registry import GAMES
from redouble.kernel.cores import IN_BROWSER
from redouble.web.drawing.markup.forms import address, hidden, once, posting
from redouble.web.errors import NotYours, WebError
from redouble.web.feature import Fragment, TableVisit, Visit
from redouble.web.features.friends import friends
from redouble.web.features.friends.friends import Friend
from redouble.web.live.plan import TablePlan, seat_plans
from redouble.web.pages.table import STILL, named_event, number_in
from redouble.web.people.mutes import unheard_by
from redouble.web.people.people import Person
from redouble.web.people.repeats import new_mark
from redouble.web.people.scores import Score, between
from redouble.web.site import At, Site
from redouble.web.table.acts.rematch import Later
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


@dataclass(frozen=True)
class News:
    """What a person's pages show of their friends."""

    friends: tuple[tuple[Friend, bool, Score | None], ...] = ()
    """Each with whether they are online, those who are first, and the score with them."""
    askers: tuple[Friend, ...] = ()
    calls: tuple[sa.Row[Any, Any, Any, Any, Any], ...] = ()

    def without_friends(self) -> News:
        """Return what needs an answer."""
        return replace(self, friends=())


async def news_of(site: Site, person: Person | None) -> News:
    """Return what a person's pages show; nothing for a new visitor."""
    if person is None:
        return News()
    me = person.id
    (found, scores), askers, calls, unheard = await site.store.run(
        lambda c: (
            *(_with_scores(c, me), friends.askers_of(c, me)),
            *(friends.calls_of(c, me), unheard_by(c, me)),
        )
    )
    online = site.tables.online()
    listed = [
        (one, one.person in online and not one.hides, scores.get(one.person))
        for one in found
        if one.person not in unheard
    ]
    listed.sort(key=lambda one: (not one[1], one[0].name.casefold()))
    return News(tuple(listed), tuple(askers), tuple(calls))


def _with_scores(connection: sa.Connection, person: str) -> tuple[list[Friend], dict[str, Score]]:
    """Return a person's friends, and the scores of their games."""
    found = friends.friends_of(connection, person)
    return found, between(connection, person, [one.person for one in found])


def drawn(site: Site, name: str, news: News) -> str:
    """Return a fragment of a page."""
    page = site.env.get_template(name)
    return page.render({"news": news, "page_mark": new_mark()})


async def unanswered(visit: Visit) -> Fragment | None:
    """Show what needs an answer, above the home page."""
    if visit.person is None:
        return None
    return visit.part("friends/calls.html", news=await news_of(visit.site, visit.person))


async def strip(visit: Visit) -> Fragment | None:
    """Show a person's friends on the home page."""
    news = await news_of(visit.site, visit.person)
    return visit.part("friends/strip.html", news=news) if news.friends or news.askers else None


async def listed(visit: Visit) -> Fragment | None:
    """Show a person's friends on their own page."""
    if IN_BROWSER or visit.person is None:
        return None
    site, me = visit.site, visit.person.id
    (found, scores), hides = await site.store.run(
        lambda c: (_with_scores(c, me), friends.hides(c, me))
    )
    shown = {"friends": found, "scores": scores, "hides": hides, "now": site.now()}
    return visit.part("friends/my_friends.html", **shown)


@router.get("/me/news", Cost.PAGE)
async def what_is_new(site: SiteOf, person: Visitor) -> Response:
    """Return what needs an answer, for a page's script."""
    return HTMLResponse(drawn(site, "friends/calls.html", await news_of(site, person)))


@router.get("/me/stream", Cost.STREAM)
async def follow(site: SiteOf, person: Visitor) -> Response:
    """Stream what needs an answer, and who is online, to a page that isn't a table's."""
    if person is None:
        return Response(status_code=204)  # which ends it
    headers = {"X-Accel-Buffering": "no"}
    events = _events(site, person)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _events(site: Site, person: Person) -> AsyncIterator[str]:
    shown, first = News(), True
    async for called in site.tables.news(person):
        news = await news_of(site, person)
        yield STILL
        if news.friends != shown.friends:
            yield named_event("friends", drawn(site, "friends/friends_now.html", news))
        if news.without_friends() != shown.without_friends():
            yield named_event("calls", drawn(site, "friends/calls.html", news))
        if called and not first:
            yield named_event("called", "")
        shown, first = news, False


@router.post("/friends/{friendship}/answer", Cost.PAGE)
async def answer(
    friendship: str, site: SiteOf, person: CurrentUser, agree: FormText = ""
) -> RedirectResponse:
    """Agree to be friends, or refuse, of which the other person isn't notified."""
    agrees, me = agree == "yes", person.id
    asker = await site.store.run(friends.answer, me, friendship, agrees)
    site.exchange.call(me)
    if agrees:
        site.exchange.call(asker)
    return RedirectResponse("/", 303)


@router.post("/friends/{friendship}/remove", Cost.PAGE)
async def remove(friendship: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """End a friendship."""
    me = person.id
    other = await site.store.run(friends.remove, me, friendship)
    for one in (me, other):
        site.exchange.call(one)
    return RedirectResponse("/me#friends", 303)


@router.post("/friends/hide", Cost.PAGE)
async def hide(site: SiteOf, person: CurrentUser, hides: FormText = "") -> RedirectResponse:
    """Choose whether friends see when you are online."""
    me, hidden = person.id, hides == "yes"
    await site.people.keep(person)
    await site.store.run(friends.hide, me, hidden)
    found = await site.store.run(friends.friends_of, me)
    for one in found:
        site.exchange.call(one.person)
    return RedirectResponse("/me#friends", 303)


@router.post("/friends/{friendship}/invite", Cost.TABLE)
async def invite(
    friendship: str, site: SiteOf, person: CurrentUser, token: FormText = ""
) -> RedirectResponse:
    """Invite a friend to your table, or to a new one for you both."""
    me = person.id
    found = await site.store.run(friends.friend, me, friendship)
    if token:
        live = await site.tables.get(token)
    else:
        game = GAMES.get(found.game) or next(one for one in GAMES.values() if one.max_seats > 1)
        seats = seat_plans(max(game.min_seats, 2), friends=1)
        live = await site.create(person, TablePlan(game, seats))
    header = live.table.header
    await site.store.run(friends.call, me, friendship, header, site.tables.hooks)
    site.exchange.call(found.person)
    return RedirectResponse(f"/t/{header.token}", 303)


@router.post("/calls/{number}/later", Cost.PAGE)
async def later(number: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Close an invitation; at the table before, too, if it is to a rematch."""
    me = person.id
    token = await site.store.run(friends.drop_call, me, number)
    with contextlib.suppress(WebError):  # there it is answered, or the table is gone
        if before := (await site.tables.get(token)).table.header.before:
            await At(site, await site.tables.get(before), person).do(Later())
    site.exchange.call(me)
    return RedirectResponse("/", 303)


async def ending(visit: TableVisit) -> Html | None:
    """Return the buttons for those who aren't friends of the viewer yet."""
    table, point = visit.table, visit.point
    me = table.seats[point.seat].person if point.acting else None
    seats = {one.person: i for i, one in enumerate(table.seats) if one.person}
    if me is None or len(seats) < 2:
        return None
    between = await visit.site.store.run(friends.bonds, seats)
    shown = []
    for person, seat in seats.items():
        mine, theirs = between.get((me, person)), between.get((person, me))
        name = table.match.names[seat]
        if person == me or friends.AGREED in (mine, theirs):
            continue
        if mine is not None:
            shown.append(html.p(f"You've asked {name} to be friends."))
        else:
            shown.append(
                html.form(
                    posting(f"{address(table)}/do"),
                    hidden("command", "befriend"),
                    hidden("seat", point.seat),
                    hidden("other", seat),
                    once(table.ply),
                    html.button({"class": "btn"}, f"Add {name}"),
                )
            )
    return html.div({"class": "friends", "role": "group", "aria-label": "Friends"}, shown) or None


async def befriend(at: At, form: FormData) -> None:
    """Ask the person at another seat to be friends, once the game is over."""
    table, me, other = at.table, at.person.id, number_in(form, "other")
    if not table.over or not table.seats_of(me):
        raise NotYours("you can ask players to be friends after a game with them")
    them = table.seats[other].person if 0 <= other < len(table.seats) else None
    if them is None or them == me:
        raise WebError("nobody else plays that seat")
    if await at.site.store.run(friends.ask, me, them, table.game.name):
        at.live.touch()
        for one in (me, them):
            at.site.exchange.call(one)


async def waiting(visit: TableVisit) -> Html | None:
    """Return the buttons by which a player invites friends to a table that waits for players."""
    table, person = visit.table, visit.person
    if person is None or not table.gathering or table.header.circle:  # its members are invited
        return None
    me, token = person.id, table.header.token
    found, called = await visit.site.store.run(
        lambda c: (friends.friends_of(c, me), friends.called_to(c, me, token))
    )
    return html.fragment(
        [
            html.form(
                {"method": "post", "action": f"/friends/{one.id}/invite"},
                hidden("once", visit.mark),
                hidden("token", token),
                f"You've invited {one.name}."
                if one.person in called
                else html.button({"class": "btn"}, f"Invite {one.name}"),
            )
            for one in found
            if not table.seats_of(one.person)
        ]
    )
