"""Several processes that serve one database: each may serve any table, and none is behind."""

import asyncio
import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

import redouble
from redouble.analysis.review import review
from redouble.contract.registry import GAMES
from redouble.web.app import create_app, open_site
from redouble.web.errors import StoreError
from redouble.web.features.account import account
from redouble.web.features.study import queue, reviewer
from redouble.web.features.study.queue import jobs as review_jobs
from redouble.web.installed import FEATURES
from redouble.web.limits import Limits, Rate
from redouble.web.live import exchange, neighbors, robots
from redouble.web.live.exchange import WARNED, WENT_ON, Exchange
from redouble.web.live.live import Live
from redouble.web.live.pipeline import WRITTEN
from redouble.web.site import Site
from redouble.web.store import open_store, postgresql
from redouble.web.store.bus import Bus
from redouble.web.store.notices import SPENT
from redouble.web.store.postgresql import PostgresqlDatabase
from redouble.web.store.schema import notices, people
from redouble.web.table.acts.bots import NewPace
from tests import conftest
from tests.helpers.command import Run
from tests.helpers.tables import play_on
from tests.web.helpers.play import asks
from tests.web.helpers.postgresql import EMPTY, Cluster
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import site_of
from tests.web.helpers.visitors import in_loop, live_at

NEVER = 3600.0
OFTEN = 0.02
_numbers = count()
TOGETHER = [name for name, game in GAMES.items() if game.max_seats > 1]


@pytest.fixture
def address(cluster: Cluster) -> str:
    return cluster.create(f"processes_{next(_numbers)}", EMPTY)


@contextlib.contextmanager
def servers(folder: Path, address: str, limits: Limits = ROOMY) -> Iterator[list[TestClient]]:
    """Two servers with a database and a key in common."""
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(2):
            site = open_site(folder, limits=limits, database=address, shared=True)
            clients.append(stack.enter_context(TestClient(create_app(folder, site, limits=limits))))
        yield clients


@pytest.fixture
def limits() -> Limits:
    """The limits of the servers; a test can have others."""
    return ROOMY


@pytest.fixture
def two(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch, limits: Limits
) -> Iterator[list[TestClient]]:
    """Two servers that tell each other nothing but what the test makes them tell."""
    monkeypatch.setattr(Exchange.follow, "__defaults__", (NEVER,))
    monkeypatch.setattr(PostgresqlDatabase, "bus", lambda database: None)
    with servers(tmp_path, address, limits=limits) as clients:
        for client in clients:  # their first look, which comes by itself
            while site_of(client).exchange._board._low is None:
                time.sleep(0.01)
        yield clients


def here(client: TestClient, call: Callable[..., Any], *arguments: Any) -> Any:
    """Call a coroutine function in the loop of a server."""
    return in_loop(client, call, *arguments)


def exchange_news(clients: Sequence[TestClient]) -> None:
    """Let each server look and say; then each look again."""
    for client in [*clients, *clients]:
        site_of(client).exchange._told_presence = -NEVER
        here(client, site_of(client).exchange._look)


# Reviews.


def finished_game(client: TestClient) -> tuple[Program, str]:
    """A person, and the record of a finished game of theirs."""
    anna, match = Program(client, "Anna"), redouble.new("double-down", seats=2, seed="finished")
    play_on(match, Random("finished"))
    return anna, anna.post("/records", {"record": str(match.record())}, 201)["token"]


def reviewed(anna: Program, record: str) -> Any:
    """The state of a review once it is made."""
    until = time.monotonic() + 60
    while (state := anna.get(f"/records/{record}/review"))["status"] == "running":
        assert time.monotonic() < until
        time.sleep(0.05)
    return state


def makers(client: TestClient) -> set[str]:
    """The processes that make the reviews in the queue."""
    column = review_jobs.c.process
    rows = here(client, site_of(client).store.run, lambda c: c.execute(sa.select(column)).all())
    return {row.process for row in rows}


