"""Spans for OpenTelemetry: what they tell, what they hide, and when there are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redouble.contract.registry import GAMES
from tests.web.helpers.server import port_of, process, send

FOR_TWO = next(game.name for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)


def spans_of(text: str) -> list[dict[str, Any]]:
    """The spans that the console's exporter has printed, one JSON value after the other."""
    decoder, found = json.JSONDecoder(), []
    while (at := text.find("{")) >= 0:
        span, end = decoder.raw_decode(text[at:])
        found.append(span)
        text = text[at + end :]
    return found


def test_spans_tell_what_is_done_and_name_nobody(tmp_path: Path) -> None:
    with process("--port", "0", "--data", str(tmp_path), OTEL_TRACES_EXPORTER="console") as server:
        port = port_of(server.first_line())
        server.first_line()
        guest = send(port, "POST", "/api/guests", {"name": "Annabella"})
        body = {"game": FOR_TWO, "seats": [{"kind": "me"}, {"kind": "here"}]}
        table = send(port, "POST", "/api/tables", body, guest["token"])["table"]
        send(port, "POST", f"/api/tables/{table}/pace", {"pace": "fast"}, guest["token"])
        send(port, "GET", "/api/me")
        server.process.terminate()
        _, said = server.ended()
    spans = {span["name"]: span for span in spans_of(said)}
    request = spans["POST /api/tables/{table}/pace"]
    assert request["kind"] == "SpanKind.SERVER"
    assert request["attributes"]["http.response.status_code"] == 200
    assert request["resource"]["attributes"]["service.name"] == "redouble"
    command = spans["command"]
    assert command["attributes"] == {"redouble.game": FOR_TWO, "redouble.events": ["pace"]}
    assert command["parent_id"] == request["context"]["span_id"]
    writes = [span for span in spans_of(said) if span["name"] == "database write"]
    assert command["context"]["span_id"] in [span["parent_id"] for span in writes]
    assert "GET /api/me" in spans
    for secret in (table, guest["token"], "Annabella", "127.0.0.1:"):
        assert secret not in said


@pytest.mark.parametrize("off", [{"OTEL_TRACES_EXPORTER": "none"}, {"OTEL_SDK_DISABLED": "true"}])
def test_without_configuration_nothing_is_loaded(tmp_path: Path, off: dict[str, str]) -> None:
    program = (
        "import sys; from pathlib import Path; from redouble.web.app import create_app;"
        "from redouble.web.server import serve; app = create_app(Path('.'))\n"
        "with serve._traced(app, None): pass\n"
        "print([name for name in sys.modules if name.startswith(('opentelemetry.sdk',"
        " 'opentelemetry.exporter', 'redouble.web.server.tracing'))],"
        " app.user_middleware[0].cls.__name__)"
    )
    told: dict[str, str] = {}
    if "OTEL_SDK_DISABLED" in off:
        told["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:4318"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | off | told,
    )
    assert done.stdout == "[] Head\n", done.stderr


def test_an_exporter_that_is_not_there_is_named(tmp_path: Path) -> None:
    with process("--port", "0", "--data", str(tmp_path), OTEL_TRACES_EXPORTER="zipkin") as server:
        status, said = server.ended()
    assert status == 2
    assert "OTEL_TRACES_EXPORTER=zipkin: use otlp or console" in said
    assert "Traceback" not in said
