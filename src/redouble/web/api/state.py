"""A table as one seat sees it: everything that programs learn about an unfinished game.

It is made from the view of that seat and the log in its words, and from nothing else.
"""

from collections.abc import Iterable
from typing import TypeVar

from redouble.kernel.state import SPECTATOR
from redouble.match.story import last_moments
from redouble.web.api import shapes
from redouble.web.drawing.board import LOG_LINES, lines_for, viewpoint
from redouble.web.live.live import Live, Slot
from redouble.web.people.people import Person
from redouble.web.table import Table

Shown = TypeVar("Shown", bound=shapes.Answered)
_STATES = Slot[tuple[int, str | None], shapes.TableState]()
"""By the seat that sees it, and the person if they may invite others."""


def seat_of(table: Table, person: Person | None, seat: int | None) -> int:
    """Return the seat whose view a program gets, or SPECTATOR.

    By default it is the person's own seat; of several, the one whose turn it is, else the first.
    Unlike on a page, there is no handing over of the device: no other player looks at it.
    Raises :class:`NotYours` if the seat isn't theirs.
    """
    point = viewpoint(table, person, seat)
    if seat is None and point.shared and person is not None:
        mine = table.seats_of(person.id)
        return table.turn if table.turn in mine else mine[0]
    return point.seat


def state_of(live: Live, person: Person | None, seat: int | None = None) -> shapes.TableState:
    """Return the table as a person's seat sees it. Call it under the table's lock.

    Raises :class:`NotYours` if the seat isn't theirs.
    """
    table = live.table
    eyes = seat_of(table, person, seat)
    me = person.id if person else None
    if eyes == SPECTATOR and me != table.header.host:
        me = None  # all spectators get the same
    return live.drawn.kept(_STATES, (eyes, me), lambda: _state(live, me, eyes))


def _state(live: Live, me: str | None, eyes: int) -> shapes.TableState:
    table = live.table
    token = table.header.token
    mine = table.seats_of(me)
    reader = None if table.over_by_rules else eyes
    defaults = {option.name: option.default for option in table.game.options}
    asked = table.undone.request
    return shapes.TableState(
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
            shapes.SeatState(
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
        view=table.view(reader),
        moments=_shown(shapes.MomentState, last_moments(table.match, table.match.names, reader)),
        log=_shown(shapes.LogEntry, lines_for(table, eyes, LOG_LINES)),
        chat=_shown(shapes.ChatLine, live.chat(eyes)),
        chat_pause=table.talk.pause,
        reactions=_shown(shapes.ReactionState, live.reactions(eyes)),
        undo_request=None
        if asked is None
        else shapes.UndoRequestState(
            seat=asked.seat, moves=table.match.ply - asked.keep, agreed=me in asked.agreed
        ),
        claims=table.claimed,
        host=next(iter(table.seats_of(live.host())), None),
        pace=table.pace,
        clock=_clock(table, me),
        rated=table.rated,
        fair=None
        if table.header.fair is None
        else shapes.FairDealState(
            number=table.header.fair.number,
            commitment=table.header.fair.commitment,
            link=table.header.fair.link,
            dealt=table.dealt,
            seats=sorted(table.shares),
            owed=any(map(table.owes_share, mine)),
            next=live.next_commitment or None,
        ),
        rematch=table.next.token or None,
        record=f"/api/tables/{token}/record" if table.over else None,
    )


def _shown(kind: type[Shown], found: Iterable[object]) -> list[Shown]:
    """Return what was found at a table in the shape that programs get."""
    return [kind.model_validate(one) for one in found]


def _clock(table: Table, me: str | None) -> shapes.TimeControlState | None:
    clocks, asked = table.clocks, table.pause.request
    if not clocks.control:
        return None
    control, turn = clocks.control, clocks.turn
    return shapes.TimeControlState(
        move=control.move,
        bank=control.bank,
        increment=control.increment,
        then=control.then,
        nights=control.rest.nights,
        weekends=control.rest.weekends,
        seat=turn and turn.seat,
        since=turn and turn.since,
        until=turn and turn.until,
        banks=list(clocks.banks) if control.bank else [],
        paused=table.pause.begun,
        pause_request=None
        if asked is None
        else shapes.PauseRequestState(seat=asked.seat, agreed=me in asked.agreed),
    )
