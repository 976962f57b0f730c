"""The form of a new table: what it shows, what it takes, and what it sets by itself."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from redouble.bots.levels import LEVEL_WORDS, LEVELS
from redouble.contract.game import Game
from redouble.contract.options import Flag
from redouble.contract.registry import GAMES
from redouble.kernel.errors import SeatsError
from redouble.web.table import Table
from tests.web.helpers.visitors import Visitor, live_at

UP = GAMES["three-up"]
ALERT = re.compile(r'role="alert">([^<]+)</p>')


@pytest.fixture
def guest(client: TestClient) -> Visitor:
    return Visitor(client)


def table_at(visitor: Visitor, here: str) -> Table:
    return live_at(visitor.client, here).table


def form(game: str, players: int, **more: str) -> dict[str, str]:
    """What a browser sends: every seat, also those that the number of players hides."""
    seats = {f"seat-{number}": "bot club" for number in range(GAMES[game].max_seats)}
    return {"players": f"{players}", **seats, "seat-0": "me", **more}


def start(visitor: Visitor, game: str, players: int, **more: str) -> Table:
    return table_at(visitor, visitor.post(f"/new/{game}", 303, None, **form(game, players, **more)))


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_form_starts_the_usual_table(anna: Visitor, game: object) -> None:
    name = str(getattr(game, "name", ""))
    page = " ".join(anna.get(f"/new/{name}").split())
    usual = GAMES[name].usual_seats
    if GAMES[name].max_seats > 1:
        assert re.search(rf'name="players" value="{usual}" checked', page)
        assert page.count("<li>") == GAMES[name].max_seats
        assert page.count('value="me" selected') == 1
    plain = bool(GAMES[name].options) and not GAMES[name].setups.usual
    assert ("standard rules" in page) == plain
    table = start(anna, name, usual)
    assert len(table.seats) == usual
    assert [seat.kind for seat in table.seats] == ["person", *["bot"] * (usual - 1)]


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_an_error_names_a_field_as_the_form_does(anna: Visitor, game: Game) -> None:
    for option in game.options:
        if isinstance(option, Flag):
            continue  # a switch can't be wrong
        wrong = form(game.name, game.usual_seats, **{option.name: "nonsense"})
        (said,) = ALERT.findall(anna.post(f"/new/{game.name}", 400, None, **wrong))
        assert said.startswith(option.label), said
        assert f"option {option.name}" not in said


def test_options_that_exclude_each_other_are_named_as_on_the_form(anna: Visitor) -> None:
    wrong = form(UP.name, 3, **{"play-on": "yes", "games": "3", "colors": "4"})
    page = anna.post(f"/new/{UP.name}", 400, None, **wrong)
    said = "“Games to score” and “Play for all places” exclude each other: a scored game ends"
    assert ALERT.findall(page)[0].startswith(said)
    shown = re.findall(r'<span class="changed">([^<]+)</span>', " ".join(page.split()))
    assert shown == ["Colors: red and green", "Play for all places", "Games to score: 3"]
    assert re.search(r'value="4" selected ?> ?red and green', " ".join(page.split()))


def test_a_deck_in_which_nothing_adds_to_the_total_is_refused_on_the_form(anna: Visitor) -> None:
    page = anna.post("/new/double-down", 400, None, **form("double-down", 2, cards="0 x11"))
    assert "Deck: no card adds to the total" in ALERT.findall(page)[0]


@pytest.mark.parametrize(("players", "decks"), [(6, 1), (7, 2), (12, 2)])
def test_more_players_turn_to_two_decks(anna: Visitor, players: int, decks: int) -> None:
    table = start(anna, UP.name, players, decks="1", colors="3", stall="50", games="0")
    assert table.header.options["decks"] == decks
    assert len(table.seats) == players
    page = " ".join(anna.get(f"/new/{UP.name}").split())
    told = f"For {players} players: Decks: 2."
    assert (told in page) == (decks == 2)


def test_a_game_says_which_options_a_number_of_seats_needs() -> None:
    assert UP.needed_options(6) == {}
    assert UP.needed_options(7) == {"decks": 2}
    assert GAMES["double-down"].needed_options(7) == {}
    with pytest.raises(SeatsError):
        UP.needed_options(13)


def test_the_form_says_what_a_bot_of_each_level_does(guest: Visitor) -> None:
    page = " ".join(guest.get("/new/double-down").split())
    for level in LEVELS:
        assert f"<dt>{level}</dt><dd>{LEVEL_WORDS[level]}</dd>" in page
    assert "The levels of the bots" not in guest.get("/new/double-or-quits")


def test_the_given_name_is_the_players_from_now_on(anna: Visitor) -> None:
    table = start(anna, "double-down", 3, name=" Annika ")
    assert table.seats[0].name == "Annika"
    assert anna.person.name == "Annika"
    assert start(anna, "double-down", 3, name="").seats[0].name == "Annika"


def test_a_guest_who_invites_friends_is_asked_for_a_name(guest: Visitor) -> None:
    guest.post("/play/double-down", level="club")
    before = guest.person.name
    asked = {"seat-1": "friend", "name": "", "repeats-cost": "yes", "public": "yes"}
    page = guest.post("/new/double-down", 400, None, **form("double-down", 3, **asked))
    page = " ".join(page.split())
    assert "Your friends see who invites them: enter your name." in page
    assert re.search(r'name="players" value="3" checked', page), "what was chosen stays"
    assert '<option value="friend" selected>' in page
    assert '<span class="changed">Repeats cost a chip</span>' in page
    assert guest.person.name == before
    table = start(guest, "double-down", 3, **asked | {"name": "Gus"})
    assert table.waiting
    assert table.seats[0].name == "Gus"
    invited = start(guest, "double-down", 3, **{"seat-1": "friend", "name": ""})
    assert invited.waiting, "a known name is enough"


def test_the_form_asks_at_once_when_it_is_for_friends(anna: Visitor, guest: Visitor) -> None:
    def field(page: str) -> str:
        found = re.search(r'<input id="your-name"[^>]*>', " ".join(page.split()))
        assert found is not None
        return found[0]

    assert "required" in field(guest.get("/new/double-down?with=friends"))
    assert "required" not in field(guest.get("/new/double-down"))
    assert "required" not in field(anna.get("/new/double-down?with=friends"))
    assert 'value="Anna"' in field(anna.get("/new/double-down"))


def test_hidden_seats_stay_empty_and_odd_numbers_are_refused(anna: Visitor) -> None:
    assert len(start(anna, UP.name, 2).seats) == 2
    for players in ("1", "99"):
        sent = form("double-decker", 4) | {"players": players}
        status = 400 if players == "1" else 303
        anna.post("/new/double-decker", status, None, **sent)
