"""The board in a terminal: two columns for each square, and a stroke that joins the halves."""

from collections.abc import Mapping
from typing import Any

from redouble.contract.drawing import QUIET, Drawing, Span

COLORS = ("white", "cyan", "red", "green", "magenta", "yellow", "blue")
"""The background of each number's halves."""
DIAMOND = "yellow"


def draw(board: Mapping[str, Any], unicode: bool) -> Drawing | None:
    """Draw the board with its numbered diamonds and the dominoes.

    `` 3-5`` is a horizontal domino. A half stroke pointing down and one pointing up stand before
    the halves of a vertical one.
    """
    size = int(board["size"])
    letters = "abcdefghijklmnopqrstuvwxyz"[:size]
    star = tuple(board["star"])
    diamonds = {tuple(diamond["at"]): diamond["number"] for diamond in board["diamonds"]}
    halves = _halves(board, unicode)
    lines: list[tuple[Span, ...]] = [
        (Span("   " + "".join(f" {letter}" for letter in letters), QUIET),)
    ]
    for row in range(size, 0, -1):
        squares = [(column, row) for column in range(1, size + 1)]
        lines.append(
            (
                Span(f"{row:>2} ", QUIET),
                *(
                    halves.get(square) or _free(diamonds.get(square), square == star, unicode)
                    for square in squares
                ),
            )
        )
    return Drawing(tuple(lines), frozenset({"board"}))


def _free(number: int | None, star: bool, unicode: bool) -> Span:
    if star:
        return Span(" *", f"bold {DIAMOND}")
    if number:
        return Span(f" {number}", DIAMOND)
    return Span(" ·" if unicode else " .", QUIET)


def _halves(board: Mapping[str, Any], unicode: bool) -> dict[tuple[int, int], Span]:
    down, up = ("╷", "╵") if unicode else (",", "'")
    squares = {}
    for domino in board["dominoes"]:
        low, high = (*domino["low_at"], domino["low"]), (*domino["high_at"], domino["high"])
        # From left to right, or from the upper to the lower square.
        halves = sorted((low, high), key=lambda half: (half[0], -half[1]))
        level = low[1] == high[1]
        strokes = (" ", "-") if level else (down, up)
        for stroke, (column, row, number) in zip(strokes, halves, strict=True):
            color = COLORS[number % len(COLORS)]
            style = f"{'bold ' if domino['last'] else ''}black on {color}"
            squares[column, row] = Span(f"{stroke}{number}", style)
    return squares
