"""Law L10 on what the server sends: no byte tells a seat what it cannot know.

At a running table the hidden cards are exchanged for others that a seat cannot tell from them;
whatever that seat is sent then, page, drawing, hint, stream or state, has to stay as it was.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from redouble.contract.game import WORK, Game
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Reached
from redouble.web.drawing.scene import scene_of
from redouble.web.live.live import Live
from redouble.web.live.plan import SeatPlan, TablePlan
from redouble.web.people.people import COOKIE
from redouble.web.table import Table
from redouble.web.table.acts.play import make_move
from tests.web.helpers.markup import give_one_mark
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, cut_streams, site_of, sites_of

SEATINGS = {"people": "friend", "one device": "here"}


def gatherings() -> list[Any]:
    """Every game, played by people at devices of their own and by people at one device; and one
    on two servers."""
    return [
        pytest.param(game, company, two, id=f"{game.name}-{company}{'-two' * two}", marks=marks)
        for game in GAMES.values()
        for company in SEATINGS
        for two, marks in ((False, ()), (True, pytest.mark.thorough))
        if game.max_seats > 1 or company == "people"
        if game.name == "double-down" or not two
    ]


each_gathering = pytest.mark.parametrize(
    ("game", "company", "two_servers"), gatherings(), indirect=["two_servers"]
)


@dataclass
class Gathering:
    """A table with people in several seats; each of them and an onlooker have a client."""

    app: Any
    token: str
    clients: list[TestClient]

    @property
    def lives(self) -> list[Live]:
        """The table as it is in the memory of each server."""
        return [self.call(site.tables.get, self.token) for site in sites_of(self.app)]

    @property
    def table(self) -> Table:
        return self.lives[0].table

    def put(self, table: Table) -> None:
        """Let every server draw this table."""
        for live in self.lives:
            live.table = table
            live.touch()

    def play(self, dice: Random, moves: int) -> None:
        """Play at random, at most this many moves."""
        for _ in range(moves):
            live = self.lives[0]
            if live.table.turn is None:
                return
            seat, move = live.table.turn, dice.choice(list(live.table.match.legal_moves))
            self.call(site_of(self.app).tables.act, live, _mover(seat, move))

    def call(self, function: Any, *arguments: Any) -> Any:
        portal = self.clients[0].portal
        assert portal is not None
        return portal.call(function, *arguments)

    def pages(self, viewer: int, seat: int | None) -> list[str]:
        """Everything that a viewer's browser receives when it asks for a seat's view."""
        client, at = self.clients[viewer], f"/t/{self.token}"
        query = {} if seat is None else {"seat": seat}
        answers = [
            client.get(at, params=query),
            client.get(at, params=query | {"hint": 1}),
            client.get(f"{at}/hint", params=query),
            client.get(f"{at}/stream", params=query),
        ]
        assert [answer.status_code for answer in answers] == [200] * 4
        return [answer.text for answer in answers]

    def states(self, viewer: int, seat: int | None) -> list[str]:
        """Everything that a viewer's program receives when it asks for a seat's view."""
        client, at = self.clients[viewer], f"/api/tables/{self.token}"
        token = {"authorization": f"Bearer {client.cookies[COOKIE]}"}
        query = {} if seat is None else {"seat": seat}
        answers = [
            client.get(at, params=query, headers=token),
            client.get(f"{at}/stream", params=query, headers=token),
        ]
        assert [answer.status_code for answer in answers] == [200] * 2
        answers.append(client.post(f"{at}/hint", params=query, headers=token))
        return [answer.text for answer in answers]


def _mover(seat: int, move: str) -> Any:
    return lambda table: make_move(table, seat, move, table.ply)


@pytest.fixture
def gather(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(
        "redouble.web.live.live.AWAY_SECONDS", 1e9
    )  # a slow run marks no player as away
    give_one_mark(monkeypatch)
    app = create_app(tmp_path, limits=ROOMY)
    with TestClient(app, follow_redirects=False) as first:
        cut_streams(app)

        def gathering(game: Game, company: str) -> Gathering:
            seats = min(max(3, game.min_seats), game.max_seats)
            plans = [SeatPlan("me"), *[SeatPlan(SEATINGS[company])] * (seats - 1)]
            clients = [first]
            while len(clients) < seats + 1:
                clients.append(TestClient(app, follow_redirects=False))
                clients[-1].portal = first.portal
            for number, client in enumerate(clients):
                client.post("/me/name", data={"name": f"Player {number}"})
            assert first.portal is not None
            site = site_of(app)
            host = first.portal.call(site.people.known, first.cookies[COOKIE])
            assert host is not None
            plan = TablePlan(game, plans, game.needed_options(seats))
            live = first.portal.call(partial(site.tables.create, host, plan))
            if company == "people":
                for client in clients[1:seats]:
                    client.post(f"/join/{live.table.header.invite}")
            at = Gathering(app, live.table.header.token, clients)
            assert at.table.status == "playing"
            return at

        yield gathering


def determinized(table: Table, seat: int, seed: str) -> Table:
    """The table in a world that a seat cannot tell from the real one."""
    twin = table.copy()
    state = table.match.seen_by(seat)
    table.game.rules.determinize(state, seed_words(seed), [0] * WORK)
    twin.match._here = Reached(table.game, state)
    return twin


@each_gathering
def test_no_byte_differs_between_worlds_that_a_seat_cannot_tell_apart(
    gather: Any, game: Game, company: str
) -> None:
    at = gather(game, company)
    dice, different = Random(f"{game.name} {company}"), 0
    for moves in (1, 5, 13):
        at.play(dice, moves)
        if (real := at.table).over:
            break
        for look in looks(real, company, onlooker=len(at.clients) - 1):
            for eyes, sent in ((look.eyes, at.pages), (look.program, at.states)):
                if eyes is None:
                    continue
                expected = sent(look.viewer, look.seat)
                twin = determinized(real, eyes, f"{real.ply}")
                at.put(twin)
                different += twin.match.state != real.match.state
                assert sent(look.viewer, look.seat) == expected, f"ply {real.ply}, {look}"
                at.put(real)
    assert different


@dataclass(frozen=True)
class Look:
    """A request for a seat's view; the answer may show what ``eyes`` may know."""

    viewer: int
    seat: int | None
    eyes: int
    program: int | None
    """What the state for programs may know; None when it cannot be had so."""


