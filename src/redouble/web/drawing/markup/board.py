"""The board: the part of a table's page that changes during play; it is sent whenever it does."""

from __future__ import annotations

from functools import lru_cache

from redouble.contract.page import html
from redouble.contract.page.html import Attributes, Child, Html, minus
from redouble.contract.page.pieces import told
from redouble.match.story import last_moments
from redouble.web.drawing.addresses import static_url, static_version
from redouble.web.drawing.board import Board, Viewpoint, board_of
from redouble.web.drawing.markup.again import draw_again
from redouble.web.drawing.markup.ending import draw_ending
from redouble.web.drawing.markup.forms import (
    KEPT_PARTS,
    address,
    command_button,
    hidden,
    once,
    posting,
    seat_form,
)
from redouble.web.drawing.markup.guide import draw_guide
from redouble.web.drawing.markup.hint import draw_hint
from redouble.web.drawing.markup.log import draw_last
from redouble.web.drawing.markup.prompt import draw_prompt
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.markup.side import draw_side
from redouble.web.drawing.markup.since import draw_since
from redouble.web.live.drawings import Slot
from redouble.web.live.live import Live
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
            _undo_request(board),
            _pause_request(board),
            _claims(board),
            draw_again(board),
            draw_scene(board.table.game, board.scene, _asked(board)),
            board.ended and draw_ending(board),
        ),
        side or draw_side(board),
        _ticker(board),
        board.can.chat and _reacted(board),
    )


def _for_scripts(board: Board) -> Attributes:
    """Return what the page's script reads from the board."""
    table = board.table
    called = board.acting and board.turn == board.point.seat
    only = board.only_move
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
        "data-reveal": _promised(board),
        "data-icon": static_url("icon-turn.svg" if called else "icon.svg"),
        "data-title": f"{'Your turn · ' if called else ''}{table.game.title}",
        "data-only": only or None,
        "data-pace": table.pace,
        "data-finishing": 1 if board.finishing else None,
        "data-pause": round(1000 * forced_seconds(table.pace)) if only else None,
    }


def _promised(board: Board) -> str | None:
    """Return the commitment under which the page's script keeps the share to reveal now."""
    pledge, seat = board.table.header.fair, board.point.seat
    owed = pledge is not None and seat >= 0 and board.table.owes_share(seat)
    return pledge.commitment if pledge is not None and owed else None


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
    """Return the forms that the buttons for moves and commands belong to."""
    here, point = address(board.table), board.point
    return (
        html.form(
            {"id": "play", **posting(f"{here}/move")},
            hidden("ply", board.table.ply),
            hidden("seat", point.seat),
            hidden("guide", point.guide),
        ),
        html.form(
            {"id": "command", **posting(f"{here}/do")},
            hidden("seat", point.seat),
            hidden("guide", point.guide),
            once(board.table.ply, board.asked),
        ),
    )


def _posting(board: Board, name: str, to: str, fields: Child = None) -> Html:
    action = f"{address(board.table)}/{to}"
    return html.form({"id": name, "method": "post", "action": action}, fields)


def _offer(board: Board) -> Child:
    """Return the field for a share of the rematch's deal, which the page's script fills."""
    if not board.commitment:
        return None
    offered = board.commitment
    return html.input(
        {"type": "hidden", "name": "share", "disabled": True, "data-commitment": offered}
    )


def _seat_lent(board: Board) -> Child:
    """Return the offer to take a seat back from the bot that stands in."""
    table = board.table
    if not board.acting or not table.seats[board.point.seat].stand_in or board.over:
        return None
    return html.p(
        {"class": "banner"},
        f"A bot ({table.seats[board.point.seat].bot}) is playing for you. ",
        command_button("back", "Take my seat back", main=True),
    )


def _undo_request(board: Board) -> Child:
    request = board.table.undone.request
    if request is None:
        return None
    answers = _answers(board.can.answer, "agree", board.can.withdraw, "refuse")
    return _question(board, request.seat, " asks to undo the last move. ", answers)


def _pause_request(board: Board) -> Child:
    request = board.table.pause.request
    if request is None:
        return None
    can = board.can
    answers = _answers(can.answer_pause, "agree-to-pause", can.withdraw_pause, "end-pause")
    return _question(board, request.seat, " asks for a pause. ", answers)


def _answers(answers: bool, agree: str, withdraws: bool, end: str) -> Child:
    """Return the buttons that send ``agree`` and ``end``, for whoever answers or withdraws."""
    if answers:
        return command_button(agree, "Agree", main=True), " ", command_button(end, "Refuse")
    return command_button(end, "Never mind") if withdraws else None


def _question(board: Board, seat: int, words: str, answers: Child) -> Html:
    """Return what a player asks the others; a name that is very long is cut."""
    name = board.scene.places[seat].name
    asker = html.span({"class": "asker", "style": f"--letters: {len(name)}"}, name)
    return html.div({"class": "banner", "role": "alert"}, asker, words, answers)


def _claims(board: Board) -> Child:
    """Return the questions to the host about players who come from another browser."""
    if not board.can.host:
        return None
    return [
        html.div(
            {"class": "banner", "role": "alert"},
            f"Another browser asks to play as {board.scene.places[seat].name}. ",
            seat_form(board.table, "admit", seat, "Let them in", main=True),
            " ",
            seat_form(board.table, "deny", seat, "No"),
        )
        for seat in sorted(board.table.claims.asked)
    ]


def _asked(board: Board) -> Child:
    """Return what stands before the viewer's cards; the summary only where no script shows it."""
    return (
        draw_guide(board, board.step) if board.step else None,
        draw_hint(board, board.hint) if board.hint else None,
        draw_prompt(board),
        html.noscript(draw_since(board.since, board.table.match.names)) if board.since else None,
    )


def _ticker(board: Board) -> Html:
    """Return what screen readers announce: the last move, the result, and whose turn it is."""
    table = board.table
    called = board.acting and board.turn == board.point.seat and not table.alone
    return html.p(
        {"class": "ticker", "id": "heard", "aria-live": "polite", **told("heard")},
        [draw_last(line, table.match.names) for line in board.lines[-1:]],
        board.ended and (" ", html.span({"class": "sr"}, _in_short(board))),
        called and (" ", html.span({"class": "sr"}, "Your turn.")),
    )


def _reacted(board: Board) -> Html:
    """Return what screen readers announce of reactions."""
    names = board.table.match.names
    return _told(tuple((one.ply, one.words(names[one.seat])) for one in board.reactions))


@lru_cache(maxsize=KEPT_PARTS)
def _told(said: tuple[tuple[int, str], ...]) -> Html:
    """Return a list of sentences, each with its ply."""
    return html.p(
        {"class": "sr", "id": "reacted", "aria-live": "polite"},
        [html.span({"id": f"told-{ply}"}, words, " ") for ply, words in said],
    )


def _in_short(board: Board) -> str:
    return f"{board.headline}. {minus(board.ending.decided) if board.ending else ''}"
