"""How a game ended: who won and why, the standings, the viewer's results, and what to do next.

It covers the table, which a check box shows again.
"""

from __future__ import annotations

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html, classes, minus
from redouble.contract.page.pieces import avatar, told
from redouble.contract.page.scene import Place
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup.again import draw_again
from redouble.web.drawing.markup.forms import address

CONFETTI = 56


def draw_ending(board: Board) -> tuple[Html, ...]:
    """Return the panel over a table, and what hides it."""
    celebrated = board.celebrated
    return (
        html.input(
            {
                "class": "sr",
                "id": "see-table",
                "type": "checkbox",
                "hx-morph-skip": True,
                **told("see-table"),
            },
        ),
        html.label(
            {"class": "see-table", "for": "see-table", **told("see-table-label")},
            html.span("See the table"),
            html.span("See the result"),
        ),
        html.section(
            {
                "class": classes("ending", celebrated and "celebrated"),
                "id": "ending",
                "aria-labelledby": "ending-title",
                **told("ending"),
            },
            celebrated
            and html.div({"class": "confetti", "aria-hidden": "true"}, [html.i()] * CONFETTI),
            html.div(
                {"class": classes("ending-sheet", board.table.alone and "alone")},
                _result(board),
                draw_again(board, "alert"),
                _standings(board),
                _next(board),
                board.endings,
            ),
        ),
    )


def _winners(board: Board) -> list[Place]:
    if not board.scene.outcome:
        return []
    return [place for place in board.scene.placing if place.rank == 1]


def _result(board: Board) -> Html:
    winners = _winners(board)
    shown = winners and (board.celebrated or not board.table.alone)
    return html.header(
        {"class": "result"},
        bool(shown)
        and html.p(
            {"class": "winners", "aria-hidden": "true"},
            [avatar(place.hue, place.letter, place.motif) for place in winners],
        ),
        html.h2({"id": "ending-title"}, board.headline),
        board.ending and html.p(minus(board.ending.decided)),
        bool(board.table.closed) and html.p(board.table.closed),
    )


def _standings(board: Board) -> Child:
    """Return everyone in their place; in a solitaire game what the player reached."""
    table, scene = board.table, board.scene
    notes = board.ending.notes if board.ending else ()
    if _winners(board) and not table.alone:
        return (
            html.ol(
                {"class": "standings", "aria-label": "Standings"},
                [_standing(board, place, notes) for place in scene.placing],
            ),
            [html.small(minus(tie)) for tie in scene.ties],
        )
    if not notes:
        return None
    undone = f" · undone: {table.undone.times}" if table.undone.times else ""
    return html.p({"class": "reached"}, minus(notes[0]) + undone)


def _standing(board: Board, place: Place, notes: tuple[str, ...]) -> Html:
    return html.li(
        {"value": place.rank, "class": "won" if place.rank == 1 else None},
        html.span({"class": "rank", "aria-hidden": "true"}, place.rank),
        " ",
        avatar(place.hue, place.letter, place.motif),
        " ",
        html.span(
            {"class": "who"},
            _name(board, place),
            place.me and not board.point.shared and (" ", html.small("you")),
        ),
        " ",
        bool(notes) and html.small(minus(notes[place.seat])),
        " ",
        place.score is not None and html.b(minus(place.score)),
    )


def _name(board: Board, place: Place) -> Child:
    """Return a player's name, for other people as a link to what the viewer may see of them."""
    if place.me or board.table.seats[place.seat].person is None:
        return place.name
    return html.a({"href": f"{address(board.table)}/players/{place.seat}/profile"}, place.name)


def _next(board: Board) -> Html:
    table, here = board.table, address(board.table)
    daily, evening = table.header.daily, table.header.evening
    compare = f"/circles/{table.header.circle}/evenings/{evening}"
    main = "btn" if daily else "btn main"
    again: Child = None
    if table.next.token and not board.asked_to_join:
        label = "Next deal" if table.alone or evening else "Go to the rematch"
        again = html.a({"class": main, "href": f"/t/{table.next.token}"}, label)
    elif board.can.rematch and not table.next.token:
        label = "New deal" if table.alone else "Next deal" if evening else "Rematch"
        again = html.button({"class": main, "form": "again"}, label)
    return html.div(
        {"class": "next", "role": "group", "aria-label": "What next?"},
        bool(daily) and _link(f"/daily/{daily}/deal/{table.game.name}", "Compare", "btn main"),
        again,
        bool(evening) and _link(compare, "Compare"),
        table.over_by_rules and _link(f"{here}/review", "Review"),
        board.can.share and html.button({"class": "btn", "form": "share"}, "Share"),
        _replay(board, f"{here}/replay"),
    )


def _replay(board: Board, to: str) -> Html:
    """Return the link to the replay; it begins where the viewer skipped to the end."""
    skipped = board.table.played_out_from
    if skipped is None:
        return _link(to, "Replay")
    return _link(f"{to}?ply={skipped}", "Replay what you skipped")


def _link(to: str, label: str, kind: str = "btn") -> Html:
    return html.a({"class": kind, "href": to}, label)
