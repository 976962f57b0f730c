"""A server of the Model Context Protocol through which an assistant plays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from redouble.assistant.tables import AssistantTables
from redouble.kernel.errors import RedoubleError
from redouble.kernel.extras import needs
from redouble.kernel.version import __version__

with needs("redouble mcp", "llm"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

__all__ = ["mcp_server"]

INSTRUCTIONS = (
    "Play tabletop games against bots. Start a table, then look, and make moves until the game is "
    "over. You see only what your seat may know. Afterwards you can have the game reviewed."
)


def mcp_server() -> MCPServer[Any]:
    """Return a server with tables of its own."""
    server: MCPServer[Any] = MCPServer("redouble", instructions=INSTRUCTIONS, version=__version__)
    tables = AssistantTables()
    tools: dict[str, Callable[..., str]] = {
        "list_games": tables.games,
        "rules": tables.rules,
        "start_table": tables.start,
        "my_tables": tables.listed,
        "look": tables.look,
        "legal_moves": tables.moves,
        "move": tables.move,
        "hint": tables.hint,
        "review": tables.review,
        "solve": tables.solve,
    }
    for name, call in tools.items():
        server.add_tool(_told(call), name=name, description=call.__doc__)
    return server


def _told(call: Callable[..., str]) -> Callable[..., str]:
    """Return a tool whose errors are sentences for the assistant."""

    @functools.wraps(call)
    def tool(*given: Any, **named: Any) -> str:
        try:
            return call(*given, **named)
        except RedoubleError as error:
            raise ToolError(str(error)) from None

    return tool
