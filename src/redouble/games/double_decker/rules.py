"""The rules of Double Decker: win tricks of two colors, and collect cards of one.

The law is the publisher's text; DK1-DK7 and G1-G7 are the rulings of its rulebook page.

Every card is there once, so sets of cards are masks: bit 21 * color + number. Within a color, the
mask with the higher highest card is the greater number, and of two that share it the one with the
higher second card, and so on: sets compare as DK4 compares them.
"""

from __future__ import annotations

from typing import Annotated

from redouble.kernel.kinds import (
    BIG_NUMBER,
    DERIVED,
    HISTORY,
    NUMBER,
    OPTION,
    SEAT,
    bits,
    by_seat,
    one_hot,
)
from redouble.kernel.moments import moment
from redouble.kernel.piles import ERASED, exchange_cards, fill, shuffle, sort_out, write_bits
from redouble.kernel.rng import Generator, below, erase, reseed
from redouble.kernel.state import NOBODY, State, int8, int16, int32, int64

MAX_SEATS = 7
MAX_DECK = 63
# Red, blue, green: the order that breaks the last tie (DK4, DK6).
COLORS = 3
# Numbers of a color, 0 to 20. A card, and the action that plays it, is 21 * color + number.
NUMBERS = 21
ONE_COLOR = (1 << NUMBERS) - 1
ROUNDS = 5

ACTIONS = COLORS * NUMBERS
MAX_LEGAL = 15

FIVE_ROUNDS = 1
NO_CARD = -1
NO_SEAT = -1

# Moments.
TRICK_COMPLETE, ROUND_OVER = range(2)


class Position(State):
    """A game of Double Decker between two moves."""

    # the cards
    box: Annotated[list[int], int8[MAX_DECK], "the cards of the deck", OPTION]
    deck: Annotated[
        list[int], int8[MAX_DECK], "card at each place; the lowest is dealt first", DERIVED
    ]
    deck_n: Annotated[int, int8, "cards in the deck", DERIVED]
    hand: Annotated[
        list[int],
        int64[MAX_SEATS],
        "mask of the cards a seat holds; 0: erased",
        by_seat(bits(MAX_DECK)),
    ]
    won: Annotated[
        list[int],
        int64[MAX_SEATS],
        "mask of the cards a seat captured this round",
        by_seat(bits(MAX_DECK)),
    ]
    passed: Annotated[
        list[int],
        int64[MAX_SEATS],
        "mask of the cards a seat passed this round",
        by_seat(bits(MAX_DECK)),
    ]
    # the trick
    lying: Annotated[
        list[int], int32[COLORS], "mask of the numbers of a color in the trick", bits(NUMBERS)
    ]
    winner: Annotated[
        list[int], int8[COLORS], "seat of a color's highest card in the trick; -1: none", SEAT
    ]
    card: Annotated[
        list[int],
        int8[MAX_SEATS],
        "card each seat played, or passed; -1: none yet",
        by_seat(one_hot(0, MAX_DECK - 1)),
    ]
    colors: Annotated[int, int8, "colors in the trick", DERIVED]
    played: Annotated[int, int8, "seats that played in the trick", NUMBER]
    last: Annotated[
        list[int], int8[MAX_SEATS], "card in the round's trick before; -1: no such", HISTORY
    ]
    trick: Annotated[int, int8, "tricks completed this round", NUMBER]
    # the round
    tricks: Annotated[int, int8, "tricks in a round: all cards of a hand but the last", NUMBER]
    round: Annotated[int, int8, "rounds completed", NUMBER]
    dealer: Annotated[int, int8, "seat that dealt and led the first trick of this round", SEAT]
    points: Annotated[
        list[list[int]], int8[ROUNDS, MAX_SEATS], "points a seat made in a round", HISTORY
    ]
    total: Annotated[list[int], int16[MAX_SEATS], "points of each seat", by_seat(BIG_NUMBER)]


def setup(s: Position) -> None:
    """Draw the first dealer (DK5) and deal."""
    s.dealer = below(s.rng, s.seats)
    s.tricks = s.deck_n // s.seats - 1
    if not s.stacked:
        shuffle(s.rng, s.deck, s.deck_n)
    _deal(s)


def legal(s: Position, out: list[int]) -> int:
    """Write the legal actions, ascending: any card (DK2); return their number, 0 at the end."""
    return write_bits(out, 0, s.hand[s.turn], 0) if s.turn >= 0 else 0


def play(s: Position, card: int) -> None:
    """Play a card into the trick, or pass it if its color is the third."""
    seat = s.turn
    color = card // NUMBERS
    number = 1 << (card - NUMBERS * color)
    lying = s.lying[color]
    s.hand[seat] ^= 1 << card
    s.card[seat] = card
    if lying == 0 and s.colors == 2:
        s.passed[seat] |= 1 << card
    else:
        if lying == 0:
            s.colors += 1
        if number > lying:
            s.winner[color] = seat
        s.lying[color] = lying | number
    s.played += 1
    if s.played < s.seats:
        s.turn = seat + 1 if seat + 1 < s.seats else 0
    else:
        _end_trick(s)


def rank(s: Position, out: list[int]) -> None:
    """Write each seat's rank by points; equal totals share (DK7)."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            if s.total[other] > s.total[seat]:
                out[seat] += 1


def score(s: Position, out: list[int]) -> int:
    """Write each seat's points of all rounds."""
    for seat in range(s.seats):
        out[seat] = s.total[seat]
    return s.seats


def redact(s: Position, seat: int) -> None:
    """Erase the other hands, cards set aside included (DK1), and the generator."""
    unseen = 0
    for other in range(s.seats):
        if other != seat:
            unseen |= s.hand[other]
            s.hand[other] = 0
    for place in range(s.deck_n):
        # What is erased already becomes bit 63, which no card has.
        s.deck[place] = ERASED if unseen >> (s.deck[place] & 63) & 1 else s.deck[place]
    erase(s.rng)


