"""The OpenAPI description of the interface for programs, and a page that shows it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse

from redouble.web.api.shapes import Problem, WrongRequest
from redouble.web.errors import TooMuch
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", include_in_schema=False)

DESCRIPTION = """\
Programs can play: they create and join tables, see them from a seat, follow them, move, and read
the records of finished games. Friends, circles, profiles, muting, passkeys and notifications are
only on the pages, for people. A program learns what its seat may know and nothing else.

Get a token from `POST /api/guests` and send it as `Authorization: Bearer TOKEN`. Bodies are JSON.
Errors are problems as in RFC 9457 (`application/problem+json`); their `detail` says what was wrong
and what to do. A request that fails changes nothing.

If you aren't sure that a `POST` has arrived, send it again with the same `Idempotency-Key` header,
a text that you choose, such as a UUID. The server acts once and answers both times alike, for a day
and for your last 100 keys. The same key with another request is answered with 422.
"""
TAGS = [
    {"name": "people", "description": "Your name and token."},
    {"name": "games", "description": "Games, bots and puzzles."},
    {"name": "tables", "description": "Create, find and follow tables."},
    {"name": "play", "description": "Act at a table. Each operation answers with the new state."},
    {"name": "records", "description": "Finished games."},
]
PROBLEMS = {
    400: "The request makes no sense as it stands, or a rule forbids it.",
    401: "The request needs a valid token.",
    403: "The seat or the knowledge isn't yours, or the request comes from a page of another site.",
    404: "There is no such table, invitation, record or game.",
    409: "The table has changed, or isn't that far yet: read it again and use its `ply`.",
    413: "The request is too long.",
    422: "A field is missing, unknown, or not of the form described here; `fields` names it.",
    429: "You are doing this too often, or have too many of these.",
    503: "The change could not be saved, or the server is busy or full; nothing has changed.",
}
"""The meaning of each status of a problem."""
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same for a request that is sent again.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
"""What all operations have in common that change something."""
PROBLEM_TYPE = "application/problem+json"


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the problems that an operation can answer with, for the OpenAPI."""
    return {
        status: {
            "model": WrongRequest if status == 422 else Problem,
            "description": PROBLEMS[status],
        }
        for status in sorted({*statuses, TooMuch.status})
    }


def about(
    summary: str,
    answer: str,
    tag: str,
    *statuses: int,
    anyone: bool = False,
) -> dict[str, Any]:
    """Return how the OpenAPI describes an operation, and the problems that it can answer with.

    If ``anyone`` can use it, spectators need no token.
    """
    described = {"summary": summary, "response_description": answer, "tags": [tag]}
    extra: dict[str, Any] = {"openapi_extra": {"security": [{}]}} if anyone else {}
    return {**described, "responses": problems(*statuses), **extra}


def tell_problems(schema: dict[str, Any]) -> None:
    """Set the media type of problems in the OpenAPI, and name the header against repeats."""
    for path in schema["paths"].values():
        if "post" in path:
            path["post"].setdefault("parameters", []).append(IDEMPOTENCY_KEY)
            for status, model in ((400, Problem), (409, Problem), (422, WrongRequest)):
                shape = {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}
                answer = {"description": PROBLEMS[status], "content": {"application/json": shape}}
                path["post"]["responses"].setdefault(f"{status}", answer)
        for operation in path.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    answer["content"] = {PROBLEM_TYPE: answer["content"]["application/json"]}


@dataclass(frozen=True)
class ShapeField:
    """A parameter, or a field of a type."""

    name: str
    words: str
    """Its type, in words."""
    meaning: str
    needed: bool


@dataclass(frozen=True)
class Shape:
    """A type of requests or answers, as the page shows it."""

    words: str
    meaning: str
    fields: list[ShapeField]


@dataclass(frozen=True)
class Operation:
    """An operation, as the page shows it."""

    method: str
    path: str
    anchor: str
    summary: str
    text: str
    token: str
    """``needed``, ``optional`` or empty."""
    fields: list[ShapeField]
    answer: str
    """The status and the type of the answer."""
    problems: list[int]
    curl: str


