"""Fair deals at tables: the secret, the players' shares, and what is shown of them when."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.kernel.state import SPECTATOR
from redouble.match.fair import FIRST, FairDeal, digest, link_of
from redouble.match.record import Record
from redouble.match.verify import verify
from redouble.web.live import plan, robots
from redouble.web.store import schema
from redouble.web.table import Table
from redouble.web.table.acts.deals import Deal, GiveShare, PromiseShare
from redouble.web.table.acts.seats import Sit
from tests.web.helpers.programs import Program
from tests.web.helpers.servers import ALSO_ON_TWO, site_of
from tests.web.helpers.visitors import Visitor, live_at, play, rows, seats_for, stored

pytestmark = ALSO_ON_TWO
GAME = GAMES["double-down"]
SHARE, OTHER = "1a" * 32, "2b" * 32


def made(at: str, client: TestClient) -> Table:
    """The table at an address."""
    return live_at(client, at.partition("?")[0]).table


def by_program(client: TestClient, **more: Any) -> str:
    """A table that a program has opened."""
    state = Program(client, "Pro").table("double-down", "me", "friend", **more)
    assert not state["view"]["legal_moves"]
    return f"/t/{state['table']}"


FORM: dict[str, Any] = {"players": "2", "seat-0": "me", "seat-1": "friend"}
WAYS: dict[str, Callable[[TestClient, Visitor], str]] = {
    "a form": lambda c, host: host.post("/new/double-down", **FORM),
    "a form, public": lambda c, host: host.post("/new/double-down", **FORM, public="yes"),
    "a form with a share": lambda c, host: host.post("/new/double-down", **FORM, share=SHARE),
    "a form with a promise": lambda c, host: host.post(
        "/new/double-down", **FORM, promise=digest(SHARE)
    ),
    "a program": lambda c, host: by_program(c),
    "a program, public": lambda c, host: by_program(c, public=True),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_card_is_dealt_before_all_seats_are_taken(way: str, client: TestClient) -> None:
    """However a table was opened: nobody leaves, or makes another one, because of their cards."""
    table = made(WAYS[way](client, Visitor(client, "Anna")), client)
    while table.gathering:
        assert not table.dealt
        views = [table.view(seat) for seat in (0, SPECTATOR, None)]
        assert all(not card.text for view in views for zone in view.zones for card in zone.cards)
        guest = Visitor(client, f"Guest {table.ply}")
        guest.post(f"/join/{table.header.invite}", name=f"Guest {table.ply}")
        table = made(f"/t/{table.header.token}", client)


def let_deal(at: str, client: TestClient) -> None:
    """Wait until the task has ended that deals without a missing share."""
    live = live_at(client, at)
    while live.dealer:
        time.sleep(0.005)
    assert live.table.dealt


def resigned(at: str, *players: Visitor) -> Record:
    """The record of a table whose players give up."""
    for seat, one in enumerate(players):
        one.post(f"{at}/do", command="resign", seat=f"{seat}")
    return Record.parse(players[0].get(f"{at}/record"))


def fair_deal(record: Record) -> FairDeal:
    """What a record says of its deal."""
    assert record.fair is not None
    return record.fair


def shares(record: Record) -> list[str]:
    """What the players gave to a deal, in the order of their seats."""
    return [one.share for one in fair_deal(record).shares]


def with_friends(one: Visitor, number: int = 1, **form: str) -> str:
    """The address of a table that waits for friends."""
    seats: dict[str, Any] = {f"seat-{i}": "friend" for i in range(1, number + 1)}
    return one.post(f"/new/{GAME.name}", **{"seat-0": "me", **seats, **form})


def listed(one: Visitor) -> list[dict[str, Any]]:
    return [json.loads(line) for line in one.get("/fair/commitments").splitlines()]


def test_a_game_against_bots_is_dealt_at_once_from_the_offer_and_the_share(
    client: TestClient, anna: Visitor
) -> None:
    offer = site_of(client).tables.secrets.offer()
    at = anna.post(f"/play/{GAME.name}", offer=offer.id, share=SHARE)
    table = made(at, client)
    assert (table.status, table.ply) == ("playing", 0)
    record = resigned(at, anna)
    assert fair_deal(record).commitment == offer.commitment
    assert [(one.seat, one.share) for one in fair_deal(record).shares] == [(0, SHARE)]
    assert verify(record, [offer.commitment, SHARE]).fair


def test_an_offer_is_good_for_one_table(client: TestClient, anna: Visitor) -> None:
    offer = site_of(client).tables.secrets.offer()
    at = [anna.post(f"/play/{GAME.name}", offer=offer.id, share=SHARE) for _ in range(2)]
    first, second = (resigned(one, anna) for one in at)
    assert fair_deal(first).secret != fair_deal(second).secret
    assert shares(first) == [SHARE]
    assert shares(second) == [], "it was given before the server was bound to this secret"


def test_nobody_uses_up_the_offer_of_a_rematch(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    """An offer is one that the server gave: a spectator can't name that of another table."""
    secrets = site_of(client).tables.secrets
    at = anna.post(f"/play/{GAME.name}")
    name = plan.rematch_secret(made(at, client))
    given = secrets.offer().id
    for offer in (name, name.partition(" ")[2], f"{name}.{given.rpartition('.')[2]}", f"x{given}"):
        taken = made(ben.post(f"/play/{GAME.name}", offer=offer, share=SHARE), client)
        assert taken.header.fair
        assert not taken.header.fair.shares
        assert taken.header.fair.commitment != secrets.commitment(name)
    resigned(at, anna)
    shown = f'data-commitment="{secrets.commitment(name)}"'
    assert shown in anna.get(at)
    record = resigned(anna.post(f"{at}/rematch", share=SHARE), anna)
    assert fair_deal(record).commitment == secrets.commitment(name)
    assert shares(record) == [SHARE]


