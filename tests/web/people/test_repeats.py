"""What creates something does it once, however often the request is sent."""

import asyncio
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute
from httpx2 import Response
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web import api
from redouble.web.drawing.templates import TEMPLATES
from redouble.web.features.account.data import ANSWERS
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.study.saved import records
from redouble.web.installed import FEATURES
from redouble.web.live.pipeline import Pipeline
from redouble.web.live.tables import Tables
from redouble.web.pages import ROUTERS
from redouble.web.people import repeats
from redouble.web.people.people import COOKIE
from redouble.web.people.repeats import KeptAnswer, Repeats, RequestKey
from redouble.web.store import schema
from redouble.web.visitor.costs import Router
from tests.web.helpers.servers import site_of
from tests.web.helpers.visitors import (
    Visitor,
    in_loop,
    mark_of,
    new_code,
    play,
    rows,
    seats_for,
    stored,
)

NATURAL = {
    "/t/{token}/move": "a move names the ply that it was chosen at",
    "/t/{token}/rematch": "a table has one rematch",
    "/t/{token}/reveal": "a share is the same however often it is revealed",
    "/t/{token}/go-on": "whoever goes on has gone on",
    "/t/{token}/share": "a result has one link",
    "/t/{token}/unshare": "a link that is gone stays gone",
    "/t/{token}/review": "a game has one review",
    "/r/{token}/review": "a game has one review",
    "/push/key": "a site has one key",
    "/push/known": "it only answers",
    "/push": "an address has one row",
    "/me/recovery": "the code shown last is the one that counts; none is stored for a repeat",
    "/me/looks": "pages look as was chosen last",
    "/me/passkeys/options": "a question changes nothing",
    "/me/passkeys": "a challenge is answered once",
    "/link/code": "it only answers; no code is stored for a repeat",
    "/link/passkey/options": "a question changes nothing",
    "/link/passkey": "a challenge is answered once; no cookie is stored for a repeat",
    "/me/out": "who is signed out stays so",
    "/me/forget": "what is deleted stays so",
}
"""Why these may be sent twice without a mark. Programs can send a key with every request."""
MARKED = {
    "/play/{game}",
    "/people",
    "/people/stop",
    "/friends/{friendship}/answer",
    "/friends/{friendship}/remove",
    "/friends/{friendship}/invite",
    "/friends/hide",
    "/circles",
    "/circles/join/{link}",
    "/circles/{circle}/tables",
    "/circles/{circle}/evenings",
    "/circles/{circle}/evenings/{evening}/players",
    "/circles/{circle}/evenings/{evening}/start",
    "/circles/{circle}/evenings/{evening}/off",
    "/circles/{circle}/name",
    "/circles/{circle}/link",
    "/circles/{circle}/leave",
    "/circles/{circle}/members/{member}/remove",
    "/circles/{circle}/members/{member}/owner",
    "/calls/{number}/later",
    "/new/{game}",
    "/deals/{game}/{deal:path}",
    "/daily/{day}/deal/{game}",
    "/daily/{day}/puzzle",
    "/join/{invite}",
    "/t/{token}/do",
    "/replays",
    "/t/{token}/resume",
    "/r/{token}/resume",
    "/link",
    "/me/name",
    "/me/profile",
    "/me/passkeys/{passkey}/remove",
    "/me/code",
    "/me/records/{token}",
    "/me/devices/end",
    "/me/devices/{session}/end",
    "/ranking/{name}",
    "/puzzles/{game}/{number}",
    "/push/stop",
    "/t/{token}/ahead",
    "/stop/{link}",
    "/me/messages",
    "/me/calendar",
    "/me/messages/address",
    "/me/messages/confirm",
    "/me/messages/remove",
    "/t/{token}/players/{seat}/report",
    "/me/muted/{number}/end",
    "/me/strangers",
    "/me/operator/seen",
    "/me/operator/appeal",
}


def posted(routers: Iterable[Router]) -> set[str]:
    """The paths that are posted to."""
    routes = [one for router in routers for one in router.routes if isinstance(one, APIRoute)]
    return {one.path for one in routes if "POST" in (one.methods or ())}


