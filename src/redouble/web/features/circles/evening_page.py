"""Duplicate games of a circle: announced, started, and compared."""

from datetime import datetime
from typing import Annotated

from fastapi import Form
from fastapi.responses import HTMLResponse, RedirectResponse

from redouble.contract.registry import GAMES
from redouble.web.errors import Sealed, WebError
from redouble.web.features.circles import circles, evenings
from redouble.web.people.mutes import apart_from
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.table.rest import known_zone, zone_of
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

MAX_NUMBER = 99
Number = Annotated[int, Form(ge=0, le=MAX_NUMBER)]


@router.post("/circles/{circle}/evenings", Cost.PAGE)
async def announce(
    circle: str,
    site: SiteOf,
    person: CurrentUser,
    game: FormText = "",
    players: Number = 4,
    deals: Number = 4,
    at: FormText = "",
    zone: FormText = "",
) -> RedirectResponse:
    """Announce an evening, and take part."""
    begins, numbers = _time(at, zone), (players, deals)
    made = await site.store.run(evenings.announce, person.id, circle, game, numbers, begins)
    return RedirectResponse(f"/circles/{circle}/evenings/{made}", 303)


def _time(text: str, zone: str) -> float | None:
    """Return a time of a form, in a time zone or else UTC. None if it is empty."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone_of(known_zone(zone))).timestamp()
    except (ValueError, OverflowError):
        raise WebError("this isn't a time: write it as 2026-11-30T20:00") from None


@router.get("/circles/{circle}/evenings/{evening}", Cost.PAGE)
async def show_evening(circle: str, evening: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show an evening to a member: who takes part, then what those have reached who can compare.

    The results of a deal are shown to those who have finished it, and to all once all have.
    """
    me = person.id if person else ""
    group, found, answers, apart = await site.store.run(
        lambda c: (
            circles.circle_of(c, me, circle),
            evenings.evening_of(c, me, circle, evening),
            evenings.answers_of(c, circle, evening),
            apart_from(c, me),
        )
    )
    players = answers[True]
    mine_said = next(said for said, by in answers.items() if me in {one.person for one in by})
    tables, reached = await site.store.run(
        lambda c: (evenings.tables_of(c, found), evenings.results_of(c, found))
    )
    ended = [deal for deal, _, over, _ in tables if over]
    mine = [one for one in tables if me in one[3]]
    done = {deal for deal, _, over, _ in mine if over}
    everybody = {deal for deal in ended if ended.count(deal) >= found.groups}
    shown = {
        deal: rows
        for deal, rows in reached.items()
        if deal in done or deal in everybody or found.over
    }
    current = next((token for _, token, over, _ in mine if not over), "")
    standings = evenings.standings(shown)
    return site.page(
        "circles/evening.html",
        person=person,
        circle=group,
        evening=found,
        game=GAMES[found.game],
        answers={
            said: [one for one in by if one.person not in apart] for said, by in answers.items()
        },
        players=players,
        said=mine_said,
        may_start=me == found.host or group.mine,
        at_each=evenings.people_at_each(len(players), found.seats),
        table=current,
        last=mine[-1][1] if mine and not current else "",
        open_tables=len(tables) - len(ended),
        deals=_by_seat(
            {deal: [one for one in rows if one.person not in apart] for deal, rows in shown.items()}
        ),
        standings=[
            (1 + sum(other.average > row.average for other in standings), row)
            for row in standings
            if row.person not in apart
        ],
    )


def _by_seat(
    shown: dict[int, list[evenings.SeatResult]],
) -> list[tuple[int, list[list[evenings.SeatResult]]]]:
    """Return the results of each deal, those of a seat together."""
    return [
        (deal, [[one for one in rows if one.seat == seat] for seat in {one.seat for one in rows}])
        for deal, rows in sorted(shown.items())
    ]


@router.post("/circles/{circle}/evenings/{evening}/players", Cost.PAGE)
async def take_part(
    circle: str, evening: str, site: SiteOf, person: CurrentUser, plays: FormText = ""
) -> RedirectResponse:
    """Take part in an evening, or don't any more."""
    me, yes = person.id, plays == "yes"
    await site.store.run(evenings.take_part, me, circle, evening, yes)
    for one in await site.store.run(evenings.players_of, circle, evening):
        if one.person != me:  # the others' pages show who takes part
            site.exchange.call(one.person)
    return RedirectResponse(f"/circles/{circle}/evenings/{evening}", 303)


@router.post("/circles/{circle}/evenings/{evening}/start", Cost.TABLE)
async def start(circle: str, evening: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Spread those who take part over tables, and deal."""
    me = person.id
    players = await site.store.run(evenings.players_of, circle, evening)
    await site.tables.open_all(
        lambda c: [(header, ()) for header in evenings.start(c, me, circle, evening)]
    )
    for one in players:
        site.exchange.call(one.person)
    return RedirectResponse(f"/circles/{circle}/evenings/{evening}", 303)


@router.post("/circles/{circle}/evenings/{evening}/off", Cost.PAGE)
async def call_off(
    circle: str, evening: str, site: SiteOf, person: CurrentUser
) -> RedirectResponse:
    """Delete an evening that hasn't begun."""
    for one in await site.store.run(evenings.call_off, person.id, circle, evening):
        site.exchange.call(one.person)
    return RedirectResponse(f"/circles/{circle}#evenings", 303)


async def check_unsealed(site: Site, person: Person | None, game: str, seed: str) -> None:
    """Raise :class:`Sealed` for an evening's deal that other tables still play."""
    if evenings.SEED.fullmatch(seed) is None:
        return
    if await site.store.run(evenings.is_sealed, person.id if person else "", seed):
        raise Sealed("other tables still play this deal: wait until all have finished it")
