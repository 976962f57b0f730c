"""The terminal: tables that fit and hide what is hidden, lines understood, whole games played."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.text import Text

import redouble
from redouble.analysis.prepare import Purpose
from redouble.bots import BOTS
from redouble.bots.levels import LEVEL_WORDS, LevelBot
from redouble.commands import errors
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.rng import Generator
from redouble.match.match import Match, Observation, Reached
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.match.story import Story, ties_broken
from redouble.terminal import boards, plain
from redouble.terminal.blocks import Block, beside, flow, grid, width
from redouble.terminal.cards import ASCII, ROUND
from redouble.terminal.files import SaveError, save
from redouble.terminal.pictures import picture
from redouble.terminal.prompt import Choices, Typed, asking
from redouble.terminal.replay import as_json, as_text
from redouble.terminal.screen import Screen
from redouble.terminal.session import Session
from redouble.terminal.setup import Setup
from redouble.terminal.table import TablePicture, draw
from tests.helpers import keyboard as keyboard_module
from tests.helpers.keyboard import Keyboard
from tests.helpers.places import ROOT
from tests.helpers.worlds import Setting, settings

COLUMNS, ROWS = 80, 24
PICTURES = ROOT / "docs" / "pictures"


def drawn(match: Match, story: Story, columns: int = COLUMNS, rows: int = ROWS) -> Block:
    """The screen at the decision of the seat to move, but for the line it types on."""
    seat = match.turn
    assert seat is not None
    view = match.view(seat)
    choices = Choices.of(match, rows)
    below = asking(view.prompt, choices, columns)
    told = story.lines(seat, max(0, match.ply - match.seats))
    shown = TablePicture(match.game.title, view, story.names, seat, told, below)
    return draw(shown, ROUND, columns, rows - 1)


def positions(setting: Setting, every: int, most: int) -> Iterator[tuple[Match, Story]]:
    match = Match(setting.game, setting.seats, "terminal", dict(setting.options))
    story = Story(match, range(match.seats))
    dice = Random(str(setting))
    while match.turn is not None and match.ply < most:
        if match.ply % every == 0:
            yield match, story
        mover = match.turn
        match.push(dice.choice(list(match.legal_moves)))
        story.hear(mover)


@pytest.mark.parametrize("setting", list(settings(spread=1)), ids=str)
def test_table_and_prompt_fit_80_by_24(setting: Setting) -> None:
    for match, story in positions(setting, every=23, most=160):
        block = drawn(match, story)
        assert len(block) <= ROWS - 1
        assert width(block) <= COLUMNS
        assert match.view(match.turn).prompt.split()[0] in text_of(block)


@pytest.mark.parametrize("name", list(GAMES))
def test_nothing_hidden_is_drawn(name: str) -> None:
    """Two worlds that the seat cannot tell apart give the same screen."""
    game = GAMES[name]
    match = Match(game, seed="hidden")
    while match.turn is not None and match.ply < 9:
        match.push(match.legal_moves[0])
    if match.turn is None:  # a very short game
        match.pop()
    seat = match.turn
    assert seat is not None
    other = Match(game, seed="hidden")
    for move in match.moves:
        other.push(move)
    world = other.seen_by(seat)
    game.rules.determinize(world, [1, 2, 3, 4], [0] * 2048)
    other._here = Reached(game, world)
    screens = [text_of(drawn(m, Story(m, [seat]))) for m in (match, other)]
    assert screens[0] == screens[1]


@pytest.mark.parametrize("name", list(GAMES))
def test_a_larger_window_and_a_narrow_one_work_too(name: str) -> None:
    match = Match(GAMES[name], seed="sizes")
    story = Story(match, range(match.seats))
    assert len(drawn(match, story, 160, 50)) <= 49
    assert width(drawn(match, story, 160, 50)) <= 160
    assert drawn(match, story, 50, 24)


@pytest.mark.parametrize("columns", [40, 50, 60, 80])
def test_beside_or_below_a_board_no_word_is_cut(columns: int) -> None:
    match = redouble.new("double-dominoes", seats=4, seed="narrow")
    lines = text_of(drawn(match, Story(match, [0]), columns, 40)).splitlines()
    assert max(map(len, lines)) <= columns
    for words in (" (you)", "points 0", "boneyard", "pit -"):
        assert any(words in line for line in lines), words


@pytest.mark.parametrize("name", list(GAMES))
def test_a_picture_is_the_same_at_every_call(name: str) -> None:
    once = picture(GAMES[name])
    assert once == picture(GAMES[name])
    assert once.startswith("<svg")


@pytest.mark.parametrize("name", list(GAMES))
def test_the_pictures_in_the_documents_are_up_to_date(name: str) -> None:
    """``scripts/pictures`` draws them anew; games from other packages have none here."""
    file = PICTURES / f"{name}.svg"
    if file.parent.parent.joinpath("games", f"{name}.md").exists():
        assert file.read_text(encoding="utf-8") == picture(GAMES[name])


def test_plain_lines_say_everything_that_the_view_holds() -> None:
    match = redouble.new("double-down", seats=["Ada", "Ben"], seed="plain")
    lines = plain.lines("Double Down", match.view(0), match.names, 0)
    assert lines[0] == "--- Double Down: total 0, round 1, direction: left"
    assert "draw pile: 45 face down" in lines
    assert "discard pile: empty" in lines
    assert lines[-2] == "Ben: chips 3; hand: 5 face down"
    assert lines[-1].startswith("Ada (you): chips 3; hand: ")


def test_plain_lines_read_like_sentences() -> None:
    match = redouble.new("double-decker", seats=4, seed="1")
    lines = plain.lines("Double Decker", match.view(0), match.names, 0)
    assert lines[0].endswith("round 1 of 5, trick 1 of 14, in the trick: nothing")
    assert sum("; dealer; hand:" in line for line in lines) == 1


# Blocks


def test_blocks_are_placed_side_by_side_and_wrap() -> None:
    one, two = [Text("aa"), Text("a")], [Text("b")]
    assert text_of(beside([one, two])).splitlines() == ["aa  b", "a    "]
    assert text_of(flow([one, two], columns=3)).splitlines() == ["aa", "a ", "b"]
    assert text_of(grid([Text("1 x"), Text("2 yy")], columns=10)).splitlines() == ["1 x   2 yy"]


# What a typed line means


def choices(*moves: str, letters: bool = False, rows: int = 15) -> Choices:
    listed = Choices(list(moves), letters, rows)
    listed.listing(COLUMNS)
    return listed


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("R12", "R12"),
        ("r12", "R12"),
        ("  R12 ", "R12"),
        ("1", "R12"),
        ("2", "cell 3"),
        ("cell   3", "cell 3"),
        ("cell_3", "cell 3"),
        ("CELL 3", "cell 3"),
        ("cell", "cell 3"),
    ],
)
def test_a_move_is_understood_however_it_is_typed(line: str, move: str) -> None:
    assert choices("R12", "cell 3").understand(line) == Typed(move=move)


def test_where_moves_are_numbers_the_labels_are_letters() -> None:
    listed = choices("2", "10", "x2", letters=True)
    assert text_of(listed.listing(COLUMNS)).split() == ["a", "2", "b", "10", "c", "x2"]
    assert listed.understand("2").move == "2"
    assert listed.understand("b").move == "10"
    assert listed.understand("1").trouble == "'1' is not a legal move."
    assert listed.legal() == "Legal: 2, 10, x2."


def test_a_label_is_never_a_move_or_a_command() -> None:
    listed = choices("a", "7", letters=True)
    assert text_of(listed.listing(COLUMNS)).split() == ["b", "a", "c", "7"]


@pytest.mark.parametrize(
    "word", ["help", "hint", "undo", "table", "rules", "save", "quit", "?", "HELP"]
)
def test_commands_are_understood(word: str) -> None:
    assert choices("R1").understand(word).command == {"?": "help", "HELP": "help"}.get(word, word)


def test_save_takes_a_file_name_as_it_is() -> None:
    typed = choices("R1").understand("save my_game.json")
    assert (typed.command, typed.argument) == ("save", "my_game.json")


def test_a_long_list_is_cut_up_by_the_first_words() -> None:
    moves = [f"{domino} h{row} e" for domino in ("3-5", "2-2") for row in range(1, 10)]
    listed = choices(*moves, rows=2)
    assert text_of(listed.listing(COLUMNS)) == "1 3-5 (9 moves)  2 2-2 (9 moves)"
    assert listed.understand("2") == Typed()
    listing = text_of(listed.listing(COLUMNS))
    assert listing.startswith("1 2-2 h1 e")
    assert listing.endswith("Enter: next page (1 of 2)   all: every move")
    assert listed.understand("3").move == "2-2 h3 e"
    assert listed.understand("3-5 h4 e").move == "3-5 h4 e"
    assert listed.understand("all") == Typed()
    assert listed.within == ""


def test_a_group_of_one_move_is_shown_as_the_move() -> None:
    moves = [*(f"1 {n}" for n in range(10, 40)), "2 3 4"]
    listed = choices(*moves, rows=2)
    assert " ".join(text_of(listed.listing(COLUMNS)).split()) == "1 1 (30 moves) 2 2 3 4"
    assert listed.understand("2").move == "2 3 4"


def test_a_long_list_of_single_words_has_pages() -> None:
    listed = choices(*(f"card{n}" for n in range(25)), rows=2)
    listing = text_of(listed.listing(COLUMNS))
    assert len(listing.splitlines()) == 2
    assert "next page (1 of 4)" in listing
    assert listed.understand("") == Typed()
    assert "card7" in text_of(listed.listing(COLUMNS))
    assert listed.understand("card24").move == "card24"


def spoken(*moves: str, rows: int) -> Choices:
    return Choices(list(moves), letters=False, rows=rows, describe=lambda move: f"Play the {move}")


def test_a_list_says_its_moves_in_words_where_they_fit() -> None:
    listed = spoken("R7", "G12", "B1", rows=2)
    said = ["1  Play the R7 (R7)     2  Play the G12 (G12)", "3  Play the B1 (B1)"]
    assert [line.plain.rstrip() for line in listed.listing(50)] == said
    assert listed.understand("2") == listed.understand("G12") == Typed(move="G12")
    assert listed.legal() == "You can play the R7 (R7), play the G12 (G12) or play the B1 (B1)."


@pytest.mark.parametrize(("columns", "rows"), [(45, 1), (40, 2), (12, 15)])
def test_a_list_too_long_in_words_has_the_texts_to_type(columns: int, rows: int) -> None:
    listed = spoken("R7", "G12", "B1", rows=rows)
    assert text_of(listed.listing(columns)).split() == ["1", "R7", "2", "G12", "3", "B1"]
    assert listed.understand("2").move == "G12"


def test_a_list_cut_up_by_first_words_says_its_last_moves_in_words() -> None:
    kinds = ("3-5", "2-2", "0-1", "6-6")
    dominoes = [f"{domino} h{row}" for domino in kinds for row in range(1, 5)]
    listed = spoken(*dominoes, rows=3)
    assert "1 3-5 (4 moves)  2 2-2 (4 moves)" in text_of(listed.listing(60))
    assert listed.understand("2") == Typed()
    *moves, note = text_of(listed.listing(60)).splitlines()
    said = "1 Play the 2-2 h1 (2-2 h1) 2 Play the 2-2 h2 (2-2 h2)"
    assert moves[0].split() == said.split()
    assert (len(moves), note) == (2, "all: every move")
    assert listed.understand("4").move == "2-2 h4"


def test_many_moves_are_listed_by_their_texts() -> None:
    listed = spoken(*(f"R{number}" for number in range(1, 10)), rows=15)
    assert listed.legal() == "Legal: R1, R2, R3, R4, R5, R6, R7, R8, R9."


def test_enter_makes_the_only_move() -> None:
    assert choices("flip").understand("").move == "flip"


# Sessions on pipes


def session(
    monkeypatch: pytest.MonkeyPatch, lines: str, setup: Setup, match: Match | None = None
) -> Session:
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    return setup.session(match or setup.start(), Screen())


STACKED = """
    7 8 9 10 11 2 2 2 3 3 3 0 0 0 0 4 4 4 5 5 5 6 6 6 7 7 8 8 9 9 10 10 10 10 10 10 10 22 33 44 55
    66 -10 -10 -10 -10 x2 x2 x2 x2 turn turn turn turn turn