def post(client: TestClient, path: str, cookie: str = "", **form: str) -> Response:
    client.cookies.clear()
    headers = {"cookie": f"{COOKIE}={cookie}"} if cookie else {}
    answer: Response = client.post(path, data=form, headers=headers, follow_redirects=False)
    return answer


def twice(client: TestClient, path: str, cookie: str = "", **form: str) -> list[Response]:
    """The answers to a form that is sent again before the first answer."""
    with ThreadPoolExecutor(2) as pool:
        sent = [pool.submit(post, client, path, cookie, **form) for _ in range(2)]
        return [one.result(30) for one in sent]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change of a table takes so long that a second tap comes before the first answer."""
    act, create = Pipeline._act, Tables.create

    async def slowly(self: Pipeline, *given: Any) -> Any:
        await asyncio.sleep(0.2)
        return await act(self, *given)

    async def made_slowly(self: Tables, *given: Any) -> Any:
        await asyncio.sleep(0.2)
        return await create(self, *given)

    monkeypatch.setattr(Pipeline, "_act", slowly)
    monkeypatch.setattr(Tables, "create", made_slowly)


def test_every_form_is_marked_or_harmless() -> None:
    assert posted((*ROUTERS, *FEATURES.pages)) == {*NATURAL, *MARKED}
    bare = set()
    for template in TEMPLATES.parent.rglob("*.html"):
        for form in re.findall(r"<form\b.*?</form>", template.read_text(), re.S):
            if 'method="post"' in form and "once(page_mark)" not in form:
                bare |= set(re.findall(r'action="(.*?)"', form))
    # At a table only the pace, which is what it is set to, whom the viewer mutes, and the tutorial,
    # which is skipped once.
    assert bare == {
        "{{ links.review }}",
        "/me/recovery",
        "/me/passkeys",
        "/link/code",
        "/link/passkey",
        "/me/out",
        "/me/forget",
        "{{ table }}/unshare",
        "{{ here }}/do",
        "/t/{{ table }}/do",
    }


@pytest.mark.usefixtures("slow")
def test_join_tapped_twice_without_a_cookie(client: TestClient, anna: Visitor) -> None:
    seats: dict[str, Any] = {"seat-0": "me", "seat-1": "friend", "seat-2": "friend"}
    anna.post("/new/double-down", players="3", **seats)
    invite = stored(client, lambda c: c.execute(sa.select(schema.tables.c.invite)).scalar_one())
    page = client.get(f"/join/{invite}").text
    people = rows(client, schema.people)
    first, second = twice(client, f"/join/{invite}", name="Tomas", once=mark_of(page))
    assert first.status_code == second.status_code == 303
    assert first.headers["location"] == second.headers["location"]
    assert first.headers["set-cookie"] == second.headers["set-cookie"]
    assert rows(client, schema.people) == people + 1
    names = stored(client, lambda c: c.execute(sa.select(schema.seats.c.name)).scalars().all())
    assert sorted(names) == ["Anna", "Player 3", "Tomas"]


@pytest.mark.usefixtures("slow")
def test_two_forms_of_a_page_make_one_guest(client: TestClient) -> None:
    once = mark_of(client.get("/").text)
    with ThreadPoolExecutor(6) as pool:
        games = ["double-down", "double-decker", "double-down"] * 2
        sent = [pool.submit(post, client, f"/play/{game}", once=once) for game in games]
        answers = [one.result(30) for one in sent]
    assert len({one.headers["location"] for one in answers}) == rows(client, schema.tables) == 2
    assert len({one.headers["set-cookie"] for one in answers}) == rows(client, schema.people) == 1


def test_an_old_page_is_nobodys_key(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """After signing out, the page on which a guest began doesn't sign the next visitor in."""
    once = mark_of(client.get("/").text)
    cookie = post(client, "/play/double-down", once=once).cookies[COOKIE]
    post(client, "/me/out", cookie)
    again = post(client, "/play/double-decker", once=once)
    assert again.status_code == 409
    assert "set-cookie" not in again.headers
    once = mark_of(client.get("/").text)
    post(client, "/play/double-down", once=once)
    monkeypatch.setattr("redouble.web.people.people.FIRST_SECONDS", 0.0)
    assert post(client, "/play/double-decker", once=once).status_code == 409


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    "path", ["/play/double-down", "/deals/double-or-quits/7", "/new/double-down"]
)
def test_tables_are_made_once(client: TestClient, anna: Visitor, path: str) -> None:
    once = mark_of(anna.get("/"))
    form = {"seat-0": "me", "seat-1": "bot club"} if path.startswith("/new") else {}
    first, second = twice(client, path, anna.cookie, once=once, **form)
    assert first.status_code == 303, first.text
    assert first.headers["location"] == second.headers["location"]
    assert rows(client, schema.tables) == 1
    assert post(client, path, anna.cookie, once=mark_of(anna.get("/")), **form).status_code == 303
    assert rows(client, schema.tables) == 2