@pytest.mark.parametrize(("offer", "share"), [("", ""), ("", SHARE), ("x" * 99, SHARE)])
def test_without_an_offer_no_share_counts(
    client: TestClient, anna: Visitor, offer: str, share: str
) -> None:
    record = resigned(anna.post(f"/play/{GAME.name}", offer=offer, share=share), anna)
    assert shares(record) == []
    assert verify(record).fair


def test_commitments_are_linked_and_a_secret_is_shown_when_nobody_can_play_with_it(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    at = [one.post(f"/play/{GAME.name}") for one in (anna, anna, ben)]
    assert [row["secret"] for row in listed(anna)] == [None] * 3
    anna.post(f"{at[0]}/do", command="resign", seat="0")
    ben.post("/me/forget", 200, sure="yes")
    rows = listed(anna)[::-1]
    assert [row["number"] for row in rows] == [1, 2, 3]
    assert [bool(row["secret"]) for row in rows] == [True, False, True]
    before = FIRST
    for row in rows:
        assert row["previous"] == before
        before = link_of(row["number"], before, row["commitment"])
        assert row["link"] == before
        assert not row["secret"] or digest(row["secret"]) == row["commitment"]
    page = anna.get("/fair?before=3")
    assert rows[1]["link"] in page
    assert rows[2]["link"] not in page


def test_games_for_one_daily_deals_and_old_tables_have_no_fair_deal(
    client: TestClient, anna: Visitor
) -> None:
    alone = anna.post("/play/double-or-quits")
    old = play(client, GAME, seats_for(anna, bots=1), seed="old")
    assert made(alone, client).header.fair is None
    assert not listed(anna)
    assert "Nothing to check" in anna.get(f"/t/{old.header.token}/deal")
    assert f"/t/{old.header.token}/deal" not in anna.get(f"/t/{old.header.token}")


def test_a_page_checks_the_deal_of_a_table_and_of_an_imported_game(
    client: TestClient, anna: Visitor
) -> None:
    offer = site_of(client).tables.secrets.offer()
    at = anna.post(f"/play/{GAME.name}", offer=offer.id, share=SHARE)
    table = made(at, client)
    assert table.header.fair is not None
    assert table.header.fair.link in anna.get(at)
    anna.get(f"{at}/deal", 403)
    record = resigned(at, anna)
    assert f'href="{at}/deal"' in anna.get(at)
    page = anna.get(f"{at}/deal")
    for shown in ("The deal is fair", "Anna gave a share", SHARE, record.seed, offer.commitment):
        assert shown in page
    mine = anna.post("/replays", text=str(record))
    assert f'href="{mine}/deal"' in anna.get(mine)
    assert "The deal is fair" in anna.get(f"{mine}/deal")
    changed = replace(record, fair=replace(fair_deal(record), shares=()))
    mine = anna.post("/replays", text=str(changed))
    assert "isn’t what it claims to be" in anna.get(f"{mine}/deal")


def test_friends_promise_and_reveal_their_shares_before_the_cards_are_dealt(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    cem = Visitor(client, "Cem")
    at = with_friends(anna, 2, promise=digest(SHARE))
    table = made(at, client)
    waiting = "2 seats to fill", "Invitation", "Leave the table", "Add a bot"
    assert all(one in anna.get(at) for one in waiting)
    ben.post(f"/join/{table.header.invite}", promise=digest(OTHER))
    anna.post(f"{at}/reveal", 409, share=SHARE)  # others could still sit down
    cem.post(f"/join/{table.header.invite}", share="3c" * 32)
    table = made(at, client)
    assert (table.status, table.dealing, table.match.fair) == ("waiting", True, None)
    assert "Dealing" in anna.get(at)
    assert not any(one in anna.get(at) for one in waiting), "nothing that would be refused"
    anna.post(f"{at}/move", 409, ply=str(table.ply), seat="0", move="0")
    anna.post(f"{at}/reveal", 400, share=OTHER)
    anna.post(f"{at}/reveal", 204, share=SHARE)
    anna.post(f"{at}/reveal", 204, share=SHARE)
    assert made(at, client).dealing
    ben.post(f"{at}/reveal", 204, share=OTHER)
    assert made(at, client).status == "playing"
    assert "Dealing" not in anna.get(at)
    record = resigned(at, anna, ben, cem)
    assert shares(record) == [SHARE, OTHER, "3c" * 32]
    assert verify(record, [SHARE, OTHER]).fair


def test_the_cards_are_dealt_without_a_share_that_is_not_revealed(
    client: TestClient, anna: Visitor, ben: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robots, "REVEAL_SECONDS", 0.0)
    at = with_friends(anna, promise=digest(SHARE))
    ben.post(f"/join/{made(at, client).header.invite}", share=OTHER)
    let_deal(at, client)
    record = resigned(at, anna, ben)
    assert shares(record) == ["", OTHER]
    assert "Anna promised a share and didn't reveal it" in " ".join(verify(record).shares)


def test_a_device_of_several_people_waits_like_others(client: TestClient, anna: Visitor) -> None:
    at = anna.table("double-down", "here", "friend")
    page = anna.get(at)
    assert all(one in page for one in ("Leave the table", "Add a bot", "Invitation"))
    assert "’s seat" not in page, "nobody frees a seat of their own"
    anna.do(at, "leave", seat=-1)
    assert not made(at, client).people()


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.max_seats > 1])
def test_everything_lies_face_down_until_it_is_dealt(
    client: TestClient, anna: Visitor, name: str
) -> None:
    others = range(1, GAMES[name].min_seats)
    seats: dict[str, Any] = {"seat-0": "me"} | {f"seat-{seat}": "friend" for seat in others}
    at = anna.post(f"/new/{name}", promise=digest(SHARE), **seats)
    table = made(at, client)
    assert not table.dealt
    for eyes in (None, SPECTATOR, 0):
        view = table.view(eyes)
        cards = [card for zone in view.zones for card in zone.cards]
        assert cards
        assert not any(card.up for card in cards)
        assert (view.turn, view.prompt, view.legal_moves) == (None, "", ())
    assert "to fill<" in anna.get(at)


