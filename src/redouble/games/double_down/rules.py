"""The rules of Double Down: add to the total; a double or 99 costs a chip.

The law is the publisher's text; DD1-DD15 and G1-G7 are the rulings of this folder's rulebook.
"""

from __future__ import annotations

from typing import Annotated

from redouble.kernel.dealing import deal_allowed
from redouble.kernel.kinds import DERIVED, HISTORY, NUMBER, OPTION, SEAT, bag, by_seat, one_hot
from redouble.kernel.moments import moment
from redouble.kernel.piles import (
    ERASED,
    fill,
    first_copy,
    hide,
    pick,
    seat_beside,
    shuffle,
    shuffle_places,
)
from redouble.kernel.rng import Generator, below, erase, reseed
from redouble.kernel.state import EVERYONE, NOBODY, State, int8, int16, int32, uint8

MAX_SEATS = 7
MAX_DECK = 80
HAND = 5
LIMIT = 99
# Cards of a round that have been shuffled back into the draw pile when it is a stalemate (DD15).
STALE = 1000
# The lowest total that observations tell from others: four -10 at the start of a round.
LOWEST = -40

# Faces, in the order of their action numbers.
VALUES = (0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 22, 33, 44, 55, 66, -10, 0, 0)
X2 = 17
TURN = 18
FACES = 19
ALL_FACES = (1 << FACES) - 1
# The two answers to the question that the option `forgetful` asks.
DRAW = 19
FORGET = 20

ACTIONS = 21
MAX_LEGAL = 12

LAST_SEAT_IN = 1
STALEMATE = 2

# Moments.
REVERSED, TWO_OWED, CHIP_LOST = range(3)


class Position(State):
    """A game of Double Down between two moves."""

    # options
    forgetful: Annotated[int, int8, "option: drawing is a choice", OPTION]
    repeats_cost: Annotated[int, int8, "option: a repeated double costs a chip, too", OPTION]
    ages: Annotated[
        list[int], int16[MAX_SEATS], "option: age of each seat, 0 when not given", OPTION
    ]
    by_chance: Annotated[
        int, int8, "1: chance picks which of several equal cards is played, as in version 1", OPTION
    ]
    # the cards
    box: Annotated[
        list[int], int8[MAX_DECK], "faces in the deck; each lies at a place of its pool", OPTION
    ]
    deck: Annotated[
        list[int], int8[MAX_DECK], "face at each place; the lowest is dealt first", DERIVED
    ]
    deck_n: Annotated[int, int8, "cards in the deck", DERIVED]
    known_to: Annotated[list[int], int8[MAX_DECK], "who has seen the card at a place", DERIVED]
    order: Annotated[
        list[int],
        int32[MAX_DECK],
        "MAX_DECK times the number of the shuffle a place last saw, plus its index in that pile",
        HISTORY,
    ]
    pools: Annotated[int, int16, "shuffles this round", HISTORY]
    recycled: Annotated[int, int16, "cards shuffled back into the draw pile this round", HISTORY]
    hand: Annotated[
        list[list[int]],
        uint8[MAX_SEATS, HAND],
        "places held by each seat",
        by_seat(bag(FACES, length="hand_n")),
    ]
    hand_n: Annotated[list[int], int8[MAX_SEATS], "cards held by each seat", DERIVED]
    pile: Annotated[list[int], uint8[MAX_DECK], "places of the draw pile, next at pile_at", DERIVED]
    pile_at: Annotated[int, int8, "index of the next place to draw", NUMBER]
    pile_n: Annotated[int, int8, "end of the draw pile", NUMBER]
    discard: Annotated[
        list[int],
        uint8[MAX_DECK],
        "places of the discard pile, bottom first",
        bag(FACES, stop="discard_n"),
    ]
    discard_n: Annotated[int, uint8, "cards on the discard pile", DERIVED]
    never: Annotated[
        list[list[int]],
        int32[MAX_SEATS, FACES],
        "`order` below which no unseen card of a seat has a face, for all to know",
        HISTORY,
    ]
    # the round
    total: Annotated[int, int16, "the total last called", one_hot(LOWEST, LIMIT - 1)]
    direction: Annotated[int, int8, "1: to the left, -1: to the right", NUMBER]
    starter: Annotated[int, int8, "seat that began this round", SEAT]
    round: Annotated[int, int16, "rounds begun", NUMBER]
    owed: Annotated[int, int8, "cards the seat to move still has to play", NUMBER]
    debt: Annotated[int, int8, "cards the turn began with: 1, or 2 after an x2", NUMBER]
    doubling: Annotated[int, int8, "1: an x2 was played this turn", NUMBER]
    draws: Annotated[int, int8, "cards the seat to move may draw for those it played", NUMBER]
    asking: Annotated[int, int8, "1: the seat to move chooses between draw and forget", NUMBER]
    # the seats
    lives: Annotated[list[int], int8[MAX_SEATS], "chips and the free ride; 0: out", by_seat(NUMBER)]
    seats_in: Annotated[int, int8, "seats not out", DERIVED]
    place_out: Annotated[
        list[int], int8[MAX_SEATS], "1 for the first seat out, then 2..; 0: in", by_seat(NUMBER)
    ]