"""


def double_down(**changes: Any) -> Setup:
    fields: dict[str, Any] = {
        "game": GAMES["double-down"],
        "seats": 2,
        "seed": "t",
        "options": {"ages": "11,30"},
        "deck": STACKED.split(),
    }
    return Setup(**{**fields, **changes})


def test_a_wrong_move_shows_what_is_legal_and_asks_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = session(monkeypatch, "66\n7\n", double_down())
    assert one.play() is False
    out = capsys.readouterr().out
    can = "play the 2 (2), play the 3 (3), play the 7 (7), play the 9 (9) or play the 11 (11)"
    assert f"'66' is not a legal move. You can {can}." in out
    assert "Player plays 7: 7." in out
    assert out.endswith("moves.\n")


def test_undo_goes_back_to_the_players_previous_decision(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = session(monkeypatch, "undo\n7\nundo\n9\nquit\n", double_down())
    one.play()
    out = capsys.readouterr().out
    assert "You have no earlier move to undo." in out
    assert "Back to Player's previous move." in out
    assert one.match.moves[0] == "9"


def test_undo_of_one_person_takes_back_the_other_persons_move_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = session(monkeypatch, "7\n10\nundo\nquit\n", double_down(people=2))
    one.play()
    assert one.match.moves == ()
    assert one.match.turn == 0


def test_a_hint_names_a_move_and_its_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = session(monkeypatch, "hint\n", double_down())
    one.play()
    out = capsys.readouterr().out
    said = (
        r"Hint: (Play the \S+) \(type (\S+)\)\. You win about \d+ of 100 games like this[;,.].*\.\n"
    )
    found = re.search(said, out)
    assert found
    assert found[2] in one.match.legal_moves
    assert found[1] == one.match.describe(found[2])
    assert one.match.ply == 0


def test_a_forced_move_is_made_and_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    setup = Setup(GAMES["double-or-quits"], seed="forced", auto=True)
    one = session(monkeypatch, "", setup)
    one.play()
    assert one.match.ply > 0
    assert "Player flips" in capsys.readouterr().out


def test_a_whole_game_between_bots_ends_with_ranks_and_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = session(monkeypatch, "", double_down(people=0))
    assert one.play() is True
    out = capsys.readouterr().out
    assert "Game over: last player standing." in out
    assert out.splitlines()[-2].split()[0] == "1."


def test_the_end_says_what_broke_a_tie(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    match = redouble.new("double-dominoes", seats=3, seed="x0", victory=1)
    dice = Random(1)
    while match.turn is not None:
        match.push(dice.choice(list(match.legal_moves)))
    setup = Setup(match.game, seats=3, options={"victory": "1"}, people=0)
    one = session(monkeypatch, "", setup, match)
    one.play()
    (tie,) = ties_broken(match.view(), one._names)
    assert tie.startswith("Tie broken by dots left in hand: ")
    assert capsys.readouterr().out.splitlines()[-1] == tie
    as_text(Replay(match.record()), None, Screen())
    assert "Tie broken by dots left in hand: " in capsys.readouterr().out


def test_names_from_a_file_cannot_steer_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = session(monkeypatch, "", double_down(names=["\x1b[2Jevil", "{0}"]))
    one.play()
    assert "\x1b" not in capsys.readouterr().out


# Saving


def test_a_save_reads_back_and_replaces_an_earlier_one(tmp_path: Path) -> None:
    match = redouble.new("double-down", seats=2, seed="s")
    file = tmp_path / "game.json"
    save(match, file)
    match.push(match.legal_moves[0])
    save(match, file)
    assert redouble.replay(file.read_text()).moves == match.moves
    assert os.listdir(tmp_path) == ["game.json"]


def test_undo_removes_later_notes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    one = session(monkeypatch, f"7\nundo\nsave {file}\n", double_down())
    one.notes = [(0, "All sit down."), (1, "Ada gets a drink.")]
    one.play()
    assert Record.parse(file.read_text()).notes == ((0, "All sit down."),)


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


def test_a_failed_save_does_not_end_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = session(monkeypatch, "save /no/where.json\n7\n", double_down())
    one.play()
    out = capsys.readouterr().out
    assert "Not saved: /no/where.json cannot be written: No such file or directory." in out
    assert one.match.ply > 0


# Boards


def test_the_game_draws_its_own_board() -> None:
    """The terminal knows no board: it styles what the game's own drawing says."""
    match = redouble.new("double-dominoes", seats=2, seed="board")
    view = match.view(0)
    shown = boards.draw(view, ASCII)
    assert shown is not None
    assert shown.zones == {"board"}
    assert text_of(shown.block).splitlines()[0].split()[0] == "a"
    assert boards.draw(replace(view, board={}), ASCII) is None
    other = redouble.new("double-down", seats=2, seed="board").view(0)
    assert boards.draw(replace(other, board={"kind": "of another game"}), ASCII) is None