def test_who_leaves_takes_the_promise_along(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    at = with_friends(anna, 2, promise=digest(SHARE))
    ben.post(f"/join/{made(at, client).header.invite}", promise=digest(OTHER))
    assert set(made(at, client).shares) == {0, 1}
    ben.post(f"{at}/do", command="leave", seat="1")
    assert set(made(at, client).shares) == {0}


def test_a_program_gives_its_share_with_an_offer_and_in_a_rematch(client: TestClient) -> None:
    dora = Program(client, "Dora")
    offer = dora.post("/offers", status=201)
    given = {"offer": offer["offer"], "share": SHARE}
    state = dora.table(GAME.name, "me", "bot", **given)
    assert state["fair"]["commitment"] == offer["commitment"]
    assert (state["fair"]["seats"], state["fair"]["owed"]) == ([0], False)
    assert state["fair"]["next"] is None
    state = dora.act(state, "resign")
    record = recorded(dora, state)
    assert verify(record, [offer["commitment"], SHARE]).fair
    again = dora.act(state, "rematch", share=OTHER)
    assert again["fair"]["commitment"] == state["fair"]["next"]
    record = recorded(dora, dora.act(again, "resign"))
    assert [(one.seat, one.share) for one in fair_deal(record).shares] == [(0, OTHER)]
    assert verify(record, [state["fair"]["next"], OTHER]).fair
    twice = dora.table(GAME.name, "me", "bot", **given)
    assert twice["fair"]["commitment"] != offer["commitment"]
    assert twice["fair"]["seats"] == []


def test_programs_promise_and_reveal_their_shares(client: TestClient) -> None:
    dora, emil, finn = (Program(client, name) for name in ("Dora", "Emil", "Finn"))
    offer = dora.post("/offers", status=201)["offer"]
    promised = {"offer": offer, "promise": digest(SHARE)}
    made = dora.table(GAME.name, "me", "friend", "friend", **promised)
    emil.post(f"/join/{made['invite']}", {"promise": digest(OTHER)})
    finn.post(f"/join/{made['invite']}", {"share": "3c" * 32})
    state = dora.look(made)
    assert (state["status"], state["fair"]["dealt"]) == ("waiting", False)
    assert (state["fair"]["seats"], state["fair"]["owed"]) == ([0, 1, 2], True)
    assert not finn.look(made)["fair"]["owed"]
    for one in (dora, finn):
        one.act(made, "reveal", 400, share=OTHER)
    state = dora.act(made, "reveal", share=SHARE)["fair"]
    assert (state["owed"], state["dealt"]) == (False, False)
    state = emil.act(made, "reveal", share=OTHER)
    assert (state["status"], state["fair"]["dealt"]) == ("playing", True)
    for one in (dora, emil, finn):
        one.act(made, "resign")
    assert shares(recorded(dora, made)) == [SHARE, OTHER, "3c" * 32]


def test_what_is_given_to_a_deal_is_checked_before_a_table_is_made(
    client: TestClient, anna: Visitor
) -> None:
    dora = Program(client, "Dora")
    offer = dora.post("/offers", status=201)["offer"]
    dora.table(GAME.name, "me", "bot", share=SHARE, status=400)
    for wrong in ("x", SHARE.upper(), SHARE[1:]):
        anna.post(f"/play/{GAME.name}", 400, offer="any", share=wrong)
        dora.table(GAME.name, "me", "bot", offer=offer, share=wrong, status=400)
        dora.table(GAME.name, "me", "friend", offer=offer, promise=wrong, status=400)
    dora.table(GAME.name, "me", "bot", offer="x" * 65, share=SHARE, status=422)
    assert rows(client, schema.tables) == 0
    made = dora.table(GAME.name, "me", "friend", offer=offer, promise=digest(SHARE))
    emil = Program(client, "Emil")
    for what in ("share", "promise"):
        emil.post(f"/join/{made['invite']}", {what: "x"}, 400)
    assert dora.look(made)["status"] == "waiting"


def recorded(one: Program, state: Any) -> Record:
    """The record of a table that is over."""
    answer = one.client.get(f"/api/tables/{state['table']}/record", headers=one.headers)
    return Record.parse(answer.text)


def test_the_log_holds_the_deal(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    at = with_friends(anna, promise=digest(SHARE))
    ben.post(f"/join/{made(at, client).header.invite}", share=OTHER)
    anna.post(f"{at}/reveal", 204, share=SHARE)
    token = at.removeprefix("/t/")
    kinds = sa.select(schema.log.c.kind).where(schema.log.c.token == token)
    found = stored(client, lambda c: c.execute(kinds.order_by(schema.log.c.ply)).scalars().all())
    assert list(found) == [one.kind for one in (PromiseShare, Sit, GiveShare, GiveShare, Deal)]
    before = made(at, client).match
    let_deal(at, client)
    site_of(client).tables.memory.put_away(0.0)
    again = made(at, client).match
    assert again is not before
    assert (again.state, again.fair) == (before.state, before.fair)
