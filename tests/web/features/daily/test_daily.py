"""Daily deals and the daily puzzle: unknown before their day, one counted try, compared fairly."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.analysis.puzzle import Puzzle
from redouble.bots import BOTS, own_chance
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from redouble.web.features.daily.deals import (
    MAX_BARS,
    Comparison,
    DailyResult,
    Streak,
    bar_groups,
    bot_results,
    closes,
    compare,
    daily_deal,
    daily_puzzle,
    day_of,
    points_ranges,
    streak,
)
from redouble.web.features.daily.tries import Dailies, dailies
from redouble.web.live.live import Live
from redouble.web.store import schema
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, site_of
from tests.web.helpers.visitors import (
    Place,
    Visitor,
    in_loop,
    live_at,
    mark_of,
    move_on,
    new_code,
    rows,
    stored,
)

DAY = date(2026, 11, 22)
TODAY = DAY.isoformat()
ALONE = next(game for game in GAMES.values() if game.usual_seats == 1)
TOGETHER = [game for game in GAMES.values() if game.usual_seats > 1]


class Clock:
    """The time that the server reads, in UTC."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 22, 12, tzinfo=UTC)

    def __call__(self) -> float:
        return self.now.timestamp()

    def set(self, day: int, hour: int, minute: int = 0) -> None:
        self.now = datetime(2026, 11, day, hour, minute, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "time", clock)
    return clock


@pytest.fixture
def client(tmp_path: Path, clock: Clock) -> Iterator[TestClient]:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        yield client


def page(game: Game, day: str = TODAY) -> str:
    return f"/daily/{day}/deal/{game.name}"


def begin(visitor: Visitor, game: Game, day: str = TODAY) -> str:
    return visitor.post(page(game, day))


def give_up(visitor: Visitor, here: str) -> None:
    visitor.do(here, "resign", seat="0")


def play_out(visitor: Visitor, here: str, chance: str = "moves") -> None:
    """Play a solitaire game to its end, with random moves."""
    move_on(visitor, here, choose=Random(chance).choice)


def tries(client: Place) -> list[Any]:
    query = sa.select(dailies).order_by(dailies.c.begun)
    return stored(client, lambda c: list(c.execute(query)))


def deal_of(client: Place, game: Game, day: date = DAY) -> str:
    return site_of(client).service(Dailies).deal(day, game).seed


def test_deals_and_puzzles_depend_on_the_secret_the_day_and_the_game() -> None:
    days = [DAY + timedelta(days=n) for n in range(30)]
    seeds = {
        daily_deal(secret, day, game).seed
        for secret in ("one", "two")
        for day in days
        for game in GAMES.values()
    }
    assert len(seeds) == 2 * len(days) * len(GAMES)
    assert all(re.fullmatch("[0-9a-f]{32}", seed) for seed in seeds)
    assert daily_deal("one", DAY, ALONE) == daily_deal("one", DAY, ALONE)
    for game in TOGETHER:
        seats = {daily_deal("one", day, game).seat for day in days}
        assert seats == set(range(game.usual_seats))
    one, two = ([daily_puzzle(secret, day) for day in days] for secret in ("one", "two"))
    assert one != two
    assert len({id(puzzle) for puzzle in one}) > 10