class Held:
    """Reviews that wait until they are let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        monkeypatch.setattr(reviewer, "review", self.review)

    def review(self, record: Any, watch: Any, threads: int) -> Any:
        watch(3, 10)
        self.begun.set()
        while not self.go.wait(0.01):
            if not watch(3, 10):
                break
        return review(record, 10, watch=watch)


def test_every_server_sees_a_review_and_can_stop_it(
    two: list[TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    anna, record = finished_game(two[0])
    anna.post(f"/records/{record}/review")
    assert held.begun.wait(60)
    anna.client = two[1]
    while (state := anna.get(f"/records/{record}/review"))["percent"] != 30:
        assert state["status"] == "running"
    anna.post(f"/records/{record}/review")  # it is the same one
    assert len(makers(two[0])) == 1
    held.go.set()
    assert reviewed(anna, record)["status"] == "ready"


def test_a_review_of_a_process_that_is_gone_is_made_by_another(
    two: list[TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    anna, record = finished_game(two[0])
    anna.post(f"/records/{record}/review")
    assert held.begun.wait(60)
    gone = sa.update(review_jobs).values(process="gone", heard=time.time())
    here(two[0], site_of(two[0]).store.run, lambda c: c.execute(gone) and None)
    held.go.set()  # whoever made it has lost it
    monkeypatch.setattr(queue, "LOST_SECONDS", 0.5)
    assert reviewed(anna, record)["status"] == "ready"


def test_a_server_that_stops_leaves_its_review_to_others(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    with servers(tmp_path, address) as clients:
        anna, record = finished_game(clients[0])
        anna.post(f"/records/{record}/review")
        assert held.begun.wait(60)
    with servers(tmp_path, address) as clients:
        assert "gone" not in makers(clients[0])
        held.go.set()
        anna.client = clients[1]
        assert reviewed(anna, record)["status"] == "ready"


def test_workers_make_the_reviews_and_servers_when_they_are_gone(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-m", "redouble", "work", "--database", address, "--workers", "2"]
    command += ["--metrics", "127.0.0.1:0"]
    with servers(tmp_path, address) as clients:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as workers:
            assert workers.stdout is not None
            assert workers.stdout.readline().startswith("Making the reviews of")
            for _ in range(2):
                figures = workers.stdout.readline().split()[-1]
                told = httpx2.get(figures, timeout=60).text
                assert "redouble_failed_saves_total 0.0" in told
                assert "redouble_reviews_waiting 0.0" in told
                for path, said in (("live", "live\n"), ("ready", "ready\n")):
                    assert httpx2.get(figures.replace("metrics", f"health/{path}")).text == said
            for client in clients:
                while not site_of(client).exchange.has_workers():
                    time.sleep(0.05)
            anna, record = finished_game(clients[0])
            anna.post(f"/records/{record}/review")
            while not (made_by := makers(clients[0]) - {""}):
                assert anna.get(f"/records/{record}/review")["status"] == "running"
            assert made_by.isdisjoint({site_of(client).store.id for client in clients})
            assert reviewed(anna, record)["status"] == "ready"
            workers.terminate()
            _, errors = workers.communicate(timeout=30)
            assert (workers.returncode, errors) == (0, "Stopped.\n")
        monkeypatch.setattr(exchange, "GONE_SECONDS", 0.0)
        anna, record = finished_game(clients[1])
        anna.post(f"/records/{record}/review")
        assert reviewed(anna, record)["status"] == "ready"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "workers share a PostgreSQL database with the servers: add --database"),
        (["--database", "postgresql://nobody@127.0.0.1:1/none"], "can't be used"),
        (["--workers", "0"], "'--workers'"),
    ],
)
def test_workers_without_a_database_say_what_is_missing(
    arguments: list[str], said: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "WAIT_SECONDS", 0.1)
    code, _, err = run("work", *arguments)
    assert code != 0
    assert said in err


# Every request.


@pytest.mark.parametrize("game", TOGETHER)
def test_each_request_may_go_to_another_server(two: list[TestClient], game: str) -> None:
    """What was confirmed at one is on the next page of the other, without any message."""
    turns, dice = cycle(two), Random(game)
    anna = Program(two[0], "Anna")
    seats = GAMES[game].min_seats
    state = anna.table(game, "me", *["here"] * (seats - 1))
    for _ in range(25):
        anna.client = next(turns)
        state = anna.look(state, state["turn"])
        if state["status"] != "playing":
            break
        if dice.random() < 0.5:
            anna.client = next(turns)
        moves = state["view"]["legal_moves"]
        ply = state["ply"]
        state = anna.move(state, seat=state["turn"], move=dice.choice(moves))
        assert state["ply"] > ply
    views = []
    for anna.client in two:
        views.append(anna.look(state, 0))
    assert views[0] == views[1]


def test_a_deleted_table_is_gone_at_every_server(two: list[TestClient]) -> None:
    anna = Program(two[0], "Anna")
    state = anna.table("double-down", "me", "here")
    anna.client = two[1]
    anna.look(state)
    anna.client = two[0]
    person = here(two[0], site_of(two[0]).people.known, anna.headers["Authorization"].split()[1])
    site = site_of(two[0])
    here(two[0], account.forget, site.store, site.tables, person, FEATURES.data)
    ben = Program(two[1], "Ben")
    ben.get(f"/tables/{state['table']}", 404)


# What reaches pages.


async def _lose(bus: Bus, lines: Sequence[str]) -> None:
    """Send nothing."""


@pytest.mark.parametrize("told", [True, False])
def test_a_page_shows_what_happens_at_the_other_server(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch, told: bool
) -> None:
    """At once by a message; if it is lost, at the next look."""
    monkeypatch.setattr(Exchange.follow, "__defaults__", (NEVER if told else OFTEN,))
    if not told:
        monkeypatch.setattr(Bus, "send", _lose)
    with servers(tmp_path, address) as two:
        anna = Program(two[0], "Anna")
        state = anna.table("double-down", "me", "here")
        live = live_at(two[1], state["table"])

        async def shown(ply: int) -> int:
            async for _ in site_of(two[1]).tables.changes(live, None):
                if live.table.ply >= ply:
                    break
            return live.table.ply

        for _ in range(5):
            state = anna.look(state, state["turn"])
            assert two[1].portal is not None
            page = two[1].portal.start_task_soon(shown, state["ply"] + 1)
            state = anna.move(state, seat=state["turn"])
            if told:  # a message may come before the connection listens
                while not page.done():
                    site_of(two[0]).tables.neighbors.tell(f"{WRITTEN} {state['table']}")
                    with contextlib.suppress(TimeoutError):
                        page.result(0.2)
            assert page.result(60) == state["ply"]


def test_who_is_at_one_server_is_not_away_at_the_other(two: list[TestClient]) -> None:
    anna, ben = Program(two[0], "Anna"), Program(two[1], "Ben")
    state = anna.table("double-down", "me", "friend")
    ben.post(f"/join/{state['invite']}", {})
    known = here(two[1], site_of(two[1]).people.known, ben.headers["Authorization"].split()[1])
    there, live = live_at(two[1], state["table"]), live_at(two[0], state["table"])
    with there.watch(known):
        live.presence._since = -NEVER
        assert live.away(1)
        exchange_news(two)
        assert not live.away(1)
    exchange_news(two)
    live.presence._seen.clear()  # half a minute passes
    exchange_news(two)
    assert live.away(1)


def test_who_has_no_script_thinks_at_every_server(two: list[TestClient]) -> None:
    """And nobody is kept there by what two servers tell each other."""
    anna, ben = Program(two[0], "Anna"), Program(two[1], "Ben")
    state = anna.table("double-down", "me", "friend", public=True)
    live = live_at(two[0], state["table"])
    assert state["table"] not in str(ben.get("/tables"))
    exchange_news(two)
    assert state["table"] in str(ben.get("/tables")), "strangers find her from here, too"
    ben.post(f"/join/{state['invite']}", {})  # a request, and no stream
    live.presence._since = -NEVER
    exchange_news(two)
    assert not live.away(1)
    presence, him = live.presence, live.table.seats[1].person or ""
    assert him not in presence.visiting(NEVER), "what is heard isn't said again"
    presence._seen[him] -= 40
    assert presence.is_away(him)
    assert not presence.is_away(him, thinking=20), "as at the server that he has asked"


def test_a_warning_and_an_end_of_a_pause_hold_at_every_server(
    two: list[TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = Program(two[0], "Anna")
    state = anna.table("double-down", "me", "here")
    known = here(two[0], site_of(two[0]).people.known, anna.headers["Authorization"].split()[1])
    lives = [live_at(client, state["table"]) for client in two]
    told: list[str] = []
    monkeypatch.setattr(site_of(two[0]).tables.neighbors, "tell", told.append)
    assert site_of(two[0]).exchange.warn(lives[0], known)
    lives[1].pause(60.0)
    with lives[0].watch(known):
        exchange_news(two)
        site_of(two[0]).exchange.go_on(lives[0], known)
        assert [line.split(" ")[0] for line in told] == [WARNED, WENT_ON]
        lives[1].go_on("someone else")
        assert not lives[1]._pause_over.is_set()
        for line in told:
            here(two[1], site_of(two[1]).exchange.heard, line)
        assert lives[1]._pause_over.is_set()
    assert lives[1]._warned[known.id][0] == lives[1].table.last_move


def test_limits_count_what_a_client_did_at_another_server(two: list[TestClient]) -> None:
    one, other = (site_of(client).rates for client in two)
    rate = [("uploads", "192.0.2.1", Rate(2, 60))]
    assert one.take(rate) == one.take(rate) == (0.0, "uploads")
    assert one.wait(rate)[0] > 0
    assert other.wait(rate)[0] == 0
    exchange_news(two)
    assert other.wait(rate)[0] > 0
    assert one.wait(rate)[0] <= 60  # its own isn't counted twice
    requests = [("requests", "192.0.2.1", Rate(1, 60))]
    one.take(requests)
    exchange_news(two)
    assert other.wait(requests)[0] == 0


FEW = Limits(
    new_guests_per_address=Rate(2, 6000),
    new_tables_per_person=Rate(2, 6000),
    uploads_per_person=Rate(2, 6000),
)


@pytest.mark.parametrize("limits", [FEW])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/guests", None),
        ("/api/tables", {"game": TOGETHER[0], "seats": [{"kind": "me"}, {"kind": "bot"}]}),
        ("/api/records", {"record": "{}"}),
    ],
)
def test_who_has_used_up_a_limit_at_two_servers_is_refused_at_both(
    two: list[TestClient], limits: Limits, path: str, body: Any
) -> None:
    anna = Program(two[0], "Anna") if body else None
    headers = anna.headers if anna else {}
    used = [client.post(path, json=body, headers=headers).status_code for client in two]
    assert 429 not in used
    exchange_news(two)
    for client in two:
        refused = client.post(path, json=body, headers=headers)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0


def test_servers_count_clients_together_without_naming_them(two: list[TestClient]) -> None:
    Program(two[0], "Anna").table("double-down", "me", "bot")
    exchange_news(two)
    said = sa.select(notices.c.about).where(notices.c.kind == SPENT)
    store = site_of(two[0]).store
    spent = store.call(lambda c: c.execute(said).scalars().all()).result(60)
    ids = store.call(lambda c: c.execute(sa.select(people.c.id)).scalars().all()).result(60)
    assert any("new_tables" in about for about in spent), spent
    for about in spent:
        assert not any(name in about for name in ("testclient", *ids)), about


# Bots.


def test_servers_agree_which_of_them_plays_the_bots_of_a_table(
    two: list[TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = Program(two[0], "Anna")
    states = [anna.table("double-down", "me", "here") for _ in range(8)]
    lives = [[live_at(client, state["table"]) for state in states] for client in two]
    exchange_news(two)

    def ranks() -> list[list[int]]:
        """Return each server's rank for each table."""
        return [
            [
                site_of(client).tables.neighbors.rank(live.table.header.token, live.watched)
                for live in here
            ]
            for client, here in zip(two, lives, strict=True)
        ]

    assert ranks() == [[0] * 8] * 2  # nobody watches: whoever is asked
    with contextlib.ExitStack() as stack:
        for live in [*lives[0], *lives[1]]:
            stack.enter_context(live.watch(None))
        exchange_news(two)
        assert [sum(pair) for pair in zip(*ranks(), strict=True)] == [1] * 8
        monkeypatch.setattr(neighbors, "GONE_SECONDS", -1.0)  # the other was killed
        assert ranks() == [[0] * 8] * 2


