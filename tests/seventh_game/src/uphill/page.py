"""Uphill on a page: each path is a flight of stairs, whose free steps are buttons."""

from __future__ import annotations

from redouble.contract.page import html
from redouble.contract.page.game_page import GamePage
from redouble.contract.page.html import Child, Html, classes
from redouble.contract.page.pieces import card, move_button, pile
from redouble.contract.page.scene import Place


class UphillPage(GamePage):
    """Draws stock and waste, and the paths below them."""

    def centre(self) -> Child:
        scene = self.scene
        return (
            pile(scene, scene.piles["stock"]),
            pile(scene, scene.piles["waste"]),
            html.p(
                {"class": classes("redeals", scene.pointed("redeals"))},
                f"redeals left: {scene.facts['redeals'].value}",
            ),
            [self.stairs(place) for place in scene.places],
        )

    def stairs(self, place: Place) -> Html:
        """Draw a player's path."""
        path = self.scene.board["paths"][place.seat]
        laid = iter(place.piles["path"])
        steps = [
            card(self.scene, next(laid), "small") if tile else self.free_step(place, number)
            for number, tile in enumerate(path, 1)
        ]
        return html.ol(
            {
                "class": classes("stairs", place.me and self.scene.pointed("path")),
                "style": f"--steps: {len(path)}",
                "aria-label": f"{place.name}: {place.facts['climbed'].text} steps",
            },
            [html.li({"style": f"--step: {at}"}, step) for at, step in enumerate(steps)],
        )

    def free_step(self, place: Place, number: int) -> Child:
        """Draw a step without a tile, with a button for each tile that may be laid there."""
        scene = self.scene
        label = f"step {number}, free"
        tiles = {
            move: str(scene.about[move]["tile"])
            for move in (scene.moves_of("lay", step=number) if place.me else [])
        }
        return (
            html.span({"class": "card slot small", "role": "img", "aria-label": label}),
            [
                (" ", move_button(scene, move, tile, "btn lay", f"Lay {tile} on step {number}"))
                for move, tile in tiles.items()
            ],
        )

    def choices(self) -> Child:
        """Draw what can be thrown away."""
        scene = self.scene
        if scene.still:
            return None
        return html.div(
            {"class": classes("choices", scene.pointed("moves"))},
            [
                move_button(scene, move, f"Throw {scene.about[move]['tile']} away")
                for move in scene.moves_of("throw")
            ],
        )
