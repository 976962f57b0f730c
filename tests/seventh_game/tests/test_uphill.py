"""An example test for each ruling of Uphill, named after it, and for its solver."""

from __future__ import annotations

from typing import Any

import pytest

from redouble.kernel.errors import DeckError, IllegalMove
from redouble.match.match import Match
from uphill import GAME, solver, terminal

TILES = [str(number) for number in range(1, 13) for _ in range(2)]


def start(first: str, seats: int = 1, **options: Any) -> Match:
    """A match in which these tiles are dealt first, or only these if ``tiles`` lists them."""
    deck = first.split()
    if "tiles" not in options:
        rest = TILES.copy()
        for tile in deck:
            rest.remove(tile)
        deck += rest
    return Match(GAME, seats, deck=deck, options=options)


def small(first: str, seats: int = 1, **options: Any) -> Match:
    """A match with no tiles but these."""
    lines = [f"{tile} x{first.split().count(tile)}" for tile in dict.fromkeys(first.split())]
    return start(first, seats, tiles=lines, **options)


def push(match: Match, *moves: str) -> Match:
    for move in moves:
        match.push(move)
    return match


def test_uh1_a_tile_goes_beside_another_that_is_lower_to_its_left() -> None:
    match = push(start("5 5 3 9"), "5 on 3")
    assert list(match.legal_moves) == ["3 on 2", "throw 3", "throw 5"]
    with pytest.raises(IllegalMove):
        match.push("3 on 4")
    assert list(push(match, "3 on 2").legal_moves) == ["throw 5", "9 on 4", "throw 9"]
    match = push(start("5 5 3 9", terraces=True), "5 on 3")
    assert list(match.legal_moves) == ["3 on 2", "throw 3", "5 on 2", "5 on 4", "throw 5"]


def test_uh2_a_tile_may_always_be_thrown_away() -> None:
    match = start("5 5 3 9")
    assert [move for move in match.legal_moves if "throw" in move] == ["throw 5"]
    assert push(match, "throw 5").view(0).zone("waste").size == 1


def test_uh2_a_tile_laid_shows_that_the_one_held_for_longer_differs() -> None:
    state = push(start("1 2 5 3 4", seats=2), "5 on 1").state
    assert [state.may[place] >> 4 & 1 for place in (0, 4)] == [0, 1]


def test_uh3_the_waste_is_turned_over_for_the_draw() -> None:
    match = push(small("1 2 3 4"), "throw 1", "throw 2")
    assert match.view(0).fact("redeals").value == 1
    match.push("throw 4")
    assert match.tell(0) == "throws 4 away and turns the waste over"
    assert match.view(0).fact("redeals").value == 0
    assert [card.text for card in match.view(0).zone("hand", seat=0).cards if card.up] == ["1", "3"]


def test_uh4_without_a_redeal_nothing_is_drawn() -> None:
    match = push(small("1 2 3", redeals=0), "throw 1", "throw 2")
    assert match.view(0).zone("hand", seat=0).size == 1


def test_uh5_the_game_ends_when_the_player_to_move_has_no_tiles() -> None:
    match = push(small("1 2 3", redeals=0), "1 on 1", "2 on 2", "3 on 3")
    assert match.outcome is not None
    assert match.outcome.reason == "out of tiles below the top"
    assert match.outcome.won == (False,)
    won = push(small("1 2 3", redeals=0, steps=3), "1 on 1", "2 on 2", "3 on 3")
    assert won.outcome is not None
    assert won.outcome.reason == "the top is reached"
    assert won.outcome.won == (True,)
    assert won.outcome.scores == (3,)


def test_uh6_the_higher_sum_breaks_a_tie() -> None:
    match = small("1 9 2 8 3", 2, redeals=0)
    push(match, "1 on 1", "9 on 1", "2 on 2", "throw 8", "throw 3")
    assert match.outcome is not None
    assert match.outcome.ranks == (1, 2)
    assert match.view(None).tie_break == ""
    match = small("1 9 2 8 3", 2, redeals=0)
    push(match, "1 on 1", "9 on 1", "throw 2", "throw 8", "throw 3")
    assert match.outcome is not None
    assert match.outcome.ranks == (2, 1)
    assert match.outcome.scores == (1, 1)
    assert match.view(None).tie_break == "height"
    heights = [match.view(None).fact("height", seat).value for seat in (0, 1)]
    assert heights == [1, 9]


def test_tiles_of_ones_own_must_be_enough() -> None:
    with pytest.raises(DeckError, match="tiles: 2 are too few for 1: list at least 3"):
        Match(GAME, 1, options={"tiles": ["1 x2"]})


@pytest.mark.parametrize(
    ("tiles", "options", "moves"),
    [
        ("1 2 3", {"steps": 3}, 3),
        ("3 2 1", {"steps": 3}, 3),
        ("5 5 5", {"steps": 3}, solver.LOST),
        ("5 5 5", {"steps": 3, "terraces": True}, 3),
        ("5 5 6 7", {"steps": 3, "redeals": 0}, 4),
        ("5 5 5 6 6 7", {"steps": 4, "redeals": 3}, solver.LOST),
        ("1 1 1 1 2 3", {"steps": 3, "redeals": 0}, 6),
    ],
)
def test_the_solver_finds_a_win_or_shows_that_there_is_none(
    tiles: str, options: dict[str, Any], moves: int
) -> None:
    match = small(tiles, **options)
    state = match.state
    out, work = [0] * (solver.MAX_MOVES + 1), [0] * solver.WORK
    found = solver.solve(state, out, work, 100_000)
    assert (found > 0) == (moves > 0)
    for action in out[: max(found, 0)]:
        match.push_action(action)
    assert match.outcome is None or match.outcome.won == (found > 0,)
    assert solver.winnable(small(tiles, **options).state, out, work, 100_000) == (
        1 if moves > 0 else solver.LOST
    )
    assert solver.winnable(small(tiles, **options).state, out, work, 1) == solver.UNDECIDED


def test_the_solver_agrees_with_every_line_of_small_deals() -> None:
    out, work = [0] * (solver.MAX_MOVES + 1), [0] * solver.WORK
    found = []
    for number in range(30):
        tiles = ["1 x1", "2 x2", "3 x1", "4 x1", "5 x1"]
        match = Match(GAME, 1, str(number), {"tiles": tiles, "steps": 5, "redeals": number % 2})
        found.append(solver.winnable(match.state, out, work, 10**6) == 1)
        assert found[-1] == _any_line_wins(match)
    assert 3 < sum(found) < 30


def _any_line_wins(match: Match) -> bool:
    if match.outcome is not None:
        return match.outcome.won[0]
    for move in list(match.legal_moves):
        match.push(move)
        won = _any_line_wins(match)
        match.pop()
        if won:
            return True
    return False


def test_the_terminal_draws_stairs() -> None:
    drawing = terminal.draw({"steps": 3, "paths": [["2", None, "12"]]}, False)
    assert drawing is not None
    assert ["".join(span.text for span in line).rstrip() for line in drawing.lines] == [
        "      _12",
        "   _ .",
        "_ 2",
        "  1  2  3",
    ]
