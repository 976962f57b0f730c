"""The board: the part of a table's page that changes during play; it is sent whenever it does."""

from functools import lru_cache

from redouble.contract.page import html
from redouble.contract.page.html import Attributes, Child, Html, minus
from redouble.contract.page.pieces import told
from redouble.match.story import last_moments
from redouble.web.drawing.addresses import static_url, static_version
from redouble.web.drawing.board import Board, Viewpoint, board_of
from redouble.web.drawing.markup import forms
from redouble.web.drawing.markup.advice import draw_guide, draw_hint
from redouble.web.drawing.markup.ending import draw_again, draw_ending
from redouble.web.drawing.markup.log import draw_last, draw_since
from redouble.web.drawing.markup.prompt import draw_prompt
from redouble.web.drawing.markup.room import draw_room
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.markup.side import draw_side
from redouble.web.live.live import Live, Slot
from redouble.web.table.pace import forced_seconds, moment_seconds
from redouble.web.thinking.hints import TableHint

_BOARDS = Slot[tuple[Viewpoint, TableHint | None, tuple[Html, ...]], Html]()
_MOMENTS = Slot[Viewpoint, list[Html]]()
_SIDES = Slot[tuple[Viewpoint, bool, str], Html]()
"""By the viewpoint, whether the game has no outcome yet, and the last line's words."""


def draw_board(
    live: Live,
    point: Viewpoint,
    hint: TableHint | None = None,
    endings: tuple[Html, ...] = (),
) -> Html:
    """Return the board as HTML, drawn once until something changes."""
    key = (point, hint, endings)
    return live.drawn.kept(
        _BOARDS, key, lambda: _drawn(live, board_of(live, point, hint, endings=endings))
    )


def draw_moments(live: Live, point: Viewpoint) -> list[Html]:
    """Return a board for each moment of the last move; none if they aren't shown."""
    return live.drawn.kept(_MOMENTS, point, lambda: _drawn_moments(live, point))


def _drawn_moments(live: Live, point: Viewpoint) -> list[Html]:
    table = live.table
    return [
        _drawn(live, board_of(live, point, moment=moment, moments_before=before))
        for before, moment in enumerate(last_moments(table.match, table.match.names, point.eyes))
        if moment_seconds(table.pace, moment.kind, len(table.seats))
    ]


def _drawn(live: Live, board: Board) -> Html:
    """Return a board whose side is drawn once for all moments with the same words, too."""
    last = board.lines[-1].words if board.lines else ""
    key = (board.point, board.scene.outcome is None, last)
    return draw(board, live.drawn.kept(_SIDES, key, lambda: draw_side(board)))


def draw(board: Board, side: Html | None = None) -> Html:
    """Return a board, with what stands beside it if that is drawn already."""
    return html.div(
        {
            **{"class": "board", "id": "board"},
            **_for_scripts(board),
            **_for_moments(board),
            **_for_clock(board),
        },
        board.acting and _forms(board),
        (board.can.rematch or board.asked_to_join)
        and _posting(board, "again", "rematch", _offer(board)),
        board.can.share and _posting(board, "share", "share"),
        html.div(
            {"class": "felt", "id": "felt"},
            _seat_lent(board),
            _requests(board),
            _claims(board),
            draw_again(board),
            draw_room(board)
            if board.waits
            else draw_scene(board.table.game, board.scene, _asked(board)),
            board.ended and draw_ending(board),
        ),
        side or draw_side(board),
        _ticker(board),
        board.can.chat and _reacted(board),
    )


def _for_scripts(board: Board) -> Attributes:
    table = board.table
    called = board.acting and board.turn == board.point.seat
    only, pledge = board.only_move, table.header.fair
    owed = board.point.seat >= 0 and table.owes_share(board.point.seat)
    return {
        "data-ply": table.ply,
        "data-moved": table.last_move,
        "data-moves": table.match.ply,
        "data-sound": table.game.page.sound,
        "data-version": static_version(),
        "data-mine": int(board.to_move),
        "data-over": int(board.ended),
        "data-celebrated": int(board.ended and board.celebrated),
        "data-waiting": int(table.waiting),
        "data-people": 1 if len({one.person for one in table.seats if one.person}) > 1 else None,
        "data-reveal": pledge.commitment if pledge is not None and owed else None,
        "data-icon": static_url("icon-turn.svg" if called else "icon.svg"),
        "data-title": f"{'Your turn · ' if called else ''}{table.game.title}",
        "data-only": only or None,
        "data-pace": table.pace,
        "data-finishing": 1 if board.live.finishing else None,
        "data-pause": round(1000 * forced_seconds(table.pace)) if only else None,
    }


def _for_moments(board: Board) -> Attributes:
    moment, table = board.moment, board.table
    if moment is None:
        return {}
    seconds = moment_seconds(table.pace, moment.kind, len(table.seats))
    return {
        "data-moment": moment.kind.name,
        "data-heard": moment.kind.sound or None,
        "data-hold": round(1000 * seconds),
        "data-waits": 1 if moment.kind.waits else None,
    }


