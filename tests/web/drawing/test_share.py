"""Shared results and previews: what strangers see of them, and what they never see."""

import io
import re
from html import unescape

import pytest
from PIL import Image
from starlette.testclient import TestClient

from highest_card import GAME as HIGHEST_CARD
from redouble.contract.registry import GAMES
from redouble.web.drawing.templates import environment
from redouble.web.features.account import identity
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.study import sharing
from redouble.web.features.study.sharing import (
    HEIGHT,
    WIDTH,
    Pictures,
    SharedResult,
    Standing,
    result_of,
)
from redouble.web.installed import FEATURES
from redouble.web.live import table_rows
from tests.web.helpers.servers import ALSO_ON_TWO, site_of
from tests.web.helpers.visitors import Visitor, in_loop, play, seats_for, stored

pytestmark = ALSO_ON_TWO
DOWN = GAMES["double-down"]


@pytest.fixture
def eve(client: TestClient) -> Visitor:
    return Visitor(client, "Eve")


def finished(client: TestClient, *people: Visitor, bots: int = 2) -> str:
    return f"/t/{play(client, DOWN, seats_for(*people, bots=bots)).header.token}"


def properties(html: str) -> dict[str, str]:
    found = re.findall(r'<meta property="og:(\S+)" content="([^"]*)">', html)
    return {name: unescape(value) for name, value in found}


def size(content: bytes) -> tuple[int, int]:
    picture = Image.open(io.BytesIO(content))
    assert picture.format == "PNG"
    return picture.size


def test_a_stranger_sees_the_result_and_nothing_of_the_table(
    client: TestClient, anna: Visitor, eve: Visitor
) -> None:
    here = finished(client, anna)
    shared = anna.post(f"{here}/share")
    assert re.fullmatch(r"/results/[\w-]{16}", shared)
    assert anna.post(f"{here}/share") == shared, "a result has one link"
    page = eve.get(shared)
    assert all(f"<b>{name}</b>" in page for name in ("Anna", "Bot 0", "Bot 1"))
    token = here.removeprefix("/t/")
    table = stored(client, lambda c: table_rows.stored(c, token))[0]
    for secret in (token, table.invite, table.seed, "share-link", "/replay", "unshare", "card-"):
        assert secret not in page, secret
    assert here in anna.get(shared), "its players find the way back"
    assert "unshare" in anna.get(shared)


def test_a_result_has_a_preview(client: TestClient, anna: Visitor, eve: Visitor) -> None:
    shared = anna.post(f"{finished(client, anna)}/share")
    seen = properties(eve.get(shared))
    assert re.fullmatch(r"Double Down: (Anna|Bot \d) wins", seen["title"])
    assert seen["url"] == f"http://testserver{shared}"
    assert seen["description"].endswith("no chip left.")
    answer = client.get(seen["image"])
    assert answer.headers["content-type"] == "image/png"
    assert size(answer.content) == (WIDTH, HEIGHT) == (1200, 630)
    assert '<meta name="robots" content="noindex">' in eve.get(shared)


def test_only_players_share_and_only_finished_games(
    client: TestClient, anna: Visitor, eve: Visitor
) -> None:
    here = finished(client, anna)
    assert 'form="share"' in anna.get(here)
    assert 'form="share"' not in eve.get(here)
    eve.post(f"{here}/share", status=403)
    eve.post(f"{here}/unshare", status=403)
    running = anna.post("/play/double-down", level="club")
    anna.post(f"{running}/share", status=404)
    anna.post(f"{running}/do", command="resign", seat=0)
    assert 'form="share"' not in anna.get(running)
    anna.post(f"{running}/share", status=404)
    anna.get("/results/nothing", status=404)


def test_a_link_can_be_taken_back(client: TestClient, anna: Visitor, eve: Visitor) -> None:
    here = finished(client, anna)
    shared = anna.post(f"{here}/share")
    assert anna.post(f"{here}/unshare") == here
    for path in (shared, f"{shared}/picture.png"):
        eve.get(path, status=404)
    assert anna.post(f"{here}/share") != shared


