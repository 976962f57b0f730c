"""``redouble serve``, ``work`` and ``mcp``: servers, for people and for programs."""

from __future__ import annotations

from typing import Annotated

from redouble.kernel.settings import Database, Metrics, Settings, option


def serve(*, settings: Settings) -> None:
    """Start the web server, for browsers and programs."""
    from redouble.web.server.serve import serve as run_server

    run_server(settings)


def work(
    database: Database = "",
    workers: Annotated[
        int, option("N", "Make N reviews at a time, each in its own process.", low=1, high=256)
    ] = 1,
    metrics: Metrics = "",
) -> None:
    """Make reviews for web servers that share a database."""
    from redouble.web.server.work import work as run_workers

    run_workers(database, workers, metrics)


def mcp(
    port: Annotated[
        int | None,
        option("N", "Serve HTTP at /mcp on this port of this machine.", low=1, high=65535),
    ] = None,
) -> None:
    """Let an assistant play, by the Model Context Protocol.

    It speaks over standard input and output, as assistants start it, or over HTTP. It needs the
    extra llm.
    """
    from redouble.assistant.server import mcp_server

    server = mcp_server()
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=port)
