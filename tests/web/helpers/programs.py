"""A test program that plays over HTTP with a token."""

from collections.abc import Mapping
from typing import Any

from starlette.testclient import TestClient

PROBLEM = "application/problem+json"


class Program:
    """A guest; every call names the expected status."""

    def __init__(self, client: TestClient, name: str = "") -> None:
        self.client = client
        self.headers: dict[str, str] = {}
        made = self.post("/guests", {"name": name}, 201)
        self.name: str = made["name"]
        self.headers = {"Authorization": f"Bearer {made['token']}"}

    def get(self, path: str, status: int = 200) -> Any:
        return self._answer(self.client.get(f"/api{path}", headers=self.headers), status)

    def post(self, path: str, body: Mapping[str, Any] | None = None, status: int = 200) -> Any:
        answer = self.client.post(f"/api{path}", json=body, headers=self.headers)
        return self._answer(answer, status)

    def table(
        self, game: str, *kinds: str, status: int = 201, pace: str = "instant", **more: Any
    ) -> Any:
        """A new table. A kind is that of a seat, a bot's followed by its level."""
        seats = []
        for kind in kinds:
            kind, _, level = kind.partition(" ")
            seats.append({"kind": kind} | ({"level": level} if level else {}))
        return self.post("/tables", {"game": game, "seats": seats, "pace": pace} | more, status)

    def act(self, state: Mapping[str, Any], command: str, status: int = 200, **body: Any) -> Any:
        """Do something at the table of a state."""
        return self.post(f"/tables/{state['table']}/{command}", body or None, status)

    def look(self, state: Mapping[str, Any], seat: int | None = None, status: int = 200) -> Any:
        """The table of a state as it is now."""
        query = "" if seat is None else f"?seat={seat}"
        return self.get(f"/tables/{state['table']}{query}", status)

    def move(self, state: Mapping[str, Any], status: int = 200, **body: Any) -> Any:
        """Make the given move, or the first legal one."""
        given: dict[str, Any] = {"ply": state["ply"]} | body
        if "move" not in given:
            given["move"] = state["view"]["legal_moves"][0]
        return self.act(state, "moves", status, **given)

    def _answer(self, answer: Any, status: int) -> Any:
        assert answer.status_code == status, answer.text
        body = answer.json()
        if status >= 400:
            check_problem(answer)
        return body


def check_problem(answer: Any) -> None:
    """Check that an answer is an RFC 9457 problem in one sentence."""
    assert answer.headers["content-type"] == PROBLEM
    body = answer.json()
    fields = body.pop("fields", None)
    assert bool(fields) == (answer.status_code == 422)
    assert set(body) == {"type", "title", "status", "detail"}
    assert body["status"] == answer.status_code
    assert 0 < len(body["detail"]) <= 603
    assert body["detail"] not in ("Not Found", "Method Not Allowed")
