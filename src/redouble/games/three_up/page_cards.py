"""The cards of 3UP 3DOWN on a page."""

from __future__ import annotations

from functools import cache

from redouble.contract.page import html
from redouble.contract.page.html import Html, fragment
from redouble.contract.page.pieces import card, figure
from redouble.contract.page.scene import BoardScene, Face

CLEARS = {"clear": "", "clear+1": "+1", "clear+2": "+2"}
"""The cards that clear the pile, and what stands beside their swirl."""
SPIRAL = (
    "M12 12a1.5 1.5 0 0 1 3 0a3 3 0 0 1-6 0a4.5 4.5 0 0 1 9 0a6 6 0 0 1-12 0a7.5 7.5 0 0 1 15 0"
)


def live(scene: BoardScene, face: Face, frames: bool = True) -> Html:
    """Return a card that can be played from where it lies."""
    corner, middle = corner_of(face.rank), middle_of(face.rank)
    return card(scene, face, label=face.spoken, corner=corner, middle=middle, frames=frames)


def lying(scene: BoardScene, face: Face, kind: str = "") -> Html:
    """Return a card that can't be played from where it lies, whatever its text."""
    corner, middle = corner_of(face.rank), middle_of(face.rank)
    still = face._replace(move="", why="")
    return card(scene, still, kind, label=face.spoken, corner=corner, middle=middle)


def corner_of(rank: str) -> str:
    """Return what stands in a card's corners."""
    return "clear" if rank in CLEARS else rank


@cache
def middle_of(rank: str) -> Html:
    """Return what stands in a card's middle: a number, or the swirl that clears the pile."""
    mark = html.i({"class": "mark", "aria-hidden": "true"})
    if rank not in CLEARS:
        return fragment(figure(rank), mark)
    more = CLEARS[rank]
    clears = {"class": "figure clears", "aria-hidden": "true"}
    return fragment(html.span(clears, SWIRL, html.b(more) if more else None), mark)


SWIRL = html.svg(
    {"class": "swirl", "viewBox": "4 3 19 17", "aria-hidden": "true"}, html.path({"d": SPIRAL})
)
