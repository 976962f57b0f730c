"""Double or Quits on a page: cells in an arch over the foundation; stock and waste below."""

from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from redouble.contract.page import html
from redouble.contract.page.game_page import GamePage
from redouble.contract.page.html import Attributes, Child, Html, classes, fragment
from redouble.contract.page.pieces import (
    card,
    counted,
    pictured,
    plays,
    plural,
    refused,
    slot,
    tied,
    told,
)
from redouble.contract.page.scene import BoardScene, Face, Pile

SIGNS = {"spades": "♠︎", "hearts": "♥︎", "diamonds": "♦︎", "clubs": "♣︎"}
COURT = {"J", "Q", "K"}
FANNED = 5
"""Cards of the waste that are seen."""


class DoubleOrQuitsPage(GamePage):
    """Draws the whole game in the middle: one player holds no cards and needs no plate."""

    card_looks: ClassVar[Mapping[str, str]] = {
        "four-colors": "Four colors",
        "large-print": "Large print",
    }

    def __init__(self, scene: BoardScene) -> None:
        super().__init__(scene)
        self.done = scene.piles["foundation"].size
        self.all: int = scene.board["complete"]

    def hand(self) -> Child:
        return None

    def choices(self) -> Child:
        return None

    def centre(self) -> Child:
        return (
            html.div(
                {"class": "arch"},
                [self.cell(pile) for pile in self.scene.piles.values() if pile.kind == "cell"],
                self.foundation(),
                self.goal(),
            ),
            html.div({"class": "below"}, self.stock(), self.waste()),
            self.known_cards(),
        )

    def card(self, face: Face, where: str) -> Html:
        """Draw a playing card; ``where`` it lies is read out."""
        kind = classes(face.rank in COURT and "court", face.up and f"suit-{face.suit}")
        label = f"{face.spoken}, {where}"
        return card(self.scene, face, kind, label=label, middle=middle_of(face.rank, face.suit))

    def cell(self, cell: Pile) -> Html:
        stuck = cell.top is not None and cell.top.rank == "K"
        return html.div(
            {"class": classes("cell", stuck and "stuck", self.scene.pointed(cell.key))},
            self.card(cell.top, cell.name) if cell.top else empty(f"{cell.name}, empty"),
            html.span({"class": "caption", "aria-hidden": "true"}, cell.number),
        )

    def foundation(self) -> Html:
        """Draw the top card of the foundation, over the edges of two more."""
        under = html.span({"class": "card under", "aria-hidden": "true"})
        top = self.scene.piles["foundation"].top
        full, explained = self.done == self.all, self.scene.pointed("foundation")
        return html.div(
            {"class": classes("foundation", full and "full", explained), "data-drop": True},
            [under] * max(0, min(self.done, 3) - 1),
            self.card(top, "on the foundation") if top else None,
        )

    def goal(self) -> Html:
        """Draw which cards the foundation needs next, and how many lie on it."""
        facts = self.scene.facts
        then = facts["then"]
        needed = html.p(
            {"class": classes("needs", self.scene.pointed("needed"))},
            html.span("needs"),
            " ",
            html.b(facts["needed"].text),
            (" ", html.span({"class": "then"}, f"then {then.text}")) if then.value else None,
        )
        return html.div(
            {"class": "goal", **counted("goal")},
            needed if self.done < self.all else None,
            html.p(
                {"class": "done", "style": f"--done: {self.done}; --all: {self.all}"},
                html.i(),
                f" {facts['foundation'].text}",
            ),
        )

    def stock(self) -> Html:
        return html.div(
            {"class": classes("stock", self.scene.pointed("stock"))},
            self.stock_card(self.scene.piles["stock"]),
            self.redeals(),
        )

    def stock_card(self, stock: Pile) -> Html:
        """Draw the stock, a button where a card can be flipped; empty, where it can be redealt."""
        scene = self.scene
        flip, redeal = scene.first_move("flip"), scene.first_move("redeal")
        size = plural(stock.size, "card")
        if not stock.size:
            return self.redeal(redeal) if redeal and not scene.still else NO_STOCK
        if flip and not scene.still:
            look = pressed_by_f(scene, flip, "card back", "stock", "flip (f)")
            look["aria-label"] = f"Flip a card from the stock, {size}"
            return html.button(look, self.top(stock))
        if scene.moves and not scene.still:
            why = refused(scene.prompt, f"Stock, {size}. {scene.prompt}")
            return html.button({"class": "card back dim", "id": "stock", **why}, self.top(stock))
        return html.span({"class": "card back", **pictured(f"Stock, {size}")}, self.top(stock))

    def top(self, stock: Pile) -> Html:
        """Draw the back of the top card: the button under it stays from flip to flip."""
        top = stock.top
        return fragment(
            html.i({"class": "card back top", **tied(self.scene, top)}) if top else None,
            html.b({"aria-hidden": "true"}, stock.size),
        )

    def redeal(self, move: str) -> Html:
        left = self.scene.facts["redeals"].value
        look = pressed_by_f(self.scene, move, "card slot", "redeal", "redeal (f)")
        look["aria-label"] = f"Redeal: turn the waste over, {left} left"
        return html.button(
            look,
            html.b({"aria-hidden": "true"}, "↻"),
            html.small({"aria-hidden": "true"}, "redeal"),
        )

    def redeals(self) -> Html:
        """Draw how often the waste can be turned over again."""
        left = int(self.scene.facts["redeals"].value)
        return html.span(
            {"class": "caption redeals", **pictured(f"{plural(left, 'redeal')} left")},
            [html.i("↻")] * left or html.span("no redeals"),
        )

    def waste(self) -> Html:
        """Draw the last cards of the waste, the top one to play."""
        waste = self.scene.piles["waste"]
        cards = [
            self.card(face, "on top of the waste" if face is waste.top else "in the waste")
            for face in waste.faces[-FANNED:]
        ]
        return html.div(
            {
                "class": classes("waste", self.scene.pointed("waste")),
                "role": "group",
                "aria-label": f"Waste, {plural(waste.size, 'card')}",
            },
            html.div({"class": "fan"}, cards or slot()),
            html.span(
                {"class": "caption", "aria-hidden": "true", **told("waste")},
                f"waste · {waste.size}",
            ),
        )

    def known_cards(self) -> Child:
        """Draw the cards of the stock that the player has seen, in a line of text."""
        return [
            html.p(
                {"class": classes("order", self.scene.pointed(fact.key))},
                html.span(fact.name),
                [(" ", little_card(known)) for known in self.scene.board["known"]],
            )
            for fact in self.scene.facts.values()
            if fact.kind in ("stock-order", "stock-bottom")
        ]


