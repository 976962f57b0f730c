"""Ratings: they find the true order, can hardly be farmed, and are kept once for each game."""

import importlib.util
import math
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.bots.levels import LEVELS
from redouble.contract.registry import GAMES
from redouble.web.features.ratings import ratings
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.features.ratings.ratings import (
    FEW,
    SCALE,
    Finish,
    Rating,
    anchor,
    first_rating,
    rated,
)
from redouble.web.features.ratings.rows import hinted
from redouble.web.live import table_rows
from tests.helpers.places import ROOT
from tests.web.helpers.play import Playing, header
from tests.web.helpers.visitors import Visitor, new_code, rows, seats_for, stored

SEVERAL = [game for game in GAMES.values() if game.max_seats > 1]
QUICK = "double-down"
PEOPLE = 12
KNOWN = Rating(1500, 60, games=20)


def benchmark(name: str) -> Any:
    """A program of benchmarks/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def order(chance: Random, strengths: list[float]) -> list[int]:
    """Ranks of players whose form varies as the model says."""
    form = [true - SCALE * math.log(-math.log(chance.random())) for true in strengths]
    best_first = sorted(form, reverse=True)
    return [1 + best_first.index(one) for one in form]


@pytest.mark.parametrize("seats", [2, 4, 7])
def test_a_season_finds_the_true_order(seats: int) -> None:
    """At tables with and without bots; and most intervals cover the truth."""
    chance = Random(seats)
    spread = first_rating(QUICK).spread
    true = [chance.gauss(1500, spread) for _ in range(PEOPLE)]
    now = [first_rating(QUICK) for _ in range(PEOPLE)]
    bots = [anchor(QUICK, level) for level in LEVELS]
    for night in range(60 * PEOPLE // seats):
        who = chance.sample(range(PEOPLE), seats - (seats > 2))
        bot = [bots[night % len(bots)]] if seats > 2 else []
        rank = order(chance, [true[i] for i in who] + [one.points for one in bot if one])
        finishes = [Finish(now[i], rank[at]) for at, i in enumerate(who)]
        finishes += [Finish(one, rank[-1], bot=True) for one in bot if one]
        for i, new in zip(who, rated(QUICK, finishes), strict=False):
            now[i] = new or now[i]
    pairs = [(i, j) for i in range(PEOPLE) for j in range(i) if abs(true[i] - true[j]) > 100]
    right = sum((now[i].points > now[j].points) == (true[i] > true[j]) for i, j in pairs)
    assert right >= 0.9 * len(pairs)
    off = [abs(one.points - points) for one, points in zip(now, true, strict=True)]
    assert sum(error <= 2 * one.margin for error, one in zip(off, now, strict=True)) >= PEOPLE - 2


def test_guests_who_lose_on_purpose_lift_nobody_who_is_known() -> None:
    for _ in range(100):
        assert rated(QUICK, [Finish(KNOWN, 1), Finish(first_rating(QUICK), 2)])[0] is None


@pytest.mark.parametrize("game", [game.name for game in SEVERAL])
def test_two_weeks_of_cheating_reach_what_the_page_says(game: str) -> None:
    """In each way, and never by more than a newcomer's uncertainty."""
    farming = benchmark("farming")
    page = (ROOT / "docs" / "ratings.md").read_text(encoding="utf-8").partition("## Against")[2]
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    names = next(cells for cells in table if cells[:1] == ["way"])
    said = {cells[0]: cells[names.index(game)] for cells in table if len(cells) == len(names)}
    for way in farming.WAYS:
        points = farming.reached(game, way)
        assert said[way] == str(points)
        if "year" not in way:
            assert points <= first_rating(game).points + first_rating(game).spread + 1


def test_far_apart_people_are_not_compared() -> None:
    far = Rating(KNOWN.points - 3 * first_rating(QUICK).spread, 60, games=20)
    assert rated(QUICK, [Finish(KNOWN, 1), Finish(far, 2)]) == [None, None]


EXCLUDED: dict[str, dict[str, Any]] = {
    "a hint, or a stand-in at the end": {"ceiling": KNOWN.points},
    "a resignation": {"left": True},
    "a ceiling": {"ceiling": KNOWN.points + 5},
}


@pytest.mark.parametrize("why", EXCLUDED)
@pytest.mark.parametrize("place", [1, 2, 3])
def test_nothing_that_one_does_changes_the_ratings_of_others(why: str, place: int) -> None:
    """Only one's own points rise less, and nobody's are lower than if they had done nothing."""
    rank = 4 if "left" in EXCLUDED[why] else place
    ranks = [rank, *(other for other in (1, 2, 3) if other != place)]
    usual = rated(QUICK, [Finish(KNOWN, rank) for rank in ranks])
    found = rated(
        QUICK, [Finish(KNOWN, rank, **EXCLUDED[why]), *(Finish(KNOWN, rank) for rank in ranks[1:])]
    )
    assert found[1:] == usual[1:]
    assert found[0] is not None
    assert usual[0] is not None
    most = EXCLUDED[why].get("ceiling", math.inf)
    assert found[0].points == pytest.approx(min(usual[0].points, most))


