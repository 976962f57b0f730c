"""The room where a table waits for its players: the seats, who has come, and what they can do.

Nothing of the game is shown before the cards are dealt. The page has the invitation below it.
"""

from redouble.contract.page import html
from redouble.contract.page.html import Html, classes
from redouble.contract.page.pieces import plate
from redouble.contract.page.scene import Place
from redouble.web.drawing.board import Board
from redouble.web.drawing.markup import forms
from redouble.web.drawing.markup.prompt import draw_prompt
from redouble.web.drawing.words import played_in_short


def draw_room(board: Board) -> Html:
    """Return the seats with their players, and a button on each seat that a bot can take."""
    return html.section(
        {
            "class": classes("room", board.table.gathering and "gathering"),
            "aria-label": "Waiting room",
        },
        draw_prompt(board),
        html.ul(
            {"class": "places", "aria-label": "Seats"},
            [
                html.li({"class": "free" if place.open else None}, _seat(board, place))
                for place in board.scene.places
            ],
        ),
        board.can.fill and _tools(board),
    )


def _seat(board: Board, place: Place) -> Html:
    person = board.table.seats[place.seat].person
    me = place.seat in (board.point.seat, *board.point.own)
    stranger = None if me else board.live.strangers.get(person or "")
    return plate(
        board.scene,
        place,
        stranger and html.span({"class": "note"}, played_in_short(stranger)),
        _for_bots(board, place) and _giving(place),
        board.can.host and not (place.open or me) and _freeing(board, place),
    )


def _for_bots(board: Board, place: Place) -> bool:
    """Return whether a bot can take a seat: an open one, or that of a player who is away."""
    table = board.table
    asked = table.for_anyone and len(table.people()) > 1  # all of them, about all open seats
    away = place.away and not (place.bot or place.me)
    return board.can.fill and (away or (place.open and not asked))


def _giving(place: Place) -> Html:
    words = "Add a bot" if place.open else "Let a bot play"
    return html.button(
        {
            **{"class": "add", "form": "bots", "name": "seat", "value": place.seat},
            "aria-label": f"{place.name}: {words}",
        },
        words,
    )


def _freeing(board: Board, place: Place) -> Html:
    words = f"Free {place.name}’s seat"
    look = {"class": "btn", "title": words, "aria-label": words}
    return forms.command_form(board.table, "free", html.button(look, "×"), seat=place.seat)


def _tools(board: Board) -> Html:
    """Return the level of the bots that take seats, the offer of bots for all, and the way out."""
    table = board.table
    choice = html.form(
        {"id": "bots", **forms.posting(f"{forms.address(table)}/do")},
        forms.hidden("command", "bot"),
        forms.once(table.ply),
        html.label("Bots: ", forms.levels()),
    )
    return html.div(
        {"class": "room-tools"},
        any(_for_bots(board, place) for place in board.scene.places) and choice,
        board.bots_offered and forms.command_button("fill", "Play with bots", main=True),
        forms.command_button("leave", "Leave the table"),
    )
