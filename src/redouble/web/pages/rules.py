"""The rules of the games, with pictures drawn as the tables draw them."""

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
    """The games, and where their rules are."""
    return site.page("rules_index.html", person=person)


@router.get("/rules/{game}")
async def rules(game: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """A rulebook."""
    chosen = GAMES[game]
    parts = [
        (section, [(draw_still(site.env, f.scene), f.caption) for f in section.figures])
        for section in sections_of(chosen)
    ]
    return site.page("rules.html", person=person, game=chosen, parts=parts)


def draw_still(env: jinja2.Environment, scene: BoardScene) -> Markup:
    """A scene as a picture: without buttons, forms, ids and transitions."""
    template = env.get_template(scene_template(scene.game))
    return Markup(template.render(scene=scene, still=True, hint=""))