@router.get("/docs", Cost.RENDERING)
async def show_docs(request: Request, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Return the page."""
    schema = request.app.openapi()
    base = str(request.base_url).rstrip("/")
    groups = [(tag, [one for one in _shown(schema, base) if tag["name"] == one[0]]) for tag in TAGS]
    return site.page(
        "api.html",
        person=person,
        description=[part.replace("\n", " ") for part in DESCRIPTION.split("\n\n")],
        groups=[(tag, [operation for _, operation in found]) for tag, found in groups],
        shapes={
            name: Shape(_words(shape), shape.get("description", ""), list(_fields(shape)))
            for name, shape in schema["components"]["schemas"].items()
        },
        meanings=PROBLEMS,
    )


def _shown(schema: Mapping[str, Any], base: str) -> Iterator[tuple[str, Operation]]:
    for path, methods in schema["paths"].items():
        for method, one in methods.items():
            body = _body(schema, one)
            fields = [
                ShapeField(
                    parameter["name"],
                    _words(parameter["schema"]),
                    parameter.get("description", ""),
                    parameter.get("required", False),
                )
                for parameter in one.get("parameters", ())
                if parameter["in"] != "header"
            ]
            answers = [int(status) for status in one["responses"]]
            token = one.get("security", [])
            yield (
                one["tags"][0],
                Operation(
                    method.upper(),
                    path,
                    one["operationId"],
                    one["summary"],
                    " ".join(one.get("description", "").split()),
                    "optional" if {} in token else "needed" if token else "",
                    fields + list(_fields(body)),
                    _answer(one, min(answers)),
                    [status for status in answers if status >= 400],
                    _curl(method, base + path, body, token),
                ),
            )


def _body(schema: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the type of an operation's body; empty if it has none."""
    if "requestBody" not in operation:
        return {}
    given = operation["requestBody"]["content"]["application/json"]["schema"]
    for one in given.get("anyOf", [given]):
        if "$ref" in one:
            found: dict[str, Any] = schema["components"]["schemas"][_name(one)]
            return found
    return {}


def _answer(operation: Mapping[str, Any], status: int) -> str:
    ((media, content),) = operation["responses"][str(status)]["content"].items()
    shape = content.get("schema", {})
    return f"{status} {_words(shape) if shape else media}"


def _fields(shape: Mapping[str, Any]) -> Iterator[ShapeField]:
    for name, one in shape.get("properties", {}).items():
        meaning = " ".join(one.get("description", "").split())
        yield ShapeField(name, _words(one), meaning, name in shape.get("required", ()))


def _words(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _name(schema)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_words(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    kind: str = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_words(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_words(schema['additionalProperties'])}"
    return kind


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _curl(method: str, url: str, body: Mapping[str, Any], token: list[Any]) -> str:
    """Return a command that tries an operation, with shell variables for the unknown parts."""
    url = re.sub(r"\{(\w+)\}", lambda found: f"${found[1].upper()}", url)
    parts = [f'curl "{url}"']
    if token:
        parts.append('-H "Authorization: Bearer $TOKEN"')
    if body:
        parts.append(f"--json '{json.dumps(_example(body))}'")
    elif method == "post":
        parts.append("-X POST")
    if url.endswith("/stream"):
        parts[0] = f'curl -N "{url}"'
    return " \\\n  ".join(parts)


def _example(shape: Mapping[str, Any]) -> Any:
    """Return an example of a type: its own, or one made of its required fields."""
    if "examples" in shape:
        return shape["examples"][0]
    simple = {"integer": 0, "string": "..."}
    return {
        name: one["examples"][0] if "examples" in one else simple.get(one.get("type", ""), "...")
        for name, one in shape["properties"].items()
        if name in shape.get("required", ())
    }


@router.get("/openapi.json", Cost.RENDERING)
async def description(request: Request) -> JSONResponse:
    """Describe the interface, for programs."""
    return JSONResponse(request.app.openapi())
