"""Solitaire games: pages of deals, undo, finishing a won game, results."""

import contextlib
import re
import time
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from markupsafe import escape
from starlette.testclient import TestClient

from redouble.analysis.finish import can_finish, finishing_moves
from redouble.contract.registry import GAMES
from redouble.games.double_or_quits.text import CARDS, FACES
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.story import midsentence
from redouble.web.drawing.addresses import deal_url
from redouble.web.live import robots
from redouble.web.live.plan import DEALS, SeatPlan, TablePlan
from redouble.web.pages.table import Look, stream_table
from redouble.web.people import results
from redouble.web.people.results import statistics
from redouble.web.table.acts.undo import Undoing
from tests.web.helpers.play import asks
from tests.web.helpers.servers import site_of
from tests.web.helpers.visitors import Visitor, in_loop, live_at, move_on, play, seats_for, stored

GAME = GAMES["double-or-quits"]
OTHERS = [game for game in GAMES.values() if game.min_seats > 1]
WON, LOST = "14", "3"
"""Deals; by the rules as published, their end is certain before the first move."""


def start(visitor: Visitor, deal: str, **options: Any) -> str:
    """The address of a new table."""
    plan = TablePlan(GAME, [SeatPlan("me")], options, seed=deal)
    live = in_loop(visitor.client, site_of(visitor.client).tables.create, visitor.person, plan)
    return f"/t/{live.table.header.token}"


def play_on(visitor: Visitor, here: str, plies: int = 1000, choice: int = 0) -> None:
    """Play this many moves, each the first (or last) legal one."""
    move_on(visitor, here, plies, lambda legal: legal[choice])


def picture(html: str) -> str:
    """The drawing of a deal on its page."""
    found = re.search(r'<figure class="picture">.*</figure>', html, re.DOTALL)
    assert found
    return found[0]


def moves_of(html: str) -> list[str]:
    """The moves that a page has buttons for."""
    return sorted(re.findall(r'name="move" value="([^"]+)"', html))


def tally(html: str) -> tuple[str, ...] | None:
    """The statistics on a page: played, won, streak, best streak."""
    found = re.search(r'<dl class="tally">.*?</dl>', html, re.DOTALL)
    return tuple(re.findall(r"<dd>([^<]*)</dd>", found[0])) if found else None


def test_an_illegal_move_is_refused_in_words_and_a_card_says_why(anna: Visitor) -> None:
    here = start(anna, WON)
    match = live_at(anna.client, here).table.match
    page = anna.post(f"{here}/move", 400, ply=0, seat=0, move="cell 9")
    words = midsentence(match.describe(match.legal_moves[0]))
    assert f"That move isn&#39;t legal: you can {words}." in page
    assert "cell 9" not in page
    here = start(anna, LOST)
    dimmed = live_at(anna.client, here).table.match.view(0).dimmed
    why = {FACES[CARDS.index(text)]: reason for text, reason in dimmed.items()}
    told = dict(re.findall(r'data-face="([^"]+)"[^>]* data-why="([^"]+)"', anna.get(here)))
    assert told == {text: str(escape(reason)) for text, reason in why.items()}


def test_a_deals_link_opens_the_same_deal_for_everyone(anna: Visitor, ben: Visitor) -> None:
    assert picture(anna.get(f"/deals/{GAME.name}/4711")) == picture(
        ben.get(f"/deals/{GAME.name}/4711")
    )
    one, other = (live_at(who.client, who.post(f"/deals/{GAME.name}/4711")) for who in (anna, ben))
    assert one.table.header.token != other.table.header.token
    assert one.table.match.state == other.table.match.state
    assert one.table.header.seed == "4711"
    different = live_at(anna.client, anna.post(f"/deals/{GAME.name}/4712"))
    assert different.table.match.state != one.table.match.state
    html = anna.get(anna.post(f"/deals/{GAME.name}/4711"))
    assert "Deal&nbsp;</span>4711</a>" in html


@pytest.mark.parametrize("after", [".", ").", "%3Ffbclid=x", "!"])
def test_a_deal_that_a_link_may_not_mean_says_so(anna: Visitor, after: str) -> None:
    page = anna.get(f"/deals/double-or-quits/4711{after}")
    assert '<a href="/deals/double-or-quits/4711">deal 4711</a>' in page
    assert "has other cards" not in anna.get("/deals/double-or-quits/4711")


def test_a_deals_picture_shows_what_everyone_sees(client: TestClient) -> None:
    for deal in ["1", "2", "10", "a word", "ä/b?c"]:
        address = deal_url(GAME, deal, GAME.check_options(1, {}))
        html = Visitor(client).get(address)
        match = Match(GAME, 1, deal)
        view = match.view(SPECTATOR)
        seen = sorted(card.face for zone in view.zones for card in zone.cards if card.up)
        assert sorted(re.findall(r'data-face="([^"]+)"', html)) == seen
        assert not moves_of(html)
        assert f"Deal {escape(deal)}" in html
        hidden = match.state.deck[match.state.line[0]]
        assert FACES[hidden] not in seen, "else this test would prove nothing"


