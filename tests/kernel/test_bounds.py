"""The bounds of every stored number, under every option and deck, and games that come near them.

Interpreted numbers grow without end, and compiled ones wrap around at the width of their field. So
each field has its least and greatest value here, with the reason where it isn't plain.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import redouble
from redouble.games.double_dominoes.rules import SQUARES, WORD
from redouble.games.double_down.rules import MAX_DECK, STALE
from redouble.games.three_up import actions
from redouble.games.three_up.rules import MAX_QUIET
from redouble.kernel import engine
from redouble.match.match import Match

Bounds = dict[str, tuple[int, int]]
Habit = Callable[[Any, list[int]], int]

COMMON: Bounds = {
    "seats": (1, 12),
    "turn": (-1, 11),
    "reason": (0, 4),
    "stacked": (0, 1),
    "rng": (0, 2**64 - 1),
}
SEAT, FLAG = (-1, 11), (0, 1)

# A turn begins with fewer than STALE cards shuffled back, and draws five cards at most, each after
# a shuffle of at most 79.
MOST_BACK = STALE + 5 * 79
PLACE = (0, 79)
DOUBLE_DOWN: Bounds = {
    **dict.fromkeys(("forgetful", "repeats_cost", "doubling", "asking"), FLAG),
    **dict.fromkeys(("hand", "pile", "discard"), PLACE),
    **dict.fromkeys(("deck_n", "pile_at", "pile_n", "discard_n"), (0, 80)),
    **dict.fromkeys(("owed", "debt", "draws"), (0, 2)),
    "ages": (0, 150),
    "box": (0, 18),
    "deck": (-1, 18),
    "known_to": (-2, 99),
    "order": (0, (1 + MOST_BACK) * MAX_DECK),
    "pools": (0, 1 + MOST_BACK),  # a shuffle takes at least one card
    "recycled": (0, MOST_BACK),
    "hand_n": (0, 5),
    "by_chance": (0, 0),
    "never": (0, (1 + MOST_BACK) * MAX_DECK),
    # Every card of the round is a -10, or the last one is a 66.
    "total": (-10 * (MOST_BACK + 80), 98 + 66),
    "direction": (-1, 1),
    "starter": SEAT,
    "round": (0, 4 * 7),  # each costs a chip or a free ride
    "lives": (0, 4),
    "seats_in": (0, 7),
    "place_out": (0, 7),
}

SET_OF_SQUARES = (0, 2**WORD - 1)
DOUBLE_DOMINOES: Bounds = {
    **dict.fromkeys(("open", "touched", "takes", "along", "room"), SET_OF_SQUARES),
    "ages": (0, 150),
    "victory": (0, 999),
    "goal": (0, 999),
    # The last placement: two diamonds of 5, doubled, and a bonus.
    "points": (0, 998 + 23),
    "board": (-1, 5),
    "box": (0, 27),
    "deck": (-1, 27),
    "deck_n": (0, 84),
    "known_to": (-2, 99),
    "where": (-2, 4 * SQUARES - 1),
    "by": SEAT,
    "pile_at": (0, 84),
    "hand": (0, 83),
    "hand_n": (0, 4),
    "last": (-1, 83),
    "following": FLAG,
    "may": (0, 2**28 - 1),
    "clues": (0, 21),  # a double makes one, and three sets have 21
    "clue_n": (0, 3),
    "clue_place": (0, 83),
    "clue_kinds": (0, 2**28 - 1),
}

CARDS = (0, 2**63 - 1)
DOUBLE_DECKER: Bounds = {
    **dict.fromkeys(("hand", "won", "passed"), CARDS),
    "box": (0, 62),
    "deck": (-1, 62),
    "deck_n": (0, 63),
    "lying": (0, 2**21 - 1),
    "winner": SEAT,
    "card": (-1, 62),
    "colors": (0, 2),
    "played": (0, 7),
    "last": (-1, 62),
    "trick": (0, 14),
    "tricks": (0, 14),
    "round": (0, 5),
    "dealer": SEAT,
    # 14 cards passed, and of 42 captured a third in each color; or all 21 of one color.
    "points": (-2 * 14 - 14, 21),
    "total": (-5 * 42, 5 * 21),
}

DOUBLE_OR_QUITS: Bounds = {
    **dict.fromkeys(("deck_n", "waste_n", "stock_at", "stock_n", "foundation_n"), (0, 52)),
    "free_flip": FLAG,
    "redeals": (0, 9),
    "redealt": (0, 9),
    "box": (0, 51),
    "deck": (-1, 51),
    "line": (0, 51),
    "kings": (0, 4),
    "cell": (-1, 51),
    "held": (0, 2**8 - 1),
    "top": (0, 51),
    "needed": (0, 11),
    "moves": (0, 2**10 - 1),
}

# A deck of 84 holds at most this: twelve of each Clear+, 18 Clears, and the highest numbers.
DEAREST = 12 * (25 + 20 + 10 + 9 + 8) + 18 * 15 + 6 * 7
THREE_UP: Bounds = {
    **dict.fromkeys(
        ("play_on", "draw_instead", "reverse_ones", "swap_piles", "pick_for_others"), FLAG
    ),
    **dict.fromkeys(("color_four", "asking", "extra_turn"), FLAG),
    **dict.fromkeys(
        ("deck_n", "drawn", "pile_n", "cleared", "hand_at", "hand_n", "size", "never", "need"),
        (0, 168),
    ),
    "decks": (0, 2),
    "colors": (0, 7),
    "games": (0, 99),
    "game": (0, 99),
    "stall": (0, 999),
    "quiet": (0, MAX_QUIET),
    "box": (0, 38),
    "deck": (-1, 38),
    "pile": (0, 12),
    "held": (0, 12),
    "recent": (0, 38),
    "came": (0, 211),
    "top": (0, 12),
    "run": (0, 2 + 36),
    "hand": (0, 167),
    "choice": (-1, actions.SWAP - 1),
    "up": (0, 38),
    "up_n": (0, 3),
    "pile_of": SEAT,
    "down": (0, 7),
    "place_out": (0, 12),
    "seats_out": (0, 12),
    "points": (0, 99 * 2 * DEAREST),
    "counted": (0, 36),
    "first": SEAT,
    "choosing": (0, 12),
    "direction": (-1, 1),
    # Each of 24 Clear+1 and 24 Clear+2 leaves the game when it gives its extra turns.
    "extra": (0, 24 + 2 * 24),
}

BOUNDS = {
    "double-decker": DOUBLE_DECKER,
    "double-dominoes": DOUBLE_DOMINOES,
    "double-down": DOUBLE_DOWN,
    "double-or-quits": DOUBLE_OR_QUITS,
    "three-up": THREE_UP,
}


@pytest.mark.parametrize("name", BOUNDS)
def test_every_number_has_a_bound_and_fits_its_field(name: str) -> None:
    fields = redouble.GAMES[name].rules.Position.FIELDS
    bounds = COMMON | BOUNDS[name]
    assert sorted(bounds) == sorted(field.name for field in fields)
    for field in fields:
        low, high = bounds[field.name]
        width = np.iinfo(field.width.type_name)
        assert width.min <= low <= high <= width.max, field.name


def first(s: Any, legal: list[int]) -> int:
    return legal[0]


def last(s: Any, legal: list[int]) -> int:
    return legal[-1]


def hoard(s: Any, legal: list[int]) -> int:
    """Seat 0 takes whatever it can get; the others play their lowest cards."""
    return legal[-1] if legal[-1] in (actions.TAKE, actions.DRAW) and not s.turn else legal[0]


def least(s: Any, legal: list[int]) -> int:
    """Play a -10 where there is one."""
    return next((face for face in (16, 0) if face in legal), legal[0])


DEAR = ["clear+2-r x4", "clear+2-b x4", "clear+2-g x4", "clear+1-r x4", "clear+1-b x4"]
SMALL = ["1r x3", "2r x3", "3r x3", "4r x3", "5r x3", "6r x3"]
EXTREMES: list[tuple[str, int, dict[str, Any], Habit]] = [
    ("double-down", 2, {"cards": ["-10 x79", "2 x1"]}, least),
    ("double-down", 2, {"cards": ["-10 x10", "66 x1"]}, least),
    ("double-down", 7, {"forgetful": True, "cards": ["0 x35", "2 x1"]}, last),
    ("double-dominoes", 6, {"victory": 999}, first),
    ("double-dominoes", 2, {"victory": 999}, last),
    ("double-decker", 7, {}, last),
    ("double-or-quits", 1, {"free_flip": True, "redeals": 9}, last),
    ("three-up", 2, {"games": 99, "draw_instead": True, "decks": 2, "stall": 5}, hoard),
    ("three-up", 2, {"games": 9, "decks": 2, "stall": 1, "cards": [*DEAR, *SMALL]}, hoard),
    ("three-up", 2, {"stall": 0, "cards": SMALL}, last),
    ("three-up", 12, {"stall": 999, "decks": 2, "draw_instead": True}, last),
]


def played(match: Match, habit: Habit) -> Iterator[tuple[Any, Any]]:
    """Play to the end on both engines, and yield their positions now and then."""
    rules = match.game.rules
    compiled = engine.compiled(rules.play)
    state, out = match.state, [0] * (rules.MAX_LEGAL + 1)
    record = engine.to_records(state)[0]
    ply = 0
    while n := rules.legal(state, out):
        action = habit(state, out[:n])
        rules.play(state, action)
        compiled(record, action)
        ply += 1
        if ply % 50 == 0:
            yield state, record
    yield state, record


@pytest.mark.parametrize(("name", "seats", "options", "habit"), EXTREMES)
def test_both_engines_agree_at_the_extremes(
    name: str, seats: int, options: dict[str, Any], habit: Habit
) -> None:
    match = redouble.new(name, seats=seats, seed="extremes", **options)
    bounds = COMMON | BOUNDS[name]
    for state, record in played(match, habit):
        assert engine.from_record(type(state), record) == state
        for field in state.FIELDS:
            numbers = np.ravel(getattr(state, field.name))
            low, high = bounds[field.name]
            assert low <= int(numbers.min()), field.name
            assert int(numbers.max()) <= high, field.name
    assert state.turn < 0
    if options.get("games") == 99:
        assert max(state.points) > np.iinfo(np.int16).max
    if options.get("stall") == 0:
        assert state.quiet == MAX_QUIET
