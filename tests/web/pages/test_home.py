"""The home page, the form of a new table, and the site as an app."""

import io
import re
from typing import Any

import pytest
from PIL import Image
from starlette.testclient import TestClient

from redouble.bots.levels import LEVEL_WORDS, LEVELS
from redouble.contract.options import Flag
from redouble.contract.registry import GAMES
from redouble.kernel.errors import SeatsError
from redouble.web.drawing.words import house_rules
from redouble.web.pages.home import MAX_IN_STRIP
from redouble.web.table import Table
from tests.web.helpers.markup import found_in
from tests.web.helpers.visitors import Visitor, live_at

FRIENDS: dict[str, Any] = {"with": "friends"}


def strip(page: str, name: str) -> str:
    """A section of the home page, in one line; empty if it isn't there."""
    found = re.search(rf'aria-labelledby="{name}".*?</section>', " ".join(page.split()))
    return found[0] if found else ""


def test_every_game_can_be_played_at_once_or_set_up(anna: Visitor) -> None:
    page = anna.get("/")
    for name in GAMES:
        assert f'action="/play/{name}"' in page
        assert f'href="/new/{name}"' in page
    assert not strip(page, "continue")
    assert "Nobody is waiting now." in strip(page, "join")


def test_play_now_deals_decisions_and_the_published_rules_are_one_tap_away(anna: Visitor) -> None:
    page = " ".join(anna.get("/").split())
    dealing = [game for game in GAMES.values() if game.setups.usual]
    assert dealing
    for game in dealing:
        labels = {option.name: option.label for option in game.options}
        for name in game.setups.usual:
            assert f">{labels[name]}</span>" in page
        ((label, value),) = house_rules(game, game.check_options(1, game.setups.usual))
        shown = rf"<dt>{label}</dt>\s*<dd>{value}</dd>"
        dealt = anna.get(anna.post(f"/play/{game.name}"))
        assert re.search(shown, dealt)
        assert 'name="rules" value="published"' in " ".join(dealt.split())
        published = anna.get(anna.post(f"/play/{game.name}", rules="published"))
        assert not re.search(shown, published)
        form = anna.get(f"/new/{game.name}")
        assert re.search(rf'name="{next(iter(game.setups.usual))}"[^>]*checked', form)


def test_a_table_for_friends_is_made_from_the_home_page(anna: Visitor) -> None:
    for game in GAMES.values():
        if game.max_seats == 1:
            continue
        for players, casual in ((game.min_seats, ""), (game.max_seats, "yes")):
            chosen: dict[str, Any] = {"players": players, "casual": casual}
            here = anna.post(f"/play/{game.name}", **chosen, **FRIENDS)
            assert live_at(anna, here).table.casual == bool(casual)
            seats = live_at(anna, here).table.seats
            assert [seat.open for seat in seats] == [False, *[True] * (players - 1)]
            assert "/join/" in anna.get(here)
    for number in (0, 1, 8):
        anna.post("/play/double-down", 400, None, **FRIENDS, players=number)
    guest = anna.other()
    assert 'placeholder="Your name"' in guest.get("/")
    refused = guest.post("/play/double-down", 400, None, **FRIENDS)
    assert "Your friends see who invites them: enter your name" in refused
    assert "invite" in guest.get(guest.post("/play/double-down", 303, None, **FRIENDS, name="Gina"))


def test_anyone_can_join_a_public_table_with_open_seats(anna: Visitor, ben: Visitor) -> None:
    here = anna.table("double-down", "friend", "friend", public="yes")
    hidden = anna.table("double-down", "friend", "bot club")
    shown = people(ben)
    assert "Anna (new player) is waiting. 2 seats are open." in shown
    assert hidden not in shown
    invite = found_in(r'href="(/join/[\w-]+)"', shown)
    assert ben.post(invite, name="Ben") == here
    carla = Visitor(ben.client, "Carla")
    waiting = "Anna (new player) and Ben (new player) are waiting. One seat is open."
    assert waiting in people(carla)
    assert invite not in people(ben), "it waits for him under Continue"
    assert carla.post(invite, name="Carla") == here
    late = people(Visitor(ben.client, "Dan"))
    assert f'<a class="btn" href="{here}">Watch</a>' in late
    assert invite not in late


def people(visitor: Visitor) -> str:
    return " ".join(visitor.get("/people").split())


def test_own_tables_stand_first_those_to_move_in_front(anna: Visitor, ben: Visitor) -> None:
    for _ in range(MAX_IN_STRIP):
        anna.post("/play/double-or-quits")
    anna.table("double-down", "friend", "bot club")
    shown = strip(anna.get("/"), "continue")
    assert shown.count('class="table-card mine"') == MAX_IN_STRIP
    assert f"All {MAX_IN_STRIP + 1} tables" in shown
    assert "Waiting" not in shown
    ben.table("double-down", "friend", "bot club")
    shown = strip(ben.get("/"), "continue")
    assert "with Player 2" in shown
    ben.post("/me/name", name="\u05d1\u05df")  # from right to left
    shown = strip(ben.get("/"), "continue")
    assert "Ben" not in shown, "a name that one had isn't an opponent's"
    assert "Waiting" in shown
    assert "All" not in shown


