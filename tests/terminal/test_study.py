"""Records and reviews at a terminal."""

from pathlib import Path

import pytest
from rich.text import Text

import redouble
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.terminal.ask.screen import Screen
from redouble.terminal.draw.blocks import width
from redouble.terminal.study.replay import as_text, rows
from tests.helpers import keyboard as keyboard_module
from tests.helpers.keyboard import Keyboard
from tests.helpers.screens import COLUMNS, ROWS


def test_stepping_through_a_record(tmp_path: Path) -> None:
    match = redouble.new("double-down", seats=["Ada", "Ben"], seed="r")
    for _ in range(4):
        match.push(match.legal_moves[0])
    (tmp_path / "game.json").write_text(f"{match.record()}\n")
    with Keyboard("replay", "game.json", folder=tmp_path) as keyboard:
        assert "Move 0 of 4" in keyboard.see("\n>")
        for typed, place in (("", 1), ("", 2), ("b", 1), ("4", 4)):
            keyboard.type(typed)
            assert f"Move {place} of 4" in keyboard.see("\n>")
        assert "is to move" in keyboard.screen
        keyboard.type("q")
        assert keyboard.wait() == 0


def test_a_moment_has_a_screen_of_its_own(tmp_path: Path) -> None:
    match, ply = losing_a_chip()
    (tmp_path / "game.json").write_text(f"{match.record()}\n")
    with Keyboard("replay", "game.json", folder=tmp_path) as keyboard:
        keyboard.see("\n>")
        for typed, moment in ((f"{ply - 1}", False), ("", True), ("", False), ("", False)):
            keyboard.type(typed)
            screen = keyboard.see("\n>")
            assert ("loses a chip." in screen) == moment
            assert len(screen.splitlines()) <= ROWS
        assert f"Move {ply + 1} of" in screen
        keyboard.type("q")
        assert keyboard.wait() == 0


def losing_a_chip() -> tuple[Match, int]:
    """A game that goes on after a chip was lost, and after how many moves it was."""
    match = redouble.new("double-down", seats=["Ada", "Ben"], seed="r")
    while [one.kind.name for one in match.moments()] != ["chip-lost"]:
        match.push(match.legal_moves[-1])
    ply = match.ply
    for _ in range(2):
        match.push(match.legal_moves[0])
    return match, ply


LONG_NOTES = [(2, f"{n} {'so it goes ' * 15}") for n in range(9)]


@pytest.fixture
def noted() -> Record:
    """Four moves, with notes at some plies; one would steer the terminal, and one ply has many."""
    match = redouble.new("double-down", seats=["Ada", "Ben"], seed="r")
    for _ in range(4):
        match.push(match.legal_moves[0])
    return match.record([(0, "All sit down."), (1, "Ada \x1b[2Jleft."), *LONG_NOTES])


def test_notes_appear_where_they_happened(
    noted: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    as_text(Replay(noted), None, Screen())
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "All sit down."
    after = next(at for at, line in enumerate(lines) if line.startswith("1. "))
    assert lines[after + 1] == "Ada [2Jleft."
    assert lines[after + 2].startswith("2. ")
    found = list(rows(Replay(noted), 0))
    assert [len(row["notes"]) for row in found] == [1, 1, 9, 0, 0]
    assert found[1]["notes"] == ["Ada \x1b[2Jleft."]


def test_a_game_that_was_just_played_is_reviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyboard_module, "PATIENCE", 180.0)  # it may be compiled first
    arguments = ("play", "double-down", "--seats", "2", "--people", "0", "--seed", "r", "--fast")
    with Keyboard(*arguments, folder=tmp_path) as keyboard:
        keyboard.see("leave >")
        keyboard.type("r")
        shown = keyboard.see("moments.", "leave >")
        assert "own mistakes" in shown
        while not keyboard.screen.rstrip().endswith("leave >"):
            keyboard.type("")
            shown = keyboard.see("continue.", "leave >")
            # A moment's sentence and its table share a screen, where no player is "you".
            assert len(shown.strip("\r\n").splitlines()) <= ROWS
            assert width([Text(line) for line in shown.splitlines()]) <= COLUMNS
            assert "(you)" not in shown
        keyboard.type("sesame")
        assert "There is no choice 'sesame' here." in keyboard.see("leave >")
        keyboard.type("")
        assert keyboard.wait() == 0
