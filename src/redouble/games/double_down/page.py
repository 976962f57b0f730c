"""Double Down on a page: the gauge to 99 between two piles, and chips on every seat."""

from functools import cache

from redouble.contract.page import html
from redouble.contract.page.game_page import GamePage
from redouble.contract.page.html import Child, Html, classes, fragment, minus
from redouble.contract.page.pieces import backs, counted, pictured, pile, plural, told
from redouble.contract.page.scene import Place

CHIPS = 3


class DoubleDownPage(GamePage):
    """Draws the table's total large in the middle, and what everyone has left."""

    sound = "place count"

    def player(self, place: Place) -> Child:
        draw = super().player
        return self.kept("player", lambda: draw(place), *place.looks)

    def hand(self) -> Child:
        """Draw the viewer's cards; those of another player's turn are mostly the same as before."""
        draw, mine = super().hand, self.scene.mine
        if self.scene.moves or mine is None:
            return draw()
        return self.kept("hand", draw, *mine.piles.values())

    def own(self) -> Child:
        draw, mine = super().own, self.scene.mine
        return self.kept("own", draw, *(mine.looks if mine else ()))

    def plate(self, place: Place) -> Child:
        hand = place.piles.get("hand")
        return self.chips(place), None if hand is None else backs(self.scene, hand)

    def own_note(self, mine: Place) -> Child:
        return self.chips(mine)

    def chips(self, place: Place) -> Child:
        """Draw a player's chips, and whether they are out or play their last turn."""
        number, state = int(place.facts["chips"].value), place.facts.get("state")
        explained = place.me or self.scene.mine is None
        look = classes("chips", explained and self.scene.pointed("chips"))
        spoken = plural(number, "chip") + (f", {state.text}" if state else "")
        row = html.span(
            {"class": look, **pictured(spoken), **told(f"chips-{place.seat}")},
            row_of_chips(number, out=state is not None and state.value == "out"),
        )
        if state is None:
            return row, None
        note = {"class": f"note state-{state.value}", **told(f"state-{place.seat}")}
        return row, html.span(note, state.text)

    def centre(self) -> Child:
        scene = self.scene
        shown = *scene.piles.values(), *scene.facts.values()
        return self.kept("centre", lambda: fragment(self.table()), *shown)

    def table(self) -> Child:
        """Draw the piles, with the total between them."""
        piles = self.scene.piles
        draw, discard = piles["draw"], piles["discard"]
        return (
            pile(self.scene, draw, note=f"{draw.size} to draw"),
            self.total(),
            pile(self.scene, discard, note="played" if discard.size else "nothing played"),
        )

    def total(self) -> Html:
        """Draw the gauge: the total, the next double, and which way the round goes."""
        facts = self.scene.facts
        total, turning = int(facts["total"].value), facts["round"].text
        way = facts["direction"]
        look = classes("total", total < 0 and "low", self.scene.pointed("total"))
        spoken = f"The total is {total}; the round is {turning}; play goes to the {way.text}"
        return html.div(
            {
                **{"class": look, "style": f"--total: {total}"},
                **pictured(spoken),
                **counted("total"),
            },
            html.strong({"aria-hidden": "true"}, minus(total)),
            html.span({"aria-hidden": "true"}, next_double(total)),
            html.span(
                {"class": f"way {way.value}", "aria-hidden": "true"},
                f"{'↻' if way.value == 'left' else '↺'} round {turning}",
            ),
        )


def next_double(total: int) -> str:
    """Return which total loses a chip next."""
    return f"next double {max((total // 11 + 1) * 11, 11)}" if total < 99 else "99 or more"


@cache
def row_of_chips(number: int, out: bool) -> Html:
    """Return a row of chips in which those that are gone are empty."""
    looks = (
        classes("chip", chip >= number and "gone", chip == number and not out and "latest")
        for chip in range(CHIPS)
    )
    return fragment([html.i({"class": look}) for look in looks])
