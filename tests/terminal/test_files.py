"""Saved games: a save replaces only an earlier one of the same game."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

import redouble
from redouble.contract.options import DeckData, read_lines
from redouble.terminal.files import SaveError, _save, read_record, save


def test_a_save_reads_back_and_replaces_an_earlier_one(tmp_path: Path) -> None:
    match = redouble.new("double-down", seats=2, seed="s")
    file = tmp_path / "game.json"
    save(match, file)
    match.push(match.legal_moves[0])
    save(match, file)
    assert redouble.replay(file.read_text()).moves == match.moves
    assert os.listdir(tmp_path) == ["game.json"]


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    match = redouble.new("double-down", seats=2, seed="s")
    file = tmp_path / "game.json"
    file.write_text(f"\ufeff\n{match.record()}\n")
    assert read_record(file) == (2, match.record())
    file.write_text(f"\ufeff{match.record()}\n")
    save(match, file)
    assert redouble.replay(f"\ufeff{match.record()}").seed == "s"
    deck = tmp_path / "deck.txt"
    for game in (redouble.GAMES["double-down"], redouble.GAMES["three-up"]):
        option = next(one for one in game.options if isinstance(one, DeckData))
        lines = [line for line in read_lines(game.folder / "deck.txt") if not line.startswith("#")]
        deck.write_text("\ufeff" + "\n".join(lines))
        assert option.check(deck, 3) == option.check(deck.read_text().splitlines(), 3) == lines


def test_a_game_that_took_very_long_is_saved_and_read_again(tmp_path: Path) -> None:
    path, record = tmp_path / "game.json", redouble.new("three-up", seats=2, games=99).record()
    for plies in (400_000, 400_001):
        long = replace(record, moves=("draw",) * plies)
        _save(long, path)
    assert read_record(path) == (1, long)


@pytest.mark.parametrize("content", ["my thesis\n", "{}\n", ""])
def test_a_file_that_is_not_a_save_of_this_game_is_not_overwritten(
    tmp_path: Path, content: str
) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text(content)
    with pytest.raises(SaveError, match="already exists and is not this game"):
        save(redouble.new("double-down", seed="s"), file)
    assert file.read_text() == content


def test_a_save_of_another_game_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    save(redouble.new("double-down", seed="one"), file)
    with pytest.raises(SaveError, match="give another name"):
        save(redouble.new("double-down", seed="two"), file)


def test_a_failed_save_says_why_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = redouble.new("double-down", seed="s")
    with pytest.raises(SaveError, match="No such file or directory"):
        save(match, tmp_path / "no" / "where.json")
    with pytest.raises(SaveError, match="it is a folder"):
        save(match, tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SaveError, match="No space left on device"):
        save(match, tmp_path / "game.json")
    assert os.listdir(tmp_path) == []
