"""What programs do at a table. The same commands as those of the pages check it."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Path

from redouble.kernel.state import SPECTATOR
from redouble.web.api import shapes
from redouble.web.api.asking import AtTable, Known, Seat, state
from redouble.web.api.docs import problems
from redouble.web.api.shapes import TableState
from redouble.web.api.state import own_seat, state_of
from redouble.web.errors import Stale
from redouble.web.table import commands
from redouble.web.visitor import SiteOf

router = APIRouter(prefix="/api", generate_unique_id_function=lambda route: route.name)


def act(summary: str, *statuses: int, answer: str = "The changed table.") -> dict[str, Any]:
    """Return what all operations that change a table have in common in the OpenAPI."""
    return {
        "summary": summary,
        "tags": ["play"],
        "response_description": answer,
        "responses": problems(400, 401, 403, 404, 409, 413, 422, 503, *statuses),
    }


@router.post("/join/{invite}", **act("Join a table"))
async def join(
    invite: Annotated[str, Path(max_length=64, description="The table's invitation.")],
    site: SiteOf,
    person: Known,
    given: shapes.Joining | None = None,
) -> TableState:
    """Take an open seat. If you already have a seat, nothing changes."""
    live = await site.tables.invited(invite)
    given = given or shapes.Joining()
    await site.sit(live, person, given.name, given.seat, given.share, given.promise)
    return await state(live, person)


@router.post("/tables/{table}/moves", **act("Make a move"))
async def move(at: AtTable, given: shapes.NewMove) -> TableState:
    """The move is on disk before the answer comes.

    The answer is 409 if the position is no longer the one at `ply`: look again. Sending the same
    move with the same `ply` twice makes it once.
    """
    seat = given.seat
    if seat is None:
        seat = at.table.repeated(at.person.id, given.move, given.ply)
    mine = own_seat(at.table, at.person, seat)
    return await at.do(
        lambda table, _: commands.move(table, mine, given.move, given.ply), given.seat
    )


@router.post("/tables/{table}/undo", **act("Undo"))
async def undo(at: AtTable) -> TableState:
    """Undo to your last decision. If other people play, this asks them first."""
    return await at.do(commands.undo)


@router.post("/tables/{table}/redo", **act("Redo"))
async def redo(at: AtTable) -> TableState:
    """Make the undone move again. Only in a solitaire game."""
    return await at.do(commands.redo)


@router.post("/tables/{table}/agree", **act("Agree to an undo"))
async def agree(at: AtTable) -> TableState:
    return await at.do(lambda table, me: commands.answer(table, me, agree=True))


@router.post("/tables/{table}/refuse", **act("Refuse an undo"))
async def refuse(at: AtTable) -> TableState:
    """Refuse another player's request to undo, or withdraw your own."""
    return await at.do(lambda table, me: commands.answer(table, me, agree=False))


@router.post("/tables/{table}/resign", **act("Resign"))
async def resign(at: AtTable, given: shapes.Resigning | None = None) -> TableState:
    """A bot plays your seats to the end."""
    level = (given or shapes.Resigning()).level
    return await at.do(lambda table, me: commands.resign(table, me, level))


@router.post("/tables/{table}/leave", **act("Leave a table that still waits"))
async def leave(at: AtTable) -> TableState:
    return await at.do(commands.leave)


@router.post("/tables/{table}/reveal", **act("Reveal your share of the deal"))
async def reveal(at: AtTable, given: shapes.Revealing) -> TableState:
    """Do it within ten seconds of `fair.owed`: then the cards are dealt without it. Doing it twice
    changes nothing.
    """
    return await at.do(lambda table, me: commands.reveal(table, me, given.share))


@router.post("/tables/{table}/bot", **act("Let a bot play a seat"))
async def bot(at: AtTable, given: shapes.BotSeat) -> TableState:
    """Give an open seat, the seat of a player who is away, or your own seat to a bot."""
    absent = at.live.absent()
    return await at.do(
        lambda table, me: commands.hand_over(table, me, given.seat, given.level, absent)
    )


@router.post("/tables/{table}/back", **act("Take your seats back"))
async def back(at: AtTable) -> TableState:
    return await at.do(commands.back)


@router.post("/tables/{table}/say", **act("Chat", 429))
async def say(at: AtTable, given: shapes.Saying) -> TableState:
    """Players hear it; spectators don't."""
    mine = own_seat(at.table, at.person, given.seat)
    return await at.do(
        lambda table, me: commands.say(table, me, mine, given.text, time.time()), given.seat
    )


@router.post("/tables/{table}/report", **act("Report a message"))
async def report(at: AtTable, given: shapes.Reporting) -> TableState:
    """Tell the operator of another player's line of chat. Nobody at the table learns of it."""
    mine = own_seat(at.table, at.person, given.seat)
    return await at.do(lambda table, me: commands.report(table, me, mine, given.ply), given.seat)


@router.post("/tables/{table}/pace", **act("Set the pace of the bots"))
async def set_pace(at: AtTable, given: shapes.NewPace) -> TableState:
    return await at.do(lambda table, me: commands.set_pace(table, me, given.pace))


@router.post("/tables/{table}/hint", **act("Get a hint", answer="The hint."))
async def hint(at: AtTable, seat: Seat = None) -> shapes.Hint:
    """The best move that a search finds with the knowledge of your seat, and the reason."""
    async with at.live.lock:
        now = state_of(at.live, at.person, seat)
    hint = await at.site.hint(at.live, SPECTATOR if now.seat is None else now.seat)
    if hint is None or not now.my_turn:
        raise Stale("it isn't your turn: wait for it")
    advice = hint.advice
    return shapes.Hint(
        move=advice.move,
        words=advice.words,
        reason=advice.reason,
        quick=advice.quick,
        again=hint.again,
    )


@router.post("/tables/{table}/rematch", **act("Start a rematch", answer="The new table."))
async def rematch(at: AtTable, given: shapes.Rematching | None = None) -> TableState:
    """A new table with the same seats, options and pace. All players get the same one, dealt with
    the share of the first who asked.
    """
    share = (given or shapes.Rematching()).share
    return await state(await at.site.tables.rematch(at.live, at.person, share), at.person)
