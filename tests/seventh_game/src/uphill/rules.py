"""The rules of Uphill; UH1-UH6 are the rulings of its rulebook page.

A redeal turns the waste over, so the tile thrown away first is drawn first again. Everyone has seen
these tiles, so nothing becomes secret that wasn't before.
"""

from __future__ import annotations

from typing import Annotated

from redouble.kernel.dealing import deal_allowed, list_unseen
from redouble.kernel.kinds import (
    BIG_NUMBER,
    DERIVED,
    HISTORY,
    NUMBER,
    OPTION,
    bag,
    by_seat,
    one_hot,
    row,
    through,
)
from redouble.kernel.piles import ERASED, IN_ORDER, fill, first_copy, hide, shuffle
from redouble.kernel.rng import Generator, erase, reseed
from redouble.kernel.state import EVERYONE, NOBODY, State, int8, int16

MAX_SEATS = 2
MAX_TILES = 40
KINDS = 12
ALL_KINDS = (1 << KINDS) - 1
HAND = 2
MAX_STEPS = 8
MAX_REDEALS = 3
EMPTY = -1

# An action is SPOTS times the kind of a tile plus the spot where it goes: a step or the waste.
WASTE = MAX_STEPS
SPOTS = MAX_STEPS + 1

ACTIONS = KINDS * SPOTS
MAX_LEGAL = HAND * SPOTS

TOP_REACHED = 1
OUT_OF_TILES = 2


class Position(State):
    """A game of Uphill between two moves."""

    # options
    steps: Annotated[int, int8, "option: steps of each path", OPTION]
    redeals: Annotated[int, int8, "option: how often the waste may be turned over", OPTION]
    terraces: Annotated[int, int8, "option: equal tiles may lie side by side", OPTION]
    # the tiles
    box: Annotated[list[int], int8[MAX_TILES], "the tiles in use", OPTION]
    deck: Annotated[
        list[int], int8[MAX_TILES], "tile at each place; the lowest is dealt first", DERIVED
    ]
    deck_n: Annotated[int, int8, "tiles in use", DERIVED]
    known_to: Annotated[list[int], int8[MAX_TILES], "who has seen the tile at a place", DERIVED]
    may: Annotated[
        list[int], int16[MAX_TILES], "tiles that a place can hold for all that is known", HISTORY
    ]
    stock: Annotated[
        list[int],
        int8[MAX_TILES],
        "places of the stock, from stock_at to stock_n",
        row(start="stock_at", stop="stock_n"),
    ]
    stock_at: Annotated[int, int8, "index of the next tile of the stock", DERIVED]
    stock_n: Annotated[int, int8, "end of the stock", DERIVED]
    waste: Annotated[
        list[int], int8[MAX_TILES], "places of the waste, the last is its top", row(stop="waste_n")
    ]
    waste_n: Annotated[int, int8, "tiles of the waste", DERIVED]
    redealt: Annotated[int, int8, "redeals made", NUMBER]
    hand: Annotated[
        list[list[int]],
        int8[MAX_SEATS, HAND],
        "places held by each seat",
        by_seat(bag(KINDS, length="hand_n")),
    ]
    hand_n: Annotated[list[int], int8[MAX_SEATS], "tiles held by each seat", DERIVED]
    # the paths
    path: Annotated[
        list[list[int]],
        int8[MAX_SEATS, MAX_STEPS],
        "place on each step; -1: none",
        by_seat(through("deck", one_hot(0, KINDS - 1))),
    ]
    laid: Annotated[list[int], int8[MAX_SEATS], "tiles on each path", DERIVED]
    height: Annotated[
        list[int], int16[MAX_SEATS], "sum of the numbers on each path", by_seat(BIG_NUMBER)
    ]


def setup(s: Position) -> None:
    """Shuffle and deal two tiles to each seat, one at a time; the rest is the stock."""
    if not s.stacked:
        shuffle(s.rng, s.deck, s.deck_n)
    for seat in range(s.seats):
        for step in range(MAX_STEPS):
            s.path[seat][step] = EMPTY
        s.hand_n[seat] = HAND
        for i in range(HAND):
            s.hand[seat][i] = i * s.seats + seat
    dealt = HAND * s.seats
    for place in range(s.deck_n):
        s.known_to[place] = place % s.seats if place < dealt else NOBODY
        s.may[place] = ALL_KINDS
    for place in range(dealt, s.deck_n):
        s.stock[s.stock_n] = place
        s.stock_n += 1


