"""The HTTP interface against its OpenAPI document: generated valid and invalid requests."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.api import ROUTERS
from redouble.web.installed import FEATURES
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app

EXAMPLES = 15
"""Valid requests, and as many invalid ones, for each operation."""
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
STREAM = "/api/tables/{table}/stream"
"""It does not end while the table's game goes on; ``test_api`` follows it."""


def operations() -> list[str]:
    """Return what the document describes; to make the document takes half a second."""
    return [
        f"{method} {route.path}"
        for router in (*ROUTERS, *FEATURES.interface)
        for route in router.routes
        if isinstance(route, APIRoute) and route.include_in_schema and route.path != STREAM
        for method in sorted(route.methods or ())
    ]


@dataclass
class Api:
    """A site with tables in several states, and the tokens that can act at them."""

    schema: Any
    headers: list[dict[str, str]]
    """Those of the players, of a stranger, and none."""
    values: dict[str, Sequence[Any]]
    """What path parameters may be, by name."""
    requests: int = 0


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Api:
    folder = tmp_path_factory.mktemp("schema")
    with TestClient(create_app(folder, limits=ROOMY)) as client:
        anna, ben, stranger = (Program(client) for _ in range(3))
        tables, invites = [], []
        alone = next(name for name, game in GAMES.items() if game.max_seats == 1)
        for name, game in GAMES.items():
            kinds = ["me", "friend", *["bot"] * (game.min_seats - 2)][: game.max_seats]
            made = anna.table(name, *kinds, pace="slow")
            tables.append(made["table"])
            invites.append(made["invite"])
            if name != alone:
                ben.post(f"/join/{made['invite']}")
                waiting = anna.table(name, *kinds, pace="slow")
                tables.append(waiting["table"])
                invites.append(waiting["invite"])
        over = anna.act(anna.table(alone, "me"), "resign")
        tables.append(over["table"])
        line = json.dumps(anna.get(f"/tables/{over['table']}/record"))
        record = anna.post("/records", {"record": line}, 201)["token"]
    return Api(
        schemathesis.openapi.from_asgi("/api/openapi.json", create_app(folder, limits=ROOMY)),
        [anna.headers, ben.headers, stranger.headers, {}],
        {
            "table": tables,
            "invite": invites,
            "record": [record],
            "device": ["none"],
            "game": list(GAMES),
            "number": [1, 2, 10**9],
        },
    )


def test_every_operation_of_the_document_is_tried(api: Api) -> None:
    paths = api.schema.raw_schema["paths"]
    documented = {f"{method.upper()} {path}" for path in paths for method in paths[path]}
    assert documented - {f"GET {STREAM}"} == set(operations())


@pytest.mark.parametrize("label", operations())
def test_answers_conform_to_the_openapi_document(api: Api, label: str) -> None:
    method, path = label.split()
    operation = api.schema[path][method]
    modes = [GenerationMode.POSITIVE]
    if operation.body or list(operation.path_parameters) or list(operation.query):
        modes.append(GenerationMode.NEGATIVE)
    for mode in modes:
        _check(api, operation, mode)


def _check(api: Api, operation: Any, mode: GenerationMode) -> None:
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), database=None)
    @given(operation.as_strategy(mode), st.data())
    def check(case: Case[Any], data: st.DataObject) -> None:
        for name in case.path_parameters or ():
            known = data.draw(st.sampled_from([None, *api.values[name]]))
            if known is not None:
                case.path_parameters[name] = known
        headers = data.draw(st.sampled_from(api.headers))
        case.call_and_validate(headers=headers, checks=CHECKS)
        api.requests += 1

    before = api.requests
    check()
    assert api.requests > before
