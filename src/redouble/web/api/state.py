"""A table as one seat sees it: all that the interface for programs tells of a running game.

It is made of the view of that seat and of the words that it may hear, and of nothing else.
"""

from __future__ import annotations

from redouble.kernel.state import SPECTATOR
from redouble.web.api.shapes import AskState, ChatLine, SeatState, TableState, ToldLine
from redouble.web.board import LOG_LINES, lines_for, viewpoint
from redouble.web.errors import NotYours
from redouble.web.people import Person
from redouble.web.table import Table
from redouble.web.tables import Live


def seat_of(table: Table, person: Person | None, seat: int | None) -> int:
    """The seat a program looks and acts through, or SPECTATOR.

    Without a number it is the person's own; of several, the one on turn, else the first. A
    program has nobody beside it who must not see: there is no handing over.
    Raises :class:`NotYours` when the seat is somebody else's.
    """
    point = viewpoint(table, person, seat)
    if seat is None and point.shared and person is not None:
        mine = table.seats_of(person.id)
        return table.turn if table.turn in mine else mine[0]
    return point.seat


def own_seat(table: Table, person: Person, seat: int | None) -> int:
    """Like :func:`seat_of`, for somebody who acts. Raises :class:`NotYours` for onlookers."""
    mine = seat_of(table, person, seat)
    if mine == SPECTATOR:
        raise NotYours("you do not sit at this table")
    return mine


def state_of(live: Live, person: Person | None, seat: int | None = None) -> TableState:
    """The table as a person's seat sees it. Call it under the table's lock.

    Raises :class:`NotYours` when the seat is somebody else's.
    """
    table = live.table
    eyes = seat_of(table, person, seat)
    me = person.id if person else None
    if eyes == SPECTATOR and me != table.header.host:
        me = None  # all who only watch are told the same
    key = ("state", eyes, me)
    if key not in live.drawn:
        live.drawn[key] = _state(live, me, eyes)
    state: TableState = live.drawn[key]
    return state


def _state(live: Live, me: str | None, eyes: int) -> TableState:
    table = live.table
    token = table.header.token
    mine = table.seats_of(me)
    defaults = {option.name: option.default for option in table.game.options}
    asked = table.undo_request
    return TableState(
        table=token,
        invite=table.header.invite if me else None,
        game=table.game.name,
        options={k: v for k, v in table.match.options.items() if v != defaults[k]},
        status=table.status,
        ply=table.ply,
        seat=None if eyes == SPECTATOR else eyes,
        turn=table.turn,
        my_turn=table.turn == eyes and not table.seats[eyes].bot,
        seats=[
            SeatState(
                seat=i,
                name=one.name,
                kind=one.kind,
                level=one.bot or None,
                stand_in=one.stand_in,
                away=live.away(i),
                resigned=one.resigned,
                mine=i in mine,
            )
            for i, one in enumerate(table.seats)
        ],
        view=table.match.view(None if table.over_by_rules else eyes),
        told=[
            ToldLine(ply=line.ply, seat=line.seat, text=line.told[eyes], move=line.move)
            for line in list(lines_for(table, eyes))[-LOG_LINES:]
        ],
        chat=[ChatLine(ply=said.ply, seat=said.seat, text=said.text) for said in table.hears(eyes)],
        ask=None
        if asked is None
        else AskState(
            seat=asked.seat, moves=table.match.ply - asked.keep, agreed=me in asked.agreed
        ),
        pace=table.pace,
        rematch=table.rematch or None,
        record=f"/api/tables/{token}/record" if table.over else None,
    )