def test_a_bot_moves_even_if_the_server_that_comes_first_does_not(
    two: list[TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robots, "PATIENCE_SECONDS", 0.05)
    for client in two:
        monkeypatch.setattr(site_of(client).tables.neighbors, "rank", lambda token, here: 1)
    anna = Program(two[0], "Anna")
    state = anna.table("double-down", "me", "bot greedy")
    while state["turn"] != 0:
        state = anna.look(state)
    state = anna.move(state)
    for _ in range(2000):
        state = anna.look(state)
        if state["my_turn"] or state["status"] != "playing":
            return
    raise AssertionError("the bot doesn't move")


# The database.


@pytest.mark.parametrize("shared", [True, False])
def test_a_server_that_shares_and_one_that_does_not_exclude_each_other(
    address: str, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "LOCK_SECONDS", 0.0)
    first = open_store(address, FEATURES.tables, shared=shared)
    with pytest.raises(StoreError, match="start both with --workers"):
        open_store(address, FEATURES.tables, shared=not shared)
    if shared:
        open_store(address, FEATURES.tables, shared=True).close()
    first.close()
    monkeypatch.undo()  # its session may hold the lock for a moment more
    open_store(address, FEATURES.tables, shared=not shared).close()


def test_a_job_that_the_database_gives_up_runs_again(address: str) -> None:
    store = open_store(address, FEATURES.tables, shared=True)
    runs = 0

    def job(connection: sa.Connection) -> int:
        nonlocal runs
        runs += 1
        if runs < 3:
            connection.exec_driver_sql("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE='40P01'; END $$")
        return runs

    def hopeless(connection: sa.Connection) -> None:
        connection.exec_driver_sql("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE='40001'; END $$")

    assert store.call(job).result() == 3
    with pytest.raises(StoreError, match="nothing has changed: try again"):
        store.call(hopeless).result()
    store.close()


def test_a_server_that_is_frozen_in_a_transaction_holds_up_no_other(address: str) -> None:
    row = {"id": "a", "name": "Anna", "created": 0.0}
    stores = [open_store(address, FEATURES.tables, shared=True) for _ in range(2)]
    with contextlib.closing(stores[0]), contextlib.closing(stores[1]):
        stores[0].call(lambda c: c.execute(sa.insert(people), row) and None).result(60)
        rename = sa.update(people).values
        begun, thawed = threading.Event(), threading.Event()

        def freeze(connection: sa.Connection) -> None:
            connection.execute(rename(name="Ben"))
            begun.set()
            assert thawed.wait(60)

        frozen = stores[0].call(freeze)
        assert begun.wait(60)
        stores[1].call(lambda c: c.execute(rename(name="Cleo")) and None).result(20)
        assert not thawed.is_set()
        assert stores[1].look_up("SELECT name FROM people WHERE id = ?", "a") == ("Cleo",)
        thawed.set()
        frozen.result(60)  # what it had done was undone, and is done again
        assert stores[1].look_up("SELECT name FROM people WHERE id = ?", "a") == ("Ben",)


@pytest.mark.parametrize("then", ["a look", "many rows", "the commit"])
def test_a_job_that_stood_still_runs_again(
    address: str, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    """Its process had no processor for too long: PostgreSQL has undone what it had done."""
    monkeypatch.setattr(postgresql, "STALLED_MILLISECONDS", 200)
    rows = [{"id": id, "name": "Anna", "created": 0.0} for id in "abc"]
    pauses = iter([1.0])
    with contextlib.closing(open_store(address, FEATURES.tables, shared=True)) as store:

        def slow(connection: sa.Connection) -> None:
            connection.execute(sa.insert(people), rows[0])
            time.sleep(next(pauses, 0.0))
            if then == "a look":
                connection.execute(sa.select(people)).all()
            if then == "many rows":
                connection.execute(sa.insert(people), rows[1:])

        store.call(slow).result(60)
        assert store.look_up("SELECT count(*) FROM people") == (3 if then == "many rows" else 1,)
    assert next(pauses, None) is None


def test_stores_that_lock_tables_in_turn_never_lose_a_job(
    tmp_path: Path, address: str, two: list[TestClient]
) -> None:
    """Each store writes to all tables at once, in its own order; they may wait in a circle."""
    anna = Program(two[0], "Anna")
    tokens = [anna.table("double-down", "me", "here")["table"] for _ in range(4)]
    lives = [[live_at(client, token) for token in tokens] for client in two]

    async def all_at_once(site: Site, order: Sequence[Live]) -> None:
        for pace in ("slow", "fast", "normal"):
            host = order[0].table.header.host or ""
            change = asks(host, NewPace(pace=pace))
            await asyncio.gather(*[site.tables.act(live, change) for live in order])

    with ThreadPoolExecutor() as threads:
        orders = (lives[0], lives[1][::-1])
        list(threads.map(here, two, [all_at_once] * 2, map(site_of, two), orders))
    exchange_news(two)
    for mine, theirs in zip(*lives, strict=True):
        assert mine.table.ply == theirs.table.ply
        assert mine.table.pace == theirs.table.pace == "normal"


def test_a_file_is_served_by_one_server() -> None:
    option = SimpleNamespace(database="sqlite", servers=2)
    config: Any = SimpleNamespace(option=option, workerinput={})
    with pytest.raises(pytest.UsageError, match="only servers with --database postgresql can"):
        conftest.pytest_configure(config)


def test_processes_that_could_never_serve_are_not_started_again(
    tmp_path: Path, address: str
) -> None:
    options = ["--workers", "2", "--database", address, "--metrics", "9100"]
    command = [sys.executable, "-m", "redouble", "serve", "--no-prepare", "--port", "0", *options]
    done = subprocess.run(
        [*command, "--data", str(tmp_path)], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 2
    assert "metrics: '9100'" in done.stderr
    assert "the server could not start" in done.stderr
    assert "started again" not in done.stderr
    assert "Traceback" not in done.stderr


def test_servers_play_on_without_messages(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(PostgresqlDatabase, "bus", lambda database: Bus(f"host={tmp_path}"))
    with servers(tmp_path, address) as two:
        anna = Program(two[0], "Anna")
        state = anna.table("double-down", "me", "here")
        for anna.client in [*two, *two]:
            state = anna.look(state, state["turn"])
            state = anna.move(state, seat=state["turn"])
        while "a second later" not in caplog.text:
            time.sleep(0.01)


# Processes.

FIRST_REQUESTS = """
import sys
from pathlib import Path
from starlette.testclient import TestClient
from redouble.kernel.settings import Settings
from redouble.web.server.serve import served

settings = Settings(
    data=Path(sys.argv[1]), database=sys.argv[2], workers=1, prepare=False, messages="none"
)
with served(settings) as (server, _), TestClient(server.config.app) as client:
    before = set(sys.modules)
    assert client.post("/api/guests").status_code == 201
    assert client.get("/api/games").status_code == 200
    assert client.post("/play/double-down", follow_redirects=False).status_code == 303
    print(*sorted(name for name in sys.modules.keys() - before if name.startswith("redouble")))
"""


def test_a_process_has_loaded_everything_when_it_takes_requests(
    tmp_path: Path, address: str
) -> None:
    """It may be the only one that is left."""
    command = [sys.executable, "-W", "ignore", "-c", FIRST_REQUESTS, str(tmp_path), address]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "\n"
