"""No secret that gives entry to an account is part of an address: of its path, or what follows.

Addresses are kept by browsers, proxies and logs. Those of tables, invitations, results, circles and
calendars, and those that stop messages, give away that table, seat, result, circle or list; they
are made to be passed on, and let nobody in as somebody else. The id of a session is no entry
without the key that signs cookies.
"""

import re
from html import unescape
from urllib.parse import unquote

from fastapi.routing import APIRoute
from httpx2 import Response
from starlette.testclient import TestClient

from redouble.web import api
from redouble.web.installed import FEATURES
from redouble.web.pages import ROUTERS
from redouble.web.people.people import COOKIE
from tests.web.helpers.visitors import Visitor, new_code, shown_code

ROUTES = [
    route
    for router in (*ROUTERS, *FEATURES.pages, *api.ROUTERS, *FEATURES.interface)
    for route in router.routes
    if isinstance(route, APIRoute) and not route.path.endswith("/stream")
]
ADDRESS = re.compile(r"""\b(?:href|src|srcset|action|content|data-[\w-]+)=["']([^"']+)""")


def secrets_of(anna: Visitor) -> dict[str, str]:
    recovery = shown_code(anna.post("/me/recovery", 200))
    return {"code": new_code(anna), "recovery": recovery, "token": anna.cookie}


def test_no_address_lets_anybody_in(anna: Visitor) -> None:
    """Every route is called with each secret as all parts of its path, and behind it."""
    secrets = secrets_of(anna)
    del secrets["recovery"]  # it is read where a code is
    names = {
        *("code", "token", "session", "answer", "redouble", "authorization"),
        *(field.alias for route in ROUTES for field in route.dependant.query_params),
    }
    for what, secret in secrets.items():
        query = dict.fromkeys(sorted(names), secret)
        for route in ROUTES:
            path = re.sub(r"\{[^}]+\}", secret, route.path)
            for method in sorted(route.methods or ()):
                anna.client.cookies.clear()
                answer = anna.client.request(method, path, params=query, follow_redirects=False)
                said = (what, method, route.path)
                assert answer.status_code < 500, said
                assert "Play as Anna" not in answer.text, said
                assert secret not in unquote(answer.headers.get("location", "")), said
    assert anna.other().post("/link", code=secrets["code"]) == "/me", "a code was used up"


def test_no_page_has_a_secret_in_an_address(client: TestClient, anna: Visitor) -> None:
    answers = list[Response]()
    client.event_hooks["response"].append(answers.append)
    secrets = secrets_of(anna)
    guest = anna.other("Guest")
    for one in (guest, anna.other()):
        assert "Play as Anna" in one.post("/link/code", 200, code=secrets["recovery"])
        one.post("/link/code", 404, code=secrets["code"][::-1])
    guest.post("/link", code=secrets["recovery"])
    assert "type the code here" in anna.other().get(f"/link?code={secrets['code']}")
    for path in {route.path for route in ROUTES if "GET" in (route.methods or ())}:
        if "{" not in path:
            for one in (anna, guest):
                client.get(path, headers={"cookie": f"{COOKIE}={one.cookie}"})
    for answer in answers:
        found = [answer.headers.get("location", ""), *ADDRESS.findall(answer.text)]
        said = unquote(unescape(" ".join(found)))
        for secret in (*secrets.values(), guest.cookie):
            assert secret not in said, answer.url
    assert len(answers) > 50
