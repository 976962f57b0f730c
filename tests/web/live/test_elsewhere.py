"""Who waits at several tables plays the first game that begins, and sits in no other one."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from redouble.web.live.live import Live
from redouble.web.people.people import Person
from redouble.web.table.acts.bots import BotSeat, Filling, Resigning
from redouble.web.table.clocks import CONTROLS, usual_control
from tests.web.helpers.house import BOT, FRIEND, GAME, ME, House, in_house

SLOW: dict[str, Any] = {"control": CONTROLS["1-day"]}
PLANS: dict[str, dict[str, Any]] = {
    "link": {},
    "public": {"public": True},
    "strangers": {"public": True, "control": usual_control(GAME)},
    "circle": {"circle": "club"},
    "slow": SLOW,
}


async def waits(h: House, way: str, anna: Person) -> Live:
    """A table where a person waits for others."""
    if way != "rematch":
        return await h.table(anna, ME, FRIEND, FRIEND, **PLANS[way])
    before, ben = await h.table(anna, ME, FRIEND), await h.people.new("Ben")
    await h.sit(before, ben)
    for one in (anna, ben):
        await h.ask(before, one, Resigning())
    return await h.tables.rematch(before, anna)


async def begins(h: House, way: str, anna: Person) -> Live:
    """A game that begins with a person and another one, or with bots."""
    cleo = await h.people.new("Cleo")
    if way == "evening":
        made = (await h.table(cleo, BOT, BOT)).table
        header = replace(
            made.header, token="evening", invite="evening", evening="evening", fair=None
        )
        seats = [
            replace(seat, person=one.id, bot="")
            for seat, one in zip(made.seats, (anna, cleo), strict=True)
        ]
        await h.tables.open_all(lambda _: [(replace(header, seed="1", seats=tuple(seats)), ())])
        return await h.tables.get("evening")
    bots = way in ("bots", "alone")
    live = await h.table(anna, ME, FRIEND, *[FRIEND] * bots, **(SLOW if way == "slow" else {}))
    if way != "alone":
        await h.sit(live, cleo)
    if way == "bots":
        await h.ask(live, cleo, BotSeat(seat=2))
    elif bots:
        await h.ask(live, anna, Filling())
    return live


@pytest.mark.parametrize("way", ["last friend", "bots", "evening", "slow", "alone"])
@in_house
async def test_what_begins_ends_the_waiting_elsewhere(h: House, way: str) -> None:
    """Not for games over days, which run beside others, nor for a game with bots alone."""
    anna = await h.people.new("Anna")
    waiting = {place: await waits(h, place, anna) for place in ("rematch", *PLANS)}
    game = await begins(h, way, anna)
    assert not game.table.gathering
    assert game.table.seats_of(anna.id)
    for place, live in waiting.items():
        stays = "slow" in (way, place) or way == "alone"
        assert bool((await h.stored(live)).seats_of(anna.id)) == stays, place
        await h.tables.memory.reload([live.table.header.token])  # as every second
        await h.check(live)
    await h.check(game)


@pytest.mark.shared
@in_house
async def test_of_two_games_that_begin_at_once_one_has_the_person(one: House, two: House) -> None:
    for _ in range(5):
        anna, *others = [await one.people.new(name) for name in ("Anna", "Ben", "Cleo")]
        tables = [await one.table(anna, ME, FRIEND) for _ in others]
        there = await two.tables.get(tables[1].table.header.token)
        await asyncio.gather(one.sit(tables[0], others[0]), two.sit(there, others[1]))
        stored = [await one.stored(live) for live in tables]
        assert sorted(len(table.seats_of(anna.id)) for table in stored) == [0, 1]
        assert sorted(table.gathering for table in stored) == [False, True]
        assert all(table.seats_of(who.id) for table, who in zip(stored, others, strict=True))
