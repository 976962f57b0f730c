"""Your results: on *Your page*, and in one game."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import HTMLResponse

from redouble.contract.registry import GAMES
from redouble.kernel.cores import IN_BROWSER
from redouble.web.errors import NotFound
from redouble.web.feature import Fragment, Visit
from redouble.web.features.profile.breakdown import breakdowns, rating_trend, trend
from redouble.web.features.profile.page import AUDIENCES, badges_for
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.features.ratings.ratings import like_a_bot
from redouble.web.pages.me import person_page
from redouble.web.people import profiles
from redouble.web.people.profiles import MOTIFS
from redouble.web.people.results import by_game, results_in_detail, results_of, statistics
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


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
    """Show the results in all games, and badges."""
    if visit.person is None:
        return None
    me = visit.person.id
    played, ratings, badges = await visit.site.store.run(
        lambda c: (results_of(c, me), rating_rows.history_of(c, me), badges_for(c, me))
    )
    return visit.part(
        "profile/my_results.html",
        games_played=by_game(played),
        ratings={row["game"]: row["points"] for row in ratings},
        badges=badges,
    )


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