def looks(table: Table, company: str, onlooker: int) -> list[Look]:
    """All ways to look. At one device only the seat on turn is shown, to whom it was handed over;
    a program sees each of its seats at any time."""
    found = [Look(onlooker, None, SPECTATOR, SPECTATOR)]
    for seat in range(table.match.seats):
        if company == "people":
            found.append(Look(seat, seat if seat else None, seat, seat))
        else:
            found.append(Look(0, seat, seat if table.turn == seat else SPECTATOR, seat))
    if company == "one device":
        found += [Look(0, None, SPECTATOR, table.turn), Look(0, SPECTATOR, SPECTATOR, None)]
    return found


@each_gathering
def test_a_page_shows_no_more_cards_than_its_seat_sees(
    gather: Any, game: Game, company: str
) -> None:
    at = gather(game, company)
    dice, opened = Random(f"open {game.name} {company}"), 0
    for _ in range(6):
        at.play(dice, 4)
        table = at.table
        if table.over:
            break
        onlooker = len(at.clients) - 1
        for seat in (SPECTATOR, *range(table.match.seats)):
            viewer = onlooker if seat == SPECTATOR else seat if company == "people" else 0
            eyes = seat if company == "people" or table.turn == seat else SPECTATOR
            scene = scene_of(table.match.view(eyes), table.match.names, False)
            zones = [*scene.piles.values(), *(z for p in scene.places for z in p.piles.values())]
            keys = {face.key for zone in zones for face in zone}
            seen = {face.key for zone in zones for face in zone if face.up}
            page = at.clients[viewer].get(f"/t/{at.token}?seat={seat}").text
            tags = re.findall(r'<(?!i\b)[^>]*\bid="card-[^>]*>', page)  # small backs are <i>
            up = [tag for tag in tags if not re.search(r'class="[^"]*\bback\b', tag)]
            shown = set(re.findall(r'id="(card-[^"]*)"', " ".join(up)))
            assert shown <= seen, f"ply {table.ply}, seat {seat}"
            assert set(re.findall(r'id="(card-[^"]*)"', page)) <= keys
            opened += len(shown)
    assert opened


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_only_a_game_for_one_shows_the_deals_name(gather: Any, game: Game) -> None:
    at = gather(game, "people")
    at.play(Random(1), 5)
    token = {"authorization": f"Bearer {at.clients[0].cookies[COOKIE]}"}
    viewers = (0, len(at.clients) - 1)
    texts = [text for one in viewers for text in at.pages(one, None) + at.states(one, None)]
    paths = ("/", "/me", "/me/export", "/fair", "/fair/commitments")
    texts += [at.clients[0].get(path).text for path in paths]
    texts.append(at.clients[0].get("/api/tables", headers=token).text)
    table = at.table
    if game.max_seats > 1:
        assert table.header.fair is not None
        assert any(table.header.fair.link in text for text in texts)
        for secret in (table.header.seed, table.match.seed):
            assert not any(secret in text for text in texts)
    for path in (f"/t/{at.token}/record", f"/t/{at.token}/replay", f"/t/{at.token}/deal"):
        assert at.clients[0].get(path).status_code == 403
    assert at.clients[0].get(f"/api/tables/{at.token}/record", headers=token).status_code == 403


def test_spectators_and_muted_players_get_no_chat(gather: Any) -> None:
    game = next(game for game in GAMES.values() if game.max_seats > 1)
    at = gather(game, "people")
    say = {"command": "say", "seat": 1, "text": "between ourselves"}
    react = {"command": "react", "seat": 1, "reaction": "wow"}
    for sent in (say, react):
        assert at.clients[1].post(f"/t/{at.token}/do", data=sent).status_code < 400
    assert at.clients[0].post(f"/t/{at.token}/do", data=react).status_code == 403
    sat = at.clients[0].get(f"/t/{at.token}?seat=0").text
    assert '<i class="reaction shown wow-reaction"' in sat

    def heard(viewer: int) -> list[bool]:
        texts = at.pages(viewer, None) + at.states(viewer, None)[:2]
        assert all(("shown wow" in text) <= ("between ourselves" in text) for text in texts)
        return ["between ourselves" in text for text in texts]

    assert all(heard(0)[:2] + heard(0)[4:])
    assert not any(heard(-1))
    at.clients[0].post(f"/t/{at.token}/do", data={"command": "mute", "other": 1, "seat": 0})
    assert not any(heard(0))
