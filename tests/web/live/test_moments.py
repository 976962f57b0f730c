"""Moments at a table: what its pages are sent, and how long its bots wait."""

import asyncio
import html
import re
import time
from random import Random

import pytest
from starlette.testclient import TestClient

from redouble.contract.page.html import minus
from redouble.contract.registry import GAMES
from redouble.kernel.state import SPECTATOR
from redouble.match.story import headlines_since
from redouble.web.drawing.board import MAX_SINCE, Viewpoint, since_own_move
from redouble.web.drawing.markup.board import draw_board, draw_moments
from redouble.web.live.live import Live
from redouble.web.people.people import Person
from redouble.web.table import PACES
from redouble.web.table.pace import MOMENTS, moment_seconds
from tests.web.helpers.house import in_house
from tests.web.helpers.play import Playing, header, person, seated
from tests.web.helpers.visitors import Visitor, play, seats_for

GAME = GAMES["double-down"]
(CHIP_LOST,) = [kind for kind in GAME.words.moments if kind.name == "chip-lost"]


def with_lost_chip(*kinds: str) -> Playing:
    """A table at which the first player has just lost a chip with a 22, being played."""
    for number in range(500):
        playing = Playing(header(GAME, seated(*kinds), seed=f"chip {number}"))
        if playing.table.turn == 0 and "22" in playing.table.match.legal_moves:
            playing.move("22")
            return playing
    raise AssertionError("no deal gives the first player a 22")


def lost_chip(*kinds: str) -> Live:
    return Live(with_lost_chip(*kinds).table)


def test_pages_get_a_board_for_each_moment() -> None:
    live = lost_chip("p0", "p1")
    (board,) = draw_moments(live, Viewpoint(0))
    assert 'data-moment="chip-lost"' in board
    assert "You hit 22 and lose a chip" in board
    assert re.search(r'data-hold="2800"', board)
    assert board.count("chip gone latest") == 1
    assert 'name="move"' not in board
    assert 'data-mine="0"' in board
    (other,) = draw_moments(live, Viewpoint(SPECTATOR))
    assert "hits 22 and loses a chip" in other
    after = draw_board(live, Viewpoint(0))
    assert "data-moment" not in after


def test_the_log_tells_what_a_move_led_to_when_it_has_been_seen() -> None:
    playing = Playing(header(GAMES["double-decker"], seated(*(f"p{seat}" for seat in range(7)))))
    table, dice = playing.table, Random(1)
    while len(drawn := draw_moments(Live(table), Viewpoint(0))) < 2:
        playing.move(dice.choice(list(table.match.legal_moves)))
    boards = [*drawn, draw_board(Live(table), Viewpoint(0))]
    logs = [board.split('id="log"')[1].split("</li>")[0] for board in boards]
    assert [" takes " in log for log in logs] == [False, True, True]
    assert ["round 1 is over" in log for log in logs] == [False, False, True]


def test_the_summary_tells_what_happened_since_the_viewers_own_last_move() -> None:
    playing = with_lost_chip("p0", "p1", "p2")
    table, names = playing.table, playing.table.match.names

    def told(seat: int) -> list[tuple[str, str, list[str]]]:
        return [
            (names[one.seat], one.words, [headline.title for headline in one.headlines])
            for one in since_own_move(table, Viewpoint(seat))
        ]

    mine = (names[0], "", ["You hit 22 and lose a chip"])
    assert told(0) == [mine]
    lost = (names[0], "plays 22: 22, loses a chip", [f"{names[0]} hits 22 and loses a chip"])
    assert told(1) == told(2) == [lost]
    assert told(SPECTATOR) == []
    numbers = [move for move in table.match.legal_moves if move.isdecimal()]
    first = playing.move(min(numbers, key=int))
    assert told(0)[0] == mine
    assert [(name, bool(words)) for name, words, _ in told(0)[1:]] == [(names[1], True)]
    assert f"plays {first}" in told(0)[1][1]
    assert told(1) == []
    assert [name for name, *_ in told(2)] == [names[0], names[1]]


def test_a_long_summary_keeps_the_moments() -> None:
    playing = Playing(header(GAME, seated(*(f"p{seat}" for seat in range(7)))))
    table, dice, long = playing.table, Random(1), 0
    while table.turn is not None:
        playing.move(dice.choice(list(table.match.legal_moves)))
        for seat in range(7 if not table.over else 0):
            told = since_own_move(table, Viewpoint(seat))
            assert len(told) <= MAX_SINCE
            own = max((i for i, who in enumerate(table.movers) if who == seat), default=0)
            heard = headlines_since(table.match, table.match.names, seat, own)
            telling = [one for one in heard if one]
            assert [one.headlines for one in told if one.headlines] == telling[-MAX_SINCE:]
            long += table.match.ply - own > MAX_SINCE
    assert long, "nobody was out for long"


def test_pages_without_scripts_and_pages_that_missed_something_get_the_summary(
    client: TestClient,
) -> None:
    anna = Visitor(client, "Anna")
    for plies in range(8, 80):
        table = play(client, GAME, seats_for(anna, bots=3), plies=plies)
        told = since_own_move(table, Viewpoint(0)) if table.turn == 0 else []
        if any(one.headlines for one in told):
            break
    assert told
    here = f"/t/{table.header.token}"
    page, part = anna.get(here), anna.part(f"{here}/since?seat=0")
    (inside,) = re.findall(r"<noscript>(<div class=\"since.*?)</noscript>", page)
    assert inside.strip() == part.strip()
    for one in told:
        assert minus(one.words) in html.unescape(part)
        for headline in one.headlines:
            assert minus(headline.title) in html.unescape(part)
    assert "Since your last move" not in Visitor(client, "Ben").get(here)
    Visitor(client, "Ben").get(f"{here}/since", 204)


@pytest.mark.parametrize("pace", PACES)
def test_the_pace_scales_moments_and_the_quickest_shows_none(pace: str) -> None:
    live = lost_chip("p0", "p1")
    live.table.pace = pace
    seconds = moment_seconds(pace, CHIP_LOST, 2)
    assert seconds == CHIP_LOST.seconds * MOMENTS[pace]
    boards = draw_moments(live, Viewpoint(0))
    assert len(boards) == (0 if pace == "instant" else 1)


def test_bots_wait_until_the_moment_is_over_or_all_players_have_seen_enough() -> None:
    async def waited(seconds: float, *enough: str) -> float:
        live = lost_chip("p0", "p1")
        one, other = (Person(person(number), f"P{number}") for number in range(2))
        with live.watch(one), live.watch(other):
            begun = time.monotonic()
            live.pause(seconds)
            for each in (one, other):
                if each.id in enough:
                    live.go_on(each.id)
            await live.pause_over()
            return time.monotonic() - begun

    async def main() -> None:
        everyone = (person(0), person(1))
        assert await waited(0.2) > 0.19  # a clock's tick less at most
        assert await waited(0.2, person(0)) > 0.19
        assert await waited(60.0, *everyone) < 30.0

    asyncio.run(main())


@in_house
async def test_bots_do_not_wait_where_nobody_watches() -> None:
    live = lost_chip("p0", "p1")
    live.pause(30.0)
    await asyncio.wait_for(live.pause_over(), 1.0)
