"""Moments at a table: what its pages are sent, and how long its bots wait."""

from __future__ import annotations

import asyncio
import re
import time

import pytest

from redouble.contract.registry import GAMES
from redouble.kernel.state import SPECTATOR
from redouble.web.board import Viewpoint, draw_board, draw_moments
from redouble.web.drawing import environment
from redouble.web.people import Person
from redouble.web.table import PACES
from redouble.web.table.pace import MOMENTS, moment_seconds
from redouble.web.tables import Live

from .play import Playing, header, person, seated

GAME = GAMES["double-down"]
(CHIP_LOST,) = [kind for kind in GAME.moments if kind.name == "chip-lost"]


def lost_chip(*kinds: str) -> Live:
    """A table at which the first player has just lost a chip with a 22."""
    for number in range(500):
        playing = Playing(header(GAME, seated(*kinds), seed=f"chip {number}"))
        if playing.table.turn == 0 and "22" in playing.table.match.legal_moves:
            playing.move("22")
            return Live(playing.table)
    raise AssertionError("no deal gives the first player a 22")


def test_pages_get_a_board_for_each_moment() -> None:
    live = lost_chip("p0", "p1")
    env = environment()
    (board,) = draw_moments(env, live, Viewpoint(0))
    assert 'data-moment="chip-lost"' in board
    assert "You hit 22 and lose a chip" in board
    assert re.search(r'data-hold="2800"', board)
    assert board.count("chip gone latest") == 1
    assert 'name="move"' not in board
    assert 'data-mine="0"' in board
    (other,) = draw_moments(env, live, Viewpoint(SPECTATOR))
    assert "hits 22 and loses a chip" in other
    after = draw_board(env, live, Viewpoint(0))
    assert "data-moment" not in after


@pytest.mark.parametrize("pace", PACES)
def test_the_pace_scales_moments_and_the_quickest_shows_none(pace: str) -> None:
    live = lost_chip("p0", "p1")
    live.table.pace = pace
    seconds = moment_seconds(pace, CHIP_LOST)
    assert seconds == CHIP_LOST.seconds * MOMENTS[pace]
    boards = draw_moments(environment(), live, Viewpoint(0))
    assert len(boards) == (0 if pace == "instant" else 1)


def test_bots_wait_until_the_moment_is_over_or_all_players_have_seen_enough() -> None:
    async def waited(seconds: float, *enough: str) -> float:
        live = lost_chip("p0", "p1")
        one, other = (Person(person(number), f"P{number}") for number in range(2))
        with live.watch(one), live.watch(other):
            live.pause(seconds)
            for each in (one, other):
                if each.id in enough:
                    live.go_on(each)
            begun = time.monotonic()
            await live.pause_over()
            return time.monotonic() - begun

    async def main() -> None:
        everyone = (person(0), person(1))
        assert await waited(0.2) >= 0.2
        assert await waited(0.2, person(0)) >= 0.2
        assert await waited(5.0, *everyone) < 1.0

    asyncio.run(main())


def test_bots_do_not_wait_where_nobody_watches() -> None:
    async def main() -> None:
        live = lost_chip("p0", "p1")
        live.pause(30.0)
        await asyncio.wait_for(live.pause_over(), 1.0)

    asyncio.run(main())
