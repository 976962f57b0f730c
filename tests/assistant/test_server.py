"""An assistant plays through the protocol's own client, in this process and over standard input."""

import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
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


def connected(to: Any, act: Callable[[Any], Awaitable[None]]) -> None:
    """Let a client act, and fail if that takes very long."""
    import anyio
    from mcp.client import Client

    async def in_time() -> None:
        with anyio.fail_after(120):
            async with Client(to) as client:
                await act(client)

    anyio.run(in_time)


def test_an_assistant_plays_a_game() -> None:
    async def play(client: Any) -> None:
        tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        assert {"start_table", "look", "move", "hint", "review", "solve"} <= set(tools)
        for schema in tools.values():
            assert all(one["description"] for one in schema["properties"].values())
        assert "master" in tools["start_table"]["properties"]["level"]["enum"]
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
        for name, given, refusal in (
            ("peek", {}, "there is no tool 'peek': the tools are list_games, rules"),
            ("look", {}, "table is missing: give the id of a table"),
            ("look", {"table": table, "seat": 1}, "look has no argument 'seat'"),
            ("move", {"table": table, "move": True}, "move cannot be True: give a legal move"),
            ("start_table", {"game": "double-down", "seats": "two"}, "seats cannot be 'two'"),
        ):
            assert (await said(client, name, **given)).startswith(f"error: {refusal}")
        for _ in range(300):
            moves = re.findall(r"\[(.+?)\]", await said(client, "legal_moves", table=table))
            if not moves:
                break
            move = int(moves[0]) if moves[0].isdecimal() else moves[0]
            text = await said(client, "move", table=table, move=move)
        assert "The game is over." in text
        assert table in await said(client, "my_tables")
        assert "has no solver" in await said(client, "solve", table=table)
        assert "no table" in await said(client, "look", table="none")

    connected(server(), play)


def test_no_file_can_be_read(tmp_path: Path) -> None:
    """A client over standard input and output asks for a file in every way that comes to mind."""
    file = tmp_path / "file.txt"
    file.write_text("SECRET x3\n")
    path, start, tables = str(file), "start_table", dict[str, Any](game="double-down", seats=2)

    async def read(client: Any) -> None:
        for name, given in (
            (start, tables | {"options": {"cards": path}}),
            (start, tables | {"options": {"cards": [path]}}),
            (start, tables | {"options": {"cards": file.as_uri()}}),
            (start, tables | {"options": {"cards": {"path": path}}}),
            (start, tables | {"options": f'{{"cards": "{path}"}}'}),
            (start, tables | {"options": [f"cards={path}"]}),
            (start, {"game": "double-dominoes", "options": {"board": path}}),
            (start, tables | {"level": path}),
            (start, tables | {"deck": path}),
            (start, {"game": path}),
            ("rules", {"game": f"../../..{path}", "full": True}),
            ("look", {"table": path}),
        ):
            text = await said(client, name, **given)
            assert text.startswith("error: "), (name, given)
            assert "SECRET" not in text, (name, given)
            assert "Error executing" not in text
        with pytest.raises(Exception, match="Unknown resource"):
            await client.read_resource(file.as_uri())
        assert "SECRET" not in await said(client, start, **tables, seed=path)

    connected(launched(), read)
