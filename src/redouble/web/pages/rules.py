"""The rulebooks, with pictures drawn as tables are."""

from difflib import get_close_matches
from typing import Any

from fastapi.responses import HTMLResponse

from redouble.contract.registry import GAMES
from redouble.match.guide import guide_of
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.rulebook import details_of, rules_of
from redouble.web.errors import NotFound
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

MAX_PROMPT = 200
"""Characters of a prompt that are compared."""


@router.get("/rules", Cost.PAGE)
async def rules_index(site: SiteOf, person: Visitor) -> HTMLResponse:
    """List the rulebooks."""
    return site.page("rules_index.html", person=person)


@router.get("/rules/{game}", Cost.PAGE)
async def rules(game: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show the rules for players."""
    chosen = GAMES[game]
    parts = [
        (section, [(draw_scene(chosen, f.scene), f.caption) for f in section.figures])
        for section in rules_of(chosen)
    ]
    has: dict[str, Any] = {"detailed": bool(details_of(chosen))}
    has["guided"] = bool(guide_of(chosen).steps)
    return site.page("rules.html", person=person, game=chosen, parts=parts, **has)


@router.get("/rules/{game}/short", Cost.PAGE)
async def short_rules(game: str, site: SiteOf, prompt: str = "") -> HTMLResponse:
    """Send the pictures alone, for a table's page; the one most like its prompt is marked."""
    chosen = GAMES[game]
    figures = [(section, f) for section in rules_of(chosen) for f in section.figures]
    prompts = [figure.scene.prompt for _, figure in figures]
    like = get_close_matches(prompt[:MAX_PROMPT], prompts, 1)
    now = prompts.index(like[0]) if like else None
    drawn = [(section, draw_scene(chosen, f.scene), f.caption) for section, f in figures]
    return site.page("rules_short.html", game=chosen, figures=drawn, now=now)


@router.get("/rules/{game}/details", Cost.PAGE)
async def details(game: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show what a rulebook has for programmers: moves as they are typed, options and rulings."""
    chosen = GAMES[game]
    if not (sections := details_of(chosen)):
        raise NotFound(f"the rulebook of {chosen.title} has no details")
    return site.page("rules_details.html", person=person, game=chosen, sections=sections)