def test_a_deals_address_names_the_changed_options(anna: Visitor) -> None:
    address = f"/deals/{GAME.name}/7?free-flip=yes&redeals=1"
    here = anna.post(address)
    assert live_at(anna.client, here).table.header.options == {"free-flip": True, "redeals": 1}
    assert f'href="{escape(address)}"' in anna.get(here), "the table says which deal it is"
    html = anna.get(address)
    assert "Free flips: yes, Redeals: 1" in html
    assert f'action="{escape(address)}"' in html
    assert f'href="/deals/{GAME.name}/8?free-flip=yes&amp;redeals=1"' in html, "the next one"
    usual = anna.get(f"/deals/{GAME.name}/7?redeals=2&from=a-friend")
    assert f'action="/deals/{GAME.name}/7"' in usual


def test_an_invalid_deal_is_refused_and_a_random_one_has_a_number(anna: Visitor) -> None:
    assert "Redeals cannot be" in anna.get(f"/deals/{GAME.name}/7?redeals=11", 400)
    assert "use 1 to 40 characters" in anna.get(f"/deals/{GAME.name}/{'9' * 41}", 400)
    assert "use 1 to 40 characters" in anna.post(f"/deals/{GAME.name}/%20", 400)
    anna.get("/deals/no-such-game/7", 404)
    answer = anna.client.get(f"/deals/{GAME.name}?redeals=0", follow_redirects=False)
    assert answer.status_code == 303
    found = re.fullmatch(rf"/deals/{GAME.name}/(\d+)\?redeals=0", answer.headers["location"])
    assert found
    assert 1 <= int(found[1]) <= DEALS


def test_games_for_several_have_no_deals_to_choose(client: TestClient) -> None:
    for game in OTHERS:
        visitor = Visitor(client)
        assert "no numbered deals" in visitor.get(f"/deals/{game.name}/7", 404)
        visitor.get(f"/deals/{game.name}", 404)
        assert "no numbered deals" in visitor.post(f"/deals/{game.name}/7", 404)


@pytest.mark.parametrize("deal", [WON, LOST])
@pytest.mark.parametrize("free_flip", [False, True])
def test_every_move_has_one_button_that_only_the_player_gets(
    anna: Visitor, ben: Visitor, deal: str, free_flip: bool
) -> None:
    here = start(anna, deal, free_flip=free_flip)
    seen = set()
    while (match := live_at(anna.client, here).table.match).turn is not None and match.ply < 150:
        html = anna.get(here)
        assert moves_of(html) == sorted(match.legal_moves)
        seen |= set(moves_of(html))
        slots = sum(zone.size == 0 for zone in match.view(0).zones)
        assert len(re.findall(r'class="card slot', html)) == slots
        play_on(anna, here, 1)
    assert {"waste", "flip", "redeal"} <= seen or deal == WON
    assert not moves_of(ben.get(here))


def test_another_move_clears_redo(anna: Visitor) -> None:
    here = start(anna, LOST, free_flip=True)
    play_on(anna, here, 3)
    anna.do(here, "undo", seat=0)
    assert 'value="redo"' in anna.get(here)
    play_on(anna, here, 1, choice=-1)
    assert 'value="redo"' not in anna.get(here)


@pytest.mark.parametrize("free_flip", [False, True])
def test_whenever_a_game_can_be_finished_the_moves_win_it(free_flip: bool, effort: int) -> None:
    offered = 0
    for deal in range(1, 14 * effort):
        match = Match(GAME, 1, f"{deal}", {"free-flip": free_flip})
        while match.turn is not None:
            known = not set(type(match.state).differences(match.state, match.seen_by(0))) - {"rng"}
            moves = finishing_moves(match)
            assert bool(moves) == can_finish(match)
            if moves:
                assert known, f"deal {deal}: offered at ply {match.ply}, where cards are hidden"
                offered += 1
                again = match.copy()
                for move in moves:
                    assert list(again.legal_moves) == [move]
                    again.push(move)
                assert again.outcome is not None
                assert again.outcome.won[0]
            match.push(match.legal_moves[0])
    assert offered


def test_a_certain_win_can_be_finished(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots, "FINISH_PACE", 0.0)
    here = start(anna, WON)
    while not can_finish(live_at(anna.client, here).table.match):
        assert 'value="finish"' not in anna.get(here)
        play_on(anna, here, 1)
    assert 'value="finish"' in anna.get(here)
    anna.do(here, "finish", seat=0)
    until = time.monotonic() + 120
    while not live_at(anna.client, here).table.over:
        assert time.monotonic() < until
        time.sleep(0.01)
    outcome = live_at(anna.client, here).table.match.outcome
    assert outcome is not None
    assert outcome.won[0]


def test_a_game_that_is_not_certainly_won_cannot_be_finished(anna: Visitor, ben: Visitor) -> None:
    here = start(anna, LOST)
    assert "finish automatically" in anna.do(here, "finish", 409, seat=0)
    assert live_at(anna.client, here).table.match.ply == 0
    other = start(ben, WON)
    play_on(ben, other, 80)
    assert can_finish(live_at(ben.client, other).table.match)
    anna.do(other, "finish", 403, seat=0)
    assert 'value="finish"' not in anna.get(other)
    assert live_at(ben.client, other).table.match.ply == 80


