"""The moves so far, in words: each line is drawn once and kept, since every page repeats it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html, minus
from redouble.contract.page.pieces import avatar
from redouble.contract.page.scene import HUES
from redouble.web.table import LogLine

KEPT_LINES = 8192
"""Lines that are kept, of about 300 bytes each."""


def draw_log(lines: Sequence[LogLine], names: Sequence[str], eyes: int) -> Html:
    """Return the log, latest first, in one viewer's words; with names where there are several."""
    drawn = [
        _line(line.ply, line.seat, _name_of(line, names), line.texts[eyes], line.move)
        for line in reversed(lines)
    ]
    return html.ol(
        {"class": "log", "id": "log", "tabindex": 0, "aria-label": "Moves so far"},
        drawn or html.li({"class": "note"}, "No moves yet."),
    )


def draw_last(line: LogLine, names: Sequence[str], eyes: int) -> Child:
    """Return the last line, as it is announced."""
    name = names[line.seat]
    return (
        avatar(line.seat % HUES, name[:1].upper()),
        " ",
        html.span(
            len(names) > 1 and (html.b(name), " "),
            minus(line.texts[eyes]),
            html.span({"class": "sr"}, "."),
        ),
    )


def _name_of(line: LogLine, names: Sequence[str]) -> str:
    return names[line.seat] if len(names) > 1 else ""


@lru_cache(maxsize=KEPT_LINES)
def _line(ply: int, seat: int, name: str, words: str, move: bool) -> Html:
    return html.li(
        {"class": None if move else "note", "id": f"line-{ply}"},
        html.span({"class": f"dot hue{seat % HUES}", "aria-hidden": "true"}),
        name and (html.b(name), " "),
        minus(words),
    )
