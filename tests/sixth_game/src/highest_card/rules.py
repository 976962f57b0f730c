"""The rules of Highest Card, a game made up to show what a game must define.

Twelve cards, 1 to 12; three to each seat. Round by round every seat lays one card, clockwise from
the starter; the highest takes the round and its seat starts the next. Most rounds taken wins.
"""

from __future__ import annotations

from typing import Annotated

from redouble.kernel.kinds import DERIVED, NUMBER, OPTION, bag, by_seat, one_hot, through
from redouble.kernel.piles import fill, hide, lowest_bit, shuffle
from redouble.kernel.rng import Generator, erase, reseed
from redouble.kernel.state import EVERYONE, NOBODY, State, int8

MAX_SEATS = 4
DECK = 12
HAND = 3

ACTIONS = DECK
MAX_LEGAL = HAND

MAX_ROUNDS = 1


class Position(State):
    """A game of Highest Card between two moves."""

    lowest_wins: Annotated[int, int8, "option: the lowest card takes the round", OPTION]
    box: Annotated[list[int], int8[DECK], "the cards in use", OPTION]
    deck: Annotated[
        list[int], int8[DECK], "card at each place; the lowest place is dealt first", DERIVED
    ]
    deck_n: Annotated[int, int8, "cards in the deck", DERIVED]
    known_to: Annotated[list[int], int8[DECK], "who has seen the card at a place", DERIVED]
    hand: Annotated[
        list[list[int]],
        int8[MAX_SEATS, HAND],
        "places held by each seat",
        by_seat(bag(DECK, length="hand_n")),
    ]
    hand_n: Annotated[list[int], int8[MAX_SEATS], "cards held by each seat", DERIVED]
    laid: Annotated[
        list[int],
        int8[MAX_SEATS],
        "place each seat laid this round, -1: none yet",
        by_seat(through("deck", one_hot(0, DECK - 1))),
    ]
    laid_n: Annotated[int, int8, "cards laid this round", DERIVED]
    taken: Annotated[list[int], int8[MAX_SEATS], "rounds taken by each seat", by_seat(NUMBER)]


def setup(s: Position) -> None:
    """Shuffle and deal three cards to each seat, one at a time."""
    if not s.stacked:
        shuffle(s.rng, s.deck, s.deck_n)
    for place in range(s.deck_n):
        s.known_to[place] = place % s.seats if place < HAND * s.seats else NOBODY
    for seat in range(s.seats):
        s.laid[seat] = -1
        s.hand_n[seat] = HAND
        for i in range(HAND):
            s.hand[seat][i] = i * s.seats + seat


def legal(s: Position, out: list[int]) -> int:
    """Every card in hand, ascending."""
    if s.turn < 0:
        return 0
    cards = 0
    for i in range(s.hand_n[s.turn]):
        cards |= 1 << s.deck[s.hand[s.turn][i]]
    n = 0
    while cards:
        out[n] = lowest_bit(cards)
        cards &= cards - 1
        n += 1
    return n


def play(s: Position, action: int) -> None:
    """Lay a card; the last of a round decides who takes it."""
    seat = s.turn
    held = s.hand_n[seat] - 1
    for i in range(held):
        if s.deck[s.hand[seat][i]] == action:
            place = s.hand[seat][i]
            s.hand[seat][i] = s.hand[seat][held]
            s.hand[seat][held] = place
    place = s.hand[seat][held]
    s.hand_n[seat] = held
    s.known_to[place] = EVERYONE
    s.laid[seat] = place
    s.laid_n += 1
    s.turn = seat + 1 if seat + 1 < s.seats else 0
    if s.laid_n == s.seats:
        _end_round(s)


def rank(s: Position, out: list[int]) -> None:
    """By rounds taken; ties share the better rank."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            out[seat] += s.taken[other] > s.taken[seat]


def score(s: Position, out: list[int]) -> int:
    """Rounds taken."""
    for seat in range(s.seats):
        out[seat] = s.taken[seat]
    return s.seats


def redact(s: Position, seat: int) -> None:
    """Erase the cards that ``seat`` has not seen, and the generator."""
    hide(s.deck, s.known_to, s.deck_n, seat)
    erase(s.rng)


def determinize(s: Position, rng: Generator, work: list[int]) -> None:
    """Deal the unseen cards at random over the places they can lie at: any."""
    places = work[:DECK]
    for place in range(s.deck_n):
        places[place] = place
    fill(rng, s.deck, s.box, places, s.deck_n, work[DECK:])
    reseed(s.rng, rng)


def hidden(s: Position, action: int) -> bool:
    """Whether the others cannot see which move this is: never."""
    return False


def _end_round(s: Position) -> None:
    winner = 0
    for seat in range(1, s.seats):
        higher = s.deck[s.laid[seat]] > s.deck[s.laid[winner]]
        if higher != (s.lowest_wins != 0):
            winner = seat
    s.taken[winner] += 1
    for seat in range(s.seats):
        s.laid[seat] = -1
    s.laid_n = 0
    s.turn = winner
    if s.hand_n[winner] == 0:
        s.turn = -1
        s.reason = MAX_ROUNDS