def legal(s: Position, out: list[int]) -> int:
    """Write every step where a tile in hand may go, and every throw (UH1, UH2)."""
    n = 0
    if s.turn < 0:
        return n
    seat = s.turn
    for kind in range(KINDS):
        held = False
        for i in range(s.hand_n[seat]):
            held = held or s.deck[s.hand[seat][i]] == kind
        if held:
            for step in range(s.steps):
                if fits(s, seat, kind, step):
                    out[n] = kind * SPOTS + step
                    n += 1
            out[n] = kind * SPOTS + WASTE
            n += 1
    return n


def fits(s: Position, seat: int, kind: int, step: int) -> bool:
    """Return whether a tile may go on a step: beside a tile, unless it is the first (UH1)."""
    if s.path[seat][step] != EMPTY:
        return False
    if s.laid[seat] == 0:
        return True
    gap = 0 if s.terraces else 1
    if step > 0 and s.path[seat][step - 1] != EMPTY:
        return kind - s.deck[s.path[seat][step - 1]] >= gap
    if step + 1 < s.steps and s.path[seat][step + 1] != EMPTY:
        return s.deck[s.path[seat][step + 1]] - kind >= gap
    return False


def play(s: Position, action: int) -> None:
    """Lay a tile on the path or throw it away; then draw."""
    seat = s.turn
    kind = action // SPOTS
    spot = action % SPOTS
    last = s.hand_n[seat] - 1
    i = first_copy(s.rng, s.deck, s.known_to, IN_ORDER, s.hand[seat], s.hand_n[seat], kind)
    place = s.hand[seat][i]
    s.hand[seat][i] = s.hand[seat][last]
    s.hand[seat][last] = place
    s.hand_n[seat] = last
    if s.hand[seat][0] < place and s.known_to[place] != EVERYONE:
        s.may[s.hand[seat][0]] &= ~(1 << kind)  # UH2
    s.known_to[place] = EVERYONE
    if spot == WASTE:
        s.waste[s.waste_n] = place
        s.waste_n += 1
    else:
        s.path[seat][spot] = place
        s.laid[seat] += 1
        s.height[seat] += kind + 1
    _draw(s, seat)
    if s.laid[seat] == s.steps:
        s.turn = -1
        s.reason = TOP_REACHED
    else:
        s.turn = (seat + 1) % s.seats
        if s.hand_n[s.turn] == 0:  # UH5
            s.turn = -1
            s.reason = OUT_OF_TILES


def rank(s: Position, out: list[int]) -> None:
    """Write the ranks: by tiles on the path, then by their sum (UH6)."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            if s.laid[other] != s.laid[seat]:
                out[seat] += s.laid[other] > s.laid[seat]
            else:
                out[seat] += s.height[other] > s.height[seat]


def score(s: Position, out: list[int]) -> int:
    """Write the number of tiles on each path."""
    for seat in range(s.seats):
        out[seat] = s.laid[seat]
    return s.seats


def redact(s: Position, seat: int) -> None:
    """Erase the tiles that ``seat`` has not seen, and the generator."""
    hide(s.deck, s.known_to, s.deck_n, seat)
    erase(s.rng)


def determinize(s: Position, rng: Generator, work: list[int]) -> None:
    """Deal the unseen tiles in any order, first where something is known of them (UH2)."""
    tiles = work[:MAX_TILES]
    places = work[MAX_TILES : 2 * MAX_TILES]
    masks = work[2 * MAX_TILES : 3 * MAX_TILES]
    scratch = work[3 * MAX_TILES :]
    n = list_unseen(s.deck, s.box, s.deck_n, KINDS, tiles, scratch)
    m = 0
    for place in range(s.deck_n):
        if s.deck[place] == ERASED and s.may[place] != ALL_KINDS:
            places[m] = place
            masks[m] = s.may[place]
            m += 1
    deal_allowed(rng, s.deck, tiles, n, places, masks, m, scratch, 0, scratch)
    for place in range(s.deck_n):
        places[place] = place
    fill(rng, s.deck, s.box, places, s.deck_n, scratch)
    reseed(s.rng, rng)


def hidden(s: Position, action: int) -> bool:
    """Return whether the others can't see which move this is: never."""
    return False


def _draw(s: Position, seat: int) -> None:
    """Draw a tile, with an empty stock after a redeal if there is one left (UH3, UH4)."""
    if s.stock_at == s.stock_n and s.waste_n and s.redealt < s.redeals:
        for i in range(s.waste_n):
            s.stock[i] = s.waste[i]
        s.stock_at = 0
        s.stock_n = s.waste_n
        s.waste_n = 0
        s.redealt += 1
    if s.stock_at < s.stock_n:
        place = s.stock[s.stock_at]
        s.stock_at += 1
        s.hand[seat][s.hand_n[seat]] = place
        s.hand_n[seat] += 1
        if s.known_to[place] == NOBODY:
            s.known_to[place] = seat
