"""Spans for OpenTelemetry: what they tell, what they hide, and when there are none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redouble.contract.registry import GAMES
from tests.helpers.command import Run
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


WITHOUT = """
import os, sys
from pathlib import Path
from redouble.web.app import create_app
from redouble.web.server import serve

app = create_app(Path('.'))
off = [
    {"OTEL_TRACES_EXPORTER": "none"},
    {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"},
]
for told in off:
    os.environ.update(told)
    with serve._traced(app, None):
        pass
    for name in told:
        del os.environ[name]
tracing = ("opentelemetry.sdk", "opentelemetry.exporter", "redouble.web.server.tracing")
loaded = [name for name in sys.modules if name.startswith(tracing)]
print(loaded, app.user_middleware[0].cls.__name__)
"""


def test_without_configuration_nothing_is_loaded(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.stdout == "[] Head\n", done.stderr


def test_an_exporter_that_is_not_there_is_named(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    code, out, err = run("serve", "--port", "0", "--data", str(tmp_path))
    assert code == 2
    assert "OTEL_TRACES_EXPORTER=zipkin: use otlp or console" in out + err
    assert "Traceback" not in out + err
