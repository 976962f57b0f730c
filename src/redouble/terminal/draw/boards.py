"""Boards: what a view shows beyond zones and facts, drawn by the game itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.text import Text

from redouble.contract import drawing
from redouble.contract.registry import GAMES
from redouble.contract.view import View
from redouble.terminal.draw.blocks import Block
from redouble.terminal.draw.cards import QUIET, ROUND, Glyphs


@dataclass(frozen=True)
class Drawn:
    """A board as lines of text, and the zones of the view that it shows."""

    block: Block
    zones: frozenset[str] = frozenset()

    def rest(self, view: View) -> View:
        """The view without these zones."""
        return replace(view, zones=tuple(zone for zone in view.zones if zone.key not in self.zones))


def draw(view: View, glyphs: Glyphs) -> Drawn | None:
    """Return the board as the view's game draws it; None if it has no board or draws none."""
    draw_board = GAMES[view.game].draw
    if not view.board or draw_board is None:
        return None
    drawn = draw_board(view.board, glyphs is ROUND)
    if drawn is None:
        return None
    return Drawn([_line(spans) for spans in drawn.lines], drawn.zones)


def _line(spans: tuple[drawing.Span, ...]) -> Text:
    return Text.assemble(
        *((text, QUIET if style == drawing.QUIET else style) for text, style in spans)
    )
