"""Spans for OpenTelemetry: requests, the commands of tables, and writes to the database.

This is loaded only when the environment names an exporter, as every program with OpenTelemetry
understands it. A span names a route, a game and kinds of events, never a person or a link.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from opentelemetry.context import attach, detach
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider, export
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, set_span_in_context
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redouble.kernel.errors import RedoubleError
from redouble.kernel.version import __version__
from redouble.web.gate.journal import route_of
from redouble.web.site import Site
from redouble.web.watchers import Note, Watcher

CONSOLE, OTLP = "console", "otlp"


class TracingError(RedoubleError):
    """The environment asks for what can't be exported."""


class Tracing(Watcher):
    """Makes the spans of a site, and hands them to a processor."""

    def __init__(self, processor: SpanProcessor, environment: Mapping[str, str]) -> None:
        named = {} if "OTEL_SERVICE_NAME" in environment else {SERVICE_NAME: "redouble"}
        self._provider = TracerProvider(resource=Resource.create(named))
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("redouble", __version__)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Tracing:
        """Return what the ``OTEL_`` variables ask for. Raises :class:`TracingError`."""
        exporter = environment.get("OTEL_TRACES_EXPORTER", OTLP)
        if exporter == CONSOLE:
            return cls(export.SimpleSpanProcessor(export.ConsoleSpanExporter()), environment)
        if exporter != OTLP:
            raise TracingError(f"OTEL_TRACES_EXPORTER={exporter}: use {OTLP} or {CONSOLE}")
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return cls(export.BatchSpanProcessor(OTLPSpanExporter()), environment)

    @contextlib.contextmanager
    def following(self, app: FastAPI, site: Site) -> Iterator[None]:
        """Make spans of an application's requests, and of a site's commands and writes."""
        app.add_middleware(_Requests, tracer=self._tracer)
        site.watchers.add(self)
        try:
            yield
        finally:
            self._provider.shutdown()

    @contextlib.contextmanager
    def commanded(self, game: str) -> Iterator[Note]:
        with self._tracer.start_as_current_span("command", record_exception=False) as span:
            span.set_attribute("redouble.game", game)
            yield lambda kinds: span.set_attribute("redouble.events", list(kinds))

    def saving(self, done: Future[Any]) -> None:
        span = self._tracer.start_span("database write")
        done.add_done_callback(lambda future: _end(span, future))


@dataclass
class _Requests:
    app: ASGIApp
    tracer: Tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request within a span, which ends with the start of the answer.

        Streams stay open for hours, so the end of the answer tells nothing.
        """
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        method = scope["method"]
        span = self.tracer.start_span(method, kind=SpanKind.SERVER)

        async def answering(message: Message) -> None:
            if message["type"] == "http.response.start":
                status, route = message["status"], route_of(scope)
                span.update_name(f"{method} {route}")
                span.set_attributes(
                    {
                        "http.request.method": method,
                        "http.route": route,
                        "http.response.status_code": status,
                    }
                )
                if status >= 500:
                    span.set_status(StatusCode.ERROR)
                span.end()
            await send(message)

        token = attach(set_span_in_context(span))
        try:
            await self.app(scope, receive, answering)
        finally:
            detach(token)
            if span.is_recording():
                span.end()


def _end(span: Span, done: Future[Any]) -> None:
    if done.cancelled() or done.exception() is not None:
        span.set_status(StatusCode.ERROR)
    span.end()