def counted_results(visitor: Visitor) -> list[tuple[bool, int]]:
    """A person's counted results as (won, score)."""
    me = visitor.person.id
    rows = stored(visitor.client, lambda c: results.results_of(c, me, GAME.name))
    return [(row["won"], row["score"]) for row in rows]


def test_a_win_with_the_solvers_help_is_counted_apart(anna: Visitor) -> None:
    me = anna.person.id
    for help_at, won in ((0, WON), (None, WON), (0, LOST)):
        here = start(anna, won)
        if help_at is not None:
            live_at(anna.client, here).helped = True
        play_on(anna, here)
        if won == WON:
            assert ("solver's help" in anna.get(here).replace("&#39;", "'")) == (help_at == 0)
    tally = statistics(stored(anna.client, lambda c: results.results_of(c, me, GAME.name)))
    assert (tally.played, tally.won, tally.helped) == (2, 1, 1)


def test_a_table_counts_once_by_its_latest_result(anna: Visitor) -> None:
    here, me = start(anna, WON, free_flip=True, redeals=0), anna.id
    tables = site_of(anna).tables
    play_on(anna, here, choice=-1)
    score = live_at(anna.client, here).table.match.state.foundation_n
    assert counted_results(anna) == [(False, score)]
    assert score < 48
    anna.do(here, "undo", seat=0)
    assert counted_results(anna) == []
    assert tally(anna.get(here)) is None
    anna.do(here, "redo", seat=0)
    assert counted_results(anna) == [(False, score)]
    for _ in range(live_at(anna.client, here).table.match.ply):
        in_loop(anna, tables.act, live_at(anna, here), asks(me, Undoing(step=True)))
    play_on(anna, here)
    better = live_at(anna.client, here).table.match.state.foundation_n
    assert better > score, "else this test would prove nothing"
    assert [points for _, points in counted_results(anna)] == [better]
    assert tally(anna.get(here)) is not None


def test_giving_up_counts_as_a_loss(anna: Visitor) -> None:
    here = start(anna, WON)
    anna.do(here, "resign", seat=0)
    assert [won for won, _ in counted_results(anna)] == [False]
    assert tally(anna.get(here)) == ("1", "0%", "0", "0")


def row(won: bool, counts: bool = True, score: int | None = 20) -> dict[str, Any]:
    return {"won": won, "counts": counts, "rank": 1, "score": score}


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        ("", (0, 0, 0, 0, 0)),
        ("w", (1, 1, 1, 1, 100)),
        ("l", (1, 0, 0, 0, 0)),
        ("wwlw", (4, 3, 1, 2, 75)),
        ("lwwwl", (5, 3, 0, 3, 60)),
        ("wlww", (4, 3, 2, 2, 75)),
        ("wlwwxyw", (5, 4, 3, 3, 80)),
        ("wll", (3, 1, 0, 1, 33)),
        ("wwl", (3, 2, 0, 2, 67)),
    ],
)
def test_streaks_are_games_won_in_a_row(story: str, expected: tuple[int, ...]) -> None:
    """``w`` is a game won, ``l`` one lost; ``x`` and ``y`` are such that do not count."""
    found = statistics(row(letter in "wx", letter in "wl") for letter in story)
    shown = (found.played, found.won, found.streak, found.best_streak, found.share)
    assert shown == expected


def test_the_end_shows_the_player_their_statistics(anna: Visitor, ben: Visitor) -> None:
    won = play(anna, GAME, seats_for(anna), seed=WON)
    here = f"/t/{won.header.token}"
    assert tally(anna.get(here)) == ("1", "100%", "1", "1")
    assert tally(anna.part(f"{here}/hint?seat=0")) == ("1", "100%", "1", "1")
    play(anna, GAME, seats_for(anna), seed=LOST)
    assert tally(anna.get(here)) == ("1", "100%", "1", "1"), "later games change nothing here"
    assert tally(anna.get(f"/deals/{GAME.name}/7")) == ("2", "50%", "0", "1")
    assert tally(ben.get(here)) is None, "a spectator sees no statistics"
    assert tally(ben.get(f"/deals/{GAME.name}/7")) is None
    assert tally(anna.get(start(anna, WON))) is None, "there are none before the end"


def test_an_open_page_receives_the_statistics_at_the_end(anna: Visitor) -> None:
    here = start(anna, WON)
    play_on(anna, here)
    person, site = anna.person, site_of(anna.client)

    async def heard() -> str:
        look = Look(site, await site.table(here[3:], person), person, 0, None, None)
        answer = await stream_table(look)
        events = cast(AsyncGenerator[str, None], answer.body_iterator)
        async with contextlib.aclosing(events):
            return await anext(events)

    assert tally(in_loop(anna.client, heard)) == ("1", "100%", "1", "1")
