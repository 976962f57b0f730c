"""What people can do about others, and what the operator says to people."""

from __future__ import annotations

from fastapi.responses import HTMLResponse, RedirectResponse

from redouble.kernel.state import SPECTATOR
from redouble.web.errors import NotFound, NotYours
from redouble.web.feature import Fragment, Visit
from redouble.web.features.company import at_table, reports, sanctions
from redouble.web.pages.table import AtTable
from redouble.web.people import mutes
from redouble.web.site import at_table as seen_at
from redouble.web.table.acts.talk import other_person
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


@router.get("/t/{token}/players/{seat}", Cost.PAGE)
async def about_player(token: str, seat: int, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show what somebody can do about a player: spectators can report, players also mute."""
    if person is None:
        raise NotYours("a report needs a sender: choose your name under Account first")
    at = await seen_at(site, token, person)
    other_person(at.table, person.id, seat)
    mine = at.table.seats_of(person.id)
    muted = all(seat in at.table.talk.unheard(one) for one in mine)
    return site.page(
        "company/player.html",
        person=person,
        table=at.table,
        seat=seat,
        mine=mine[0] if mine else SPECTATOR,
        muted=muted,
        most=reports.WHY_LENGTH,
        per_day=reports.PER_DAY,
        kept_days=reports.KEPT_DAYS,
    )


@router.post("/t/{token}/players/{seat}/report", Cost.PAGE)
async def report(at: AtTable, seat: int, why: FormText = "") -> HTMLResponse:
    """Report a player to the operator."""
    await at_table.report(at, seat, why)
    return at.site.page("company/reported.html", person=at.person, table=at.table, seat=seat)


@router.post("/me/muted/{number}/end", Cost.PAGE)
async def unmute(number: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Hear a player again, at all tables."""
    found = await site.store.run(mutes.muted_by, person.id)
    other = next((one.person for one in found if one.id == number), None)
    if other is None:
        raise NotFound("you hear this player already: look again")
    await at_table.hear(site, person, other)
    return RedirectResponse("/me#muted", 303)


async def muted(visit: Visit) -> Fragment | None:
    """Show whom a person has muted."""
    if visit.person is None:
        return None
    found = await visit.site.store.run(mutes.muted_by, visit.person.id)
    return visit.part("company/my_muted.html", muted=found) if found else None


@router.get("/me/operator", Cost.PAGE)
async def said_by_operator(site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show what the operator says to a person, with a form to appeal."""
    found = await site.store.run(sanctions.sanctions_of, person.id) if person else []
    return site.page(
        "company/operator.html",
        person=person,
        sanctions=found,
        operator=site.operator,
        most=sanctions.APPEAL_LENGTH,
    )


@router.post("/me/operator/seen", Cost.PAGE)
async def seen(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Note that a person has read what the operator says."""
    await site.store.run(sanctions.note_seen, person.id)
    return RedirectResponse("/", 303)


@router.post("/me/operator/appeal", Cost.PAGE)
async def appeal(
    site: SiteOf,
    person: CurrentUser,
    kind: FormText = "",
    text: FormText = "",
) -> RedirectResponse:
    """Appeal against what the operator has decided, once."""
    await site.store.run(sanctions.appeal, person.id, kind, text)
    return RedirectResponse("/me/operator", 303)
