"""What people are asked between two games: whether they join the next one."""

from __future__ import annotations

from redouble.contract.page import html
from redouble.contract.page.html import Child
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup.forms import address, command_button, hidden, once, posting
from redouble.web.table.acts.rematch import seats_to_want


def draw_again(board: Board, role: str | None = None) -> Child:
    """Return the question of a player who wants another game, or the wish for a seat in it."""
    return _next_game(board, role) if board.asked_to_join else _wish(board)


def _next_game(board: Board, role: str | None) -> Child:
    by = board.table.next.by
    asks = f"{board.scene.places[by].name} wants another game." if by >= 0 else ""
    return html.div(
        {"class": "banner again", "role": role},
        asks or "Another game has begun.",
        " ",
        html.button({"class": "btn main", "form": "again"}, "Join"),
        " ",
        board.acting and command_button("later", "Later"),
    )


def _wish(board: Board) -> Child:
    """Return what lets a spectator of a public table have a bot's seat in the next game."""
    table = board.table
    if board.point.seat >= 0 or table.next.token:
        return None
    if board.point.wants:
        said, command, label = "You have a seat in the next game.", "want-no", "Give it up"
    elif seats_to_want(table) > 0:
        said, command, label = "Bots play here.", "want", "Play in the next game"
    else:
        return None
    return html.div(
        {"class": "banner again"},
        f"{said} ",
        html.form(
            posting(f"{address(table)}/do"),
            hidden("command", command),
            once(table.ply),
            html.button({"class": "btn main"}, label),
        ),
    )
