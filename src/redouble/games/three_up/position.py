"""The state of a game of 3UP 3DOWN, and how its cards are numbered."""

from __future__ import annotations

from typing import Annotated

from redouble.kernel.kinds import (
    BIG_NUMBER,
    DERIVED,
    HISTORY,
    HUGE_NUMBER,
    NUMBER,
    OPTION,
    SEAT,
    bits,
    by_seat,
    cards,
    one_hot,
)
from redouble.kernel.state import State, int8, int16, int32, uint8

MAX_SEATS = 12
MAX_DECK = 168
HAND = 3
DEALT = 6

# A card is a kind: three times its rank plus its color. Ranks 0-9 are the numbers 1-10.
COLORS = 3
RANKS = 13
KINDS = 39
CLEAR = 10
POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25)
EXTRA = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2)

# The most copies of a kind (TU15) and of a rank in the decks in use.
MAX_CLEARS = 12
MAX_OTHERS = 8
COPIES = 36

# Where a card on the pile came from that has no place any more: plus the seat, a card of the hand
# that all have seen, and one of the 3UP.
FROM_SEEN = 180
FROM_UP = 200


class Position(State):
    """A game of 3UP 3DOWN between two moves."""

    # options
    decks: Annotated[int, int8, "option: decks shuffled together", OPTION]
    colors: Annotated[int, int8, "option: colors in the deck", OPTION]
    play_on: Annotated[int, int8, "option: play for the places", OPTION]
    draw_instead: Annotated[int, int8, "option: a seat that could play may draw", OPTION]
    reverse_ones: Annotated[int, int8, "option: a 1 reverses the direction", OPTION]
    games: Annotated[int, int8, "option: games over which points are counted; 0: no points", OPTION]
    swap_piles: Annotated[int, int8, "option: 3UP 3DOWN piles are dealt at random", OPTION]
    pick_for_others: Annotated[int, int8, "option: 3UP are chosen for the seat to the left", OPTION]
    color_four: Annotated[int, int8, "option: the fourth of a color swaps a card", OPTION]
    stall: Annotated[int, int16, "option: moves per seat without progress until stalemate", OPTION]
    # the cards
    box: Annotated[list[int], int8[MAX_DECK], "kinds in the deck, sorted", OPTION]
    deck: Annotated[
        list[int], int8[MAX_DECK], "kind at each place; the lowest is dealt first", DERIVED
    ]
    deck_n: Annotated[int, int16, "cards in the deck", DERIVED]
    drawn: Annotated[int, int16, "next place to draw; the draw pile ends at deck_n", BIG_NUMBER]
    pile: Annotated[list[int], int8[KINDS], "discard pile: cards of each kind", NUMBER]
    pile_n: Annotated[int, int16, "cards on the discard pile", DERIVED]
    recent: Annotated[list[int], int8[8], "kind of the i-th card on the pile at i % 8", DERIVED]
    came: Annotated[
        list[int],
        uint8[8],
        "place of the i-th card on the pile at i % 8, or FROM_SEEN, FROM_UP",
        HISTORY,
    ]
    top: Annotated[
        int, uint8, "lowest rank that can be played: the top card's, or 0", one_hot(0, RANKS - 1)
    ]
    run: Annotated[int, int8, "equal numbers in a row on top of the pile", NUMBER]
    cleared: Annotated[int, int16, "cards cleared away", BIG_NUMBER]
    # the seats
    hand: Annotated[list[int], uint8[MAX_DECK], "places of the unseen cards of all hands", DERIVED]
    hand_at: Annotated[
        list[int], int16[MAX_SEATS + 1], "where a seat's row begins in hand", DERIVED
    ]
    hand_n: Annotated[list[int], uint8[MAX_SEATS], "unseen cards in each seat's row", DERIVED]
    held: Annotated[
        list[list[int]], uint8[MAX_SEATS, KINDS], "cards of each kind in each hand", by_seat(NUMBER)
    ]
    size: Annotated[list[int], uint8[MAX_SEATS], "cards in each hand", by_seat(BIG_NUMBER)]
    never: Annotated[
        list[list[int]],
        uint8[MAX_SEATS, KINDS],
        "no unseen card from below this place is a kind",
        HISTORY,
    ]
    need: Annotated[
        list[list[int]],
        uint8[MAX_SEATS, CLEAR],
        "one unseen card from below has the rank or more",
        HISTORY,
    ]
    choice: Annotated[
        list[int],
        int16[MAX_SEATS],
        "action by which 3UP were chosen, 0: not yet; then bits of six",
        HISTORY,
    ]
    up: Annotated[
        list[list[int]],
        int8[MAX_SEATS, 3],
        "3UP: kinds, rising",
        by_seat(cards(KINDS, stop="up_n")),
    ]
    up_n: Annotated[list[int], int8[MAX_SEATS], "cards left of the 3UP", DERIVED]
    pile_of: Annotated[list[int], int8[MAX_SEATS], "seat that was dealt this seat's 3DOWN", HISTORY]
    down: Annotated[list[int], int8[MAX_SEATS], "3DOWN left: a bit for each", by_seat(bits(HAND))]
    place_out: Annotated[
        list[int], int8[MAX_SEATS], "1 for the first seat out, then 2..; 0: in", by_seat(NUMBER)
    ]
    seats_out: Annotated[int, int8, "seats out", DERIVED]
    points: Annotated[
        list[int], int32[MAX_SEATS], "points of the games counted", by_seat(HUGE_NUMBER)
    ]
    counted: Annotated[
        list[list[int]],
        uint8[MAX_SEATS, RANKS],
        "cards of each rank in the hands counted last",
        DERIVED,
    ]
    # the game
    game: Annotated[int, int8, "games begun", NUMBER]
    first: Annotated[int, int8, "seat that moves first in this game", SEAT]
    choosing: Annotated[int, int8, "seats that still have to choose 3UP", NUMBER]
    asking: Annotated[
        int, int8, "1: the seat to move may swap a hand card with one of its 3UP", NUMBER
    ]
    direction: Annotated[int, int8, "1: to the left, -1: to the right", NUMBER]
    extra: Annotated[int, int8, "extra turns the seat to move still has after this turn", NUMBER]
    extra_turn: Annotated[int, int8, "1: this is an extra turn", NUMBER]
    quiet: Annotated[int, int16, "moves since a card was drawn or the pile cleared", BIG_NUMBER]


def down_place(s: Position, seat: int, i: int) -> int:
    """Return the place of a seat's i-th 3DOWN card: they are dealt first, one at a time."""
    order = s.pile_of[seat] - s.first
    return i * s.seats + (order if order >= 0 else order + s.seats)


def equal_up(s: Position, seat: int, first: int) -> int:
    """Return how many 3UP of a seat, from this one on, have the same rank."""
    rank = s.up[seat][first] // COLORS
    i = first + 1
    while i < s.up_n[seat] and s.up[seat][i] // COLORS == rank:
        i += 1
    return i - first
