"""What has happened, in words. Each line is drawn once and kept, since every page repeats it."""

from collections.abc import Sequence
from functools import lru_cache

from redouble.contract.page import html
from redouble.contract.page.html import Html, fragment, minus
from redouble.contract.page.pieces import avatar, told
from redouble.contract.page.scene import HUES
from redouble.web.drawing.board import Happened
from redouble.web.table.state import HeardLine

KEPT_LINES = 8192
"""Lines that are kept, of about 300 bytes each."""


def draw_log(lines: Sequence[HeardLine], several: bool) -> Html:
    """Return the log, latest first; with names if there are several players."""
    drawn = [_line(line, several) for line in reversed(lines)]
    return html.ol(
        {"class": "log", "id": "log", "tabindex": 0, "aria-label": "Moves so far", **told("log")},
        drawn or html.li({"class": "note"}, "No moves yet."),
    )


@lru_cache(maxsize=KEPT_LINES)
def draw_last(line: HeardLine, several: bool) -> Html:
    """Return the last line, as it is announced."""
    letters = len(line.name) + len(line.words)
    return fragment(
        avatar(line.seat % HUES, line.letter),
        " ",
        html.span(
            {"style": f"--letters: {letters}"},
            several and (html.b(line.name), " "),
            minus(line.words),
            html.span({"class": "sr"}, "."),
        ),
    )


@lru_cache(maxsize=KEPT_LINES)
def _line(line: HeardLine, several: bool) -> Html:
    return html.li(
        {"class": None if line.move else "note", "id": f"line-{line.ply}"},
        html.span({"class": f"dot hue{line.seat % HUES}", "aria-hidden": "true"}),
        several and (html.b(line.name), " "),
        minus(line.words),
    )


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
