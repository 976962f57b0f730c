"""What helps a player: the offer of the tutorial, or a hint."""

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html, minus
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup.forms import address, hidden
from redouble.web.thinking.hints import TableHint


def draw_guide(board: Board) -> Html:
    """Return the offer of the tutorial, at a player's first table of a game."""
    table, point, here = board.table, board.point, address(board.table)
    tutorial = f"/rules/{table.game.name}/tutorial/1?table={table.header.token}"
    skip: Child = html.a({"class": "btn", "href": here}, "Skip")
    if point.seat >= 0:
        skip = html.form(
            {"method": "post", "action": f"{here}/do"},
            hidden("seat", point.seat),
            html.button({"class": "btn", "name": "command", "value": "skip"}, "Skip"),
        )
    return html.section(
        {"class": "guide", "id": "guide", "aria-label": "Tutorial"},
        html.p("New to this game? Learn it in a minute."),
        html.a({"class": "btn main", "href": tutorial}, "Tutorial"),
        skip,
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
