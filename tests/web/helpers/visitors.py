"""People with browsers, for tests of pages: each has their own cookie."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, TypeVar, Union

import sqlalchemy as sa
from httpx2 import Response
from starlette.testclient import TestClient

from redouble.contract.game import Game
from redouble.web.features.friends import friends
from redouble.web.features.signin import codes
from redouble.web.live import table_rows
from redouble.web.live.live import Live
from redouble.web.people.people import COOKIE, Person
from redouble.web.store import schema
from redouble.web.table import Seat, Table
from redouble.web.table.acts.play import make_move
from tests.web.helpers.markup import found_in, squeezed
from tests.web.helpers.play import Playing, header
from tests.web.helpers.servers import site_of

T = TypeVar("T")
Place = Union[TestClient, "Visitor"]
"""A site, as a client of it or somebody there shows it."""
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"


def client_of(place: Place) -> TestClient:
    return place.client if isinstance(place, Visitor) else place


def in_loop(place: Place, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in the event loop of the site, and wait for what it returns."""
    portal = client_of(place).portal
    assert portal is not None
    return portal.call(function, *arguments)


def stored(place: Place, job: Callable[[sa.Connection], T]) -> T:
    """The result of a database job."""
    return site_of(client_of(place)).store.call(job).result(timeout=30)


def execute(place: Place, statement: sa.Executable, *given: dict[str, Any]) -> None:
    """Change the database."""
    stored(place, lambda c: c.execute(statement, list(given) or None) and None)


def column(place: Place, query: sa.Select[Any]) -> list[Any]:
    """The first column of what a query finds."""
    return stored(place, lambda c: list(c.execute(query).scalars()))


def rows(place: Place, table: sa.Table) -> int:
    [found] = column(place, sa.select(sa.func.count()).select_from(table))
    return int(found)


def live_at(place: Place, address: str) -> Live:
    """The table at an address, or with a token, as the server holds it now."""
    tables = site_of(client_of(place)).tables
    found: Live = in_loop(place, tables.get, address.removeprefix("/t/").partition("?")[0])
    return found


def invitation(place: Place, address: str) -> str:
    """Where to join a table."""
    return f"/join/{live_at(place, address).table.header.invite}"


def move_on(
    place: Place,
    address: str,
    plies: int = 5000,
    choose: Callable[[list[str]], str] = lambda legal: legal[0],
) -> None:
    """Let whoever is on turn make legal moves, without loading a page for each."""
    tables, live = site_of(client_of(place)).tables, live_at(place, address)

    async def move() -> None:
        for _ in range(plies):
            if (seat := live.table.turn) is None:
                return
            text = choose(list(live.table.match.legal_moves))
            await tables.act(live, partial(make_move, seat=seat, move=text, ply=live.table.ply))

    in_loop(place, move)


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

    def do(self, table: str, command: str, status: int = 303, **form: Any) -> str:
        """Do something at a table, as its page would."""
        return self.post(f"{table}/do", status, None, command=command, **form)

    def ask(self, path: str, body: Any = None, status: int = 200) -> Any:
        """What programs are answered; with a body it is posted."""
        self.client.cookies.clear()
        headers = {"authorization": f"Bearer {self.cookie}"} if self.cookie else {}
        method = "GET" if body is None else "POST"
        answer = self.client.request(method, f"/api{path}", json=body, headers=headers)
        return self._answer(answer, status).json()

    def table(self, game: str, *others: Visitor | str, **form: Any) -> str:
        """The address of a new table of theirs: people sit down, other seats are as named."""
        kinds = ["me", *("friend" if isinstance(one, Visitor) else one for one in others)]
        seats = {f"seat-{number}": kind for number, kind in enumerate(kinds)}
        address = self.post(f"/new/{game}", 303, None, players=len(kinds), **seats, **form)
        for one in others:
            if isinstance(one, Visitor):
                one.post(invitation(self, address))
        return address

    def other(self, name: str = "") -> Visitor:
        """Somebody else at the same site."""
        return Visitor(self.client, name)

    @property
    def person(self) -> Person:
        """The person that the server recognizes."""
        known: Person | None = in_loop(self, site_of(self.client).people.known, self.cookie)
        assert known is not None
        return known

    @property
    def id(self) -> str:
        return self.person.id

    def _headers(self) -> dict[str, str]:
        self.client.cookies.clear()
        return {"cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}

    def _answer(self, answer: Response, status: int) -> Response:
        assert answer.status_code == status, answer.text
        found = re.match(rf"{COOKIE}=([^;]*);", answer.headers.get("set-cookie", ""))
        if found:
            self.cookie = found[1].strip('"')
        return answer


def play(place: Place, game: Game, seats: Sequence[Seat], plies: int = 5000, **more: Any) -> Table:
    """A table with random moves, stored as the server stores tables."""
    made = header(game, seats, seed=str(more.pop("seed", "pages")), **more)
    number = rows(place, schema.tables)
    token, invite = f"table-{number}", f"invite-{number}"
    playing = Playing(replace(made, token=token, invite=invite, host=seats[0].person))
    start = playing.table.copy()
    playing.play_on(Random(f"{game.name} {token}"), plies)

    def job(connection: sa.Connection) -> None:
        table_rows.insert(connection, start)
        if playing.log:
            table_rows.append(connection, playing.table, playing.log)

    stored(place, job)
    return playing.table


def seats_for(*people: Visitor, bots: int = 0) -> list[Seat]:
    """Seats of people, then of bots."""
    mine = [Seat(one.person.name, one.person.id) for one in people]
    return mine + [Seat(f"Bot {number}", bot="random") for number in range(bots)]


def befriend(one: Visitor, other: Visitor, game: str = "any") -> str:
    """Make two people friends; the id of their friendship."""
    pairs = (one.id, other.id), (other.id, one.id)

    def job(connection: sa.Connection) -> str:
        for asker, asked in pairs:
            friends.ask(connection, asker, asked, game)
        return friends.friends_of(connection, pairs[0][0])[-1].id

    return stored(one, job)


def circle_of(owner: Visitor, *members: Visitor) -> str:
    """The address of a new circle."""
    address = owner.post("/circles", circle="Friday club")
    for one in members:
        one.post(circle_link(owner, address), name=one.person.name)
    return address


def circle_link(member: Visitor, address: str) -> str:
    """Where to join a circle, as a member finds it."""
    return found_in(r'value="http://testserver(/circles/join/[^"]+)"', member.get(address))


def mark_of(html: str) -> str:
    """The mark of a page's forms."""
    return found_in(r'name="once" value="([^"]+)"', html)


def new_code(visitor: Visitor) -> str:
    """A code that the visitor's page shows for another device."""
    code = shown_code(visitor.post("/me/code", 200))
    assert len(code) == codes.LENGTH
    return code


def shown_code(html: str) -> str:
    """The code on a page that shows one."""
    return found_in(r'<p class="code".*?>([A-Z2-9 ]+)<', html).replace(" ", "")
