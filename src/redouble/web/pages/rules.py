"""The rulebooks, with pictures drawn by the tables' templates."""

from __future__ import annotations

import jinja2
from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from redouble.contract.registry import GAMES
from redouble.web.drawing import scene_template
from redouble.web.rulebook import sections_of
from redouble.web.scene import BoardScene
from redouble.web.site import SiteOf, Visitor

router = APIRouter(include_in_schema=False)


@router.get("/rules")
async def rules_index(site: SiteOf, person: Visitor) -> HTMLResponse:
    """List the rulebooks."""
    return site.page("rules_index.html", person=person)


@router.get("/rules/{game}")
async def rules(game: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show a rulebook."""
    chosen = GAMES[game]
    parts = [
        (section, [(draw_still(site.env, f.scene), f.caption) for f in section.figures])
        for section in sections_of(chosen)
    ]
    return site.page("rules.html", person=person, game=chosen, parts=parts)


def draw_still(env: jinja2.Environment, scene: BoardScene) -> Markup:
    """Return a scene as a picture, without buttons, forms, ids or transitions."""
    template = env.get_template(scene_template(scene.game))
    return Markup(template.render(scene=scene, still=True, hint=""))
