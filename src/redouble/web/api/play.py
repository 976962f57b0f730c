"""What is done at a table. What may be done is decided where the pages have it decided."""

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
from redouble.web.site import SiteOf
from redouble.web.table import commands

router = APIRouter(prefix="/api", generate_unique_id_function=lambda route: route.name)


def act(summary: str, *statuses: int, answer: str = "The table after it.") -> dict[str, Any]:
    """What all operations that change a table have in common in the OpenAPI."""
    return {
        "summary": summary,
        "tags": ["play"],
        "response_description": answer,
        "responses": problems(400, 401, 403, 404, 409, 413, 422, 503, *statuses),
    }


@router.post("/join/{invite}", **act("Sit down at a table"))
async def join(
    invite: Annotated[str, Path(max_length=64, description="The table's invitation.")],
    site: SiteOf,
    person: Known,
    given: shapes.Joining | None = None,
) -> TableState:
    """Take an open seat. Whoever sits there already stays where they are."""
    live = await site.tables.invited(invite)
    given = given or shapes.Joining()
    await site.sit(live, person, given.name, given.seat)
    return await state(live, person)


@router.post("/tables/{table}/moves", **act("Make a move"))
async def move(at: AtTable, given: shapes.NewMove) -> TableState:
    """The move is on the disk before this answers.

    409 when the position is no longer the one at `ply`: look again. The same move sent again from
    the same `ply` is made once, and answered as if it had come once.
    """
    seat = given.seat
    if seat is None:
        seat = at.table.repeated(at.person.id, given.move, given.ply)
    mine = own_seat(at.table, at.person, seat)
    return await at.do(
        lambda table, _: commands.move(table, mine, given.move, given.ply), given.seat
    )


@router.post("/tables/{table}/undo", **act("Take moves back"))
async def undo(at: AtTable) -> TableState:
    """Back to your last decision. Where other people play, they are asked first."""
    return await at.do(commands.undo)


@router.post("/tables/{table}/redo", **act("Make a move again that was taken back"))
async def redo(at: AtTable) -> TableState:
    """Only in a game for one."""
    return await at.do(commands.redo)


@router.post("/tables/{table}/agree", **act("Agree that moves are taken back"))
async def agree(at: AtTable) -> TableState:
    return await at.do(lambda table, me: commands.answer(table, me, agree=True))


@router.post("/tables/{table}/refuse", **act("Refuse that moves are taken back"))
async def refuse(at: AtTable) -> TableState:
    """Also: ask no longer oneself."""
    return await at.do(lambda table, me: commands.answer(table, me, agree=False))


@router.post("/tables/{table}/resign", **act("Give up"))
async def resign(at: AtTable, given: shapes.Resigning | None = None) -> TableState:
    """A bot plays your seats to the end."""
    level = (given or shapes.Resigning()).level
    return await at.do(lambda table, me: commands.resign(table, me, level))


@router.post("/tables/{table}/leave", **act("Get up from a table that still waits"))
async def leave(at: AtTable) -> TableState:
    return await at.do(commands.leave)


@router.post("/tables/{table}/bot", **act("Let a bot play a seat"))
async def bot(at: AtTable, given: shapes.BotSeat) -> TableState:
    """An open seat, that of somebody who is gone, or your own."""
    absent = at.live.absent()
    return await at.do(
        lambda table, me: commands.hand_over(table, me, given.seat, given.level, absent)
    )


@router.post("/tables/{table}/back", **act("Take your seats back from bots"))
async def back(at: AtTable) -> TableState:
    return await at.do(commands.back)


@router.post("/tables/{table}/say", **act("Chat", 429))
async def say(at: AtTable, given: shapes.Saying) -> TableState:
    """Those who play hear it; onlookers do not."""
    mine = own_seat(at.table, at.person, given.seat)
    return await at.do(
        lambda table, me: commands.say(table, me, mine, given.text, time.time()), given.seat
    )


@router.post("/tables/{table}/pace", **act("Set the pace of the bots"))
async def set_pace(at: AtTable, given: shapes.NewPace) -> TableState:
    return await at.do(lambda table, me: commands.set_pace(table, me, given.pace))


@router.post("/tables/{table}/hint", **act("Ask for a suggestion", answer="A move."))
async def hint(at: AtTable, seat: Seat = None) -> shapes.Hint:
    """The best move that a search finds, knowing what your seat knows, and what speaks for it."""
    async with at.live.lock:
        now = state_of(at.live, at.person, seat)
    hint = await at.site.hint(at.live, SPECTATOR if now.seat is None else now.seat)
    if hint is None or not now.my_turn:
        raise Stale("you are not asked for a move now")
    advice = hint.advice
    return shapes.Hint(move=advice.move, reason=advice.reason, quick=advice.quick, again=hint.again)


@router.post("/tables/{table}/rematch", **act("Play again", answer="The new table."))
async def rematch(at: AtTable) -> TableState:
    """A new table with the same seats, options and pace; the same one for all who ask."""
    return await state(await at.site.tables.rematch(at.live, at.person), at.person)
