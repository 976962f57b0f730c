"""Whose turn it is, and what is asked; at the end, how it ended."""

from datetime import UTC, datetime
from math import ceil

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html, classes, fragment, minus
from redouble.contract.page.pieces import plural, told
from redouble.contract.page.scene import BoardScene
from redouble.match.match import Moment
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup.forms import address, button, command_button, hidden, icon, posting
from redouble.web.table.clocks import in_words, left_in_words
from redouble.web.table.pace import moment_seconds
from redouble.web.table.state import DESERTED_SECONDS

WAITING = "The cards are dealt when every seat is taken."
BOTS_OFFERED = "Bots can take the open seats. People can have those in your next game."
DEALING = "The players' shares are on their way."
PREPARING = "Preparing… this can take half a minute the first time."
UNDO_COSTS = "This game then no longer counts in your results."
OUT = "You are out. Watch the others, or skip to the end."


def draw_prompt(board: Board) -> Html:
    """Return the prompt of a table's page."""
    table, point = board.table, board.point
    if board.moment is not None:
        seconds = moment_seconds(table.pace, board.moment.kind, len(table.seats))
        return _headline(board.moment, seconds)
    if board.over:
        return _result(board)
    if board.undo_asked:
        return _undo_question()
    if point.curtain is not None:
        return _curtain(board, point.curtain)
    if table.waiting:
        return _waiting(board)
    if table.pause.begun:
        return _paused(board)
    if table.deserted:
        return _deserted(board)
    if board.turn == board.scene.eyes and not table.seats[point.seat].bot:
        return _your_turn(board)
    return _turn_of_another(board)


def draw_question(scene: BoardScene, question: str) -> Html:
    """Return the prompt of a page that asks a question of its own, such as a puzzle."""
    return _prompt("mine-now", html.strong(question), html.small(scene.prompt))


def _prompt(kind: str, *children: Child, role: str | None = None) -> Html:
    return html.div(
        {
            "class": classes("prompt", kind),
            "id": "prompt",
            "role": role,
            "tabindex": -1,
            **told("prompt"),
        },
        *children,
    )


def _headline(moment: Moment, seconds: float) -> Html:
    return fragment(
        _prompt(
            classes("headline", moment.kind.waits and "waits"),
            html.strong(minus(moment.title)),
            bool(moment.detail) and (" ", html.small(minus(moment.detail))),
            role="status",
        ),
        moment.kind.waits and _go_on(seconds),
    )


def _go_on(seconds: float) -> Html:
    """Return the button that ends a moment, with a clock that does it, too, unless it is stopped.

    The page's style sheet runs the clock, and its script learns when that has run out.
    """
    return html.div(
        {"class": "go-on", **told("go-on")},
        html.label(
            {"class": "btn pause", "title": "Stop the clock"},
            html.input({"class": "sr", "type": "checkbox", "id": "stop"}),
            icon("pause"),
            html.span("Pause"),
        ),
        html.button(
            {"class": "btn main", "id": "go-on", "type": "button"},
            html.span(
                {"class": "clock", "aria-hidden": "true", "style": f"--hold: {ceil(seconds)}"}
            ),
            "Continue",
        ),
    )


def _result(board: Board) -> Html:
    outcome = board.scene.outcome
    told = outcome and not board.table.alone
    return _prompt(
        "over",
        html.strong(board.headline),
        outcome and told and (" ", html.small(f"{outcome['reason'].capitalize()}.")),
    )


def _undo_question() -> Html:
    return _prompt(
        "question",
        html.strong("Undo?"),
        " ",
        html.small(UNDO_COSTS),
        " ",
        command_button("undo", "Undo", main=True),
        " ",
        command_button("keep", "No"),
        role="status",
    )


def _curtain(board: Board, seat: int) -> Html:
    name = board.scene.places[seat].name
    to = f"{address(board.table)}?seat={seat}"
    if board.point.guide:
        to += f"&guide={board.point.guide}"
    return _prompt(
        "curtain",
        html.strong(f"Pass to {name}."),
        " ",
        html.small("No peeking!"),
        " ",
        html.a({"class": "btn main", "href": to}, f"I'm {name}: show my cards"),
    )


def _waiting(board: Board) -> Html:
    table, control = board.table, board.table.clocks.control
    if table.dealing:
        return _prompt("", html.strong("Dealing…"), html.small(DEALING), role="status")
    free = sum(one.open for one in table.seats)
    agreed = [table.seats[i].name for i in sorted(table.want_bots)]
    said = f"{', '.join(agreed)} would begin with bots." if agreed else BOTS_OFFERED
    rest = {"class": "spare"}  # it isn't shown where there is no room
    return _prompt(
        "",
        html.strong(f"{plural(free, 'seat')} to fill"),
        html.small(said) if agreed or board.bots_offered else html.small(rest, WAITING),
        bool(control) and (" ", html.small(rest, f"{control.words.capitalize()}.")),
        role="status",
    )


def _paused(board: Board) -> Html:
    return _prompt(
        "question",
        html.strong("The game is paused."),
        " ",
        html.small("The clocks stand."),
        board.can.end_pause and (" ", command_button("end-pause", "Go on", main=True)),
        role="status",
    )


def _deserted(board: Board) -> Html:
    table, seat = board.table, board.point.seat
    control = table.clocks.control
    left = in_words(max(DESERTED_SECONDS, control.move))
    return _prompt(
        "question",
        html.strong("Nobody is playing any more."),
        " ",
        html.small(f"If nobody comes back in {left}, the game ends and doesn't count."),
        seat in table.hands.missing and (" ", command_button("back", "Play on", main=True)),
        role="status",
    )


def _time_left(board: Board) -> Child:
    """Return the time that the player to move has left, which the page's script counts down."""
    if board.until is None:
        return None
    when = datetime.fromtimestamp(board.until, UTC)
    return (
        " ",
        html.time(
            {"class": "time-left", "datetime": f"{when:%Y-%m-%dT%H:%M:%SZ}"},
            left_in_words(board.until - board.now),
        ),
        html.span({"class": "sr"}, " left"),
    )


def _your_turn(board: Board) -> Html:
    return _prompt(
        classes("mine-now", board.scene.pointed("prompt")),
        html.strong("" if board.table.alone else turn_in_words(board), _time_left(board)),
        html.small(board.scene.prompt),
    )


def _turn_of_another(board: Board) -> Html:
    out, to = board.can.skip, f"{address(board.table)}/do"
    skip = button("Skip to the end", main=True)
    return _prompt(
        board.scene.pointed("prompt"),
        html.strong(turn_in_words(board), _time_left(board)),
        html.small(PREPARING if board.live.preparing else OUT if out else ""),
        out and (" ", html.form(posting(to), hidden("command", "play-out"), skip)),
    )


def turn_in_words(board: Board) -> str:
    """Return whose turn it is."""
    turn, seats = board.turn, board.table.seats
    assert turn is not None
    if turn == board.scene.eyes and not seats[board.point.seat].bot:
        return "Your turn"
    name = "Your bot" if turn == board.scene.eyes else board.scene.places[turn].name
    return name + (" is thinking…" if seats[turn].bot else "’s turn")
