"""Every command that is given a file or folder that isn't there says so, and changes nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from redouble.commands.command_line import app
from redouble.commands.help import names
from tests.helpers.command import Run

GIVEN = {
    **{"GAME": "double-down", "BOT": "greedy", "PLAYER": "greedy", "TEXT": "why", "DAYS": "1"},
    **{"PERSON": "Ada", "TABLE": "one", "NAME": "Ben", "REPORT": "1", "FOLDER": "new"},
    **{"ADDRESS": "postgresql://127.0.0.1:1/new", "FILE": "games.npz"},
}
"""What the other parameters of a command are given if it needs them."""
PLACES = {"FILE", "FOLDER", "CARDS", "DEAL"}
"""What people type for parameters that name files and folders."""
MADE = {
    "serve --data FOLDER",
    "backup FOLDER",
    "restore --data FOLDER",
    "build wasm --out FOLDER",
    "build c --out FOLDER",
    "build site --out FOLDER",
}
"""Folders that are made if they aren't there."""
GONE = "no/where.npz"


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))
    if path and not hasattr(command, "commands"):
        yield path, command


def words(command: Any, missing: Any) -> Iterator[str]:
    """Yield the arguments of a command, one of which is a place that isn't there."""
    for one in command.params:
        value = GONE if one is missing else GIVEN[one.metavar] if one.required else ""
        if value and one.param_type_name == "option":
            yield one.opts[0]
        yield from [value] if value else []


CASES = {
    f"{' '.join(path)} {names(one)}": (*path, *words(command, one))
    for path, command in commands(get_command(app))
    for one in command.params
    if one.metavar in PLACES
}


def test_the_commands_are_found() -> None:
    assert len(CASES) > 50
    assert set(CASES) > MADE


@pytest.mark.parametrize("case", sorted(CASES.keys() - MADE))
def test_a_missing_file_is_named_and_nothing_is_written(
    run: Run, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    line = CASES[case]
    said = run(*line, *(["double-down"] if case.startswith("play --deck") else [])).refusal()
    assert GONE in said or GONE.split("/")[0] in said
    assert not list(tmp_path.iterdir())
