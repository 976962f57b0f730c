"""Results in one game: over time, by opponents, by the number of players and by house rules."""

from __future__ import annotations

import re
from typing import Any

from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.features.profile.breakdown import breakdowns, company, played_by, trend
from tests.web.helpers.visitors import Visitor, play, seats_for

DOWN = GAMES["double-down"]
FORGETFUL = next(option.label for option in DOWN.options if option.name == "forgetful")


def row(won: bool = True, counts: bool = True, **more: Any) -> dict[str, Any]:
    usual = {"token": "t", "seats": 2, "rank": 1 if won else 2, "score": None, "options": {}}
    others = [{"bot": "club", "person": None}]
    return {**usual, "won": won, "counts": counts, "others": others, **more}


def test_company_tells_bots_from_people() -> None:
    bot, master = {"bot": "club", "person": None}, {"bot": "master", "person": None}
    friend, gone = {"bot": "", "person": "ben"}, {"bot": "", "person": None}
    told = {
        (): "Alone",
        (0,): "Club bots",
        (0, 0): "Club bots",
        (0, 1): "Bots of several levels",
        (0, 2): "Other people",
        (3,): "Other people",
        (4, 0): "On one device",
    }
    seats = [bot, master, friend, gone, {"bot": "", "person": "anna"}]
    for chosen, words in told.items():
        assert company({"others": [seats[i] for i in chosen]}, "anna")[1] == words


def test_house_rules_are_told_and_unknown_options_are_left_out() -> None:
    assert played_by(DOWN, row())[1] == "Standard rules"
    options = {"forgetful": True, "repeats-cost": False, "of another version": 7}
    assert played_by(DOWN, row(options=options))[1] == FORGETFUL


def test_results_are_grouped_where_they_differ() -> None:
    rows = [row(won) for won in (True, False, True)]
    assert breakdowns(DOWN, rows, "anna") == []
    rows += [row(seats=4), row(seats=4, counts=False)]
    [players] = breakdowns(DOWN, rows, "anna")
    assert players.title == "Players"
    assert [group.label for group in players.groups] == ["2 players", "4 players"]
    two, four = players.groups
    assert (two.counted.played, two.counted.won, two.counted.share) == (3, 2, 67)
    assert two.low < 67 < two.high
    assert four.counted.played == 1


def test_a_trend_needs_a_few_games_and_looks_at_the_last() -> None:
    assert trend([row()] * 4) is None
    flat = trend([row()] * 5)
    assert flat is not None
    assert (flat.games, flat.last) == (5, 100)
    assert len(flat.points.split()) == 2
    fallen = trend([row()] * 20 + [row(False)] * 20 + [row(False, counts=False)])
    assert fallen is not None
    assert (fallen.games, fallen.last) == (40, 0)
    heights = [float(point.split(",")[1]) for point in fallen.points.split()]
    assert heights == sorted(heights)


def test_the_page_shows_the_results_of_a_game(client: TestClient, anna: Visitor) -> None:
    assert client.get("/me/games/chess").status_code == 404
    assert "finished a game of Double Down yet" in anna.get("/me/games/double-down")
    for number in range(6):
        bots = 1 + number % 2
        forgetful = number == 5
        play(client, DOWN, seats_for(anna, bots=bots), seed=f"{number}", forgetful=forgetful)
    html = anna.get("/me/games/double-down")
    assert re.findall('<h2 id="[^"]*">([^<]*)</h2>', html) == [
        "Over time", "Players", "House rules",
    ]  # fmt: skip
    assert re.findall('<th scope="row">([^<]*)</th><td>([^<]*)</td>', html) == [
        ("2 players", "3"), ("3 players", "3"), ("Standard rules", "5"), (FORGETFUL, "1"),
    ]  # fmt: skip
    assert "after each of 6 games" in html
    assert f'href="/me/games/{DOWN.name}"' in anna.get("/me")