def test_each_site_has_a_secret_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    seeds = []
    for name in ("one", "two", "one"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        with TestClient(create_app(folder, limits=ROOMY)) as client:
            today = site_of(client).service(Dailies).today()
            seeds.append(deal_of(client, ALONE, today))
    assert seeds[0] == seeds[2] != seeds[1]


def test_no_page_shows_the_secret_or_a_seed_to_someone_who_has_yet_to_finish(
    client: TestClient, anna: Visitor
) -> None:
    query = sa.select(schema.secrets.c.value)
    secret = str(stored(client, lambda c: c.execute(query).scalar()))
    assert len(secret) == 64
    for game in GAMES.values():
        here = begin(anna, game)
        token = here[3:]
        sent = [anna.get(path) for path in ("/", "/daily", page(game), here, "/me", "/me/export")]
        sent.append(json.dumps(anna.ask(f"/tables/{token}")))
        for text in sent:
            assert secret not in text
            assert deal_of(client, game) not in text


def test_a_day_cannot_be_opened_before_it_comes(anna: Visitor) -> None:
    for path in ["", *(f"/deal/{name}" for name in GAMES), "/puzzle"]:
        anna.get(f"/daily/{TODAY}{path}")
        said = anna.get(f"/daily/2026-11-23{path}", 404)
        assert "haven&#39;t been dealt yet" in said
        assert "first daily deals" in anna.get(f"/daily/2026-11-21{path}", 404)
        assert "no such day" in anna.get(f"/daily/20261122{path}", 404)
        if path:
            anna.post(f"/daily/2026-11-23{path}", 404 if "deal" in path else 409)


def test_the_day_ends_at_midnight_utc() -> None:
    assert day_of(datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC).timestamp()) == DAY
    assert day_of(datetime(2026, 11, 23, tzinfo=UTC).timestamp()) == DAY + timedelta(days=1)
    assert closes(DAY) == datetime(2026, 11, 24, tzinfo=UTC).timestamp()


def test_a_game_begun_before_midnight_counts_for_its_day(clock: Clock, anna: Visitor) -> None:
    clock.set(22, 23, 59)
    here = begin(anna, ALONE)
    clock.set(23, 0, 1)
    said = anna.get(page(ALONE))
    assert "You can still finish this deal today" in said
    assert "Continue</button>" in said
    assert "You didn't play this deal" in anna.other().get(page(ALONE))
    assert anna.post(page(ALONE)) == here
    play_out(anna, here)
    [row] = tries(anna)
    assert (row.day, row.finished) == (TODAY, clock())
    assert "1 player" in anna.get(page(ALONE))
    assert begin(anna, ALONE, "2026-11-23") != here, "the next day has a deal of its own"


def test_a_game_finished_after_the_next_day_does_not_count(clock: Clock, anna: Visitor) -> None:
    here = begin(anna, ALONE)
    clock.set(24, 0)
    play_out(anna, here)
    [row] = tries(anna)
    assert row.finished is None
    said = anna.get(page(ALONE))
    assert "You didn't finish this deal" in said
    assert "Nobody has finished it." in said


def test_a_day_that_is_over_takes_no_new_tries(clock: Clock, anna: Visitor) -> None:
    clock.set(23, 0)
    assert "This day is over" in anna.post(page(ALONE), 409)
    assert "This day is over" in anna.post(f"/daily/{TODAY}/puzzle", 409, move="x")
    assert tries(anna) == []


def test_only_the_first_finished_game_counts(anna: Visitor) -> None:
    here = begin(anna, ALONE)
    assert begin(anna, ALONE) == here
    play_out(anna, here)
    before = tries(anna)
    again = begin(anna, ALONE)
    assert again != here
    first, second = (live_at(anna.client, one).table for one in (here, again))
    assert (first.header.daily, second.header.daily) == (TODAY, "")
    assert first.match.seed == second.match.seed
    play_out(anna, again, "other moves")
    assert tries(anna) == before
    anna.do(again, "undo", seat=0)


def test_windows_that_begin_at_the_same_time_get_one_table(anna: Visitor) -> None:
    site, person = site_of(anna), anna.person

    async def together() -> list[Live]:
        begun = (site.service(Dailies).begin(person, ALONE) for _ in range(6))
        return await asyncio.gather(*begun)

    found = in_loop(anna, together)
    assert len({live.table.header.token for live in found}) == 1
    assert rows(anna, schema.tables) == rows(anna, dailies) == 1


