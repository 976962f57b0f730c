"""Ratings of people: a game's leaderboard, and whether one is on it."""

from __future__ import annotations

from fastapi.responses import HTMLResponse, RedirectResponse

from redouble.contract.registry import GAMES
from redouble.web.errors import NotFound
from redouble.web.features.ratings import ratings
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


@router.get("/ranking/{name}", Cost.PAGE)
async def ranking(name: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show a game's leaderboard, with the bots in their places, and how ratings come about."""
    game = GAMES.get(name)
    if game is None or game.max_seats < 2:
        raise NotFound("there is no such leaderboard: ratings are for games with other people")
    me = person.id if person else None
    found, mine, shown = await site.store.run(
        lambda c: (
            rating_rows.best(c, name, me),
            None if me is None else rating_rows.rating_of(c, me, name),
            me is not None and rating_rows.is_listed(c, me),
        )
    )
    return site.page(
        "ratings/ranking.html",
        person=person,
        game=game,
        ranked=found,
        mine=mine,
        listed=shown,
        levels=ratings.anchors().get(name, {}),
        few=ratings.FEW,
        daily_limit=ratings.DAILY_LIMIT,
        in_a_day=round(ratings.LIFTS[ratings.DAY] * ratings.first_rating(name).spread),
        far=round(ratings.FAR * ratings.first_rating(name).spread),
    )


@router.post("/ranking/{name}", Cost.PAGE)
async def be_listed(
    name: str, site: SiteOf, person: CurrentUser, listed: FormText = ""
) -> RedirectResponse:
    """Put yourself on the leaderboards of all games, or take yourself off."""
    if name not in GAMES:
        raise NotFound("there is no such game")
    await site.people.keep(person)
    await site.store.run(rating_rows.list_person, person.id, listed == "yes")
    return RedirectResponse(f"/ranking/{name}", 303)