def setup(s: Position) -> None:
    """Give out chips, find the first seat (DD2) and deal the first round."""
    for seat in range(s.seats):
        s.lives[seat] = 4
    s.seats_in = s.seats
    s.starter = _first_seat(s)
    s.round = 1
    if not s.stacked:
        shuffle(s.rng, s.deck, s.deck_n)
    _deal(s)


def legal(s: Position, out: list[int]) -> int:
    """Write the legal actions, ascending; return their number, 0 when the game is over."""
    if s.turn < 0:
        return 0
    if s.asking:
        out[0] = DRAW
        out[1] = FORGET
        return 2
    hand = s.hand[s.turn]
    faces = 0
    for i in range(s.hand_n[s.turn]):
        faces |= 1 << s.deck[hand[i]]
    if s.debt == 2 and s.owed == 2 and faces != 1 << X2:
        faces &= ~(1 << X2)  # DD7
    n = 0
    for face in range(FACES):  # a fixed count: no branch here could be predicted
        out[n] = face
        n += faces >> face & 1
    return n


def play(s: Position, action: int) -> None:
    """The seat to move plays a face, or answers whether it draws."""
    if s.asking:
        _answer(s, action)
        return
    seat = s.turn
    held = s.hand_n[seat]
    hand = s.hand[seat]
    if action == X2 and s.debt == 2 and s.owed == 2:
        for i in range(held):  # an x2 first after an x2 shows a hand of nothing else (DD7, G7)
            s.known_to[hand[i]] = EVERYONE
    if s.by_chance:
        i = pick(s.rng, s.deck, s.known_to, hand, held, action)
        place = hand[i]
    else:
        i = first_copy(s.rng, s.deck, s.known_to, s.order, hand, held, action)
        place = hand[i]
        if s.known_to[place] != EVERYONE:
            s.never[seat][action] = max(0 + s.order[place], 0 + s.never[seat][action])  # DD13
    hand[i] = hand[held - 1]
    s.hand_n[seat] = held - 1
    s.known_to[place] = EVERYONE
    s.discard[s.discard_n] = place
    s.discard_n += 1
    s.owed -= 1
    s.draws += 1

    value = VALUES[action]
    total = s.total + value
    s.total = total
    if action == TURN:
        s.direction = -s.direction
        moment(s, REVERSED)
    elif action == X2:
        s.doubling = 1
        moment(s, TWO_OWED)
    # DD3: only a new total costs; DD4: doubles are above zero.
    costs = total > 0 and total % 11 == 0 and (value != 0 or s.repeats_cost != 0)
    if total >= LIMIT:
        _lose_chip(s, seat)
        _end_round(s)  # DD5
    elif costs:
        _lose_chip(s, seat)
        if s.seats_in == 1:
            _end_game(s, LAST_SEAT_IN)
        elif not s.lives[seat]:
            _end_turn(s)  # DD6: out; a card still owed is not played
        else:
            _go_on(s)
    else:
        _go_on(s)


def rank(s: Position, out: list[int]) -> None:
    """Write each seat's rank: seats in by lives (DD15), the others in reverse order (DD12)."""
    for seat in range(s.seats):
        out[seat] = s.seats - s.place_out[seat] + 1 if s.place_out[seat] else 1
        if s.reason == STALEMATE and s.lives[seat]:
            for other in range(s.seats):
                out[seat] += s.lives[other] > s.lives[seat]


