"""Limits when everything is asked for at the same time: as many succeed as the limit says."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

import redouble
from redouble.contract.registry import GAMES
from redouble.web.features.daily.deals import PUZZLE, PUZZLE_TRIES
from redouble.web.features.daily.tries import Dailies, dailies
from redouble.web.features.study.queue import jobs as review_jobs
from redouble.web.features.study.reviewer import Reviewer
from redouble.web.limits import LIMITS, Limits, Rate
from redouble.web.store import schema
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import counted_alone, create_app, site_of
from tests.web.helpers.visitors import Visitor, in_loop, play, rows, seats_for, stored

PAIR, ALONE = GAMES["double-down"], GAMES["double-or-quits"]
MOST, ASKED = 4, 12
FEW = Rate(MOST, 10**6)


@dataclass(frozen=True)
class Asked:
    """A request; each comes from an address of its own if it has no ``address``."""

    path: str
    form: Any = None
    """Sent by POST; a text is sent as JSON."""
    cookie: str = ""
    address: str = "192.0.2.1"


async def status_of(app: Any, asked: Asked) -> int:
    """The status of an answer; what stays open is left open until the test ends."""
    body, kind = b"", b"application/x-www-form-urlencoded"
    if isinstance(asked.form, str):
        body, kind = asked.form.encode(), b"application/json"
    elif asked.form is not None:
        body = urlencode(asked.form).encode()
    headers = [(b"host", b"x"), (b"content-type", kind)]
    headers += [(b"cookie", f"redouble={asked.cookie}".encode())] if asked.cookie else []
    path, _, query = asked.path.partition("?")
    scope: dict[str, Any] = {
        "type": "http", "method": "GET" if asked.form is None else "POST", "path": path,
        "query_string": query.encode(), "headers": headers, "client": (asked.address, 1),
        "server": ("x", 80), "scheme": "http", "http_version": "1.1", "root_path": "", "state": {},
    }  # fmt: skip
    sent: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if not parts:
            await asyncio.sleep(3600)
        return parts.pop()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            sent.set_result(message["status"])

    task = asyncio.ensure_future(app(scope, receive, send))
    await asyncio.wait([task, sent], return_when=asyncio.FIRST_COMPLETED)
    if not sent.done():
        task.result()
    return await sent


def all_at_once(client: TestClient, asked: Sequence[Asked]) -> Counter[int]:
    async def ask() -> list[int]:
        return await asyncio.gather(*(status_of(client.app, one) for one in asked))

    return Counter(in_loop(client, ask))


def record(seed: int) -> str:
    return str(redouble.new(PAIR.name, seats=2, seed=f"{seed}").record())


def finished(client: TestClient, anna: Visitor, number: int) -> str:
    table = play(client, PAIR, seats_for(anna, bots=1), seed=f"{number}")
    return f"/t/{table.header.token}"


def new_guests(client: TestClient, anna: Visitor) -> list[Asked]:
    forms = [("/me/name", {"name": "Ben"}), ("/api/guests", "{}"), (f"/play/{PAIR.name}", {})]
    return [Asked(*forms[n % 3], address=f"192.0.2.{n}") for n in range(ASKED)]


def by(path: str, form: Any = None) -> Callable[[TestClient, Visitor], list[Asked]]:
    return lambda client, anna: [Asked(path, form, anna.cookie)] * ASKED


def by_strangers(path: str, form: Any = None) -> Callable[[TestClient, Visitor], list[Asked]]:
    return lambda client, anna: [Asked(path, form)] * ASKED


def tables_of_many(client: TestClient, anna: Visitor) -> list[Asked]:
    people = [Visitor(client, f"Guest {number}") for number in range(ASKED)]
    return [Asked(f"/new/{PAIR.name}", BOTS, one.cookie) for one in people]


def imports(client: TestClient, anna: Visitor) -> list[Asked]:
    return [Asked("/replays", {"text": record(n)}, anna.cookie) for n in range(ASKED)]


def reviews(client: TestClient, anna: Visitor) -> list[Asked]:
    return [
        Asked(f"{finished(client, anna, number)}/review", {}, anna.cookie)
        for number in range(ASKED)
    ]


def streams(client: TestClient, anna: Visitor) -> list[Asked]:
    page = anna.post(f"/play/{PAIR.name}")
    return [Asked(f"{page}/stream", None, anna.cookie)] * ASKED


def watching(client: TestClient, anna: Visitor) -> list[Asked]:
    return [replace(one, cookie="") for one in streams(client, anna)]


BOTS = {"seat-0": "bot greedy", "seat-1": "bot greedy"}
CASES: dict[str, Callable[[TestClient, Visitor], list[Asked]]] = {
    "requests_per_address": by_strangers("/privacy"),
    "requests_per_person": by("/privacy"),
    "posts_per_address": by_strangers("/me/code", {}),
    "posts_per_person": by("/me/code", {}),
    "new_tables_per_address": by_strangers(f"/play/{PAIR.name}", {}),
    "new_tables_per_person": by(f"/play/{PAIR.name}", {}),
    "searches_per_address": by_strangers(f"/deals/{ALONE.name}/7?solve=1"),
    "searches_per_person": by(f"/deals/{ALONE.name}/7?solve=1"),
    "uploads_per_address": lambda client, anna: [
        replace(one, cookie="") for one in imports(client, anna)
    ],
    "uploads_per_person": imports,
    "new_guests_per_address": by_strangers("/me/name", {"name": "Ben"}),
    "new_guests": new_guests,
    "wrong_codes": by("/link", {"code": "AAAAAAAA"}),
    "streams_per_address": watching,
    "streams_per_person": streams,
    "tables_per_person": by(f"/play/{PAIR.name}", {}),
    "bot_tables_per_person": by(f"/new/{PAIR.name}", BOTS),
    "bot_tables": tables_of_many,
    "records_per_person": imports,
}
"""Requests of which each limit lets a few succeed."""
ELSEWHERE = {
    *(
        "connections",
        "connections_per_address",
        "connections_per_person",
        "header_seconds",
        "body_seconds",
    ),
    *("stalled_seconds", "header_bytes", "record_bytes", "bot_table_milliseconds"),
    *("searches_waiting", "uploads_waiting", "database_megabytes", "free_megabytes"),
    "health_per_address",
    *("files_per_address", "work_per_address", "work_per_person", "renderings_per_client"),
    *("messages_tried_per_person", "messages_tried_per_address", "codes_to_an_address"),
    *(
        "account_days",
        "guest_days",
        "waiting_table_days",
        "unfinished_table_days",
        "bot_table_days",
    ),
}
"""Limits of sizes and times, and those that are counted without awaiting anything."""
SUCCEEDED = {200, 201, 303, 404}
"""A wrong code is answered 404."""


def test_every_limit_is_tried_at_once() -> None:
    assert {field.name for field in fields(LIMITS)} == CASES.keys() | ELSEWHERE


@counted_alone
@pytest.mark.parametrize("name", CASES)
def test_as_many_requests_succeed_as_a_limit_says(tmp_path: Path, name: str) -> None:
    narrow: Any = FEW if isinstance(getattr(LIMITS, name), Rate) else MOST
    limits: Limits = replace(ROOMY, **{name: narrow})
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        anna = Visitor(client, "Anna")
        asked = CASES[name](client, anna)
        site = site_of(client)
        site.limits = site.tables._limits = limits
        found = all_at_once(client, asked)
        site.tables.closing.set()
        assert sum(found[status] for status in SUCCEEDED) == MOST, found
        assert found[429] == ASKED - MOST, found


@counted_alone
def test_what_is_allowed_once_happens_once(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        anna = Visitor(client, "Anna")
        day = site_of(client).service(Dailies).today().isoformat()
        deal = f"/daily/{day}/deal/{PAIR.name}"
        assert all_at_once(client, [Asked(deal, {}, anna.cookie)] * ASKED) == {303: ASKED}
        assert rows(client, schema.tables) == 1
        asked = reviews(client, anna)
        site_of(client).service(Reviewer).stop()  # reviews stay in the queue
        assert all_at_once(client, asked) == {303: 1, 429: ASKED - 1}
        assert rows(client, review_jobs) == 1
        puzzle = site_of(client).service(Dailies).puzzle(site_of(client).service(Dailies).today())
        assert puzzle is not None
        wrong = [move for move in puzzle.view().legal_moves if move != puzzle.answer]
        path = f"/daily/{day}/puzzle"
        all_at_once(client, [Asked(path, {"move": one}, anna.cookie) for one in 2 * wrong])
        query = sa.select(dailies.c.tried).where(dailies.c.game == PUZZLE)
        tried = stored(client, lambda c: c.execute(query).scalar_one())
        assert len(tried) == min(PUZZLE_TRIES, len(wrong))
