"""Ratings of people: a game's leaderboard, and whether one is on it."""

from fastapi.responses import HTMLResponse, RedirectResponse

from redouble.contract.page import html
from redouble.contract.page.html import Html
from redouble.contract.registry import GAMES
from redouble.web.drawing.markup.forms import address, hidden
from redouble.web.errors import NotFound
from redouble.web.feature import TableVisit
from redouble.web.features.ratings import ratings
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.table import Table
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


def _is_asked(table: Table) -> bool:
    """Return whether it is a question if a game is rated: several people play it, or may."""
    people = {seat.person for seat in table.seats} - {None}
    return (table.rated or table.casual) and (table.gathering or len(people) > 1)


async def pill(visit: TableVisit) -> Html | None:
    """Say at a table whether its game is rated."""
    table = visit.table
    return html.span({"class": "pill wide"}, _kind(table)) if _is_asked(table) else None


async def menu(visit: TableVisit) -> Html | None:
    """Say it in the menu, too: on a phone the bar has no room for it."""
    table = visit.table
    return html.p(f"{_kind(table)} game.") if _is_asked(table) else None


async def waiting(visit: TableVisit) -> Html | None:
    """Say in a waiting room whether the game is rated; its host can change it until others come."""
    table, person = visit.table, visit.person
    if not _is_asked(table):
        return None
    changes = "changes ratings" if table.rated else "changes no ratings"
    mine = person is not None and visit.live.host() == person.id and not table.others(person.id)
    return html.form(
        {"method": "post", "action": f"{address(table)}/do"},
        hidden("once", visit.mark),
        hidden("command", "rated"),
        html.b(f"{_kind(table)}."),
        html.span({"class": "spare"}, f" The game {changes}. "),
        mine
        and html.button(
            {"class": "btn", "name": "rated", "value": "false" if table.rated else "true"},
            "Make it casual" if table.rated else "Make it rated",
        ),
    )


def _kind(table: Table) -> str:
    return "Rated" if table.rated else "Casual"


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
