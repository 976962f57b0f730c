"""The page on which people find each other, and the button that leads to it."""

from collections.abc import AsyncGenerator
from dataclasses import replace

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.datastructures import FormData

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.web.feature import Fragment, Visit
from redouble.web.features.meeting import seekers
from redouble.web.features.meeting.groups import KINDS, LEASTS, SearchWishes
from redouble.web.features.meeting.meeting import Meetings
from redouble.web.live.lists import has_met
from redouble.web.pages.table import STILL, named_event
from redouble.web.people.people import Person, is_guest
from redouble.web.site import Site
from redouble.web.table.clocks import usual_control
from redouble.web.visitor import CurrentUser, Fields, SiteOf, Visitor, marked
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

LOOK_SECONDS = 3.0
"""How often an open page looks who is here."""


@router.get("/people", Cost.PAGE)
async def show(site: SiteOf, person: Visitor, game: str = "", search: str = "") -> Response:
    """Show who is here, and ask what to look for; lead to the table that was found."""
    if person is not None and (token := await _meetings(site).lead(person.id, search)):
        return RedirectResponse(f"/t/{token}", 303)
    return await _page(site, person, SearchWishes(frozenset({game} & set(GAMES))))


@router.post("/people", Cost.TABLE)
async def look(request: Request, site: SiteOf, person: CurrentUser, form: Fields) -> Response:
    """Look for others, with whom it begins at once if they are here."""
    wishes = _wishes_in(form, site.now())
    try:
        if name := _text(form, "name"):
            person = await site.people.rename(person, name)
        tell, promise, to = _text(form, "tell") == "yes", _text(form, "promise"), _text(form, "to")
        token = await _meetings(site).look(person, wishes, tell, promise, to)
    except RedoubleError as error:
        return marked(await _page(site, person, wishes, error), request, error)
    if not token:
        return RedirectResponse("/people", 303)
    await _meetings(site).note_led(person.id)
    return RedirectResponse(f"/t/{token}", 303)


@router.post("/people/stop", Cost.PAGE)
async def stop(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Look for nobody any more."""
    await _meetings(site).stop(person)
    return RedirectResponse("/people", 303)


@router.get("/people/stream", Cost.STREAM)
async def follow(site: SiteOf, person: Visitor, search: str = "") -> Response:
    """Stream who is here, and the table that is found for somebody who looks for others."""
    if person is None:
        return Response(status_code=204)  # which ends it
    headers = {"X-Accel-Buffering": "no"}
    events = _events(site, person, search)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _events(site: Site, person: Person, search: str) -> AsyncGenerator[str, None]:
    shown = None
    try:
        async for _ in site.tables.news(person, LOOK_SECONDS):
            yield STILL
            if token := await _meetings(site).lead(person.id, search):
                yield named_event("found", f"/t/{token}")
                return
            meeting = await _meetings(site).seen_by(person)
            here = site.env.get_template("meeting/here.html")
            drawn = here.render(meeting=meeting, search=meeting.search)
            if shown != drawn:
                yield named_event("here", drawn)
            shown = drawn
    finally:
        left = site.now()
        site.store.call(lambda c: seekers.note_leaving(c, person.id, left))


async def button(visit: Visit) -> Fragment:
    """Show on the home page how many people wait, and lead to them."""
    meeting = await _meetings(visit.site).seen_by(visit.person)
    here = [(game, count) for game in GAMES.values() if (count := meeting.count(game.name))]
    people = len(meeting.company) + sum(len(one.people) for one in meeting.tables)
    return visit.part("meeting/button.html", here=here, waiting=people)


async def _page(
    site: Site, person: Visitor, wishes: SearchWishes, error: RedoubleError | None = None
) -> HTMLResponse:
    """Return the page with what somebody looks for, or has looked for, or would at first."""
    several = frozenset(game.name for game in GAMES.values() if game.max_seats > 1)
    meeting, me = await _meetings(site).seen_by(person), person.id if person else ""
    last, met = await site.store.run(lambda c: (seekers.search_of(c, me), has_met(c, me)))
    if error is None and last is not None and (meeting.search or not wishes.games):
        wishes = last.wishes
    return site.page(
        "meeting/people.html",
        error=error,
        person=person,
        wishes=wishes if wishes.games & several else replace(wishes, games=several),
        tell=last is not None and last.tell,
        leasts=LEASTS,
        kinds=KINDS,
        clocks={game.name: usual_control(game) for game in GAMES.values()},
        asks_name=not met and (person is None or is_guest(person)),
        meeting=meeting,
        search=meeting.search,
    )


def _wishes_in(form: FormData, now: float) -> SearchWishes:
    least, kind = _text(form, "least"), _text(form, "kind")
    return SearchWishes(
        frozenset(name for name in form.getlist("game") if isinstance(name, str) and name in GAMES),
        int(least) if least.isdecimal() and len(least) < 3 else LEASTS[0],
        kind or KINDS[0],
        now if _text(form, "bots") == "yes" else None,
    )


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def _meetings(site: Site) -> Meetings:
    return site.service(Meetings)
