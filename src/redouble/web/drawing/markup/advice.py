"""What helps a player: a step of the tutorial, or a hint. What a step explains has ``pointed``."""

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html, minus
from redouble.match.guide import GuideStep, guide_of
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup.forms import address, hidden
from redouble.web.drawing.markup.prompt import turn_in_words
from redouble.web.thinking.hints import TableHint


def draw_guide(board: Board, step: GuideStep) -> Html:
    """Return the step that a page shows."""
    number, steps = board.point.guide, len(guide_of(board.table.game).steps)
    turn: Child = None  # on pages on which the step takes the room of the prompt
    if board.turn is not None and not board.table.alone:
        turn = html.i({"aria-hidden": "true"}, " · ", turn_in_words(board))
    return html.section(
        {"class": "guide", "id": "guide", "aria-label": "Tutorial"},
        html.p(
            html.b(html.span({"class": "sr"}, "Step "), f"{number} of {steps}", turn),
            " ",
            step.say,
        ),
        number < steps and _next(board),
        _skip(board, last=number == steps),
    )


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


def draw_hint(board: Board, hint: TableHint) -> Html:
    """Return a hint."""
    advice = hint.advice
    return draw_advice(
        board,
        "Hint: ",
        html.b(minus(advice.words)),
        f". {minus(advice.why)}",
        hint.again is not None and (" ", _thinking(board, hint.again)),
    )


def draw_advice(board: Board, *words: Child, name: str | None = None) -> Html:
    """Return advice with the button that closes it; without words it isn't shown yet."""
    here, point = address(board.table), board.point
    query = f"?seat={point.seat}&guide={point.guide}"
    return html.div(
        {"class": "hint"},
        html.p({"role": "status", "id": name}, *words),
        html.a(
            {
                "class": "btn",
                "href": f"{here}{query}",
                "hx-get": f"{here}/board{query}",
                "hx-target": "#board",
                "hx-swap": "outerMorph",
                "aria-label": "Close",
            },
            "×",
        ),
    )


def _thinking(board: Board, again: int) -> tuple[Html, ...]:
    """Return what asks for a better hint until the search has finished."""
    table, point = board.table, board.point
    query = f"?seat={point.seat}&guide={point.guide}&guessed={table.last_move}"
    return (
        html.span(
            {
                "id": "thinking",
                "hx-get": f"{address(table)}/hint{query}",
                "hx-trigger": f"every {again}s",
                "hx-sync": "drop",
                "hx-target": "#board",
                "hx-swap": "outerMorph",
            },
            "Thinking further…",
        ),
        html.noscript(" Reload the page for a better one."),
    )
