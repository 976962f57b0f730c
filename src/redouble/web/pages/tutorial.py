"""Tutorials: a learner makes the move of each step in a scripted position, and sees its effect."""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from fastapi.responses import HTMLResponse

from redouble.contract.registry import GAMES
from redouble.match.guide import guide_of
from redouble.match.replay import replay
from redouble.match.story import Story
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.scene import scene_of
from redouble.web.errors import NotFound
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

TABLE = re.compile(r"[\w-]{1,40}")
"""The token of the table to which the learner goes back."""
LEARNER = 0
MAX_DRAWN = 128
"""Steps that are kept as drawn: they are the same for everybody."""


@router.get("/rules/{game}/tutorial/{number}", Cost.RENDERING)
async def tutorial(
    game: str, number: str, site: SiteOf, person: Visitor, move: str = "", table: str = ""
) -> HTMLResponse:
    """Ask for the move of a step; with that ``move``, show what it did and say why."""
    steps = len(guide_of(GAMES[game]).steps)
    if number not in map(str, range(1, steps + 1)):
        raise NotFound(f"the tutorial of {GAMES[game].title} has no such step")
    step = guide_of(GAMES[game]).steps[int(number) - 1]
    shown = await site.renderings.run(_shown, game, int(number), move == step.move)
    back = table if TABLE.fullmatch(table) else ""
    return site.page(
        "tutorial.html", person=person, number=int(number), steps=steps, table=back, **shown
    )


@lru_cache(maxsize=MAX_DRAWN)
def _shown(name: str, number: int, made: bool) -> dict[str, Any]:
    """Return what the page shows before or after the learner's move, the only one it offers."""
    game = GAMES[name]
    step = guide_of(game).steps[number - 1]
    match = replay(step.record).back_to(step.begins)
    story = Story(match, [LEARNER], you=True)
    for move in step.record.moves[step.begins :] if made else ():
        mover = match.turn
        match.push(move)
        story.hear(mover if mover is not None else LEARNER)
    view = match.view(LEARNER)
    if not made:
        about = {move: what for move, what in view.moves.items() if move == step.move}
        view = replace(view, legal_moves=(step.move,), moves=about)
    scene = scene_of(view, match.names, playable=not made, describe=match.describe)
    scene.hint, scene.guide_at = "" if made else step.move, step.at if made else ""
    return {
        "game": game,
        "step": step,
        "made": made,
        "drawn": draw_scene(game, scene),
        "told": [f"{match.names[one.seat]} {one.text}." for one in story.lines(LEARNER, 0)],
    }
