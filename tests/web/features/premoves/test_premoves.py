"""Moves in advance: made once at their turn, kept from everybody else, gone when out of date."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.errors import Stale
from redouble.web.features.premoves import premoves
from redouble.web.features.premoves.premoves import (
    Premove,
    Premover,
    moves_to_choose,
    numbers_at,
    premoves_of,
    set_premoves,
)
from redouble.web.live.live import Live
from redouble.web.people.people import Person
from redouble.web.store.clock import CLOCK
from redouble.web.table.acts import EVENTS
from redouble.web.table.acts.base import Act
from redouble.web.table.acts.bots import BotSeat, NewPace, Resigning, Return
from redouble.web.table.acts.clocks import time_out
from redouble.web.table.acts.pauses import AgreeToPause, AskPause, EndPause
from redouble.web.table.acts.play import close
from redouble.web.table.acts.seats import sit
from redouble.web.table.acts.talk import Reacting, Saying
from redouble.web.table.acts.undo import AgreeToUndo, Undoing
from redouble.web.table.clocks import CONTROLS
from tests.web.helpers.house import FRIEND, ME, House, first_move, in_house
from tests.web.helpers.programs import Program

PLANNED = [name for name, game in GAMES.items() if game.words.numbers is not None]


async def slow_table(h: House, game: str) -> tuple[Live, list[Person]]:
    """A game over days between people alone; the person on turn comes first."""
    people = [await h.people.new(name) for name in ("Anna", "Ben", "Cleo", "Dan")]
    people = people[: max(2, GAMES[game].min_seats)]
    plan = {"game": GAMES[game], "control": CONTROLS["1-day"]}
    live = await h.table(people[0], ME, *[FRIEND] * (len(people) - 1), **plan)
    for one in people[1:]:
        await h.tables.act(live, partial(sit, person=one.id, name=one.name))
    turn = live.table.turn or 0
    return live, people[turn:] + people[:turn]


async def decide(h: House, live: Live, person: Person, moves: Sequence[Premove]) -> None:
    [seat] = live.table.seats_of(person.id)
    await h.store.run(set_premoves, live.table, seat, person.id, moves)


async def left(h: House, live: Live, person: Person) -> list[Premove]:
    [seat] = live.table.seats_of(person.id)
    token = live.table.header.token
    return await h.store.run(premoves_of, token, seat, person.id)


async def play_ahead(h: House, *others: House) -> None:
    """Let each process look twice: pauses are drawn first."""
    movers = [Premover(one.store, one.tables, (0.0, 0.0)) for one in (h, *others)]
    for _ in range(2):
        await asyncio.gather(*[one.look() for one in movers])


async def round_of_others(h: House, live: Live, person: Person) -> None:
    """Make moves until it is a person's turn."""
    for _ in range(200):
        turn = live.table.turn
        if turn is None or live.table.seats[turn].person == person.id:
            return
        await h.tables.act(live, first_move)
    raise AssertionError("it is never their turn")


@pytest.mark.parametrize("game", PLANNED)
@in_house
async def test_the_first_that_can_be_made_is_made_once_each_turn(h: House, game: str) -> None:
    live, [anna, *_] = await slow_table(h, game)
    await h.tables.act(live, first_move)
    [seat] = live.table.seats_of(anna.id)
    number, now = next(iter(numbers_at(live.table, seat).items()))
    never = Premove(move=moves_to_choose(live.table, seat)[0], number=number, at_least=now + 999)
    await round_of_others(h, live, anna)
    wanted = [Premove(move=move) for move in list(live.table.match.legal_moves)[:2]]
    await decide(h, live, anna, [never, *wanted])
    made = live.table.movers.count(seat)
    await play_ahead(h)
    assert live.table.movers.count(seat) == made + 1
    assert live.table.match.moves[-1] == wanted[0].move or live.table.movers[-1] != seat
    rest = await left(h, live, anna)
    assert rest == [never, *wanted[1:]]
    await round_of_others(h, live, anna)
    if live.table.turn == seat:
        await play_ahead(h)
        assert len(await left(h, live, anna)) < 2
    await h.check(live)


@in_house
async def test_when_none_can_be_made_or_the_player_has_moved_all_are_deleted(h: House) -> None:
    live, [anna, ben] = await slow_table(h, "double-down")
    legal = list(live.table.match.legal_moves)
    await decide(h, live, anna, [Premove(move=legal[0], number="the total", at_least=999)])
    await play_ahead(h)
    assert not live.table.movers
    assert not await left(h, live, anna)
    await decide(h, live, anna, [Premove(move=move) for move in legal])
    await h.tables.act(live, first_move)
    await round_of_others(h, live, anna)
    made = len(live.table.movers)
    await play_ahead(h)
    assert len(live.table.movers) == made, "they were decided before another move of hers"
    assert not await left(h, live, anna)
    await decide(h, live, ben, [Premove(move=legal[0])])
    await play_ahead(h)
    assert await left(h, live, ben), "it isn't his turn"


