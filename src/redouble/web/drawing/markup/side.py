"""The column beside the board: tools, the log, and the chat."""

from functools import lru_cache

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html
from redouble.contract.page.kept import kept
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup import forms
from redouble.web.drawing.markup.advice import draw_advice
from redouble.web.drawing.markup.log import draw_log
from redouble.web.table.talk import CHAT_LENGTH, PHRASES, REACTIONS, Message


def draw_side(board: Board) -> Html:
    """Return all of it; while the table waits, only the chat."""
    if board.waits:
        return html.aside({"class": "side", "aria-label": "Messages"}, _chat_to_come(board))
    return html.aside(
        {"class": "side", "aria-label": "Moves and tools"},
        _tools(board),
        board.solvable and draw_advice(board, name="solver-said"),
        _moves(board),
        _players_away(board),
        board.can.chat and _chat(board),
    )


def _tools(board: Board) -> Child:
    """Return the tools, drawn once for all boards that offer the same ones."""
    table, point, outcome = board.table, board.point, board.scene.outcome
    shown = (
        *(forms.address(table), point.seat, point.guide, board.acting, board.can),
        *(board.over, table.alone, len(table.people()) > 1, table.header.compares),
        *(board.solvable, outcome is not None and outcome["won"][0]),
    )
    return kept(("tools", shown), lambda: _drawn_tools(board))


def _drawn_tools(board: Board) -> Html:
    return html.div(
        {"class": "tools", "role": "group", "aria-label": "Tools"},
        (board.acting or board.over)
        and (
            _hint_tool(board),
            _solver_tool(board),
            _undo_tool(board),
            board.can.redo and forms.command_button("redo", forms.icon("redo"), "Redo", key="r"),
            board.can.finish
            and forms.command_button("finish", forms.icon("end"), "Finish", main=True, key="e"),
        ),
        _opener("moves", forms.icon("log"), "Log"),
        board.can.chat
        and _opener(
            "talk",
            forms.icon("chat"),
            "Chat",
            html.b({"class": "badge", "id": "unread", "title": "unread", "hidden": True}),
        ),
    )


@lru_cache(maxsize=forms.KEPT_PARTS)
def _opener(pane: str, *label: Child) -> Html:
    """Return a button that opens a pane where there is no room for it beside the board."""
    return html.button({"class": "btn to-pane", "type": "button", "popovertarget": pane}, *label)


def _hint_tool(board: Board) -> Child:
    label = forms.icon("hint"), "Hint"
    if not board.can.hint:
        return _disabled(board, *label)
    here, point = forms.address(board.table), board.point
    query = f"?seat={point.seat}&guide={point.guide}"
    return html.a(
        {
            "class": "btn",
            "href": f"{here}{query}&hint=1",
            "hx-get": f"{here}/hint{query}",
            "hx-target": "#board",
            "hx-swap": "outerMorph",
            "aria-keyshortcuts": "h",
        },
        *label,
    )


def _disabled(board: Board, *label: Child) -> Child:
    """Return a tool that can't be used now; nothing where it never can be."""
    if board.over or board.table.header.compares:
        return None
    return html.button({"class": "btn", "disabled": True}, *label)


def _solver_tool(board: Board) -> Child:
    table, outcome = board.table, board.scene.outcome
    won = outcome is not None and outcome["won"][0]
    if not board.solvable or won or not (board.can.hint or board.over):
        return None
    to = f"{forms.address(table)}/solver?seat={board.point.seat}"
    return html.a(
        {
            "class": "btn",
            "href": to,
            "hx-get": to,
            "hx-target": "#solver-said",
            "title": "The solver sees everything that is hidden",
        },
        forms.icon("look"),
        "Where did I lose it?" if board.over else "Solver's hint",
    )


def _undo_tool(board: Board) -> Child:
    if not board.can.undo:
        return _disabled(board, forms.icon("undo"), "Undo")
    label = "Ask to undo" if len(board.table.people()) > 1 else "Undo"
    return forms.command_button(
        "undo", forms.icon("undo"), label, key="u" if board.table.alone else ""
    )


def _moves(board: Board) -> Html:
    table = board.table
    undone = table.alone and table.undone.times > 0
    return html.section(
        {"class": "pane", "id": "moves", "popover": True, "aria-label": "Moves"},
        html.h2("Moves", undone and (" ", html.small(f"{table.undone.times} undone"))),
        draw_log(board.lines, not table.alone),
    )


def _players_away(board: Board) -> Child:
    if not board.away or not board.acting or board.over or board.table.waits_for_the_absent:
        return None
    return html.section(
        {"class": "gone", "aria-label": "Players who are away"},
        [_player_away(board, seat) for seat in board.away if seat != board.point.seat],
    )


