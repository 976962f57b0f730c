"""``redouble mcp``: a server through which assistants play."""

from __future__ import annotations

from typing import Annotated

import typer


def mcp(
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=65535,
            help="Serve HTTP on this port of this machine, at /mcp, instead of standard input.",
        ),
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
