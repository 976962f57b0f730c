"""Boards: what a view shows beyond zones and facts, drawn by the board's own ``kind``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from redouble.terminal.blocks import Block
from redouble.terminal.cards import QUIET, ROUND, Glyphs


@dataclass(frozen=True)
class Drawn:
    """A board as lines of text, and the zones of the view that are seen on it."""

    block: Block
    zones: frozenset[str] = frozenset()


def draw(board: dict[str, Any], glyphs: Glyphs) -> Drawn | None:
    """The board; None when there is none, or none of a kind known here."""
    drawing = BOARDS.get(str(board.get("kind", "")))
    return drawing(board, glyphs) if drawing else None


NUMBER_COLORS = ("white", "cyan", "red", "green", "magenta", "yellow", "blue")
DIAMOND = "yellow"


def dominoes(board: dict[str, Any], glyphs: Glyphs) -> Drawn:
    """A square board with numbered diamonds, two columns a square.

    The halves of a domino have the colour of their number; a stroke joins them: `` 3-5`` lies
    level, a half stroke down and one up stand before the halves of an upright one.
    """
    size = int(board["size"])
    letters = "abcdefghijklmnopqrstuvwxyz"[:size]
    squares = _domino_squares(board, glyphs)
    head = Text("   " + "".join(f" {letter}" for letter in letters), QUIET)
    lines = [head]
    for row in range(size, 0, -1):
        line = Text(f"{row:>2} ", QUIET)
        for letter in letters:
            square = f"{letter}{row}"
            line.append_text(squares.get(square) or _bare(board, square, glyphs))
        lines.append(line)
    return Drawn(lines, frozenset({"board"}))


def _bare(board: dict[str, Any], square: str, glyphs: Glyphs) -> Text:
    """A square without a domino: the star, a diamond's number, or nothing."""
    if square == board["star"]:
        return Text(" *", f"bold {DIAMOND}")
    if number := board["diamonds"].get(square):
        return Text(f" {number}", DIAMOND)
    return Text(" ·" if glyphs is ROUND else " .", QUIET)


def _domino_squares(board: dict[str, Any], glyphs: Glyphs) -> dict[str, Text]:
    """The halves of all dominoes by the squares they cover."""
    down, up = ("╷", "╵") if glyphs is ROUND else (",", "'")
    squares = {}
    for domino in board["dominoes"]:
        halves = [(domino["low_at"], domino["low"]), (domino["high_at"], domino["high"])]
        level = halves[0][0][1:] == halves[1][0][1:]
        # From left to right, or from the upper to the lower square.
        halves.sort(key=lambda half: half[0][0] if level else -int(half[0][1:]))
        strokes = (" ", "-") if level else (down, up)
        for stroke, (square, number) in zip(strokes, halves, strict=True):
            ground = NUMBER_COLORS[number % len(NUMBER_COLORS)]
            style = f"{'bold ' if domino['last'] else ''}black on {ground}"
            squares[square] = Text(f"{stroke}{number}", style)
    return squares


BOARDS: dict[str, Callable[[dict[str, Any], Glyphs], Drawn]] = {"dominoes": dominoes}
"""How to draw a board of each kind."""