def _for_clock(board: Board) -> Attributes:
    """Return what the running clock needs; without a script it shows the time of the drawing."""
    if (until := board.until) is None or (turn := board.table.clocks.turn) is None:
        return {}
    total = until - turn.since
    left = min(1.0, max(0.0, (until - board.now) / total)) if total > 0 else 0.0
    return {
        "data-until": round(1000 * until),
        "data-total": round(total),
        "style": f"--time: {left:.3f}",
    }


def _forms(board: Board) -> tuple[Html, ...]:
    here, point = forms.address(board.table), board.point
    return (
        html.form(
            {"id": "play", **forms.posting(f"{here}/move")},
            forms.hidden("ply", board.table.ply),
            forms.hidden("seat", point.seat),
            forms.hidden("guide", point.guide),
        ),
        html.form(
            {"id": "command", **forms.posting(f"{here}/do")},
            forms.hidden("seat", point.seat),
            forms.hidden("guide", point.guide),
            forms.once(board.table.ply, board.live.asked),
        ),
    )


def _posting(board: Board, name: str, to: str, fields: Child = None) -> Html:
    action = f"{forms.address(board.table)}/{to}"
    return html.form({"id": name, "method": "post", "action": action}, fields)


def _offer(board: Board) -> Child:
    """Return the field for a share of the rematch's deal, which the page's script fills."""
    offered = board.live.next_commitment
    if not offered:
        return None
    return html.input(
        {"type": "hidden", "name": "share", "disabled": True, "data-commitment": offered}
    )


def _seat_lent(board: Board) -> Child:
    """Return the offer to take a seat back from the bot that stands in."""
    table = board.table
    lent = board.acting and table.seats[board.point.seat].stand_in
    if not lent or board.over or table.deserted:
        return None
    return html.p(
        {"class": "banner"},
        f"A bot ({table.seats[board.point.seat].bot}) is playing for you. ",
        forms.command_button("back", "Take my seat back", main=True),
    )


def _requests(board: Board) -> list[Html]:
    """Return what players ask the others, to undo or for a pause, and the answers to it."""
    table, can = board.table, board.can
    undo, pause = table.undone.request, table.pause.request
    drawn = []
    for request, words, answers, agree, withdraws, end in (
        (undo, "to undo the last move", can.answer, "agree", can.withdraw, "refuse"),
        (pause, "for a pause", can.answer_pause, "agree-to-pause", can.withdraw_pause, "end-pause"),
    ):
        if request is None:
            continue
        own = board.point.seat in table.seats_of(table.seats[request.seat].person)
        name = "You" if own else board.scene.places[request.seat].name  # a very long one is cut
        asker = html.span({"class": "asker", "style": f"--letters: {len(name)}"}, name)
        buttons: Child = forms.command_button(end, "Never mind") if withdraws else None
        if answers:
            buttons = (
                forms.command_button(agree, "Agree", main=True),
                " ",
                forms.command_button(end, "Refuse"),
            )
        attributes: Attributes = {"class": "banner", "role": "alert"}
        costs = request.hindsight and not table.undone.hindsight
        warning = "The game would no longer count. " if costs else ""
        ask = f" {'ask' if own else 'asks'} {words}. {warning}"
        drawn.append(html.div(attributes, html.span(asker, ask), buttons))
    return drawn


def _claims(board: Board) -> Child:
    """Return the questions to the host about players who come from another browser."""
    if not board.can.host:
        return None
    return [
        html.div(
            {"class": "banner", "role": "alert"},
            f"Another browser asks to play as {board.table.seats[seat].name}. ",
            forms.command_form(
                board.table, "admit", forms.button("Let them in", main=True), seat=seat
            ),
            " ",
            forms.command_form(board.table, "deny", forms.button("No"), seat=seat),
        )
        for seat in board.table.claimed
    ]


def _asked(board: Board) -> Child:
    """Return what stands before the viewer's cards; the summary only where no script shows it."""
    return (
        draw_guide(board) if board.guided else None,
        draw_hint(board, board.hint) if board.hint else None,
        draw_prompt(board),
        html.noscript(draw_since(board.since, board.table.match.names)) if board.since else None,
    )


def _ticker(board: Board) -> Html:
    """Return what screen readers announce: the last move, the result, and whose turn it is."""
    table = board.table
    called = board.acting and board.turn == board.point.seat and not table.alone
    decided = board.ending.decided if board.ending else ""
    return html.p(
        {
            "class": "sr" if board.waits else "ticker",
            "id": "heard",
            "aria-live": "polite",
            **told("heard"),
        },
        [draw_last(line, not table.alone) for line in board.lines[-1:]],
        board.ended and (" ", html.span({"class": "sr"}, f"{board.headline}. {minus(decided)}")),
        called and (" ", html.span({"class": "sr"}, "Your turn.")),
    )


def _reacted(board: Board) -> Html:
    """Return what screen readers announce of reactions."""
    names = board.table.match.names
    eyes = board.point.eyes
    return _told(tuple((one.ply, one.words(names, eyes)) for one in board.reactions))


@lru_cache(maxsize=forms.KEPT_PARTS)
def _told(said: tuple[tuple[int, str], ...]) -> Html:
    return html.p(
        {"class": "sr", "id": "reacted", "aria-live": "polite"},
        [html.span({"id": f"told-{ply}"}, words, " ") for ply, words in said],
    )