def pressed_by_f(scene: BoardScene, move: str, kind: str, name: str, title: str) -> Attributes:
    """Return the attributes of the button that stands for the stock, which F presses."""
    return {
        "class": classes(kind, scene.hint == move and "hinted"),
        "id": name,
        **plays(move),
        "aria-keyshortcuts": "f",
        "title": title,
    }


def empty(label: str) -> Html:
    """Return the outline of a card, which is read out."""
    return html.span({"class": "card slot", **pictured(label)})


NO_STOCK = empty("The stock is empty")


def little_card(known: Mapping[str, str]) -> Html:
    """Return a card in a line of text."""
    return html.b(
        {"class": classes("little", known["color"] and "red", f"suit-{known['suit']}")},
        html.span({"aria-hidden": "true"}, known["rank"] + SIGNS[known["suit"]]),
        html.span({"class": "sr"}, known["spoken"]),
    )


@cache
def middle_of(rank: str, suit: str) -> Html:
    """Return what is on a card: rank over suit in two corners, and the suit in the middle."""
    sign = SIGNS[suit] if suit else ""
    corner = html.span({"class": "index", "aria-hidden": "true"}, html.b(rank), html.i(sign))
    return fragment(corner, html.i({"class": "pip", "aria-hidden": "true"}, sign), corner)
