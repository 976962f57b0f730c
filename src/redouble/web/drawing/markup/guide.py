"""A step of the tutorial; what it explains has the class ``pointed``."""

from __future__ import annotations

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html
from redouble.match.guide import GuideStep
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup.forms import address, hidden
from redouble.web.drawing.markup.prompt import turn_in_words


def draw_guide(board: Board, step: GuideStep) -> Html:
    """Return the step that a page shows."""
    number, steps = board.point.guide, board.steps
    return html.section(
        {"class": "guide", "id": "guide", "aria-label": "Tutorial"},
        html.p(
            html.b(html.span({"class": "sr"}, "Step "), f"{number} of {steps}", _whose_turn(board)),
            " ",
            step.say,
        ),
        number < steps and _next(board),
        _skip(board, last=number == steps),
    )


def _whose_turn(board: Board) -> Child:
    """Return whose turn it is, for pages on which the step takes the room of the prompt."""
    if board.turn is None or board.table.alone:
        return None
    return html.i({"aria-hidden": "true"}, " · ", turn_in_words(board))


def _next(board: Board) -> Html:
    point = board.point
    return html.a(
        {
            "class": "btn main",
            "href": f"{address(board.table)}?seat={point.seat}&guide={point.guide + 1}",
            "autofocus": point.guide > 1,
        },
        "Next",
    )


def _skip(board: Board, last: bool) -> Html:
    here, label = address(board.table), "Got it" if last else "Skip"
    if board.point.seat < 0:
        return html.a({"class": "btn", "href": here}, label)
    kind = "btn main" if last else "btn"
    return html.form(
        {"method": "post", "action": f"{here}/do"},
        hidden("seat", board.point.seat),
        html.button({"class": kind, "name": "command", "value": "skip"}, label),
    )
