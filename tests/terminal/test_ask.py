"""What a typed line means, and how choices and questions are put."""

import pytest

import redouble
from redouble.terminal.ask.prompt import Choices, Typed
from redouble.terminal.ask.screen import Screen
from tests.helpers.screens import COLUMNS, text_of


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
        ("\N{FULLWIDTH LATIN CAPITAL LETTER R}1\N{ZERO WIDTH SPACE}2", "R12"),
        ("cell \N{FULLWIDTH DIGIT THREE}", "cell 3"),
        ("\N{CYRILLIC CAPITAL LETTER KA}12", "R12"),  # the key of R on a Russian keyboard
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


def test_the_only_move_is_made_by_enter() -> None:
    match = redouble.new("double-or-quits", seed="1")
    while len(match.legal_moves) > 1:
        match.push(match.legal_moves[0])
    choices = Choices.of(match)
    assert "(or Enter)" in text_of(choices.listing(COLUMNS))
    assert choices.understand("").move == match.legal_moves[0]


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