def score(s: Position, out: list[int]) -> int:
    """Return 0: Double Down counts no points."""
    return 0


def redact(s: Position, seat: int) -> None:
    """Erase what ``seat`` cannot know: cards it has not seen and the generator."""
    hide(s.deck, s.known_to, s.deck_n, seat)
    erase(s.rng)


def determinize(s: Position, rng: Generator, work: list[int]) -> None:
    """Fill what was erased with a world that its seat cannot tell from the real one.

    An unseen card lies in a hand or pile that was filled by the shuffle of its pool, so each pool
    is dealt anew on its own: first the places about which something is known, as
    :func:`deal_allowed` does it. What DD7 forces a seat to show is in ``known_to`` already.
    """
    places = work[:MAX_DECK]
    known = work[MAX_DECK : 2 * MAX_DECK]
    masks = work[2 * MAX_DECK : 3 * MAX_DECK]
    scratch = work[3 * MAX_DECK :]
    for pool in range(s.pools):
        n = 0
        m = 0
        for place in range(s.deck_n):
            if s.order[place] // MAX_DECK == pool:
                places[n] = place
                n += 1
        for seat in range(s.seats):
            for i in range(s.hand_n[seat]):
                place = s.hand[seat][i]
                if s.deck[place] == ERASED and s.order[place] // MAX_DECK == pool:
                    masks[m] = faces_possible(s, seat, place)
                    if masks[m] != ALL_FACES:
                        known[m] = place
                        m += 1
        if m:
            _deal_known(s, rng, places, n, known, masks, m, scratch)
        fill(rng, s.deck, s.box, places, n, scratch)
    reseed(s.rng, rng)


def faces_possible(s: Position, seat: int, place: int) -> int:
    """Return the faces, as bits, that an unseen card of a hand can have for all to know (DD13)."""
    faces = 0
    for face in range(FACES):
        if s.never[seat][face] <= s.order[place]:
            faces |= 1 << face
    return faces


def _deal_known(
    s: Position,
    rng: Generator,
    places: list[int],
    n: int,
    known: list[int],
    masks: list[int],
    m: int,
    work: list[int],
) -> None:
    """Deal to the m ``known`` places of a pool, which lies at ``places``."""
    counts = work[:FACES]
    cards = work[FACES : FACES + MAX_DECK]
    scratch = work[FACES + MAX_DECK :]
    for face in range(FACES):
        counts[face] = 0
    for i in range(n):
        counts[s.box[places[i]]] += 1
        if s.deck[places[i]] != ERASED:
            counts[s.deck[places[i]]] -= 1
    unseen = 0
    for face in range(FACES):
        for _ in range(counts[face]):
            cards[unseen] = face
            unseen += 1
    deal_allowed(rng, s.deck, cards, unseen, known, masks, m, scratch, 0, scratch)


def hidden(s: Position, action: int) -> bool:
    """Return whether the others can't see which move this is: never."""
    return False


def _first_seat(s: Position) -> int:
    """Return the seat with the age nearest a multiple of 11; then the younger, the lower (DD2)."""
    first = -1
    least = 1000
    for seat in range(s.seats):
        age = s.ages[seat]
        if age > 0:
            distance = 11 - age if age < 11 else min(age % 11, 11 - age % 11)
            if distance < least or (distance == least and age < s.ages[first]):
                least = distance
                first = seat
    if first < 0:
        return below(s.rng, s.seats)
    return first


def _deal(s: Position) -> None:
    """Deal five cards to every seat still in, one at a time from the starter: a new round."""
    for place in range(s.deck_n):
        s.known_to[place] = NOBODY
        s.order[place] = place
        s.pile[place] = place
    s.pools = 1
    s.recycled = 0
    s.pile_at = 0
    s.pile_n = s.deck_n
    s.discard_n = 0
    for seat in range(s.seats):
        s.hand_n[seat] = 0
        for face in range(FACES):
            s.never[seat][face] = 0
    for _ in range(HAND):
        seat = s.starter
        for _ in range(s.seats):
            if s.lives[seat]:
                _draw(s, seat)
            seat = seat + 1 if seat + 1 < s.seats else 0
    s.total = 0
    s.direction = 1
    s.turn = s.starter
    s.draws = 0
    _owe(s, 1)


