"""Tables that fit every window, and that hide what is hidden."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from rich.text import Text

import redouble
from redouble.commands import errors
from redouble.contract.registry import GAMES
from redouble.match.match import Match, Reached
from redouble.match.story import Story
from redouble.terminal.draw.blocks import beside, flow, grid, width
from redouble.terminal.draw.cards import ASCII, ROUND
from redouble.terminal.draw.table import TablePicture, draw, draw_board
from tests.helpers.known import known
from tests.helpers.screens import COLUMNS, ROWS, drawn, text_of
from tests.helpers.worlds import Setting, settings


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
    seat = known(match.turn)
    other = Match(game, seed="hidden")
    for move in match.moves:
        other.push(move)
    world = other.seen_by(seat)
    game.rules.determinize(world, [1, 2, 3, 4], [0] * 2048)
    other._here = Reached(game, world)
    screens = [text_of(drawn(m, Story(m, [seat]))) for m in (match, other)]
    assert screens[0] == screens[1]


@pytest.mark.parametrize("columns", [40, 50, 60, 80])
def test_beside_or_below_a_board_no_word_is_cut(columns: int) -> None:
    match = redouble.new("double-dominoes", seats=4, seed="narrow")
    lines = text_of(drawn(match, Story(match, [0]), columns, 40)).splitlines()
    assert max(map(len, lines)) <= columns
    for words in ("You", "points 0", "boneyard", "pit -"):
        assert any(words in line for line in lines), words


def test_plain_lines_say_everything_that_the_view_holds() -> None:
    match = redouble.new("double-down", seats=["Ada", "Ben"], seed="plain")
    lines = match.view(0).lines("Double Down", match.names)
    assert lines[0] == "--- Double Down: total 0, round 1, direction: left"
    assert "draw pile: 45 face down" in lines
    assert "discard pile: empty" in lines
    assert lines[-2] == "Ben: chips 3; hand: 5 face down"
    assert lines[-1].startswith("Ada (you): chips 3; hand: ")


def test_blocks_are_placed_side_by_side_and_wrap() -> None:
    one, two = [Text("aa"), Text("a")], [Text("b")]
    assert text_of(beside([one, two])).splitlines() == ["aa  b", "a    "]
    assert text_of(flow([one, two], columns=3)).splitlines() == ["aa", "a ", "b"]
    assert text_of(grid([Text("1 x"), Text("2 yy")], columns=10)).splitlines() == ["1 x   2 yy"]


def test_the_game_draws_its_own_board() -> None:
    """The terminal knows no board: it styles what the game's own drawing says."""
    match = redouble.new("double-dominoes", seats=2, seed="board")
    view = match.view(0)
    shown = known(draw_board(view, ASCII))
    assert shown.zones == {"board"}
    assert text_of(shown.block).splitlines()[0].split()[0] == "a"
    assert draw_board(replace(view, board={}), ASCII) is None
    other = redouble.new("double-down", seats=2, seed="board").view(0)
    assert draw_board(replace(other, board={"kind": "of another game"}), ASCII) is None


def test_rounds_that_do_not_all_fit_are_left_out_together() -> None:
    match = redouble.new("double-decker", seats=4, seed="rounds")
    while match.view().fact("round").value != 5:
        match.push(match.legal_moves[0])
    wide, narrow = (text_of(drawn(match, Story(match, [0]), columns)) for columns in (120, 72))
    others = narrow.split("You")[0]
    assert wide.split("You")[0].count("round") > others.count("round")
    heads = next(line for line in others.splitlines() if "points" in line)
    assert heads.split()[-1] in ("round", "points")
    assert not any(word.isdecimal() for word in heads.split())


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


def test_cards_show_suit_glyphs_if_the_terminal_can() -> None:
    match = redouble.new("double-or-quits", seed="a")
    shown = match.view(0).lines()
    assert sum(line.startswith("cell") and line[-1] in "♠♥♦♣" for line in shown) == 7
    assert re.search("[♠♥♦♣] ", text_of(drawn(match, Story(match, [0]))))
    assert "♥".encode("ascii", ascii_fallback_name()) == b"H"


def ascii_fallback_name() -> str:
    codecs.register_error(errors.ASCII_FALLBACK, errors.ascii_fallback)
    return errors.ASCII_FALLBACK
