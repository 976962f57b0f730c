"""People who look for others find each other: never two tables for two of them, nor two seats."""

from __future__ import annotations

import asyncio

import pytest

from redouble.contract.registry import GAMES
from redouble.web.live import live as live_module
from redouble.web.live.live import Live
from redouble.web.live.matching import usual_options, waiting_tables
from redouble.web.live.plan import TablePlan
from redouble.web.people.people import Person
from redouble.web.table.acts.bots import Filling
from redouble.web.table.acts.seats import Leave
from redouble.web.table.clocks import CONTROLS, usual_control
from tests.web.helpers.house import FRIEND, ME, House, in_house

GAME = next(
    game
    for game in GAMES.values()
    if any(value is False for value in usual_options(game, game.usual_seats).values())
)


def open_to_all() -> TablePlan:
    options = usual_options(GAME, GAME.usual_seats)
    seats = [ME, *[FRIEND] * (GAME.usual_seats - 1)]
    return TablePlan(GAME, seats, options, public=True, control=usual_control(GAME))


def away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everybody without an open page be away at once."""
    monkeypatch.setattr(live_module, "AWAY_SECONDS", -1.0)
    monkeypatch.setattr("redouble.web.live.matching.AWAY_SECONDS", -1.0)


async def seated(h: House) -> list[list[str]]:
    """The names at each table where people wait."""
    found = await h.store.run(waiting_tables, GAME.name)
    return [list(one.people.values()) for one in found]


@in_house
async def test_the_second_sits_down_with_the_first(h: House) -> None:
    anna, ben = [await h.people.new(name) for name in ("Anna", "Ben")]
    first = await h.tables.match(anna, open_to_all())
    assert await h.tables.match(ben, open_to_all()) is first
    assert await h.tables.match(ben, open_to_all()) is first, "who waits goes on waiting"
    assert await seated(h) == [["Anna", "Ben"]]
    assert not first.table.dealt, "nobody leaves because of their cards"
    await h.ask(first, anna, Leave())
    assert await seated(h) == [["Ben"]]
    await h.check(first)


@in_house
async def test_nobody_is_seated_where_other_rules_are_played_or_nobody_is(
    h: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [await h.people.new(f"Guest {number}") for number in range(4)]
    usual = dict(usual_options(GAME, GAME.usual_seats))
    changed = usual | {next(k for k, v in usual.items() if v is False): True}
    seats = [ME, *[FRIEND] * (GAME.usual_seats - 1)]
    await h.table(people[0], *seats, game=GAME, public=True, options=changed)
    await h.table(people[1], *seats, game=GAME, options=usual, control=usual_control(GAME))
    for control in CONTROLS.values():
        if control != usual_control(GAME):
            plan = {"public": True, "options": usual, "control": control}
            await h.table(people[0], *seats, game=GAME, **plan)
    mine = await h.tables.match(people[2], open_to_all())
    assert mine.table.header.host == people[2].id
    away(monkeypatch)
    again = await h.tables.match(people[3], open_to_all())
    assert again is not mine, "the first has gone away"


@in_house
async def test_those_who_wait_alone_move_to_the_older_table(
    h: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben = [await h.people.new(name) for name in ("Anna", "Ben")]
    first = await h.tables.match(anna, open_to_all())
    with monkeypatch.context() as patch:
        away(patch)
        second = await h.tables.match(ben, open_to_all())
    assert second is not first
    assert await h.tables.match(anna, open_to_all()) is first, "hers is the older one"
    assert await h.tables.match(ben, open_to_all()) is first
    assert await seated(h) == [["Anna", "Ben"]]
    assert not second.table.people()


@pytest.mark.shared
@in_house
async def test_at_two_servers_at_once_nobody_is_left_alone(one: House, two: House) -> None:
    crowd = [await one.people.new(f"Guest {number}") for number in range(2 * GAME.usual_seats)]

    async def come(h: House, person: Person) -> Live:
        return await h.tables.match(person, open_to_all())

    for start in range(0, len(crowd), GAME.usual_seats):
        group = crowd[start : start + GAME.usual_seats]
        # Everybody taps twice, and lands at either server.
        found = await asyncio.gather(*[come(h, person) for person in group for h in (one, two)])
        tables = {live.table.header.token for live in found}
        assert len(tables) == 1
        live = await one.tables.get(tables.pop())
        assert sorted(live.table.people()) == sorted(person.id for person in group)
        assert all(len(seats) == 1 for seats in live.table.people().values())
        await one.check(live)


@in_house
async def test_bots_are_offered_after_a_while_and_take_the_open_seats(h: House) -> None:
    anna = await h.people.new("Anna")
    live = await h.tables.match(anna, open_to_all())
    assert not live.offers_bots
    assert 0 < live.seconds_to_offer <= live_module.BOTS_AFTER_SECONDS
    live.table.header = live.table.header.__class__(
        **{**vars(live.table.header), "created": live.table.header.created - 30}
    )
    assert live.offers_bots
    live.look_around()
    assert live.version == 1
    await h.ask(live, anna, Filling(level="random"))
    assert live.table.dealt
    assert len(live.table.bots()) == GAME.usual_seats - 1
    assert not live.offers_bots