def test_the_manifest_says_what_browsers_ask_for(client: TestClient) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer.headers["content-type"].startswith("application/manifest+json")
    manifest = answer.json()
    assert manifest["name"] == manifest["short_name"] == "Redouble"
    assert manifest["display"] == "standalone"
    assert manifest["id"] == manifest["start_url"] == manifest["scope"] == "/"
    for icon in manifest["icons"]:
        picture = Image.open(io.BytesIO(client.get(icon["src"]).content))
        assert icon["sizes"] == "{}x{}".format(*picture.size)
        assert icon["type"] == "image/png"
    purposes = {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]}
    assert purposes >= {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
    masked = Image.open(io.BytesIO(client.get("/icons/maskable-192.png").content)).convert("RGBA")
    green = masked.getpixel((0, 0))
    assert green == (0x14, 0x53, 0x2D, 255)
    edge = [masked.getpixel((x, 18)) for x in range(192)]
    assert set(edge) == {green}, "cards lie outside of the circle that masks leave"
    for path in ("/", "/rules", "/puzzles"):
        page = client.get(path).text
        assert '<link rel="manifest" href="/manifest.webmanifest">' in page
        assert '<meta name="theme-color"' in page


@pytest.mark.parametrize("name", ["app-193", "round-192", "app-", "app-192x"])
def test_other_icons_are_not_found(client: TestClient, name: str) -> None:
    assert client.get(f"/icons/{name}.png").status_code == 404


def test_the_page_of_a_mistyped_address_names_who_reads_it(anna: Visitor) -> None:
    assert '<a class="pill" href="/me">Anna</a>' in anna.get("/nowhere", 404)


def test_the_service_worker_keeps_only_a_page_without_connection(client: TestClient) -> None:
    answer = client.get("/service-worker.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-store"
    assert "worker-src 'self'" in answer.headers["content-security-policy"]
    kept = re.findall(r'"(/[^"]*)"', answer.text.partition("addEventListener")[0])
    assert "/offline" in kept
    assert all(path == "/offline" or path.startswith("/static/") for path in kept)
    page = client.get("/offline").text
    needed = re.findall(r'(?:href|src)="(/static/[^"]*)"', page)
    assert set(needed) <= set(kept), "the page would lack something without connection"
    client.post("/play/double-or-quits")
    known = client.get("/offline")
    client.cookies.clear()
    stranger = client.get("/offline")
    assert known.text == stranger.text
    assert "set-cookie" not in stranger.headers


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


def test_the_form_starts_the_usual_table(anna: Visitor) -> None:
    for game in GAMES.values():
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


def test_an_error_names_a_field_as_the_form_does(anna: Visitor) -> None:
    for game in GAMES.values():
        for option in game.options:
            if isinstance(option, Flag):
                continue  # a switch can't be wrong
            wrong = form(game.name, game.usual_seats, **{option.name: "nonsense"})
            (said,) = ALERT.findall(anna.post(f"/new/{game.name}", 400, None, **wrong))
            assert said.startswith(option.label), said
            assert f"option {option.name}" not in said


def test_impossible_options_and_decks_are_refused_on_the_form(anna: Visitor) -> None:
    wrong = form(UP.name, 3, **{"play-on": "yes", "games": "3", "colors": "4"})
    page = anna.post(f"/new/{UP.name}", 400, None, **wrong)
    said = "“Games to score” and “Play for all places” exclude each other: a scored game ends"
    assert ALERT.findall(page)[0].startswith(said)
    shown = re.findall(r'<span class="changed">([^<]+)</span>', " ".join(page.split()))
    assert shown == ["Colors: red and green", "Play for all places", "Games to score: 3"]
    assert re.search(r'value="4" selected ?> ?red and green', " ".join(page.split()))
    page = anna.post("/new/double-down", 400, None, **form("double-down", 2, cards="0 x11"))
    assert "Deck: no card adds to the total" in ALERT.findall(page)[0]


def test_more_players_turn_to_two_decks(anna: Visitor) -> None:
    for players, decks in [(6, 1), (7, 2), (12, 2)]:
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


def test_the_form_explains_levels_and_asks_at_once_when_it_is_for_friends(
    guest: Visitor, anna: Visitor
) -> None:
    page = " ".join(guest.get("/new/double-down").split())
    for level in LEVELS:
        assert f"<dt>{level}</dt><dd>{LEVEL_WORDS[level]}</dd>" in page
    assert "The levels of the bots" not in guest.get("/new/double-or-quits")

    def field(page: str) -> str:
        found = re.search(r'<input id="your-name"[^>]*>', " ".join(page.split()))
        assert found is not None
        return found[0]

    assert "required" in field(guest.get("/new/double-down?with=friends"))
    assert "required" not in field(guest.get("/new/double-down"))
    assert "required" not in field(anna.get("/new/double-down?with=friends"))
    assert 'value="Anna"' in field(anna.get("/new/double-down"))


def test_the_given_name_counts_from_now_on_and_hidden_seats_stay_empty(anna: Visitor) -> None:
    table = start(anna, "double-down", 3, name=" Annika ")
    assert table.seats[0].name == "Annika"
    assert anna.person.name == "Annika"
    assert start(anna, "double-down", 3, name="").seats[0].name == "Annika"
    assert len(start(anna, UP.name, 2).seats) == 2
    for players in ("1", "99"):
        sent = form("double-decker", 4) | {"players": players}
        status = 400 if players == "1" else 303
        anna.post("/new/double-decker", status, None, **sent)


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
