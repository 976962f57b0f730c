"""What the action numbers of 3UP 3DOWN mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.games.three_up.position import CLEAR, COPIES, KINDS, RANKS

# Plays, several equal cards at once: COPIES * rank + copies - 1.
DOWN = RANKS * COPIES
TAKE = DOWN + 3
DRAW = TAKE + 1
KEEP = DRAW + 1
# The three ranks put up, rising, numbered as by `up_action`.
UP = KEEP + 1
# With `color-four`: plays by how many of each color, three digits to the base MAX_CLEARS + 1 or
# MAX_OTHERS + 1; three kinds put up; a kind of the hand for a kind of the 3UP.
COLORED = UP + 455
_CLEAR_PLAYS = COLORED + 10 * 729
_LAST_PLAYS = _CLEAR_PLAYS + 2197
COLORED_UP = _LAST_PLAYS + 2 * 729
SWAP = COLORED_UP + 10660

ACTIONS = SWAP + KINDS * KINDS


def actions_in_use(options: Mapping[str, Any]) -> int:
    """Return how many actions there are: only ``color-four`` tells colors apart in plays."""
    return ACTIONS if options["color-four"] else COLORED


# With `color-four`, 36 Clears can be played in 13**3 - 1 ways, 24 of a number in 9**3 - 1, less a
# card if fewer; so 168 cards in at most 2196 + 132 * 728 / 24 ways. And there is `draw`.
MAX_LEGAL = 6201


def rank_of(action: int) -> int:
    """Return the rank of the cards that an action plays."""
    if action < DOWN:
        return action // COPIES
    if action < _CLEAR_PLAYS:
        return (action - COLORED) // 729
    if action < _LAST_PLAYS:
        return CLEAR
    return CLEAR + 1 + (action - _LAST_PLAYS) // 729


def copies_of(action: int, color: int) -> int:
    """Return how many cards of a color an action of `color-four` plays."""
    if _CLEAR_PLAYS <= action < _LAST_PLAYS:
        code = action - _CLEAR_PLAYS
        return code // 169 if color == 0 else code // 13 % 13 if color == 1 else code % 13
    code = (action - (COLORED if action < _CLEAR_PLAYS else _LAST_PLAYS)) % 729
    return code // 81 if color == 0 else code // 9 % 9 if color == 1 else code % 9


def colored_play(rank: int, red: int, blue: int, green: int) -> int:
    """Return the action of `color-four` that plays these cards of a rank."""
    if rank == CLEAR:
        return _CLEAR_PLAYS + (red * 13 + blue) * 13 + green
    first = COLORED + 729 * rank if rank < CLEAR else _LAST_PLAYS + 729 * (rank - CLEAR - 1)
    return first + (red * 9 + blue) * 9 + green


def up_action(colored: int, a: int, b: int, c: int) -> int:
    """Return the action that puts up three ranks (`color-four`: kinds), a <= b <= c."""
    number = a + b * (b + 1) // 2 + c * (c + 1) * (c + 2) // 6
    return (COLORED_UP if colored else UP) + number


def up_card(action: int, i: int) -> int:
    """Return the i-th rank or kind that an action puts up, the inverse of `up_action`."""
    number = action - (COLORED_UP if action >= COLORED_UP else UP)
    c = 0
    while (c + 1) * (c + 2) * (c + 3) // 6 <= number:
        c += 1
    number -= c * (c + 1) * (c + 2) // 6
    b = 0
    while (b + 1) * (b + 2) // 2 <= number:
        b += 1
    if i == 2:
        return c
    return b if i == 1 else number - b * (b + 1) // 2
