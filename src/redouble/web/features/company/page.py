"""What people can do about others, at a table and later, and what the operator says to people."""

from functools import partial

from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData

from redouble.kernel.cores import IN_BROWSER
from redouble.kernel.state import SPECTATOR
from redouble.web.errors import NotFound, NotYours, TooLarge, WebError
from redouble.web.feature import Fragment, Visit
from redouble.web.features.company import reports, sanctions
from redouble.web.live import lists
from redouble.web.pages.table import AtTable, number_in
from redouble.web.people import mutes
from redouble.web.people.people import Person
from redouble.web.site import At, Site
from redouble.web.site import at_table as seen_at
from redouble.web.table.acts import talk
from redouble.web.table.names import one_line
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


async def mute_player(at: At, form: FormData) -> None:
    """Let nothing of the person at another seat reach a person, here or elsewhere."""
    await _mute(at, form)


async def block_player(at: At, form: FormData) -> None:
    """Mute the person at another seat, and let the two never meet again."""
    await _mute(at, form, blocks=True)


async def unmute_player(at: At, form: FormData) -> None:
    """End a mute or block of the person at another seat."""
    await hear(at.site, at.person, _fellow_player(at, form))


async def _mute(at: At, form: FormData, *, blocks: bool = False) -> None:
    me, other = at.person.id, _fellow_player(at, form)
    await at.site.store.run(partial(mutes.mute, person=me, other=other, blocks=blocks))
    _tell(at.site, me, other)


async def hear(site: Site, person: Person, other: str) -> None:
    """End a person's mute or block of another one."""
    await site.store.run(mutes.unmute, person.id, other)
    _tell(site, person.id, other)


def _tell(site: Site, *people: str) -> None:
    """Let the open pages of people ask again who reads whose words."""
    for one in people:
        site.exchange.call(one)


async def report_player(at: At, seat: int, why: str) -> None:
    """Report the person at another seat to the operator, once; open to spectators."""
    other = _not_gone(talk.other_person(at.table, at.person.id, seat))
    why = one_line(why)
    if len(why) > reports.WHY_LENGTH:
        raise TooLarge(f"the report is too long: at most {reports.WHY_LENGTH} characters")
    me, token, ply = at.person.id, at.table.header.token, at.table.ply
    await at.site.store.run(reports.report, me, other, token, ply, why)


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
    them = at.table.seats[seat].person
    known = await site.store.run(mutes.muted_by, person.id)
    return site.page(
        "company/player.html",
        person=person,
        table=at.table,
        seat=seat,
        mine=mine[0] if mine else SPECTATOR,
        muted=next((one for one in known if one.person == them), None),
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
    """Unmute a player at all tables."""
    found = await site.store.run(mutes.muted_by, person.id)
    other = next((one.person for one in found if one.id == number), None)
    if other is None:
        raise NotFound("this player isn't muted")
    await hear(site, person, other)
    return RedirectResponse("/me#muted", 303)


@router.post("/me/strangers", Cost.PAGE)
async def choose_strangers(
    site: SiteOf, person: CurrentUser, chat: FormText = ""
) -> RedirectResponse:
    """Choose whether there is chat between you and people who aren't your friends."""
    me, wary = person.id, chat == "no"
    await site.people.keep(person)
    await site.store.run(mutes.be_wary, me, wary)
    _tell(site, me)
    return RedirectResponse("/me#muted", 303)


async def muted(visit: Visit) -> Fragment | None:
    """Show whom a person has muted, and the switch for chat with strangers."""
    if IN_BROWSER or visit.person is None:
        return None
    me, store = visit.person.id, visit.site.store
    found, wary = await store.run(mutes.muted_by, me), await store.run(mutes.is_wary, me)
    return visit.part("company/my_muted.html", muted=found, wary=wary)


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
