"""What others see of a person, a person's choices about it, and their own results."""

from dataclasses import dataclass

import sqlalchemy as sa
from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from redouble.contract.registry import GAMES
from redouble.kernel.cores import IN_BROWSER
from redouble.web.errors import NotFound
from redouble.web.feature import Fragment, Visit
from redouble.web.features.circles import circles
from redouble.web.features.daily import tries as try_rows
from redouble.web.features.friends import friends
from redouble.web.features.profile.badges import Badge, badges_of, deeds_of
from redouble.web.features.profile.breakdown import Trend, breakdowns, rating_trend, trend
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.features.ratings.ratings import Rating, like_a_bot
from redouble.web.pages.me import person_page
from redouble.web.people import profiles
from redouble.web.people.mutes import apart_from
from redouble.web.people.people import Person, name_of
from redouble.web.people.profiles import LOOKS, MOTIFS, Audience, Profile, Stranger
from redouble.web.people.results import (
    Statistics,
    by_game,
    results_in_detail,
    results_of,
    statistics,
)
from redouble.web.people.scores import between
from redouble.web.site import Site
from redouble.web.visitor import CurrentUser, Fields, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)
AUDIENCES = (("nobody", "nobody"), ("friends", "my friends and circles"), ("everyone", "everyone"))
"""The choices of a form, and how people read them."""


@dataclass(frozen=True)
class GameStanding:
    """What a profile says about one game."""

    stranger: Stranger
    """The person as everyone sees them."""
    rating: Rating | None
    """None before the first rated game."""
    tally: Statistics | None
    """None if the viewer doesn't see it, and so on."""
    curve: Trend | None


@dataclass(frozen=True)
class Seen:
    """What one viewer sees of a person."""

    name: str
    profile: Profile
    standings: dict[str, GameStanding]
    """By the names of games, in their order."""
    badges: list[Badge]
    """None that the viewer doesn't see."""


def seen(connection: sa.Connection, person: str, viewer: Audience) -> Seen:
    """Return what a viewer sees of a person: nothing is read that they don't see."""
    name = name_of(connection, person)
    profile = profiles.profile_of(connection, person)
    shown = profile.shown_to(viewer)
    results = results_of(connection, person)
    ratings = rating_rows.history_of(connection, person)
    standings = {}
    for game in GAMES:
        mine = [row for row in results if row["game"] == game]
        rated = [row for row in ratings if row["game"] == game]
        if mine or rated:
            standings[game] = GameStanding(
                Stranger(person, name, len(mine), rated[-1]["points"] if rated else None),
                Rating(rated[-1]["points"], rated[-1]["spread"]) if rated else None,
                statistics(mine) if shown else None,
                rating_trend(rated) if shown else None,
            )
    badges = badges_for(connection, person) if shown else []
    return Seen(name, profile, standings, badges)


def badges_for(connection: sa.Connection, person: str) -> list[Badge]:
    """Return the badges that a person has earned."""
    results = results_in_detail(connection, person)
    dailies = try_rows.dailies_of(connection, person)
    return badges_of(deeds_of(person, results, dailies, rating_rows.upset(connection, person)))


@router.get("/t/{token}/players/{seat}/profile", Cost.RENDERING)
async def player(token: str, seat: int, site: SiteOf, person: Visitor) -> Response:
    """Show a player at a table as the viewer may see them."""
    live = await site.table(token, person)
    seats = live.table.seats
    other = seats[seat].person if 0 <= seat < len(seats) else None
    if other is None:
        raise NotFound("nobody sits there: go back to the table")
    if person is not None and other == person.id:
        return RedirectResponse("/me", 303)
    me = person.id if person else ""
    known = await site.store.run(
        lambda c: friends.are_friends(c, me, other) or circles.share_one(c, me, other)
    )
    return await _page(site, person, other, known)


@router.get("/friends/{friendship}", Cost.RENDERING)
async def friend(friendship: str, site: SiteOf, person: Visitor) -> Response:
    """Show a friend."""
    if person is None:
        raise NotFound("only friends see this page: sign in")
    known = await site.store.run(friends.friend, person.id, friendship)
    return await _page(site, person, known.person, True)


