"""The page of a game: its parts, as any game is drawn, and where a game's own take their place."""

from collections.abc import Callable, Hashable, Mapping
from typing import ClassVar

from redouble.contract.page import html
from redouble.contract.page.html import Attributes, Child, Html, classes, join
from redouble.contract.page.kept import kept
from redouble.contract.page.pieces import backs, card, move_button, pile, plate, row, told
from redouble.contract.page.scene import BoardScene, Pile, Place
from redouble.contract.view import Fact


class GamePage:
    """Draws a scene from its zones, facts and moves.

    A game's own page is a subclass that draws some of the parts in its own way: each part is a
    method that returns markup, or nothing.
    """

    sound: ClassVar[str] = "place"
    """What is heard when a move is made, of :data:`~redouble.contract.moments.SOUNDS`; several are
    separated by spaces."""
    card_looks: ClassVar[Mapping[str, str]] = {}
    """Other looks of the cards that a viewer can choose: classes of the page, and their names."""

    def __init__(self, scene: BoardScene) -> None:
        self.scene = scene

    def draw(self, asked: Child = None) -> Html:
        """Return the whole scene; ``asked`` is what the viewer is asked, drawn by the caller."""
        scene = self.scene
        return html.div(
            {"class": f"scene game-{scene.game}", "style": f"--seats: {len(scene.places)}"},
            self.seats(),
            self.region({"class": "centre", "aria-label": "Table"}, self.centre()),
            self.region(
                {"class": "mine", "aria-label": "Your cards and moves"},
                asked,
                self.hand(),
                self.choices(),
                self.own(),
            ),
            self.board(),
        )

    def region(self, attributes: Attributes, *children: Child) -> Html:
        """Return a place of the page that a reader can go to; in a picture only a group."""
        if self.scene.still:
            return html.div({**attributes, "role": "group"}, *children)
        return html.section({**attributes, "role": "region"}, *children)

    def seats(self) -> Child:
        """Draw the other players."""
        scene = self.scene
        if len(scene.places) == 1:
            return None
        return self.region(
            {"class": classes("seats", scene.pointed("seats")), "aria-label": "Players"},
            [self.player(place) for place in scene.round],
        )

    def player(self, place: Place) -> Child:
        """Draw another player."""
        return plate(self.scene, place, self.plate(place))

    def kept(self, part: str, draw: Callable[[], Child], *shown: Hashable) -> Child:
        """Draw a part of the page once for all pages that show the same of it.

        ``shown`` is all of the scene that the drawing depends on, except its moves: only parts are
        kept that offer none.
        """
        scene = self.scene
        look = scene.named, scene.still, scene.eyes is None, scene.mine is None, scene.guide_at
        return kept((scene.game, part, *look, shown), draw)

    def plate(self, place: Place) -> Child:
        """Draw what is shown of another player beside their name."""
        return (
            "hand" in place.piles and backs(self.scene, place.piles["hand"]),
            html.span(
                {"class": "note", **told(f"note-{place.seat}")},
                join(" · ", map(in_words, place.facts.values())),
            ),
        )

    def centre(self) -> Child:
        """Draw what lies on the table."""
        scene = self.scene
        return (
            [self.zone(zone) for zone in scene.piles.values()],
            bool(scene.facts) and self.facts(),
            [
                self.spread(zone, f"{place.name}: {zone.name}", place.me)
                for place in scene.places
                for zone in place.piles.values()
                if zone.key != "hand" and len(zone)
            ],
        )

    def zone(self, zone: Pile) -> Html:
        """Draw a pile of the table, or cards that lie side by side."""
        if zone.spread:
            return self.spread(zone, zone.name)
        return pile(self.scene, zone)

    def spread(self, zone: Pile, caption: str, explained: bool = True) -> Html:
        """Draw small cards side by side; if ``explained``, the tutorial may point at them."""
        scene = self.scene
        return html.div(
            {"class": classes("pile", explained and scene.pointed(zone.key))},
            html.div({"class": "spread"}, [card(scene, face, "small") for face in zone]),
            html.span({"class": "caption"}, caption),
        )

    def facts(self) -> Html:
        """Draw the facts of the table."""
        return html.dl(
            {"class": "facts", **told("facts")},
            [
                html.div(
                    {"class": self.scene.pointed(fact.key)}, html.dt(fact.name), html.dd(fact.text)
                )
                for fact in self.scene.facts.values()
            ],
        )

    def hand(self) -> Child:
        """Draw the viewer's cards."""
        mine = self.scene.mine
        if mine is None or "hand" not in mine.piles:
            return None
        return row(self.scene, mine.piles["hand"])

    def choices(self) -> Child:
        """Draw the moves that aren't made by clicking a card."""
        scene = self.scene
        if not scene.others or scene.still:
            return None
        return html.div(
            {"class": classes("choices", scene.pointed("moves"))},
            [move_button(scene, move) for move in scene.others],
        )

    def own(self) -> Child:
        """Draw the viewer among the players."""
        scene = self.scene
        if scene.mine is None or len(scene.places) == 1:
            return None
        return plate(scene, scene.mine, self.own_note(scene.mine))

    def own_note(self, mine: Place) -> Child:
        """Draw what is shown of the viewer beside their name."""
        facts = [
            html.span({"class": self.scene.pointed(fact.key)}, in_words(fact))
            for fact in mine.facts.values()
        ]
        return html.span({"class": "note", **told(f"note-{mine.seat}")}, join(" · ", facts))

    def board(self) -> Child:
        """Draw what comes after all the rest; nothing unless a game has it."""
        return None


def in_words(fact: Fact) -> str:
    """Return a fact as people read it: ``hand size 6``."""
    return f"{fact.name} {fact.text}"