def determinize(s: Position, rng: Generator, work: list[int]) -> None:
    """Deal the unseen cards at random to the other hands.

    Any card may be played at any time, so nothing tells one from another.
    """
    for place in range(s.deck_n):
        work[place] = place
    places = work[:MAX_DECK]
    scratch = work[MAX_DECK:]
    fill(rng, s.deck, s.box, places, s.deck_n, scratch)
    _fill_hands(s)
    reseed(s.rng, rng)


def recall(s: Position, world: Position) -> bool:
    """Fill in the hands of an earlier point of the round."""
    if s.round != world.round:
        return False
    for place in range(s.deck_n):
        if s.deck[place] == ERASED:
            s.deck[place] = world.deck[place]
    _fill_hands(s)
    return True


def holders(s: Position, out: list[int]) -> int:
    """Write who holds each unseen card, by the order in which cards are dealt; return how many."""
    sort_out(s.deck, s.deck_n, out)
    for place in range(s.deck_n):
        if out[place] == NOBODY:
            out[place] = _dealt_to(s, place)
    return s.deck_n


def exchange_unseen(s: Position, first: int, second: int) -> bool:
    """Exchange two unseen cards of different hands."""
    one = _dealt_to(s, first)
    other = _dealt_to(s, second)
    if one == other:
        return False
    both = 1 << s.deck[first] | 1 << s.deck[second]
    s.hand[one] ^= both
    s.hand[other] ^= both
    exchange_cards(s.deck, first, second)
    return True


def hidden(s: Position, card: int) -> bool:
    """Return whether the others can't see which move this is: never, passes are shown (DK3)."""
    return False


def worth(cards: int) -> int:
    """Return the points for captured cards: 1 for each of the largest color, -1 for others.

    A tie for the largest makes no difference, whichever color is chosen (DK6).
    """
    red = count(cards & ONE_COLOR)
    blue = count(cards >> NUMBERS & ONE_COLOR)
    green = count(cards >> 2 * NUMBERS)
    return 2 * max(red, blue, green) - red - blue - green


def count(cards: int) -> int:
    """Return the number of cards in a mask."""
    n = 0
    while cards:
        cards &= cards - 1
        n += 1
    return n


def _behind_dealer(s: Position, seat: int) -> int:
    """Return how many seats to the left of the dealer a seat sits: its first place in the deck."""
    behind = seat - s.dealer
    return behind if behind >= 0 else behind + s.seats


def _dealt_to(s: Position, place: int) -> int:
    return (s.dealer + place) % s.seats


def _deal(s: Position) -> None:
    """Deal all cards, one at a time from the dealer (G4), who leads the first trick."""
    for seat in range(s.seats):
        s.won[seat] = 0
        s.passed[seat] = 0
        s.last[seat] = NO_CARD
        place = _behind_dealer(s, seat)
        cards = 0
        for _ in range(s.tricks + 1):
            cards |= 1 << s.deck[place]
            place += s.seats
        s.hand[seat] = cards
    s.trick = 0
    _lead(s, s.dealer)


def _lead(s: Position, seat: int) -> None:
    for color in range(COLORS):
        s.lying[color] = 0
        s.winner[color] = NO_SEAT
    for other in range(s.seats):
        s.card[other] = NO_CARD
    s.colors = 0
    s.played = 0
    s.turn = seat


def _end_trick(s: Position) -> None:
    """Give each color to its highest card; the higher of the two winners leads (DK4)."""
    moment(s, TRICK_COMPLETE)
    leader = 0
    highest = 0
    for color in range(COLORS):
        lying = s.lying[color]
        if lying:
            seat = s.winner[color]
            s.won[seat] |= lying << NUMBERS * color
            if lying > highest:
                highest = lying
                leader = seat
    for seat in range(s.seats):
        s.last[seat] = s.card[seat]
    s.trick += 1
    _lead(s, leader)
    if s.trick == s.tricks:
        _end_round(s)


def _end_round(s: Position) -> None:
    """Count the points; the cards left over score nothing (DK1)."""
    for seat in range(s.seats):
        made = worth(s.won[seat]) - 2 * count(s.passed[seat])
        s.points[s.round][seat] = made
        s.total[seat] += made
    s.round += 1
    moment(s, ROUND_OVER)
    if s.round == ROUNDS:
        s.turn = -1
        s.reason = FIVE_ROUNDS
    else:
        s.dealer = _next_dealer(s)
        shuffle(s.rng, s.deck, s.deck_n)
        _deal(s)


def _next_dealer(s: Position) -> int:
    """Return the seat with the lowest total, then last round, then clockwise (DK5)."""
    last = s.points[s.round - 1]
    seat = s.dealer
    lowest = -1
    for _ in range(s.seats):
        seat = seat + 1 if seat + 1 < s.seats else 0
        if (
            lowest < 0
            or s.total[seat] < s.total[lowest]
            or (s.total[seat] == s.total[lowest] and last[seat] < last[lowest])
        ):
            lowest = seat
    return lowest


def _fill_hands(s: Position) -> None:
    """Fill the hands with what the deck says they were dealt and have not played."""
    gone = 0
    for seat in range(s.seats):
        gone |= s.won[seat] | s.passed[seat]
    for color in range(COLORS):
        gone |= s.lying[color] << NUMBERS * color
    for seat in range(s.seats):
        place = _behind_dealer(s, seat)
        cards = 0
        for _ in range(s.tricks + 1):
            cards |= 1 << s.deck[place]
            place += s.seats
        s.hand[seat] = cards & ~gone