def _player_away(board: Board, seat: int) -> Html:
    """Return what can be done for a player who is away: on their turn, let a bot play."""
    table, away = board.table, f"{board.scene.places[seat].name} is away."
    if table.turn != seat:
        return html.p(away)
    return forms.command_form(
        table,
        "bot",
        html.p(f"{away} Wait, or"),
        forms.button("Let a bot play"),
        seat=seat,
    )


def _chat_to_come(board: Board) -> Child:
    """Return the chat, or its place if players can still come."""
    if board.can.chat:
        return _chat(board)
    if not board.can.fill:
        return None
    return html.section(
        {"class": "pane", "id": "talk", "popover": True, "aria-label": "Messages"},
        html.h2("Chat"),
        html.p({"class": "note"}, "You can chat here as soon as another player has come."),
    )


def _chat(board: Board) -> Child:
    """Return the chat, drawn once for all boards until somebody writes."""
    table, seat = board.table, board.point.seat
    shown = (
        *(forms.address(table), table.match.names, seat, tuple(board.chat), board.muted),
        *(table.talk.mode, board.wait_to_say, tuple([seat.person for seat in table.seats])),
    )
    return kept(("chat", shown), lambda: _drawn_chat(board))


def _drawn_chat(board: Board) -> Html:
    return html.section(
        {"class": "pane", "id": "talk", "popover": True, "aria-label": "Messages"},
        html.h2("Chat"),
        html.ul(
            {
                "class": "chat",
                "id": "chat",
                "aria-live": "polite",
                "tabindex": 0,
                "aria-label": "Chat",
            },
            [_message(board, said) for said in board.chat]
            or html.li({"class": "note"}, "Say hello."),
        ),
        _players(board),
        _writing(board),
        _reactions(),
    )


def _writing(board: Board) -> Child:
    """Return the forms for messages and phrases, and how often the viewer can send them."""
    pause, wait = board.table.talk.pause, board.wait_to_say
    if pause is None:
        return html.p({"class": "note"}, "The host has turned the chat off.")
    hint: Child = f"You can send one line every {pause} seconds." if pause else None
    if wait:  # the page's script counts it down
        hint = "You can write again in ", html.b(wait), " s."
    heard = max((one.ply for one in board.chat), default=0)
    to = f"{forms.address(board.table)}/do"
    return (
        _phrases(),
        _say(to, board.point.seat, heard),
        hint and html.p({"class": "note", "id": "next-line"}, hint),
    )


@lru_cache(maxsize=1)
def _phrases() -> Html:
    return html.div(
        {"class": "phrases", "role": "group", "aria-label": "Phrases"},
        [
            html.button({"class": "btn", "form": "command", "name": "text", "value": one}, one)
            for one in PHRASES
        ],
    )


@lru_cache(maxsize=1)
def _reactions() -> Html:
    return html.div(
        {"class": "reactions", "role": "group", "aria-label": "Reactions"},
        [
            html.button(
                {
                    **{"class": f"btn {look}-reaction", "title": label},
                    **{"form": "command", "name": "reaction", "value": look},
                }
            )
            for look, (label, _) in REACTIONS.items()
        ],
    )


@lru_cache(maxsize=forms.KEPT_PARTS)
def _say(to: str, seat: int, heard: int) -> Html:
    """Return the form for a message; ``heard`` is the ply of the latest one."""
    return html.form(
        {"class": "say", **forms.posting(to), "hx-sync": "queue all"},  # each message counts
        forms.hidden("command", "say"),
        forms.hidden("seat", seat),
        forms.once(heard),
        html.label({"class": "sr", "for": "say"}, "Message to the table"),
        html.input(
            {
                "id": "say",
                "name": "text",
                "maxlength": CHAT_LENGTH,
                "placeholder": "Type a message",
                "autocomplete": "off",
                "required": True,
            }
        ),
        " ",
        html.button({"class": "btn"}, "Send"),
    )


def _message(board: Board, said: Message) -> Html:
    name, heard = board.scene.places[said.seat].name, said.seat != board.point.seat
    return html.li(
        {"id": f"said-{said.ply}", "data-heard": heard, "data-seat": said.seat},
        html.b(name),
        " ",
        said.text,
    )


def _players(board: Board) -> Html:
    """Return a link for each other player to what can be done about them.

    The page's script opens it as a menu, there or at a long press on their place.
    """
    here, names = forms.address(board.table), board.table.match.names
    me = board.table.seats[board.point.seat].person
    return html.div(
        {"class": "players", "role": "group", "aria-label": "Players"},
        [
            html.a(
                {
                    **{"class": "mute", "data-seat": seat, "data-muted": seat in board.muted},
                    **{"href": f"{here}/players/{seat}", "title": "Mute or report"},
                },
                html.span(names[seat]),
                " (muted)" if seat in board.muted else " …",
            )
            for seat, one in enumerate(board.table.seats)
            if one.person and one.person != me
        ],
    )