# What people at one terminal learn from each other and from bots


def test_a_person_makes_a_forced_move_on_their_own_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the other person, still looking, would learn that there was no choice."""
    one = session(monkeypatch, "", Setup(GAMES["three-up"], 3, 3, seed="forced", auto=True))
    dice = Random(7)
    seen: list[tuple[int, int, int]] = []

    def decide(seat: int) -> None:
        one._hand_over(seat)
        one._push(dice.choice(one.match.legal_moves.actions))

    def push(action: int, push: Callable[[int], None] = one._push) -> None:
        assert one.match.turn is not None
        seen.append((one.match.turn, one._reader, len(one.match.legal_moves)))
        push(action)

    monkeypatch.setattr(one, "_decide", decide)
    monkeypatch.setattr(one, "_push", push)
    one.play()
    forced = [(mover, reader) for mover, reader, choices in seen if choices == 1]
    assert len(forced) > 5
    assert all(mover == reader for mover, reader in forced)


class Watched(Screen):
    """A live screen that only records what it shows, with a fake clock."""

    def __init__(self) -> None:
        super().__init__(plain=True)
        self.live = True
        self.now = 0.0
        self.last = ""

    def show(self, block: Block) -> None:
        self.last = block[-1].plain

    def clear(self) -> None:
        pass

    def rest(self, seconds: float) -> None:
        self.now += max(0.0, seconds)


class Prepared:
    """Stands in for code that is loaded in the background: its waiting takes seconds."""

    def __init__(self, game: Game, purpose: Purpose, screen: Watched | None = None) -> None:
        self.screen = screen
        self.ready = screen is None

    def wait(self) -> None:
        assert self.screen
        assert self.screen.last.endswith("is thinking... The first time, this can take a while.")
        self.screen.now += 3.0
        self.ready = True


def test_loading_the_search_is_not_taken_for_a_long_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Watched()
    setup = Setup(GAMES["double-down"], 2, 0, bot="master", seed="load", pace=0.6)
    one = setup.session(setup.start(), screen)
    monkeypatch.setattr("redouble.terminal.session.Preparation", partial(Prepared, screen=screen))
    monkeypatch.setattr("redouble.terminal.session.time.monotonic", lambda: screen.now)
    monkeypatch.setattr(LevelBot, "choose", lambda _, seen, rng: BOTS["greedy"].choose(seen, rng))
    assert one.play()
    assert screen.now == pytest.approx(3.0 + one.match.ply * 1.0 + seconds_of_moments(one.match))


def seconds_of_moments(match: Match) -> float:
    """The seconds for which the moments of a whole match are shown."""
    at, seconds = match.copy(), 0.0
    while at.ply:
        seconds += sum(moment.kind.seconds for moment in at.moments())
        at.pop()
    return seconds


def test_a_lost_chip_is_shown_before_the_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Watched()
    setup = Setup(GAMES["double-down"], 3, 0, bot="club", seed="chips", pace=0.6)
    one = setup.session(setup.start(), screen)
    shown: list[tuple[str, str, float]] = []

    def show(block: Block) -> None:
        lines = [line.plain for line in block]
        told = [line for line in lines if line.endswith((" chip.", " is out.")) and "hits" in line]
        shown.extend((line, "\n".join(lines), screen.now) for line in told)
        screen.last = lines[-1]

    monkeypatch.setattr("redouble.terminal.session.time.monotonic", lambda: screen.now)
    monkeypatch.setattr(screen, "show", show)
    assert one.play()
    losses = [line for line, _, _ in shown]
    assert len(losses) == 3 * 4 - max(one.match.state.lives)
    total = re.search(r"hits (-?\d+)", shown[0][0])
    assert total
    assert f"total {total[1]}" in shown[0][1]
    assert "round 1 " in shown[0][1]


@pytest.mark.parametrize(("level", "seconds"), [("master", 1.0), ("club", 0.6)])
def test_neither_words_nor_timing_reveal_whether_a_bot_had_a_choice(
    monkeypatch: pytest.MonkeyPatch, level: str, seconds: float
) -> None:
    """A choice takes time here, a forced move none; on the screen both take the same."""
    screen = Watched()
    setup = Setup(GAMES["three-up"], 2, 0, bot=level, seed="even", pace=0.6)
    one = setup.session(setup.start(), screen)
    moves: list[tuple[bool, str, float]] = []
    began = 0.0

    def choose(self: LevelBot, observation: Observation, rng: Generator) -> int:
        screen.now += 0.4 * (len(observation.legal) > 1)
        return BOTS["greedy"].choose(observation, rng)

    def push(action: int, push: Callable[[int], None] = one._push) -> None:
        nonlocal began
        assert one.match.turn is not None
        words = screen.last.replace(one.match.names[one.match.turn], "X")
        moves.append((len(one.match.legal_moves) == 1, words, round(screen.now - began, 6)))
        push(action)
        began = screen.now  # moments that are shown take their time, whoever moved

    monkeypatch.setattr("redouble.terminal.session.time.monotonic", lambda: screen.now)
    monkeypatch.setattr("redouble.terminal.session.Preparation", Prepared)
    monkeypatch.setattr(LevelBot, "choose", choose)
    monkeypatch.setattr(one, "_push", push)
    assert one.play()
    assert {forced for forced, _, _ in moves} == {True, False}
    assert {(words, took) for _, words, took in moves} == {("X is thinking...", seconds)}


# At a real terminal


@pytest.mark.parametrize("name", list(GAMES))
def test_a_whole_game_at_a_real_terminal(name: str, tmp_path: Path) -> None:
    arguments = ("play", name, "--seed", "live", "--fast", "--bot", "random")
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
        assert "Ada (you)" in keyboard.see("\n>")
        keyboard.type("a")
        screen = keyboard.see("Enter.")
        assert "Pass to Ben" in screen
        assert "Ada (you)" not in screen


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
def test_interrupt_and_end_of_input_leave_cleanly(tmp_path: Path, keys: str, code: int) -> None:
    with Keyboard("play", "double-down", "--seed", "i", "--fast", folder=tmp_path) as keyboard:
        keyboard.see("\n>")
        keyboard.await_key()
        keyboard.press(keys)
        assert keyboard.wait() == code
        assert "Traceback" not in keyboard.screen


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
    arguments = ("play", "double-down", "--seats", "2", "--bot", "master", "--seed", "b", "--fast")
    with Keyboard(*arguments, "-o", "ages=30,11", folder=tmp_path) as keyboard:
        assert "Ada is thinking... The first time" in keyboard.see("a while.\n")
        assert "thinking" not in keyboard.see("\n>")


def test_the_only_move_is_made_by_enter() -> None:
    match = redouble.new("double-or-quits", seed="1")
    while len(match.legal_moves) > 1:
        match.push(match.legal_moves[0])
    choices = Choices.of(match)
    assert "(or Enter)" in text_of(choices.listing(COLUMNS))
    assert choices.understand("").move == match.legal_moves[0]


def test_rounds_that_do_not_all_fit_are_left_out_together() -> None:
    match = redouble.new("double-decker", seats=4, seed="rounds")
    while match.view().fact("round").value != 5:
        match.push(match.legal_moves[0])
    wide, narrow = (text_of(drawn(match, Story(match, [0]), columns)) for columns in (120, 80))
    others = narrow.split(" (you)")[0]
    assert wide.split(" (you)")[0].count("round") > others.count("round")
    heads = next(line for line in others.splitlines() if "points" in line)
    assert heads.split()[-1] in ("round", "points")
    assert not any(word.isdecimal() for word in heads.split())


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
        assert "How strong" in asked
        for level, words in LEVEL_WORDS.items():
            assert f"{level}  {words}" in asked
        keyboard.type("hal")
        assert "there is no bot 'hal'" in keyboard.see("[club]:", "[club]:")
        keyboard.type("")
        for question in ("Your name", "Rule options"):
            assert question in keyboard.see("]:")
            keyboard.type("")
        assert "Player (you)" in keyboard.see("\n>")


def test_questions_break_between_words(tmp_path: Path) -> None:
    with Keyboard("play", folder=tmp_path) as keyboard:
        keyboard.see("[1]:")
        keyboard.type("double-dominoes")
        assert "Play Double Double Dominoes against 3 club bots?" in keyboard.see("rules:")
        for answer in ("c", "6", "6"):
            keyboard.type(answer)
            screen = keyboard.see("]:")
    said = screen.strip().splitlines()
    assert " ".join(line.strip() for line in said[-2:]) == (
        "The 6 names, separated by commas?"
        " [Player 1, Player 2, Player 3, Player 4, Player 5, Player 6]:"
    )
    assert max(map(len, said)) <= COLUMNS


@pytest.mark.parametrize(("name", "seats"), [("three-up", 2), ("double-decker", 4)])
def test_open_hands_are_shown_card_by_card(name: str, seats: int) -> None:
    """A replay with all cards open doesn't only count a long hand."""
    match = Match(GAMES[name], seats, "rep")
    view = match.view(None)
    block = draw(TablePicture("", view, ["A", "B", "C", "D"], None), ROUND, COLUMNS, 60)
    said = text_of(block)
    hands = [view.zone("hand", seat) for seat in range(seats)]
    faces = {card.face for hand in hands for card in hand.cards if card is not None}
    assert len(faces) > 8
    assert faces <= set(said.split()), said
    assert width(block) <= COLUMNS