def _owe(s: Position, cards: int) -> None:
    """Begin a turn of this many cards for the seat to move."""
    s.debt = cards
    s.owed = cards
    s.doubling = 0


def _lose_chip(s: Position, seat: int) -> None:
    s.lives[seat] -= 1
    if not s.lives[seat]:
        s.place_out[seat] = s.seats - s.seats_in + 1
        s.seats_in -= 1
        s.draws = 0
    moment(s, CHIP_LOST)


def _end_game(s: Position, reason: int) -> None:
    s.turn = -1
    s.reason = reason
    s.owed = 0
    s.draws = 0


def _end_round(s: Position) -> None:
    if s.seats_in == 1:
        _end_game(s, LAST_SEAT_IN)
        return
    seat = s.starter
    while True:
        seat = seat + 1 if seat + 1 < s.seats else 0
        if s.lives[seat]:
            break
    s.starter = seat
    s.round += 1
    shuffle(s.rng, s.deck, s.deck_n)
    _deal(s)


def _go_on(s: Position) -> None:
    """Go on after a card that left its seat in: second card, draws, or next seat."""
    seat = s.turn
    if s.owed:
        if s.hand_n[seat] == 0 and _can_draw(s):
            _draw(s, seat)
            s.draws -= 1
        if s.hand_n[seat]:
            return
        s.owed = 0  # DD7: no card can be had for it
    _settle_draws(s)


def _settle_draws(s: Position) -> None:
    """Draw for the cards played; with `forgetful` ask first (DD11). Then the turn ends."""
    seat = s.turn
    draws = s.draws
    while draws:
        if s.forgetful and s.hand_n[seat] and _can_draw(s):
            s.draws = draws
            s.asking = 1
            return
        _draw(s, seat)
        draws -= 1
    s.draws = 0
    _end_turn(s)


def _answer(s: Position, action: int) -> None:
    s.asking = 0
    if action == DRAW:
        _draw(s, s.turn)
    s.draws -= 1
    _settle_draws(s)


def _end_turn(s: Position) -> None:
    """Pass the turn to the next seat in that has or can draw a card (DD7, DD8)."""
    if s.recycled >= STALE:
        _end_game(s, STALEMATE)
        return
    cards = 2 if s.doubling else 1
    seat = s.turn
    while True:
        seat = seat_beside(seat, s.direction, s.seats)
        if s.lives[seat]:
            if s.hand_n[seat] == 0:
                _draw(s, seat)
            if s.hand_n[seat]:
                break
            cards = 1  # DD7: what was owed lapses
    s.turn = seat
    s.draws = 0
    _owe(s, cards)


def _can_draw(s: Position) -> bool:
    return s.pile_at < s.pile_n or s.discard_n > 1


def _draw(s: Position, seat: int) -> None:
    """Draw one card into a seat's hand, if any is left to draw (DD9)."""
    if s.pile_at == s.pile_n:
        if s.discard_n < 2:
            return
        _reshuffle(s)
    place = s.pile[s.pile_at]
    held = s.hand_n[seat]
    s.pile_at += 1
    s.known_to[place] = seat
    s.hand[seat][held] = place
    s.hand_n[seat] = held + 1


def _reshuffle(s: Position) -> None:
    """Shuffle the discards but the top one into a draw pile (DD9), a pool of its own."""
    n = s.discard_n - 1
    for i in range(n):
        place = s.discard[i]
        _settle_box(s, place)
        s.order[place] = MAX_DECK * s.pools + i
        s.known_to[place] = NOBODY
        s.pile[i] = place
    s.pools += 1
    s.recycled += n
    s.pile_at = 0
    s.pile_n = n
    s.discard[0] = s.discard[n]
    s.discard_n = 1
    shuffle_places(s.rng, s.deck, s.pile, n)


def _settle_box(s: Position, place: int) -> None:
    """Note in ``box`` which card lies at a place all have seen, so that its pool keeps the rest."""
    face = s.deck[place]
    pool = s.order[place] // MAX_DECK
    for other in range(s.deck_n):
        if s.box[other] == face and s.order[other] // MAX_DECK == pool:
            s.box[other] = s.box[place]
            s.box[place] = face
            return
