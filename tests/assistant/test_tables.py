"""Tables of an assistant: its rights, and what it is told."""

import sys

import pytest

from redouble.assistant import tables as module
from redouble.assistant.tables import AssistantTables
from redouble.commands.server import mcp
from redouble.kernel.errors import MissingExtra, RedoubleError


def test_an_assistant_sees_and_does_what_its_seat_may() -> None:
    tables = AssistantTables()
    text = tables.start("double-down", 3, "novice", "rights", hints=False)
    table = text.split()[1].rstrip(".")
    assert text.count("5 face down") == 2
    assert "You are You." not in text
    for call in (tables.review, tables.solve):
        with pytest.raises(RedoubleError, match="not over"):
            call(table)
    with pytest.raises(RedoubleError, match="no hints"):
        tables.hint(table)
    with pytest.raises(RedoubleError, match="give one of the legal moves"):
        tables.move(table, "all of them")
    assert "your turn" in tables.listed()
    assert tables.look(table) in text


def test_wrong_input_is_named() -> None:
    tables = AssistantTables()
    assert tables.listed() == "You have no tables."
    for given, said in (
        (("chess",), "no game 'chess'"),
        (("double-down", 9), "2 to 7 players"),
        (("double-down", 2, "wizard"), "no bot 'wizard'"),
        (("double-down", 2, "club", None, {"speed": 9}), "speed"),
    ):
        with pytest.raises(RedoubleError, match=said):
            tables.start(*given)
    with pytest.raises(RedoubleError, match="no table 'x'"):
        tables.look("x")


def test_old_tables_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TABLES", 2)
    tables = AssistantTables()
    made = [tables.start("double-down", 2).split()[1].rstrip(".") for _ in range(3)]
    assert [line.split(":")[0] for line in tables.listed().splitlines()] == made[1:]


def test_the_command_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mcp", "mcp.server.mcpserver"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "redouble.assistant.server", raising=False)
    with pytest.raises(MissingExtra, match=r"redouble mcp needs the package mcp, .*\[llm\]"):
        mcp()
