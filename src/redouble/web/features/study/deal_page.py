"""The numbered deals of solitaires: each has a page of its own, with a link to share."""

from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from redouble.analysis.prepare import Purpose
from redouble.contract.game import Game
from redouble.contract.options import Data
from redouble.contract.registry import GAMES
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.web.drawing.addresses import deal_url
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.scene import scene_of
from redouble.web.drawing.words import house_rules
from redouble.web.errors import NotFound
from redouble.web.features.study.solver import DIFFICULTIES, difficulties, solving
from redouble.web.live.plan import DEALS, TablePlan, clean_seed, new_seed, seat_plans
from redouble.web.people.results import results_of, statistics
from redouble.web.visitor import CurrentUser, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router
from redouble.web.visitor.links import without_end

router = Router(include_in_schema=False)


@router.get("/deals/{game}", Cost.PAGE, Cost.SEARCH)
async def any_deal(
    request: Request, game: str, site: SiteOf, person: Visitor, difficulty: str = ""
) -> Response:
    """Redirect to a random deal; with a ``difficulty``, to a winnable one."""
    chosen, options = _asked_for(request, game)
    deal = new_seed(1)
    if difficulty:
        if difficulty not in DIFFICULTIES:
            raise NotFound(f"there are no {difficulty!r} deals: choose {', '.join(DIFFICULTIES)}")
        _with_solver(chosen)
        if not site.compiler.is_ready(chosen, Purpose.SOLVER):
            return site.page(
                "study/ready.html", person=person, game=chosen, back=f"/new/{chosen.name}"
            )
        find = solving(chosen).find_deal
        deal = await site.searches.run(find, options, difficulty, int(deal), DEALS)
        if not deal:
            wanted = "can be won" if difficulty == "any" else f"can be won and is {difficulty}"
            raise NotFound(f"no deal was found that {wanted} with these rules: try other rules")
    return RedirectResponse(deal_url(chosen, deal, options), 303)


@router.get("/deals/{game}/{deal:path}", Cost.PAGE, Cost.SEARCH)
async def show_deal(
    request: Request, game: str, deal: str, site: SiteOf, person: Visitor, solve: bool = False
) -> HTMLResponse:
    """Show a deal before the first move, as a spectator sees it.

    With ``solve``, also say whether it can be won.
    """
    chosen, options = _asked_for(request, game)
    deal = clean_seed(deal)
    await site.check_unsealed(person, chosen.name, deal)
    match = Match(chosen, 1, deal, options)
    said = ""
    if solve:
        _with_solver(chosen)
        if not site.compiler.is_ready(chosen, Purpose.SOLVER):
            back = deal_url(chosen, deal, options)
            return site.page("study/ready.html", person=person, game=chosen, back=back)
        said = await site.searches.run(solving(chosen).verdict, match.state)
    view = match.view(SPECTATOR)
    scene = scene_of(view, [""], playable=False, still=True)
    here = deal_url(chosen, deal, options)
    numbered = deal.isascii() and deal.isdigit()
    meant = without_end(deal)
    alone = await site.store.run(results_of, person.id, chosen.name) if person else []
    return site.page(
        "study/deal.html",
        person=person,
        game=chosen,
        deal=deal,
        options=house_rules(chosen, options),
        picture=draw_scene(chosen, scene),
        here=here,
        address=f"{str(request.base_url).rstrip('/')}{here}",
        following=deal_url(chosen, f"{int(deal) + 1}", options) if numbered else "",
        meant=meant if meant != deal else "",
        meant_url=deal_url(chosen, meant, options),
        by_chance=deal_url(chosen, "", options),
        difficulties=difficulties(chosen, options),
        said=said,
        tally=statistics(one for one in alone if one["seats"] == 1) if person else None,
    )


@router.post("/deals/{game}/{deal:path}", Cost.TABLE)
async def play_deal(
    request: Request, game: str, deal: str, site: SiteOf, person: CurrentUser
) -> RedirectResponse:
    """Create a table with this deal."""
    chosen, options = _asked_for(request, game)
    live = await site.create(person, TablePlan(chosen, seat_plans(1), options, seed=deal))
    return RedirectResponse(f"/t/{live.table.header.token}", 303)


def _asked_for(request: Request, game: str) -> tuple[Game, dict[str, Any]]:
    """Return the game and the options in the address. Unknown query parameters are ignored.

    Raises :class:`NotFound` if the game can't be played alone, and
    :class:`~redouble.kernel.errors.OptionError` for a wrong option.
    """
    chosen = GAMES[game]
    if chosen.min_seats > 1:
        raise NotFound(f"{chosen.title} has no numbered deals: it is not a game for one player")
    given: dict[str, Any] = {}
    for option in chosen.options:
        text = request.query_params.get(option.name)
        if text is not None:
            given[option.name] = text.splitlines() if isinstance(option, Data) else text
    return chosen, chosen.check_options(1, given)


def _with_solver(game: Game) -> None:
    if game.solver is None:
        raise NotFound(f"{game.title} has no solver, so we can't tell which deals can be won")
