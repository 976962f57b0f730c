"""An assistant plays through the protocol's own client, in this process and over standard input."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import pytest


async def said(client: Any, name: str, **given: Any) -> str:
    """The text that a tool answers; with ``error:`` in front if it refuses."""
    result = await client.call_tool(name, given)
    text = "".join(part.text for part in result.content)
    return f"error: {text}" if result.is_error else text


def server() -> Any:
    from redouble.assistant.server import mcp_server

    return mcp_server()


def launched() -> Any:
    from mcp import StdioServerParameters

    command = ["-m", "redouble", "mcp"]
    return StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))


@pytest.mark.parametrize("connect", [server, launched])
def test_an_assistant_plays_a_game(connect: Any) -> None:
    import anyio
    from mcp.client import Client

    async def play() -> None:
        async with Client(connect()) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert {"start_table", "look", "move", "hint", "review", "solve"} <= tools
            assert "double-down: Double Down" in await said(client, "list_games")
            assert "chip" in await said(client, "rules", game="double-down")
            text = await said(
                client,
                "start_table",
                game="double-down",
                seats=2,
                level="novice",
                seed="a",
                hints=False,
            )
            table = text.split()[1].rstrip(".")
            assert "Bot 1: chips 3; hand: 5 face down" in text
            assert "no hints" in await said(client, "hint", table=table)
            assert (await said(client, "move", table=table, move="?")).startswith("error: ")
            assert "not over" in await said(client, "review", table=table)
            for _ in range(300):
                moves = re.findall(r"\[(.+?)\]", await said(client, "legal_moves", table=table))
                if not moves:
                    break
                text = await said(client, "move", table=table, move=moves[0])
            assert "The game is over." in text
            assert table in await said(client, "my_tables")
            assert "has no solver" in await said(client, "solve", table=table)
            assert "no table" in await said(client, "look", table="none")

    async def in_time() -> None:
        with anyio.fail_after(120):
            await play()

    anyio.run(in_time)
