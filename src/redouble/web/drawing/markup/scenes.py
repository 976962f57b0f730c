"""Scenes as markup: on a table's page, and as pictures."""

from collections.abc import Sequence

from redouble.contract.game import Game
from redouble.contract.page import html
from redouble.contract.page.html import Child, Html
from redouble.contract.page.pieces import card
from redouble.contract.page.scene import BoardScene, Pile, Place


def draw_scene(game: Game, scene: BoardScene, asked: Child = None) -> Html:
    """Return a scene as its game draws it; ``asked`` stands before the viewer's cards."""
    return game.page(scene).draw(asked)


def draw_hands(scene: BoardScene, hands: Sequence[tuple[Place, Pile]]) -> Child:
    """Return open hands that a scene doesn't show, each with its player's name."""
    if not hands:
        return ""
    return html.section(
        {"class": "hands", "aria-label": "All hands"},
        [
            html.div(
                {"class": "pile"},
                html.span({"class": "caption"}, f"{place.name}: {zone.name}"),
                html.div({"class": "spread"}, [card(scene, face, "small") for face in zone]),
            )
            for place, zone in hands
        ],
    )