@pytest.mark.parametrize("game", TOGETHER, ids=lambda game: game.name)
def test_giving_up_is_last_place_and_a_rematch_an_ordinary_game(anna: Visitor, game: Game) -> None:
    here = begin(anna, game)
    give_up(anna, here)
    [row] = tries(anna)
    assert (row.rank, row.won, row.resigned, row.score) == (game.usual_seats, False, True, None)
    said = anna.get(page(game))
    assert "Gave up" in said
    assert "0 days in a row." in anna.get("/daily"), "giving up keeps no streak alive"
    again = live_at(anna.client, anna.post(f"{here}/rematch")).table
    assert again.header.daily == ""
    assert again.match.seed != deal_of(anna, game)


def test_a_daily_deal_is_played_without_help(anna: Visitor) -> None:
    for game in (ALONE, TOGETHER[0]):
        here = begin(anna, game)
        live = live_at(anna.client, here)
        seat = live.table.seats_of(anna.person.id)[0]
        while live.table.turn != seat:
            time.sleep(0.05)
        html = anna.get(here)
        for word in ("hint-icon", "undo-icon", "hint=1", "/solver"):
            assert word not in html, word
        assert "without hints" in anna.get(f"{here}?hint=1", 400)
        assert "without undo" in anna.do(here, "undo", 400, seat=seat)
        said = anna.do(here, "bot", 400, seat=seat, level="expert")
        assert "No bot can play a daily deal for you" in said
        for what in ("undo", "hint"):
            anna.ask(f"/tables/{here[3:]}/{what}", {}, 400)
    assert "without the solver" in anna.get(f"{begin(anna, ALONE)}/solver", 403)


def views_of(here: str) -> list[str]:
    """The addresses that show a table or its cards."""
    token = here[3:]
    pages = [here, *(f"{here}/{what}" for what in ("stream", "replay", "record", "review"))]
    return pages + [f"/api/tables/{token}{what}" for what in ("", "/record", "/review", "/stream")]


def test_nobody_sees_a_daily_deal_before_they_have_finished_it(
    client: TestClient, clock: Clock, anna: Visitor, ben: Visitor
) -> None:
    here = begin(anna, ALONE)
    for path in views_of(here):
        assert "daily deal" in ben.get(path, 403), path
    anna.get(here)
    anna.get(f"{here}/record", 403)
    play_out(anna, here)
    seed, line = deal_of(client, ALONE), anna.get(f"{here}/record")
    imported = anna.post("/replays", text=line)
    deal = f"/deals/{ALONE.name}/{seed}"
    shown = [*views_of(here), imported, f"{imported}/record", f"{imported}/review", deal]
    shown.append(f"/api/records/{imported[3:]}")
    begin(ben, ALONE)
    for visitor in (ben, Visitor(client)):
        for path in shown:
            assert seed not in visitor.get(path, 403), path
    assert "daily deal" in ben.post(deal, 403)
    assert "daily deal" in ben.post(f"/new/{ALONE.name}", 403, deal=f" {seed} ")
    body = {"game": ALONE.name, "seats": [{"kind": "me"}], "seed": seed}
    ben.ask("/tables", body, 403)
    shown.remove(f"{here}/stream")  # never ends for those who may read it
    assert all(anna.get(path) for path in shown)
    play_out(ben, begin(ben, ALONE))
    assert all(ben.get(path) for path in shown), "ben has finished, too"
    clock.set(23, 23, 59)
    assert Visitor(client).get(f"{here}/replay", 403)
    clock.set(24, 0)
    assert all(Visitor(client).get(path) for path in shown)


def test_results_are_nameless_and_after_the_try(clock: Clock, anna: Visitor, ben: Visitor) -> None:
    play_out(anna, begin(anna, ALONE))
    before = ben.get(page(ALONE))
    assert "You have one try, without undo or hints." in before
    assert "players" not in before
    assert "Bots with" not in before
    play_out(ben, begin(ben, ALONE), "other moves")
    after = ben.get(page(ALONE))
    assert "2 players so far" in after
    assert "Anna" not in after
    clock.set(24, 0)
    later = anna.other().get(page(ALONE))
    assert "2 players<" in later
    assert not {"Anna", "Ben"} & set(re.findall(r"\w+", later))