def test_who_resigned_unplayed_loses_and_nobody_gains_by_it() -> None:
    gained, lost = rated(QUICK, [Finish(KNOWN, 1), Finish(KNOWN, 2, left=True, unplayed=True)])
    assert gained is None
    assert lost is not None
    assert lost.points < KNOWN.points


def test_ties_and_bots_and_lone_people_are_as_they_should() -> None:
    assert rated(QUICK, [Finish(KNOWN, 1), Finish(Rating(1500, 1), 2, bot=True)]) == [None, None]
    one, other = rated(QUICK, [Finish(KNOWN, 1), Finish(KNOWN, 1)])
    assert one is not None
    assert other is not None
    assert one.points == pytest.approx(other.points) == pytest.approx(1500)
    assert rated("no-such-game", [Finish(KNOWN, 1), Finish(KNOWN, 2)])[0] is not None


def test_the_anchors_are_those_that_were_measured_and_ascend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    assert ratings.anchors() == benchmark("ratings").measured_anchors()
    assert set(ratings.anchors()) == {game.name for game in SEVERAL}
    for levels in ratings.anchors().values():
        assert list(levels) == list(LEVELS)
        assert sorted(levels.values()) == list(levels.values())


class Evening:
    """Games of two people at a site, stored as it stores them."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.anna, self.ben = Visitor(client, "Anna"), Visitor(client, "Ben")
        self.number = 0

    def play(self, at: float = 0.0) -> str:
        """Play a game to its end, and return its token."""
        self.number += 1
        seats = seats_for(self.anna, self.ben)
        made = header(GAMES[QUICK], seats, seed=f"{self.number}")
        playing = Playing(made)
        object.__setattr__(made, "token", f"rated-{self.number}")
        object.__setattr__(made, "invite", f"rated-{self.number}")
        start = playing.table.copy()
        playing.play_on(Random(self.number))
        playing.table.changed = at

        def job(connection: sa.Connection) -> None:
            table_rows.insert(connection, start)
            table_rows.append(connection, playing.table, playing.log)
            for _ in range(2):  # it is asked again whenever a line is written after the end
                rating_rows.rate(connection, playing.table)

        stored(self.client, job)
        return made.token

    def history(self, who: Visitor) -> list[dict[str, Any]]:
        return stored(self.client, lambda c: rating_rows.history_of(c, who.person.id))


@pytest.fixture
def evening(client: TestClient) -> Evening:
    return Evening(client)


def test_each_game_is_rated_once_and_few_a_day(evening: Evening) -> None:
    for number in range(ratings.DAILY_LIMIT + 2):
        evening.play(float(number))
    assert len(evening.history(evening.anna)) == ratings.DAILY_LIMIT
    evening.play(ratings.DAY + 100)
    assert [row["games"] for row in evening.history(evening.ben)] == list(
        range(1, ratings.DAILY_LIMIT + 2)
    )


def test_the_leaderboard_shows_who_wants_to_be_on_it(evening: Evening) -> None:
    anna, ben = evening.anna, evening.ben
    for _ in range(FEW):
        evening.play()
    address = f"/ranking/{QUICK}"
    assert "Nobody is on this leaderboard" in ben.get(address)
    anna.post(address, listed="yes")
    anna.post(address, listed="yes")
    page = ben.get(address)
    assert "</span> Anna" in page
    assert "</span> Ben" not in page
    assert "Your rating is" in page
    assert "Anna <small>you" in anna.get(address)
    anna.post(address, listed="no")
    assert "Nobody is on this leaderboard" in ben.get(address)
    Visitor(evening.client).get(address)
    ben.get("/ranking/double-or-quits", 404)
    ben.get("/ranking/chess", 404)


def test_a_person_sees_their_ratings_and_takes_them_along(evening: Evening) -> None:
    anna = evening.anna
    token = evening.play()
    page = anna.get(f"/me/games/{QUICK}")
    assert "Your rating after each rated game, with its 95% interval." in page
    assert "<dt>rating</dt>" in anna.get("/me")
    panel = anna.get(f"/t/{token}")
    [change] = evening.history(anna)
    assert (
        f'Your rating is <a href="/ranking/{QUICK}">{round(float(str(change["points"]))):,}'
        in panel
    )
    other = Visitor(evening.client, "Anna's phone")
    other.post("/link", code=new_code(anna))
    assert evening.history(other) == evening.history(anna)


def test_a_hint_at_a_table_with_others_is_noted(anna: Visitor, ben: Visitor) -> None:
    """And none in a game against bots."""
    alone = anna.post(f"/play/{QUICK}")
    shared = anna.table(QUICK, ben)
    for address in (alone, shared):
        for who in (anna, ben):
            who.part(f"{address}/hint")
    assert rows(anna, hinted) == 1
