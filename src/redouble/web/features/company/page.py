"""What people can do about others, and what the operator says to people."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from fastapi.responses import HTMLResponse, RedirectResponse

from redouble.kernel.state import SPECTATOR
from redouble.web.errors import NotFound, NotYours
from redouble.web.features.company import reports, sanctions
from redouble.web.pages.table import AtTable
from redouble.web.people import mutes
from redouble.web.site import at_table
from redouble.web.table.acts.talk import other_person
from redouble.web.visitor import CurrentUser, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router, costs

router = Router(include_in_schema=False)


@router.get("/t/{token}/players/{seat}")
@costs(Cost.PAGE)
async def about_player(token: str, seat: int, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show what somebody can do about a player: spectators can report, players also mute."""
    if person is None:
        raise NotYours("a report needs a sender: choose your name under Account first")
    at = await at_table(site, token, person)
    other_person(at.table, person.id, seat)
    mine = at.table.seats_of(person.id)
    muted = all(seat in at.table.talk.unheard(one) for one in mine)
    return site.page(
        "player.html",
        person=person,
        table=at.table,
        seat=seat,
        mine=mine[0] if mine else SPECTATOR,
        muted=muted,
        most=reports.WHY_LENGTH,
        per_day=reports.PER_DAY,
        kept_days=reports.KEPT_DAYS,
    )


@router.post("/t/{token}/players/{seat}/report")
@costs(Cost.PAGE)
async def report(at: AtTable, seat: int, why: Annotated[str, Form()] = "") -> HTMLResponse:
    """Report a player to the operator."""
    await at.report(seat, why)
    return at.site.page("reported.html", person=at.person, table=at.table, seat=seat)


@router.post("/me/muted/{number}/end")
@costs(Cost.PAGE)
async def unmute(number: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Hear a player again, at all tables."""
    found = await site.store.run(lambda c: mutes.muted_by(c, person.id))
    other = next((one.person for one in found if one.id == number), None)
    if other is None:
        raise NotFound("you hear this player already: look again")
    await site.unmute(person, other)
    return RedirectResponse("/me#muted", 303)


@router.get("/me/operator")
@costs(Cost.PAGE)
async def said_by_operator(site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show what the operator says to a person, with a form to appeal."""
    found = await site.store.run(lambda c: sanctions.sanctions_of(c, person.id)) if person else []
    return site.page(
        "operator.html",
        person=person,
        sanctions=found,
        operator=site.operator,
        most=sanctions.APPEAL_LENGTH,
    )


@router.post("/me/operator/seen")
@costs(Cost.PAGE)
async def seen(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Note that a person has read what the operator says."""
    await site.store.run(lambda c: sanctions.note_seen(c, person.id))
    return RedirectResponse("/", 303)


@router.post("/me/operator/appeal")
@costs(Cost.PAGE)
async def appeal(
    site: SiteOf,
    person: CurrentUser,
    kind: Annotated[str, Form()] = "",
    text: Annotated[str, Form()] = "",
) -> RedirectResponse:
    """Appeal against what the operator has decided, once."""
    await site.store.run(lambda c: sanctions.appeal(c, person.id, kind, text))
    return RedirectResponse("/me/operator", 303)