def test_programs_play_the_same_deals(client: TestClient, anna: Visitor) -> None:
    program = Program(client)
    shown = program.get("/daily")
    assert shown["day"] == TODAY
    assert [deal["game"] for deal in shown["deals"]] == list(GAMES)
    assert all(deal["table"] is None and not deal["finished"] for deal in shown["deals"])
    token = program.post(f"/daily/{ALONE.name}")["table"]
    assert program.post(f"/daily/{ALONE.name}")["table"] == token
    play_out(anna, begin(anna, ALONE))
    program.post(f"/tables/{token}/resign")
    [mine] = [deal for deal in program.get("/daily")["deals"] if deal["game"] == ALONE.name]
    assert mine == {
        "game": ALONE.name,
        "table": token,
        "finished": True,
        "won": False,
        "rank": 1,
        "score": None,
        "place": 2,
        "players": 2,
    }
    program.post("/daily/nothing", status=404)
    answer = client.post(f"/api/daily/{ALONE.name}")
    assert answer.status_code == 401


def test_results_are_compared_and_grouped() -> None:
    first, second = DailyResult.of(1, 40, True), DailyResult.of(2, 40, False)
    richer, last = DailyResult.of(2, 44, False), DailyResult.of(4, None, False)
    everyone = [second, first, last, richer, second]
    assert sorted(everyone) == [first, richer, second, second, last]
    assert compare(first, everyone) == Comparison(1, 0, 5)
    assert compare(second, everyone) == Comparison(3, 1, 5)
    assert compare(last, everyone) == Comparison(5, 0, 5)
    shares = [compare(one, everyone).beaten for one in (first, richer, second, last)]
    assert shares == [100, 75, 25, 0]
    assert compare(first, [first]).beaten is None
    assert DailyResult.of(1, 10, True) < DailyResult.of(1, 30, False), "a win comes first"
    for scores in ([7], [3, 4], list(range(100)), [-9, 0, 120]):
        ranges = points_ranges(scores)
        assert set(ranges) == set(scores)
        assert len(set(ranges.values())) <= MAX_BARS
    assert points_ranges([]) == {}
    assert points_ranges([3, 4]) == {3: "3", 4: "4"}
    assert points_ranges([0, 15]) == {0: "0 to 1", 15: "14 to 15"}
    found = bar_groups([(second, "2nd"), (first, "1st"), (richer, "2nd")], richer)
    assert [(bar.label, bar.count, bar.percent, bar.mine) for bar in found] == [
        ("1st", 1, 50, False),
        ("2nd", 2, 100, True),
    ]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ("", Streak(0, 0)),
        ("22", Streak(1, 1)),
        ("21", Streak(1, 1)),
        ("20", Streak(0, 1)),
        ("20 21 22", Streak(3, 3)),
        ("19 20 22", Streak(1, 2)),
        ("10 11 12 14 20 21", Streak(2, 3)),
        ("10 11 12 14 20", Streak(0, 3)),
    ],
)
def test_a_streak_ends_with_the_first_day_left_out(days: str, expected: Streak) -> None:
    assert streak({date(2026, 11, int(one)) for one in days.split()}, DAY) == expected
    assert streak({date(2026, 10, 31), date(2026, 11, 1)}, date(2026, 11, 2)) == Streak(2, 2)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_bots_get_what_they_would_get_at_the_table(game: Game) -> None:
    deal = daily_deal("secret", DAY, game)
    found = {one.level: one.result for one in bot_results(deal)}
    assert set(found) == {"novice", "casual", "club", "expert"}
    match = Match(game, deal.seats, deal.seed, deal.options)
    while (turn := match.turn) is not None:
        chance = own_chance(deal.seed, turn, match.ply)
        match.push_action(BOTS["club"].choose(match.observation(), chance))
    assert match.outcome is not None
    assert found["club"].rank == match.outcome.ranks[deal.seat]
    assert found["club"].won == match.outcome.won[deal.seat]


