"""How a game ended: who won and why, the standings, the viewer's results, and the next game.

It covers the table, which a check box shows again.
"""

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html, classes, minus
from redouble.contract.page.pieces import avatar, told
from redouble.contract.page.scene import Place
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup import forms
from redouble.web.people.results import Statistics
from redouble.web.table.acts.rematch import seats_to_want

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
        board.acting and forms.command_button("later", "Later"),
    )


def _wish(board: Board) -> Child:
    """Return what lets a spectator of a public table have a bot's seat in the next game."""
    table = board.table
    if board.point.seat >= 0 or table.next.token:
        return None
    if board.point.wants:
        said, command, label = "You have a seat in the next game.", "want-no", "Give it up"
    elif seats_to_want(table) > 0:
        said, command, label = "Bots play in this game.", "want", "Play in the next game"
    else:
        return None
    return html.div(
        {"class": "banner again"},
        f"{said} ",
        forms.command_form(table, command, forms.button(label, main=True)),
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
        board.table.given_up and html.p("Nobody came back to play on, so it doesn't count."),
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
        html.span({"class": "who"}, _name(board, place)),
        " ",
        bool(notes) and html.small(minus(notes[place.seat])),
        " ",
        place.score is not None and html.b(minus(place.score)),
    )


def _name(board: Board, place: Place) -> Child:
    """Return a player's name, for other people as a link to what the viewer may see of them."""
    if place.me or board.table.seats[place.seat].person is None:
        return place.name
    return html.a(
        {"href": f"{forms.address(board.table)}/players/{place.seat}/profile"}, place.name
    )


def _next(board: Board) -> Html:
    table, here = board.table, forms.address(board.table)
    daily, evening = table.header.daily, table.header.evening
    skipped = table.played_out_from
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
        _link(f"{here}/replay", "Replay")
        if skipped is None
        else _link(f"{here}/replay?ply={skipped}", "Replay what you skipped"),
    )


def _link(to: str, label: str, kind: str = "btn") -> Html:
    return html.a({"class": kind, "href": to}, label)


def draw_tally(tally: Statistics, others: bool = False) -> Html:
    """Return results as a list of figures; with ``others``, those of games for several players."""
    if others:
        average = f"{tally.average_rank:.1f}" if tally.played else "–"
        last = _figure("average place", average)
    else:
        last = _figure("best", tally.best_streak)
    return html.dl(
        {"class": "tally"},
        _figure("played", tally.played),
        _figure("won", f"{tally.share}%"),
        _figure("wins in a row", tally.streak),
        last,
        tally.helped > 0 and _figure("won with the solver", tally.helped),
    )


def _figure(name: str, value: Child) -> Html:
    return html.div(html.dt(name), html.dd(value))
