"""Games at a real terminal, key by key."""

import json
import os
import signal
from pathlib import Path

import pytest

from redouble.bots.levels import LEVEL_WORDS
from redouble.contract.registry import GAMES
from tests.helpers import keyboard as keyboard_module
from tests.helpers.keyboard import Keyboard
from tests.helpers.screens import ROWS


@pytest.mark.parametrize("name", list(GAMES))
def test_a_whole_game_at_a_real_terminal(name: str, tmp_path: Path) -> None:
    arguments = ("play", name, "--seed", "live", "--fast", "--level", "random")
    with Keyboard(*arguments, folder=tmp_path) as keyboard:
        for _ in range(600):
            screen = keyboard.see("\n>", "leave >")
            assert len(screen.splitlines()) <= ROWS
            if screen.rstrip().endswith("leave >"):
                break
            listed = [line for line in screen.splitlines() if line.startswith(("1 ", "a "))]
            keyboard.type(listed[-1][0])
        assert "Game over: " in keyboard.screen
        keyboard.type("s")
        keyboard.see("save >")
        keyboard.type("over.json")
        assert "Saved to over.json." in keyboard.see("leave >")
        keyboard.type("")
        assert keyboard.wait() == 0
    record = json.loads((tmp_path / "over.json").read_text())
    assert record["game"] == name
    assert record["ranks"]


def test_people_hand_over_behind_a_curtain(tmp_path: Path) -> None:
    arguments = ("play", "double-down", "--seats", "2", "--people", "2", "--names", "Ada,Ben")
    with Keyboard(*arguments, "--seed", "c", "-o", "ages=11,30", folder=tmp_path) as keyboard:
        assert "Pass to Ada. No peeking! Then press Enter." in keyboard.see("Enter.")
        keyboard.type("")
        assert "You" in keyboard.see("\n>")
        keyboard.type("a")
        screen = keyboard.see("Enter.")
        assert "Pass to Ben" in screen
        assert "You" not in screen


def test_help_rules_and_undo_at_a_real_terminal(tmp_path: Path) -> None:
    arguments = ("play", "double-down", "--seats", "2", "--seed", "h", "--fast")
    with Keyboard(*arguments, folder=tmp_path) as keyboard:
        before = keyboard.see("\n>")
        keyboard.type("help")
        assert "suggest a move, and say why" in keyboard.see("continue.")
        keyboard.type("")
        assert keyboard.see("\n>") == before
        keyboard.type("a")
        keyboard.see("\n>")
        keyboard.type("undo")
        assert keyboard.see("\n>") == before
        keyboard.type("quit")
        keyboard.see("no >")
        keyboard.type("y")
        assert keyboard.wait() == 0
    assert os.listdir(tmp_path) == ["double-down-h.json"]


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x04", 0)])
def test_a_slip_of_the_finger_does_not_lose_the_game(tmp_path: Path, keys: str, code: int) -> None:
    with Keyboard("play", "double-down", "--seed", "i", "--fast", folder=tmp_path) as keyboard:
        keyboard.see("\n>")
        keyboard.type("a")
        keyboard.see("\n>")
        keyboard.await_key()
        keyboard.press(keys)
        assert "Save the game?" in keyboard.see("no >")
        keyboard.type("y")
        assert keyboard.wait() == code
    assert os.listdir(tmp_path) == ["double-down-i.json"]


def test_a_second_interrupt_quits(tmp_path: Path) -> None:
    with Keyboard("play", "double-down", "--seed", "i", "--fast", folder=tmp_path) as keyboard:
        keyboard.see("\n>")
        keyboard.type("a")
        for words in ("\n>", "no >"):
            keyboard.see(words)
            keyboard.await_key()
            keyboard.press("\x03")
        assert keyboard.wait() == 130
        assert "Traceback" not in keyboard.screen
    assert not os.listdir(tmp_path)


def test_a_thinking_bot_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyboard_module, "PATIENCE", 180.0)  # it may be compiled first
    # The bot is nearer to a double and begins.
    arguments = ("play", "double-down", "--seats", "2", "--seed", "b", "--fast", "-o", "ages=30,11")
    with Keyboard(*arguments, "--level", "master", folder=tmp_path) as keyboard:
        assert "Ada is thinking... The first time" in keyboard.see("a while.\n")
        assert "thinking" not in keyboard.see("\n>")


def test_without_a_compiler_a_live_screen_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['numba'] = None")
    arguments = ("play", "double-down", "--seats", "2", "--seed", "h", "--fast")
    with Keyboard(*arguments, folder=tmp_path, PYTHONPATH=f"{tmp_path}") as keyboard:
        assert "so searches are slow: pip install" in keyboard.see("\n>")
        keyboard.type("hint")
        assert "Hint: Play" in keyboard.see("\n>")
        keyboard.type("a")
        assert "pip install" not in keyboard.see("\n>")


def test_the_menu_leads_to_a_game(tmp_path: Path) -> None:
    with Keyboard("play", folder=tmp_path) as keyboard:
        keyboard.see("[1]:")
        keyboard.type("nonsense")
        assert "there is no game 'nonsense'" in keyboard.see("[1]:")
        keyboard.type("double-down")
        assert "Double Down against 3 club bots" in keyboard.see("rules: ", "rules:")
        keyboard.type("c")
        for answer, question in (
            ("9", "How many players"),
            ("3", "How many players"),
            ("", "people"),
        ):
            assert question in keyboard.see("]:")
            keyboard.type(answer)
        asked = keyboard.see("]:")
        assert "Level of the bots" in asked
        for level, words in LEVEL_WORDS.items():
            assert f"{level}  {words}" in asked
        keyboard.type("hal")
        assert "there is no bot 'hal'" in keyboard.see("[club]:", "[club]:")
        keyboard.type("")
        for question in ("Your name", "Rule options"):
            assert question in keyboard.see("]:")
            keyboard.type("")
        assert "You" in keyboard.see("\n>")


def test_no_color_and_a_limited_terminal_are_respected(tmp_path: Path) -> None:
    with Keyboard("play", "double-down", folder=tmp_path, TERM="dumb") as keyboard:
        assert "--- Double Down" in keyboard.see("\n>")


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
def test_a_game_that_is_cut_off_is_offered_at_the_next_start(tmp_path: Path, number: int) -> None:
    arguments = ("play", "double-down", "--seats", "2", "--people", "2", "--seed", "h", "--fast")
    with Keyboard(*arguments, folder=tmp_path) as keyboard:
        keyboard.see("Enter.")
        keyboard.type("")
        keyboard.see("\n>")
        keyboard.type("a")
        keyboard.see("Enter.")
        with Keyboard(*arguments, folder=tmp_path) as other:  # a game that runs isn't offered
            other.see("Enter.")
        keyboard.await_key()
        keyboard.hang_up(number)
    for answer in ("n", ""):
        with Keyboard("play", folder=tmp_path) as keyboard:
            assert "Double Down was cut off after 1 move." in keyboard.see("delete it >")
            keyboard.type(answer)
            keyboard.see("leave [1]:" if answer else "Enter.")
            if not answer:
                keyboard.type("")
                keyboard.see("\n>")
                keyboard.type("quit")
                keyboard.see("no >")
                keyboard.type("n")
                assert keyboard.wait() == 0
    with Keyboard("play", folder=tmp_path) as keyboard:
        keyboard.see("leave [1]:")