def test_a_result_that_was_undone_is_not_shown(
    client: TestClient, anna: Visitor, eve: Visitor
) -> None:
    table = play(client, GAMES["double-or-quits"], seats_for(anna))
    here = f"/t/{table.header.token}"
    shared = anna.post(f"{here}/share")
    eve.get(shared)
    anna.post(f"{here}/do", command="undo", seat=0)
    eve.get(shared, status=404)


def test_a_result_is_sealed_for_those_who_may_still_play_its_deal(
    client: TestClient, anna: Visitor, eve: Visitor
) -> None:
    dailies = site_of(client).service(Dailies)
    deal = dailies.deal(dailies.today(), DOWN)
    seats = seats_for(anna, bots=deal.seats - 1)
    table = play(client, DOWN, seats, seed=deal.seed, **deal.options)
    shared = anna.post(f"/t/{table.header.token}/share")
    assert "<b>Anna</b>" in anna.get(shared)
    page = eve.get(shared)
    assert "Play this deal to see the result" in page
    assert "Anna" not in page
    assert "wins" not in page
    result = result_of(table)
    pictures = site_of(client).service(Pictures)
    picture = client.get(f"{shared}/picture.png").content
    assert picture == pictures.of_result(result.sealed()) != pictures.of_result(result)


def test_links_go_with_the_data_of_a_player(
    client: TestClient, anna: Visitor, eve: Visitor
) -> None:
    here = finished(client, anna, eve, bots=1)
    shared = eve.post(f"{here}/share")
    assert "<b>Anna</b>" in anna.get(shared)
    person = anna.person.id

    async def forget() -> None:
        site = site_of(client)
        token = here.removeprefix("/t/")
        await site.tables.rewrite([token], lambda c: identity.forget(c, person, FEATURES.data))

    in_loop(client, forget)
    eve.get(shared, status=404)
    again = eve.get(eve.post(f"{here}/share"))
    assert identity.FORGOTTEN in again
    assert "<b>Anna</b>" not in again


def test_an_invitation_has_a_preview(client: TestClient, anna: Visitor, eve: Visitor) -> None:
    seats = {"seat-0": "me", "seat-1": "friend", "seat-2": "bot club"}
    here = anna.post("/new/double-down", 303, None, **seats)
    invite = re.search(r"/join/[\w-]+", anna.get(here))
    assert invite is not None
    page = eve.get(invite[0])
    seen = properties(page)
    assert seen["title"] == "Anna invites you to Double Down"
    assert size(client.get(seen["image"]).content) == (WIDTH, HEIGHT)
    assert here.removeprefix("/t/") not in page.replace(invite[0], "")


def row(number: int, name: str = "A <&> B") -> Standing:
    return Standing(number, name, number % 8, "2 chips left", None)


def test_pictures_are_drawn_for_any_names_games_and_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pictures = Pictures(environment(FEATURES.templates))
    for count, game in ((1, GAMES["double-or-quits"]), (7, DOWN), (12, HIGHEST_CARD)):
        rows = tuple(row(number + 1) for number in range(count))
        result = SharedResult(game, f"{'Ä' * 24} wins", "So it was.", rows, "1 May 2026")
        drawn = pictures.of_result(result)
        assert size(drawn) == (WIDTH, HEIGHT)
        other = SharedResult(game, "Bo wins", "So it was.", rows, "1 May 2026")
        assert pictures.of_result(other) != drawn, "the words are drawn"
    monkeypatch.setattr(sharing, "png_of", lambda svg, **how: b"anew")
    assert pictures.of_result(result) == drawn, "a picture is kept"
    assert pictures.of_invitation(DOWN, "Zoe") == b"anew"
    sharing.picture.cache_clear()
