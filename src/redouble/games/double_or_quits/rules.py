"""The rules of Double or Quits, a solitaire: each card on the foundation doubles the one before.

The law is the publisher's text; DQ1-DQ7 and G1-G7 are the rulings of its rulebook page.

A redeal turns the waste over, so its first card is flipped first again: stock and waste are one
line of places that never changes its order, and only loses cards.
"""

from __future__ import annotations

from typing import Annotated

from redouble.kernel.kinds import DERIVED, NUMBER, OPTION, bits, one_hot, row, several
from redouble.kernel.moments import moment
from redouble.kernel.piles import ERASED, fill, shuffle, write_bits
from redouble.kernel.rng import Generator, erase, reseed
from redouble.kernel.state import State, int8, int16

DECK = 52
CELLS = 7
# A card is 4 * rank + suit; ranks 0 to 12 are the ace to the king.
RANKS = 13
KING = 12
# The rank that doubles each rank, less 13 above 13 (DQ1): A 2 4 8 3 6 Q J 9 5 10 7 A.
DOUBLED = (1, 3, 5, 7, 9, 11, 0, 2, 4, 6, 8, 10)
COMPLETE = 48

# Actions: from the waste, from the cells 1 to 7, flip, redeal.
WASTE = 0
FLIP = 8
REDEAL = 9

ACTIONS = 10
MAX_LEGAL = 5

WON = 1
LOST = 2
EMPTY = -1

# Moments.
REDEALT, COMPLETED = range(2)


class Position(State):
    """A game of Double or Quits between two moves."""

    # options
    free_flip: Annotated[
        int, int8, "option: flip and redeal even when a card can be played", OPTION
    ]
    redeals: Annotated[int, int8, "option: how often the waste may be turned over", OPTION]
    # the cards
    box: Annotated[list[int], int8[DECK], "the cards of the deck", OPTION]
    deck: Annotated[list[int], int8[DECK], "card at each place; the lowest is dealt first", DERIVED]
    deck_n: Annotated[int, int8, "cards in the deck", DERIVED]
    line: Annotated[
        list[int],
        int8[DECK],
        "places: the waste up to waste_n, the stock at stock_at",
        several(row(stop="waste_n"), row(start="stock_at", stop="stock_n")),
    ]
    waste_n: Annotated[int, int8, "cards of the waste, the last is its top", NUMBER]
    stock_at: Annotated[int, int8, "index in the line of the top of the stock", DERIVED]
    stock_n: Annotated[int, int8, "end of the stock in the line", DERIVED]
    kings: Annotated[int, int8, "kings put under the stock when the cells were dealt", NUMBER]
    redealt: Annotated[int, int8, "redeals made", NUMBER]
    cell: Annotated[list[int], int8[CELLS], "place in each cell; -1: empty", DERIVED]
    held: Annotated[
        list[int], int16[RANKS], "cells that hold a rank: bit 1 for cell 1", bits(CELLS + 1)
    ]
    # the foundation
    top: Annotated[int, int8, "place of the foundation's top card", DERIVED]
    foundation_n: Annotated[int, int8, "cards on the foundation", NUMBER]
    needed: Annotated[int, int8, "rank that comes next", one_hot(0, KING)]
    moves: Annotated[int, int16, "the legal moves, a bit an action", bits(ACTIONS)]


def setup(s: Position) -> None:
    """Deal the foundation and the cells; kings go under the stock at once (DQ2)."""
    if not s.stacked:
        shuffle(s.rng, s.deck, s.deck_n)
    place = 0
    for spot in range(CELLS + 1):
        while s.deck[place] >> 2 == KING:
            # The last one found lies lowest; four are the most there can be.
            s.line[DECK - 4 + s.kings] = place
            s.kings += 1
            place += 1
        if spot == 0:
            s.top = place
            s.needed = DOUBLED[s.deck[place] >> 2]
        else:
            _put(s, spot, place)
        place += 1
    s.foundation_n = 1
    for rest in range(place, s.deck_n):
        s.line[s.stock_n] = rest
        s.stock_n += 1
    for king in range(s.kings):
        s.line[s.stock_n] = s.line[DECK - 4 + king]
        s.stock_n += 1
    s.moves = _moves(s)


def legal(s: Position, out: list[int]) -> int:
    """Write the legal actions, ascending; return their number, 0 when the game is over."""
    return write_bits(out, 0, s.moves, 0)


def play(s: Position, action: int) -> None:
    """Flip, redeal, or lay a card on the foundation."""
    if action == FLIP:
        s.line[s.waste_n] = s.line[s.stock_at]
        s.waste_n += 1
        s.stock_at += 1
    elif action == REDEAL:
        s.stock_n = s.waste_n
        s.stock_at = 0
        s.waste_n = 0
        s.redealt += 1
        moment(s, REDEALT)
    else:
        if action == WASTE:
            s.waste_n -= 1
            s.top = s.line[s.waste_n]
        else:
            s.top = s.cell[action - 1]
            s.held[s.needed] ^= 1 << action
            _refill(s, action)
        s.foundation_n += 1
        s.needed = DOUBLED[s.needed]
    s.moves = _moves(s)
    if s.foundation_n == COMPLETE:
        moment(s, COMPLETED)
        s.turn = -1
        s.reason = WON
    elif s.moves == 0:
        s.turn = -1
        s.reason = LOST


def rank(s: Position, out: list[int]) -> None:
    """Write the rank of the one seat: first, won or lost (G1)."""
    out[0] = 1


def score(s: Position, out: list[int]) -> int:
    """Write the number of cards on the foundation (DQ6)."""
    out[0] = s.foundation_n
    return 1


def redact(s: Position, seat: int) -> None:
    """Erase the cards of the stock that were never turned up (DQ7), and the generator."""
    if s.redealt == 0:
        for i in range(s.stock_at, s.stock_n - s.kings):
            s.deck[s.line[i]] = ERASED
    erase(s.rng)


def determinize(s: Position, rng: Generator, work: list[int]) -> None:
    """Deal the unseen cards in any order: nothing tells one from another."""
    for place in range(s.deck_n):
        work[place] = place
    places = work[:DECK]
    scratch = work[DECK:]
    fill(rng, s.deck, s.box, places, s.deck_n, scratch)
    reseed(s.rng, rng)


def hidden(s: Position, action: int) -> bool:
    """Return whether the others can't see which move this is: never."""
    return False


def _moves(s: Position) -> int:
    """Return the legal moves, one bit an action: plays, else flip, else redeal."""
    if s.foundation_n == COMPLETE:
        return 0
    moves = s.held[s.needed]
    if s.waste_n and s.deck[s.line[s.waste_n - 1]] >> 2 == s.needed:
        moves |= 1 << WASTE
    if moves == 0 or s.free_flip:  # DQ4, DQ5
        if s.stock_at < s.stock_n:
            moves |= 1 << FLIP
        elif s.waste_n and s.redealt < s.redeals:
            moves |= 1 << REDEAL
    return moves


def _refill(s: Position, cell: int) -> None:
    """Fill a cell from the waste, else from the stock; a king blocks it for good (DQ3)."""
    if s.waste_n:
        s.waste_n -= 1
        _put(s, cell, s.line[s.waste_n])
    elif s.stock_at < s.stock_n:
        _put(s, cell, s.line[s.stock_at])
        s.stock_at += 1
    else:
        s.cell[cell - 1] = EMPTY


def _put(s: Position, cell: int, place: int) -> None:
    s.cell[cell - 1] = place
    s.held[s.deck[place] >> 2] |= 1 << cell