def test_another_choice_on_the_same_page_counts(client: TestClient, anna: Visitor) -> None:
    """Whoever goes back and chooses otherwise gets what they chose."""
    once = mark_of(anna.get("/"))
    for _ in range(2):
        for level in ("club", "random"):
            post(client, "/play/double-down", anna.cookie, level=level, once=once)
    assert rows(client, schema.tables) == 2


def test_a_form_that_failed_can_be_sent_again(client: TestClient, anna: Visitor) -> None:
    once, path = mark_of(anna.get("/me")), "/me/name"
    for _ in range(2):
        assert post(client, path, anna.cookie, name="x" * 30, once=once).status_code == 413
    assert rows(client, schema.answers) == 0


def test_what_is_done_at_a_table_is_done_once(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    table = play(client, GAMES["double-down"], seats_for(anna, ben), plies=0).header.token
    once = mark_of(anna.get(f"/t/{table}"))
    for _ in range(2):
        anna.post(f"/t/{table}/do", command="say", text="hi", seat="0", once=once)
    ben.post(f"/t/{table}/do", command="say", text="hi", seat="1", once=once)
    page = anna.get(f"/t/{table}")
    assert page.count("</b> hi") == 2
    for _ in range(2):
        anna.post(f"/t/{table}/do", command="mute", other="1", seat="0", once=mark_of(page))
    assert anna.get(f"/t/{table}").count("</b> hi") == 1


def test_a_solitaire_move_is_undone_once(client: TestClient, anna: Visitor) -> None:
    table = play(client, GAMES["double-or-quits"], seats_for(anna), plies=4).header.token
    once = re.search(r'id="command".*?name="once" value="(\d+)"', anna.get(f"/t/{table}"))
    assert once
    for _ in range(3):
        anna.post(f"/t/{table}/do", command="undo", seat="0", once=once[1])
    undone = sa.select(sa.func.count()).where(schema.log.c.kind == "undo")
    assert stored(client, lambda c: c.execute(undone).scalar()) == 1


def test_an_import_is_saved_once(client: TestClient, anna: Visitor) -> None:
    """Browsers part the fields of an upload by another line each time."""
    table = play(client, GAMES["double-down"], seats_for(anna, bots=1))
    form, once = table.record(), mark_of(anna.get("/replays"))
    saved = [anna.post("/replays", file=str(form).encode(), once=once) for _ in range(2)]
    assert saved[0] == saved[1]
    assert rows(client, records) == 1


def test_a_link_code_is_used_once(client: TestClient, anna: Visitor) -> None:
    code = new_code(anna)
    for phone in (Visitor(client), Visitor(client, "Phone")):
        code, cookie = new_code(anna), phone.cookie
        once = mark_of(phone.post("/link/code", 200, code=code))
        answers = [post(client, "/link", cookie, code=code, once=once) for _ in range(2)]
        assert {one.status_code for one in answers} == {303}
        assert len({one.headers["set-cookie"] for one in answers}) == 1


def test_one_code_is_shown(client: TestClient, anna: Visitor) -> None:
    once = mark_of(anna.get("/me"))
    assert len({post(client, "/me/code", anna.cookie, once=once).text for _ in range(2)}) == 1


def test_a_puzzle_has_two_tries(client: TestClient, anna: Visitor) -> None:
    site = site_of(client)
    today = site.service(Dailies).today()
    puzzle = site.service(Dailies).puzzle(today)
    assert puzzle
    wrong = next(one for one in puzzle.view().legal_moves if one != puzzle.answer)
    path = f"/daily/{today.isoformat()}/puzzle"
    once = mark_of(anna.get(path))
    for _ in range(3):
        anna.post(path, move=wrong, once=once)
    assert "Not the best move. Try again." in anna.get(path)


class Program:
    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.headers: dict[str, str] = {}

    def post(self, path: str, key: str, **body: Any) -> Response:
        self.client.cookies.clear()
        headers = self.headers | {"Idempotency-Key": key}
        answer: Response = self.client.post(f"/api{path}", json=body, headers=headers)
        return answer


@pytest.fixture
def program(client: TestClient) -> Program:
    made = Program(client)
    token = made.post("/guests", "a key that nobody guesses", name="Bot").json()["token"]
    made.headers = {"Authorization": f"Bearer {token}"}
    return made


def test_programs_send_a_key(client: TestClient, program: Program) -> None:
    seats = [{"kind": "me"}, {"kind": "bot"}]
    first, second = (
        program.post("/tables", "1", game="double-down", seats=seats) for _ in range(2)
    )
    assert first.status_code == second.status_code == 201
    assert first.content == second.content
    assert rows(client, schema.tables) == 1
    other = program.post("/tables", "1", game="double-decker", seats=seats)
    assert other.status_code == 422
    assert "use a new key" in other.json()["detail"]
    assert program.post("/offers", "1").status_code == 422
    assert program.post("/offers", "2").content == program.post("/offers", "2").content


def test_every_operation_takes_a_key(program: Program) -> None:
    """It is read before the operation is found, so no operation can do without."""
    for bad in ("", "x" * 256):
        for path in posted((*api.ROUTERS, *FEATURES.interface)):
            answer = program.client.post(path, headers={"Idempotency-Key": bad})
            assert answer.status_code == 400


def test_guests_need_keys_that_nobody_guesses(client: TestClient) -> None:
    program = Program(client)
    assert program.post("/guests", "1", name="Bot").status_code == 400
    first, second = (program.post("/guests", "x" * 16, name="Bot") for _ in range(2))
    assert first.json() == second.json()
    assert rows(client, schema.people) == 1


def test_other_people_have_other_keys(client: TestClient, program: Program, anna: Visitor) -> None:
    seats = [{"kind": "me"}, {"kind": "bot"}]
    first = program.post("/tables", "1", game="double-down", seats=seats)
    program.headers = {"Authorization": f"Bearer {anna.cookie}"}
    assert program.post("/tables", "1", game="double-down", seats=seats).json() != first.json()


def test_who_is_signed_out_reads_no_old_answer(client: TestClient, program: Program) -> None:
    seats = [{"kind": "me"}, {"kind": "bot"}]
    program.post("/tables", "1", game="double-down", seats=seats)
    stored(client, lambda c: c.execute(sa.delete(schema.sessions)) and None)
    assert program.post("/tables", "1", game="double-down", seats=seats).status_code == 401


def test_answers_are_bounded_and_expire(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeats, "MAX_KEPT", 3)
    for _ in range(6):
        post(client, "/me/code", anna.cookie, once=mark_of(anna.get("/me")))
    assert rows(client, schema.answers) == 3
    stored(client, lambda c: ANSWERS.expire(c, 1e12))
    assert rows(client, schema.answers) == 0
    post(client, "/me/code", anna.cookie, once=mark_of(anna.get("/me")))
    post(client, "/me/forget", anna.cookie, sure="yes")
    assert rows(client, schema.answers) == 0


def test_processes_share_the_answers(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process waits for the first, and takes over if that has ended."""
    store, claim = site_of(client).store, RequestKey("key", "request")
    one, other = Repeats(store), Repeats(store)
    answer = KeptAnswer(303, (("location", "/"),), b"", None)

    async def both() -> list[KeptAnswer | None]:
        first = await one.begin(claim, "")
        second = asyncio.create_task(other.begin(claim, ""))
        await asyncio.sleep(0.1)
        assert not second.done()
        await one.finish(claim, "", answer)
        return [first, await second]

    async def after_a_kill() -> KeptAnswer | None:
        left = RequestKey("left", "request")
        await one.begin(left, "")
        monkeypatch.setattr(repeats, "CLAIM_SECONDS", 0.1)
        return await other.begin(left, "")

    assert in_loop(client, both) == [None, answer]
    assert in_loop(client, after_a_kill) is None