def test_everyone_meets_the_same_bots_in_the_same_seat(anna: Visitor, ben: Visitor) -> None:
    for game in TOGETHER:
        tables = [live_at(one.client, begin(one, game)).table for one in (anna, ben)]
        found = [[(seat.person is None, seat.bot) for seat in table.seats] for table in tables]
        assert found[0] == found[1]
        assert {bot for _, bot in found[0]} == {"", "club"}
        assert tables[0].match.seed == tables[1].match.seed == deal_of(anna, game)


def test_the_home_page_says_how_today_stands(clock: Clock, anna: Visitor) -> None:
    fresh = anna.get("/")
    assert "Same deals for all." in fresh
    assert "New deals in 12 h" in fresh
    for game in GAMES.values():
        assert f'href="{page(game)}"' in fresh
    begin(anna, TOGETHER[0])
    here = begin(anna, ALONE)
    play_out(anna, here)
    html = anna.get("/")
    assert html.count('<li class="continue">') == html.count('<li class="done">') == 1
    assert "1 day in a row" in html
    clock.set(23, 9)
    play_out(anna, begin(anna, ALONE, "2026-11-23"))
    html = anna.get("/")
    assert "2 days in a row" in html
    assert html.count('class="played') == 2


def test_the_calendar_leads_to_past_days(clock: Clock, anna: Visitor) -> None:
    play_out(anna, begin(anna, ALONE))
    clock.set(25, 9)
    html = anna.get("/daily")
    for day in (22, 23, 24, 25):
        assert f'href="/daily/2026-11-{day}"' in html
    assert "/daily/2026-11-21" not in html
    assert "/daily/2026-11-26" not in html
    assert f'aria-label="22 November 2026: 1 of {len(GAMES) + 1} finished"' in html
    past = anna.get(f"/daily/{TODAY}")
    assert "The results of this day are final." in past
    assert past.count("Not played") == len(GAMES)
    for month in ("2026-10", "2026-12", "0001-01", "9999-12", "odd"):
        anna.get(f"/daily?month={month}", 404)


@pytest.fixture
def puzzle(client: TestClient) -> Puzzle:
    found = site_of(client).service(Dailies).puzzle(DAY)
    assert found is not None
    return found


def wrong(puzzle: Puzzle) -> list[str]:
    return [move for move in puzzle.shares if move != puzzle.answer]


def test_the_daily_puzzle_can_be_found_at_once(anna: Visitor, puzzle: Puzzle) -> None:
    here = f"/daily/{TODAY}/puzzle"
    asked = anna.get(here)
    assert "Which move is best?" in asked
    assert f"Puzzle {puzzle.number}" not in asked
    assert anna.post(here, move=puzzle.answer) == here
    html = anna.get(here)
    assert "Right: " in html
    assert '<tr class="mine"><th scope="row">First try' in html
    assert "✓ First try" in anna.get("/")
    anna.post(here, move=wrong(puzzle)[0])
    again = anna.get(here)
    same = [page.replace(mark_of(page), "") for page in (html, again)]
    assert same[0] == same[1], "the try has ended"


