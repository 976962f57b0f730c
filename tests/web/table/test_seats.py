"""Who sits where: once a game has begun, its seats belong to the people who began it."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.web.table import Table
from redouble.web.table.acts import ACTS, Act
from redouble.web.table.acts.bots import Resigning
from redouble.web.table.acts.clocks import set_clock, time_out
from redouble.web.table.acts.rematch import join_rematch
from redouble.web.table.acts.seats import Claim, sit
from redouble.web.table.clocks import CONTROLS, FOR_GOOD, UNTIL_BACK, control_of
from tests.web.helpers.play import Command, Playing, asks, header, person, seated

GAME = next(game for game in GAMES.values() if game.min_seats <= 4 <= game.max_seats)
OUTSIDER = 9
STEPS = 200


def acts(table: Table, dice: Random) -> Iterator[Act]:
    """Every act that there is, with fields that make sense at a table."""
    seat = dice.randrange(len(table.seats))
    given: dict[str, Any] = {
        **{"seat": seat, "other": seat, "invite": "invite", "level": "greedy", "said": 0},
        **{"ply": table.ply, "move": next(iter(table.match.legal_moves), "none")},
        **{"step": dice.random() < 0.5, "pace": "fast", "chat": "off", "reaction": "smile"},
        **{"share": "0a" * 32, "text": "Hello!", "rated": dice.random() < 0.5},
    }
    for act in ACTS.values():
        if act is Resigning and dice.random() < 0.9:
            continue  # else most games would be short
        yield act.model_validate({name: given[name] for name in act.posted()})


def commands(table: Table, dice: Random) -> Iterator[Command]:
    """All that people ask for at a table or that happens there: everybody seems to be away."""
    who, now = person(dice.choice([0, 1, 2, OUTSIDER])), dice.random() * 1e6
    away = frozenset(range(len(table.seats)))
    hosting = dice.random() < 0.5
    for act in acts(table, dice):
        yield asks(who, act, absent=away, now=now, name="Eve", hosting=hosting)
    yield lambda table: sit(table, who, "Eve", now=now)
    yield lambda table: join_rematch(table, who, "", {})
    yield lambda table: time_out(table, 1e12)


def clocked(clock: str, then: str) -> Command:
    return lambda _: set_clock(control_of(clock, then))


def test_a_seat_stays_with_its_person_while_the_game_runs() -> None:
    """Whatever anybody asks for, in any order; only a person's own devices share a seat."""
    done: set[str] = set()
    for public, clock, then in product((False, True), CONTROLS, (UNTIL_BACK, FOR_GOOD)):
        dice = Random(f"{public} {clock} {then}")
        play = Playing(replace(header(GAME, seated("p0", "p1", "b", "-")), public=public))
        play.do(clocked(clock, then))
        play.do(lambda t: [Claim(seat=1, person=person(OUTSIDER))])
        play.do(lambda t: sit(t, person(2), "Cleo"))
        owners = [seat.person for seat in play.table.seats]
        for _ in range(STEPS):
            turn = play.table.turn
            if turn is not None and play.table.seats[turn].bot:
                play.move()
            with contextlib.suppress(RedoubleError):
                command = dice.choice(list(commands(play.table, dice)))
                done |= {entry.event.kind for entry in play.do(command)}
            assert [seat.person for seat in play.table.seats] == owners
    assert {"move", "bot", "back", "time-out", "resign", "undo"} <= done
    assert not {"admit", "claim", "sit", "leave", "free"} & done
