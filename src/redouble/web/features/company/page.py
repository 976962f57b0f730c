"""What people can do about others, at a table and later, and what the operator says to people."""

from __future__ import annotations

import contextlib

from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData

from redouble.kernel.state import SPECTATOR
from redouble.web.errors import NotFound, NotYours, TooLarge, WebError
from redouble.web.feature import Fragment, Visit
from redouble.web.features.company import reports, sanctions
from redouble.web.live import lists
from redouble.web.live.pipeline import Command
from redouble.web.pages.table import AtTable, number_in
from redouble.web.people import mutes
from redouble.web.people.people import Person
from redouble.web.site import At, Site
from redouble.web.site import at_table as seen_at
from redouble.web.table.acts import talk
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


async def mute_player(at: At, form: FormData) -> None:
    """Let a person hear nothing of the one at another seat, here and at all tables they share."""
    me, other = at.person.id, _fellow_player(at, form)
    await at.site.store.run(mutes.mute, me, other)
    here = at.table.header.token
    await _everywhere(at.site, me, other, here, lambda t: talk.mute(t, [(me, other)]))


async def unmute_player(at: At, form: FormData) -> None:
    """Let a person hear the one at another seat again."""
    await hear(at.site, at.person, _fellow_player(at, form), at.table.header.token)


async def hear(site: Site, person: Person, other: str, here: str = "") -> None:
    """Let a person hear another one again, ``here`` and at all tables that they share."""
    me = person.id
    await site.store.run(mutes.unmute, me, other)
    await _everywhere(site, me, other, here, lambda t: talk.unmute(t, me, other))


async def report_player(at: At, seat: int, why: str) -> None:
    """Report the person at another seat to the operator, once; open to spectators."""
    other = _not_gone(talk.other_person(at.table, at.person.id, seat))
    why = why.strip()
    if len(why) > reports.WHY_LENGTH:
        raise TooLarge(f"the report is too long: at most {reports.WHY_LENGTH} characters")
    me, token, ply = at.person.id, at.table.header.token, at.table.ply
    await at.site.store.run(reports.report, me, other, token, ply, why)


async def _everywhere(site: Site, person: str, other: str, here: str, command: Command) -> None:
    """Carry out a command at the tables that two people share, and ``here``."""
    shared = await site.store.run(lists.shared_by, person, other)
    for token in dict.fromkeys([here, *shared] if here else shared):
        with contextlib.suppress(WebError):  # over meanwhile, or its log is full
            await site.tables.act(await site.tables.get(token), command)


def _fellow_player(at: At, form: FormData) -> str:
    other = number_in(form, "other")
    return _not_gone(talk.fellow_player(at.table, at.person.id, other))


def _not_gone(person: str) -> str:
    """Return a person's id. Raises :class:`WebError` if they have deleted their data."""
    if person.startswith(lists.GONE):
        raise WebError("this player has deleted their data")
    return person


@router.get("/t/{token}/players/{seat}", Cost.PAGE)
async def about_player(token: str, seat: int, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show what somebody can do about a player: spectators can report, players also mute."""
    if person is None:
        raise NotYours("a report needs a sender: choose your name under Account first")
    at = await seen_at(site, token, person)
    talk.other_person(at.table, person.id, seat)
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
    await report_player(at, seat, why)
    return at.site.page("company/reported.html", person=at.person, table=at.table, seat=seat)


@router.post("/me/muted/{number}/end", Cost.PAGE)
async def unmute(number: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Hear a player again, at all tables."""
    found = await site.store.run(mutes.muted_by, person.id)
    other = next((one.person for one in found if one.id == number), None)
    if other is None:
        raise NotFound("you hear this player already: look again")
    await hear(site, person, other)
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