@router.get("/circles/{circle}/members/{member}", Cost.RENDERING)
async def member(circle: str, member: str, site: SiteOf, person: Visitor) -> Response:
    """Show another member of a circle."""
    me = person.id if person else ""

    def job(connection: sa.Connection) -> str:
        circles.circle_of(connection, me, circle)
        for one in circles.members_of(connection, circle):
            if one.id == member:
                return one.person
        raise NotFound("this member has left the circle: reload the circle's page")

    other = await site.store.run(job)
    if other == me:
        return RedirectResponse("/me", 303)
    return await _page(site, person, other, True)


@router.get("/me/seen", Cost.RENDERING)
async def as_others_do(site: SiteOf, person: Visitor, by: str = "") -> Response:
    """Show yourself as a stranger sees you, or as a friend does."""
    if person is None:
        return RedirectResponse("/me", 303)
    return await _page(site, person, person.id, by == "friends", preview=True)


async def _page(
    site: Site, person: Person | None, other: str, friend: bool, preview: bool = False
) -> HTMLResponse:
    if person is not None and other in await site.store.run(apart_from, person.id):
        raise NotFound("this player's profile isn't shown to you")
    viewer = Audience.FRIENDS if friend else Audience.EVERYONE
    me = person.id if person else ""
    shown, scores = await site.store.run(
        lambda c: (seen(c, other, viewer), between(c, me, [other]))
    )
    return await site.rendered(
        "profile/profile.html",
        person=person,
        seen=shown,
        friend=friend,
        preview=preview,
        score=scores.get(other),
    )


@router.post("/me/profile", Cost.PAGE)
async def change(form: Fields, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Choose your picture, and what others see of you."""
    change = profiles.choices({name: str(value) for name, value in form.items()})
    await site.people.keep(person)
    await site.store.run(profiles.save_profile, person.id, change)
    for live in site.tables.memory:  # other processes show it at tables that they load from now on
        live.look_up_again(person.id)
    return RedirectResponse("/me", 303)


@router.post("/me/looks", Cost.PAGE)
async def looks(form: Fields, site: SiteOf, person: CurrentUser) -> Response:
    """Choose how pages look to you, on all your devices; what a form leaves out is as usual."""
    chosen = {name: str(form.get(name, usual)) for name, (usual, *_) in LOOKS.items()}
    await site.people.keep(person)
    await site.store.run(profiles.save_looks, person.id, chosen)
    return RedirectResponse("/me#looks", 303)


async def choices(visit: Visit) -> Fragment | None:
    """Show the picture of a person, and what others see of them."""
    if IN_BROWSER or visit.person is None:
        return None
    profile = await visit.site.store.run(profiles.profile_of, visit.person.id)
    return visit.part(
        "profile/my_profile.html",
        profile=profile,
        MOTIFS=MOTIFS,
        AUDIENCES=AUDIENCES,
    )


async def results(visit: Visit) -> Fragment | None:
    """Show the results in all games."""
    if visit.person is None:
        return None
    me = visit.person.id
    played, ratings = await visit.site.store.run(
        lambda c: (results_of(c, me), rating_rows.history_of(c, me))
    )
    return visit.part(
        "profile/my_results.html",
        games_played=by_game(played),
        ratings={row["game"]: row["points"] for row in ratings},
    )


async def badges(visit: Visit) -> Fragment | None:
    """Show the badges, if there are any."""
    if visit.person is None:
        return None
    me = visit.person.id
    earned = await visit.site.store.run(lambda c: badges_for(c, me))
    return visit.part("profile/my_badges.html", badges=earned) if earned else None


@router.get("/me/games/{name}", Cost.RENDERING)
async def my_game(name: str, request: Request, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show your results in one game: over time, by opponents, players and house rules."""
    game = GAMES.get(name)
    if game is None:
        raise NotFound("there is no such game")
    if person is None:
        return await person_page(request, site, None)
    me = person.id
    results, rating, history = await site.store.run(
        lambda c: (
            results_in_detail(c, me, name),
            rating_rows.rating_of(c, me, name),
            rating_rows.history_of(c, me, name),
        )
    )
    return await site.rendered(
        "profile/my_game.html",
        person=person,
        game=game,
        tally=statistics(results),
        trend=trend(results),
        rating=rating,
        rating_trend=rating_trend(history),
        like=like_a_bot(name, rating),
        breakdowns=breakdowns(game, results, me),
    )
