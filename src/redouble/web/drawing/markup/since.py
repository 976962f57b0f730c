"""What happened since the viewer's last move, for pages that didn't show it."""

from __future__ import annotations

from collections.abc import Sequence

from redouble.contract.page import html
from redouble.contract.page.html import Html, minus
from redouble.web.drawing.board import Happened


def draw_since(happened: Sequence[Happened], names: Sequence[str]) -> Html:
    """Return the moves, each with what there was to see in the middle of it."""
    return html.div(
        {"class": "since", "role": "group", "aria-label": "Since your last move", "tabindex": 0},
        html.strong("Since your last move"),
        html.ul([_move(one, names[one.seat]) for one in happened]),
    )


def _move(one: Happened, name: str) -> Html:
    return html.li(
        one.words and (html.b(name), f" {minus(one.words)}. "),
        [
            (html.em(f"{minus(moment.title)}."), f" {minus(moment.detail)} ")
            for moment in one.headlines
        ],
    )
