"""People with browsers, for tests of pages: each has their own cookie."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

import sqlalchemy as sa
from httpx2 import Response
from starlette.testclient import TestClient

from redouble.contract.game import Game
from redouble.web.features.signin import codes
from redouble.web.live import table_rows
from redouble.web.live.live import Live
from redouble.web.people.people import COOKIE, Person
from redouble.web.store import schema
from redouble.web.table import Seat, Table
from tests.web.helpers.markup import squeezed
from tests.web.helpers.play import Playing, header
from tests.web.helpers.servers import site_of

T = TypeVar("T")
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"


def stored(client: TestClient, job: Callable[[sa.Connection], T]) -> T:
    """The result of a database job."""
    return site_of(client).store.call(job).result(timeout=30)


def rows(client: TestClient, table: sa.Table) -> int:
    query = sa.select(sa.func.count()).select_from(table)
    return stored(client, lambda c: int(c.execute(query).scalar() or 0))


def live_at(client: TestClient, address: str) -> Live:
    """The table at an address, or with a token, as the server holds it now."""
    assert client.portal is not None
    found: Live = client.portal.call(site_of(client).tables.get, address.removeprefix("/t/"))
    return found


class Visitor:
    """A person with a browser; a guest only once a name is given."""

    def __init__(self, client: TestClient, name: str = "") -> None:
        self.client = client
        self.cookie = ""
        if name:
            self.post("/me/name", 303, name=name)

    def get(self, path: str, status: int = 200) -> str:
        """A page's text; without the white space that no browser shows where it is markup."""
        answer = self._answer(self.client.get(path, headers=self._headers()), status)
        html = answer.headers.get("content-type", "").startswith("text/html")
        return squeezed(answer.text) if html else answer.text

    def part(self, path: str) -> str:
        """The fragment that the page's script receives."""
        headers = self._headers() | {"hx-request": "true"}
        return squeezed(self._answer(self.client.get(path, headers=headers), 200).text)

    def post(self, path: str, status: int = 303, file: bytes | None = None, **form: Any) -> str:
        """Send a form; return where it redirects, or the page."""
        files = None if file is None else {"file": ("record.json", file)}
        headers = self._headers()
        answer = self.client.post(
            path, data=form, files=files, headers=headers, follow_redirects=False
        )
        self._answer(answer, status)
        return str(answer.headers.get("location", squeezed(answer.text)))

    @property
    def person(self) -> Person:
        """The person that the server recognizes."""
        assert self.client.portal is not None
        known = self.client.portal.call(site_of(self.client).people.known, self.cookie)
        assert known is not None
        return known

    def _headers(self) -> dict[str, str]:
        self.client.cookies.clear()
        return {"cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}

    def _answer(self, answer: Response, status: int) -> Response:
        assert answer.status_code == status, answer.text
        found = re.match(rf"{COOKIE}=([^;]*);", answer.headers.get("set-cookie", ""))
        if found:
            self.cookie = found[1].strip('"')
        return answer


def play(
    client: TestClient, game: Game, seats: Sequence[Seat], plies: int = 5000, **more: Any
) -> Table:
    """A table with random moves, stored as the server stores tables."""
    made = header(game, seats, seed=str(more.pop("seed", "pages")), **more)
    number = rows(client, schema.tables)
    token, invite = f"table-{number}", f"invite-{number}"
    playing = Playing(replace(made, token=token, invite=invite, host=seats[0].person))
    start = playing.table.copy()
    playing.play_on(Random(f"{game.name} {token}"), plies)

    def job(connection: sa.Connection) -> None:
        table_rows.insert(connection, start)
        if playing.log:
            table_rows.append(connection, playing.table, playing.log)

    stored(client, job)
    return playing.table


def seats_for(*people: Visitor, bots: int = 0) -> list[Seat]:
    """Seats of people, then of bots."""
    mine = [Seat(one.person.name, one.person.id) for one in people]
    return mine + [Seat(f"Bot {number}", bot="random") for number in range(bots)]


def mark_of(html: str) -> str:
    """The mark of a page's forms."""
    found = re.search(r'name="once" value="([^"]+)"', html)
    assert found
    return found[1]


def new_code(visitor: Visitor) -> str:
    html = visitor.post("/me/code", 200)
    found = re.search(r"/link\?code=(\w+)", html)
    assert found
    assert len(found[1]) == codes.LENGTH
    return found[1]