def test_the_daily_puzzle_gives_two_tries_and_is_on_the_shelf_later(
    client: TestClient, anna: Visitor, ben: Visitor, puzzle: Puzzle, clock: Clock
) -> None:
    here, bad = f"/daily/{TODAY}/puzzle", wrong(puzzle)
    shelf = f"/puzzles/{puzzle.game.name}/{puzzle.number}"
    for _ in range(2):  # the same move sent again is no second try
        anna.post(here, move=bad[0])
        html = anna.get(here)
        assert "Try again." in html
        assert 'class="best"' not in html
    answer = client.get(shelf, headers=anna._headers(), follow_redirects=False)
    assert answer.headers["location"] == here, "the shelf would show the answer"
    assert anna.post(shelf, move=puzzle.answer) == here, "the rating would tell what is right"
    assert "puzzle rating" not in anna.get("/puzzles")
    anna.post(here, move=puzzle.answer)
    assert "Second try" in anna.get(here)
    assert "Right: " in anna.get(here)
    assert anna.get(shelf)
    ben.post(here, 409, show="yes")
    ben.post(here, 400, move="odd")
    ben.post(here, move=bad[0])
    ben.post(here, show="yes")
    html = ben.get(here)
    assert "Not quite: " in html
    assert "2 players so far" in html
    assert '<tr class="mine"><th scope="row">Not found' in html
    clock.set(23, 8)
    answer = client.get(f"/daily/{TODAY}/puzzle", follow_redirects=False)
    assert answer.headers["location"] == f"/puzzles/{puzzle.game.name}/{puzzle.number}"


@pytest.mark.parametrize("unfinished", [0, 1])
@pytest.mark.parametrize("guest_first", [False, True])
def test_of_two_tries_of_a_person_the_first_finished_one_counts(
    clock: Clock, anna: Visitor, ben: Visitor, guest_first: bool, unfinished: int
) -> None:
    order = [ben, anna] if guest_first else [anna, ben]
    tokens = []
    for hour, visitor in enumerate(order, 13):
        tokens.append(begin(visitor, ALONE)[3:])
        clock.set(22, hour)
        if len(tokens) > unfinished:
            play_out(visitor, f"/t/{tokens[-1]}", f"moves of {hour}")
    begin(ben, TOGETHER[0])
    ben.post("/link", code=new_code(anna))
    assert {row.person for row in tries(anna)} == {anna.person.id}
    kept = [row.token for row in tries(anna) if row.game == ALONE.name]
    assert kept == [tokens[unfinished]]
    assert rows(anna, dailies) == 2


def test_a_game_without_puzzles_or_company_gets_a_daily_deal(
    anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game from another package, alone on the site."""
    stranger = replace(ALONE, name="stranger", title="Stranger", folder=Path("/nowhere"))
    monkeypatch.setattr("redouble.web.features.daily.page.GAMES", {"stranger": stranger})
    monkeypatch.setattr("redouble.web.features.daily.deals.GAMES", {"stranger": stranger})
    assert daily_puzzle("secret", DAY) is None
    html = anna.get("/daily")
    assert "Stranger" in html
    assert '/puzzle"' not in html
    assert "Start" in anna.get(f"/daily/{TODAY}/deal/stranger")
    anna.get(f"/daily/{TODAY}/puzzle", 404)


def test_a_clock_that_was_set_takes_no_try_away(anna: Visitor, clock: Clock) -> None:
    """A game that ends three years later by the clock counts, and a puzzle's try stays as well."""
    here = begin(anna, ALONE)
    right, clock.now = clock.now, clock.now.replace(year=2029)
    assert "hasn't been dealt" not in anna.get("/daily")
    play_out(anna, here)
    clock.now = right
    assert [one.finished is not None for one in tries(anna)] == [True]
    assert "Continue" not in anna.get(page(ALONE))


def test_days_before_the_first_have_pages_if_clocks_are_back(anna: Visitor, clock: Clock) -> None:
    here = begin(anna, ALONE)
    for day in (21, 1):
        clock.set(day, 12)
        for path in ("/", "/daily", f"/daily/2026-11-{day:02}", here, "/me"):
            anna.get(path)
        anna.post(page(ALONE, f"2026-11-{day:02}"))
    clock.set(21, 12)
    anna.other().get(here, 403)  # tomorrow's deal is sealed for those who haven't begun it