@in_house
async def test_a_move_that_is_deleted_in_the_last_moment_is_not_made(
    h: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, [anna, _] = await slow_table(h, "double-down")
    await decide(h, live, anna, [Premove(move=live.table.match.legal_moves[0])])
    mover, replace = Premover(h.store, h.tables, (0.0, 0.0)), premoves._replace

    def late(connection: Any, planned: premoves.Planned, moves: Sequence[Premove]) -> None:
        connection.execute(sa.delete(premoves.premoves))
        replace(connection, planned, moves)

    await mover.look()
    monkeypatch.setattr(premoves, "_replace", late)
    await mover.look()
    assert not live.table.movers
    await h.check(live)


UNFORESEEN: dict[str, Callable[[House, Live, list[Person]], Awaitable[object]]] = {
    "undo": lambda h, live, people: undone(h, live, *people),
    "own resignation": lambda h, live, people: h.ask(live, people[0], Resigning(level="greedy")),
    "resignation": lambda h, live, people: h.ask(live, people[-1], Resigning(level="greedy")),
    "own bot": lambda h, live, people: stood_in(h, live, people[0]),
    "bot": lambda h, live, people: stood_in(h, live, people[-1]),
    "time": lambda h, live, people: out_of_time(h, live),
    "own move": lambda h, live, people: h.tables.act(live, first_move),
    "end": lambda h, live, people: h.tables.act(live, partial(close, reason="closed")),
}


async def undone(h: House, live: Live, *people: Person) -> None:
    """Undo a move, with everybody's consent, and make it again."""
    await h.tables.act(live, first_move)
    turn = live.table.movers[-1]
    [asker] = [one for one in people if turn in live.table.seats_of(one.id)]
    planned = await left(h, live, asker)
    assert not planned, "they have moved by hand"
    again = [Premove(move=one) for one in live.table.match.legal_moves]
    for one in people:
        await decide(h, live, one, again)
    await h.ask(live, asker, Undoing(step=True))
    for one in people:
        if one is not asker:
            await h.ask(live, one, AgreeToUndo())
    await h.tables.act(live, first_move)


async def stood_in(h: House, live: Live, person: Person) -> None:
    [seat] = live.table.seats_of(person.id)
    await h.ask(live, person, BotSeat(seat=seat, level="greedy"))
    await h.ask(live, person, Return())


async def out_of_time(h: House, live: Live) -> None:
    assert live.table.clocks.turn is not None
    late = live.table.clocks.turn.until
    assert late is not None
    await h.tables.act(live, lambda table: time_out(table, late + 1))


@pytest.mark.parametrize("what", UNFORESEEN)
@in_house
async def test_no_plan_outlives_what_it_could_not_foresee(h: House, what: str) -> None:
    """Not even by chance, with as many moves as before: the same transaction deletes it."""
    live, people = await slow_table(h, "double-down")
    everything = [Premove(move=one) for one in live.table.match.legal_moves] * 3
    for one in people:
        await decide(h, live, one, everything)
    await UNFORESEEN[what](h, live, people)
    planned = [one for one in people if await left(h, live, one)]
    assert planned == ([people[1]] if what == "own move" else [])
    before = live.table.ply
    if not planned:
        await play_ahead(h)
        moved = [entry for entry in live.table.made if entry.first >= before]
        assert not moved


def test_every_event_that_changes_more_than_a_move_would_is_unforeseen() -> None:
    ends = {
        kind for kind, event in EVENTS.items() if premoves._unforeseen(event) and not event.is_move
    }
    seats = {"sit", "leave", "free", "admit", "bot", "back", "resign", "time-out"}
    assert ends == seats | {"undo", "deal"}


@in_house
async def test_nothing_but_the_games_own_progress_delays_a_move(h: House) -> None:
    live, [anna, ben] = await slow_table(h, "double-down")
    await decide(h, live, anna, [Premove(move=one) for one in live.table.match.legal_moves])
    mover, [turn] = Premover(h.store, h.tables, (40.0, 40.0)), live.table.seats_of(ben.id)

    async def drawn() -> tuple[float, float, float, float]:
        await mover.look()
        columns = sa.select(premoves.premoves.c.since, premoves.premoves.c.due)
        [row] = await h.store.run(lambda c: c.execute(columns).all())
        return row.since, row.due, live.table.changed, live.table.due or 0.0

    before = await drawn()
    await h.ask(live, ben, AskPause())
    await h.ask(live, anna, AgreeToPause())
    await h.ask(live, ben, EndPause())
    after = await drawn()
    assert all(one > other for one, other in zip(after, before, strict=True)), "the clock stood"
    quiet: list[tuple[Person, Act]] = [
        (ben, Saying(text="Are you there?", seat=turn)),
        (ben, Reacting(reaction="smile", seat=turn)),
        (ben, AskPause()),
        (ben, EndPause()),
        (anna, AskPause()),
        (ben, EndPause()),
        (anna, NewPace(pace="slow")),
    ]
    for person, act in quiet:
        await h.ask(live, person, act)
        assert await drawn() == after, act
    await h.check(live)


@in_house
async def test_what_was_decided_before_another_process_wrote_is_refused(h: House) -> None:
    live, [anna, _] = await slow_table(h, "double-down")
    seen = live.table
    await h.tables.act(live, first_move)
    [seat] = seen.seats_of(anna.id)
    with pytest.raises(Stale, match="went on"):
        await h.store.run(set_premoves, seen, seat, anna.id, [Premove(move="7")])


@in_house
async def test_its_player_comes_before_the_move(h: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """To others who see that somebody is away, a move in advance is like one by hand."""
    live, [anna, _] = await slow_table(h, "double-down")
    await decide(h, live, anna, [Premove(move=live.table.match.legal_moves[0])])
    [seat], clock = live.table.seats_of(anna.id), CLOCK.now()
    monkeypatch.setattr(live.presence, "_seen", {})
    monkeypatch.setattr(live.presence, "_since", -1e6)
    mover, came = Premover(h.store, h.tables, (40.0, 40.0)), 0.0
    for seconds in range(0, 60, 5):
        monkeypatch.setattr(CLOCK, "now", lambda at=clock + seconds: at)
        await mover.look()
        came = came or (0.0 if live.away(seat) else float(seconds))
        if live.table.movers:
            break
    assert live.table.movers == [seat]
    assert 25 <= came < seconds


@pytest.mark.shared
@in_house
async def test_two_processes_make_it_once(a: House, b: House) -> None:
    live, [anna, _] = await slow_table(a, "double-down")
    await decide(a, live, anna, [Premove(move=one) for one in live.table.match.legal_moves])
    await play_ahead(a, b)
    assert await a.rows(premoves.premoves) == 1
    assert len((await a.stored(live)).movers) == 1


def table_of_two(client: TestClient) -> tuple[Program, Program, Any]:
    anna, ben = Program(client, "Anna"), Program(client, "Ben")
    state = anna.table("double-down", "me", "friend", clock={"control": "3-days"})
    ben.post(f"/join/{state['invite']}")
    return anna, ben, anna.look(state)


def decided(person: Program, state: Any, status: int, *moves: dict[str, Any]) -> Any:
    answer = person.client.post(
        f"/api/tables/{state['table']}/premoves",
        json={"premoves": list(moves)},
        headers=person.headers,
    )
    assert answer.status_code == status, answer.text
    return answer.json()


def test_nobody_else_sees_them(client: TestClient) -> None:
    anna, ben, state = table_of_two(client)
    cleo = Program(client, "Cleo")
    before = [ben.look(state), cleo.look(state)]
    assert decided(anna, state, 200, {"move": "7"}, {"move": "x2"})["premoves"][0]["move"] == "7"
    assert [ben.look(state), cleo.look(state)] == before
    path = f"/tables/{state['table']}/premoves"
    assert ben.get(path)["premoves"] == []
    cleo.get(path, 403)
    assert len(anna.get(path)["premoves"]) == 2
    decided(ben, state, 200)
    assert len(anna.get(path)["premoves"]) == 2
    assert decided(anna, state, 200)["premoves"] == []


def test_what_makes_no_sense_is_refused(client: TestClient) -> None:
    anna, _, state = table_of_two(client)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"move": "a king"}, "no move of Double Down"),
        ({"move": "7", "number": "the moon", "at_most": 3}, "use one of the total"),
        ({"move": "7", "number": "the total"}, "has to be"),
        ({"move": "7", "at_most": 3}, "use one of the total"),
        ({"move": "7", "number": "the total", "at_least": 9, "at_most": 3}, "at least 9"),
    ]
    for wrong, said in cases:
        assert said in decided(anna, state, 400, wrong)["detail"]
        decided(anna, state, 422, *[{"move": "7"}] * 31)
        assert not anna.get(f"/tables/{state['table']}/premoves")["premoves"]


def test_quick_games_and_games_alone_have_none(client: TestClient) -> None:
    anna = Program(client, "Anna")
    alone = anna.table("double-down", "me", "bot")
    assert "with other people" in decided(anna, alone, 400, {"move": "7"})["detail"]
    waits = anna.table("double-down", "me", "friend", clock={"control": "2-minutes"})
    decided(anna, waits, 400, {"move": "7"})
    board = anna.table("double-dominoes", "me", "friend")
    assert "Double Double Dominoes" in decided(anna, board, 400, {"move": "7"})["detail"]