def test_the_end_of_input_is_told_on_a_line_of_its_own(tmp_path: Path) -> None:
    with Keyboard("play", "double-down", "--people", "2", folder=tmp_path) as keyboard:
        keyboard.see("press Enter.")
        keyboard.press("\x04")
        assert "\nEnd of input" in keyboard.see("0 moves.").replace("\r", "")


def test_a_question_breaks_between_its_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    screen = Screen()
    screen.live = True
    monkeypatch.setattr(Screen, "columns", 56)
    monkeypatch.setattr(screen, "print", lambda block: asked.extend(map(str, block)))
    monkeypatch.setattr("builtins.input", lambda words: words)
    last = screen.ask("a: play again   r: review   s: save   Enter: leave > ")
    assert [line.rstrip() for line in [*asked, last]] == [
        "a: play again   r: review   s: save",
        "Enter: leave >",
    ]


def test_no_color_and_a_limited_terminal_are_respected(tmp_path: Path) -> None:
    with Keyboard("play", "double-down", folder=tmp_path, TERM="dumb") as keyboard:
        assert "--- Double Down" in keyboard.see("\n>")


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
    as_json(Replay(noted), 0, Screen())
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(row["notes"]) for row in rows] == [1, 1, 9, 0, 0]
    assert rows[1]["notes"] == ["Ada \x1b[2Jleft."]


def test_notes_are_shown_on_the_screen_of_their_ply(noted: Record, tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(f"{noted}\n")
    with Keyboard("replay", "game.json", folder=tmp_path) as keyboard:
        assert "All sit down." in keyboard.see("\n>")
        keyboard.type("")
        screen = keyboard.see("\n>")
        assert "Ada [2Jleft." in screen
        assert "All sit down." not in screen
        keyboard.type("")
        screen = keyboard.see("\n>")
        assert "8 so it goes" in screen
        assert len(screen.splitlines()) <= ROWS
        keyboard.type("q")
        assert keyboard.wait() == 0


def text_of(block: Block) -> str:
    return "\n".join(line.plain for line in block)


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


def test_cards_show_suit_glyphs_if_the_terminal_can() -> None:
    match = redouble.new("double-or-quits", seed="a")
    shown = plain.lines("Double or Quits", match.view(0), match.names, 0)
    assert sum(line.startswith("cell") and line[-1] in "♠♥♦♣" for line in shown) == 7
    assert re.search("[♠♥♦♣] ", text_of(drawn(match, Story(match, [0]))))
    assert "♥".encode("ascii", ascii_fallback_name()) == b"H"


def ascii_fallback_name() -> str:
    codecs.register_error(errors.ASCII_FALLBACK, errors.ascii_fallback)
    return errors.ASCII_FALLBACK
