"""What a network sees of 3UP 3DOWN: features of a position, and traits of a move."""

from __future__ import annotations

from redouble.games.three_up.actions import (
    COLORED,
    DOWN,
    DRAW,
    KEEP,
    SWAP,
    TAKE,
    copies_of,
    rank_of,
    up_card,
)
from redouble.games.three_up.position import (
    CLEAR,
    COLORS,
    COPIES,
    EXTRA,
    KINDS,
    MAX_SEATS,
    RANKS,
    Position,
    down_place,
    equal_up,
)
from redouble.games.three_up.rules import seat_after
from redouble.kernel.piles import ERASED
from redouble.kernel.steps import steps_reached

# Where numbers are told apart no further. In steps: cards of a hand, of the discard pile, and of
# the draw pile. One by one: equal cards in a hand, and unseen ones; cards known in another hand.
SIZES = (1, 2, 3, 4, 5, 6, 8, 11, 15, 20)
PILES = (1, 2, 3, 5, 8, 12, 18)
TO_DRAW = (1, 2, 4, 7, 11, 16, 24, 36, 54)
EQUAL, UNSEEN = 4, 8
NEXT = 5
"""Other seats that are looked at, in the order of their turns."""
DOWNS = 4
"""Numbers of 3DOWN a seat can have left."""

# Where each kind of feature begins. Of this seat: its hand and its 3UP by rank and how many equal
# cards, the cards in hand, 3DOWN and what kind of decision it makes.
SEATS = 0
HOLDS = SEATS + MAX_SEATS + 1
UPS = HOLDS + RANKS * EQUAL
SIZE = UPS + RANKS * 3
DOWN_LEFT = SIZE + len(SIZES) + 1
DECISION = DOWN_LEFT + DOWNS
PLAYS, CHOOSES, SWAPS, GOES_ON = range(4)
# Of the table: the draw pile, the discard pile, the lowest rank that can be played and how many
# lie on top, and unseen cards by rank.
DRAWS = DECISION + 4
PILE = DRAWS + len(TO_DRAW) + 1
ON_TOP = PILE + len(PILES) + 1
HIDDEN = ON_TOP + RANKS * 3
# Of the others in the order of turns: cards in hand, 3DOWN, 3UP by rank, and known cards by rank.
OTHER_SIZE = HIDDEN + RANKS * (UNSEEN + 1)
OTHER_DOWN = OTHER_SIZE + NEXT * (len(SIZES) + 1)
OTHER_UPS = OTHER_DOWN + NEXT * DOWNS
KNOWN = OTHER_UPS + NEXT * RANKS
FEATURES = KNOWN + NEXT * RANKS

# Where each kind of trait of a play begins, by all of what stands behind it. A seat plays from its
# hand while it can draw (0), from its hand (1) or from its 3UP (2).
STAGES = 3
PLAY = 0  # stage, rank, cards, whether equal ones stay
LOWER = PLAY + STAGES * RANKS * EQUAL * 2  # stage, rank, ranks below that could be played
STAY = LOWER + STAGES * RANKS * 3  # stage, cards that stay, whether the pile is cleared
STUCK = STAY + STAGES * 6 * 2  # rank, cards that stay and are too low now
CLEARED = STUCK + RANKS * 5  # why, cards of the pile
NOT_CLEARED = CLEARED + 4 * (len(PILES) + 1)  # rank, equal cards on top
PILE_LEFT = NOT_CLEARED + RANKS * 2  # cards of the pile, if it stays
# What the next seat plays from, if the pile stays: its hand by cards, its 3UP of which some can be
# played or none, or its 3DOWN.
NEXT_SIZES = 6
NEXT_FROM = PILE_LEFT + len(PILES) + 1  # rank, what
CAN, CANT, TURNS_UP = NEXT_SIZES, NEXT_SIZES + 1, NEXT_SIZES + 2
NEXT_KNOWN = NEXT_FROM + RANKS * (NEXT_SIZES + 3)  # rank, known cards that could be played
NEXT_CLEARED = NEXT_KNOWN + RANKS * 3  # what the next seat plays from, if the pile is cleared
OUT = NEXT_CLEARED + NEXT_SIZES + 3
# Other moves: cards put up and cards kept, by rank and how many; a card given and got in a swap.
CHOSEN = OUT + 1
KEPT = CHOSEN + RANKS * 3
GIVEN = KEPT + RANKS * 3
GOT = GIVEN + RANKS
OTHERWISE = GOT + RANKS
TAKES, DRAWS_FIRST, DRAWS_INSTEAD, STAYS, TURNS = range(5)
TRAITS = OTHERWISE + 5

# Where `features` and `traits` count cards by rank, behind the numbers that they write.
COUNTS = 1024


def _downs(s: Position, seat: int) -> int:
    """Return how many 3DOWN a seat has left."""
    return (s.down[seat] & 1) + (s.down[seat] >> 1 & 1) + (s.down[seat] >> 2)


def _in_hand(s: Position, seat: int, rank: int) -> int:
    """Return how many cards of a rank are in a hand."""
    held = s.held[seat]
    return 0 + held[COLORS * rank] + held[COLORS * rank + 1] + held[COLORS * rank + 2]


def _known_in(s: Position, other: int, rank: int) -> int:
    """Return how many cards of a rank are known to be in the hand of another seat."""
    known = _in_hand(s, other, rank)
    for i in range(s.hand_at[other], s.hand_at[other] + s.hand_n[other]):
        kind = s.deck[s.hand[i]]
        known -= kind != ERASED and kind // COLORS == rank
    return known


def features(s: Position, out: list[int]) -> int:
    """Write the numbers of the features of a position; return how many."""
    seat = s.turn
    out[0] = SEATS + s.seats - s.seats_out
    out[1] = SIZE + steps_reached(s.size[seat], SIZES)
    out[2] = DOWN_LEFT + _downs(s, seat)
    decision = PLAYS
    if s.choosing:
        decision = CHOOSES
    elif s.asking:
        decision = SWAPS
    elif s.extra_turn:
        decision = GOES_ON
    out[3] = DECISION + decision
    out[4] = DRAWS + steps_reached(s.deck_n - s.drawn, TO_DRAW)
    out[5] = PILE + steps_reached(s.pile_n, PILES)
    out[6] = ON_TOP + 3 * s.top + min(s.run, 2)
    n = 7
    for rank in range(RANKS):
        held = _in_hand(s, seat, rank)
        if held:
            out[n] = HOLDS + EQUAL * rank + min(held, EQUAL) - 1
            n += 1
    n = _write_ups(s, seat, out, n)
    _count_unseen(s, seat, out)
    for rank in range(RANKS):
        out[n] = HIDDEN + (UNSEEN + 1) * rank + min(out[COUNTS + rank], UNSEEN)
        n += 1
    other = seat
    for later in range(NEXT):
        other = seat_after(s, other)
        if other == seat:
            break
        n = _write_other(s, other, later, out, n)
    return n


def _write_ups(s: Position, seat: int, out: list[int], n: int) -> int:
    """Write the features of a seat's own 3UP, after ``n`` others."""
    i = 0
    while i < s.up_n[seat]:
        rank = s.up[seat][i] // COLORS
        copies = equal_up(s, seat, i)
        i += copies
        out[n] = UPS + 3 * rank + copies - 1
        n += 1
    return n


def _count_unseen(s: Position, seat: int, out: list[int]) -> None:
    """Count the cards of each rank that a seat hasn't seen."""
    for rank in range(RANKS):
        out[COUNTS + rank] = 0
    for place in range(s.deck_n):
        out[COUNTS + s.box[place] // COLORS] += 1
        if place < s.drawn and s.deck[place] != ERASED:
            out[COUNTS + s.deck[place] // COLORS] -= 1
    for other in range(s.seats):
        for i in range(3):
            if s.down[other] >> i & 1:
                kind = s.deck[down_place(s, other, i)]
                if kind != ERASED:
                    out[COUNTS + kind // COLORS] += 1
        if other != seat:
            for i in range(s.hand_at[other], s.hand_at[other] + s.hand_n[other]):
                kind = s.deck[s.hand[i]]
                if kind != ERASED:
                    out[COUNTS + kind // COLORS] += 1


def _write_other(s: Position, other: int, later: int, out: list[int], n: int) -> int:
    """Write what is known of another seat, after ``n`` numbers."""
    out[n] = OTHER_SIZE + later * (len(SIZES) + 1) + steps_reached(s.size[other], SIZES)
    out[n + 1] = OTHER_DOWN + later * DOWNS + _downs(s, other)
    n += 2
    last = -1
    for i in range(s.up_n[other]):
        rank = s.up[other][i] // COLORS
        if rank != last:
            out[n] = OTHER_UPS + later * RANKS + rank
            n += 1
        last = rank
    if s.size[other] > s.hand_n[other]:
        for rank in range(RANKS):
            if _known_in(s, other, rank):
                out[n] = KNOWN + later * RANKS + rank
                n += 1
    return n


def traits(s: Position, action: int, out: list[int]) -> int:
    """Write the numbers of the traits of a move; return how many."""
    if s.choosing:
        return _traits_of_choice(s, action, out)
    if action < DOWN:
        return _traits_of_play(s, action // COPIES, action % COPIES + 1, out)
    if COLORED <= action < SWAP:
        copies = copies_of(action, 0) + copies_of(action, 1) + copies_of(action, 2)
        return _traits_of_play(s, rank_of(action), copies, out)
    if action >= SWAP:
        out[0] = GIVEN + (action - SWAP) // KINDS // COLORS
        out[1] = GOT + (action - SWAP) % KINDS // COLORS
        return 2
    what = TURNS
    if action == TAKE:
        what = TAKES
    elif action == DRAW:
        what = DRAWS_FIRST if s.extra_turn else DRAWS_INSTEAD
    elif action == KEEP:
        what = STAYS
    out[0] = OTHERWISE + what
    return 1


def _traits_of_choice(s: Position, action: int, out: list[int]) -> int:
    """Write what goes up and what stays in hand, by rank and how many."""
    for rank in range(RANKS):
        out[COUNTS + rank] = 0
    for i in range(3):
        rank = up_card(action, i)
        if action >= COLORED:
            rank //= COLORS
        out[COUNTS + rank] += 1
    n = 0
    for rank in range(RANKS):
        up = out[COUNTS + rank]
        kept = _in_hand(s, s.turn, rank) - up
        if up:
            out[n] = CHOSEN + 3 * rank + up - 1
            n += 1
        if kept:
            out[n] = KEPT + 3 * rank + kept - 1
            n += 1
    return n


def _traits_of_play(s: Position, rank: int, copies: int, out: list[int]) -> int:
    """Write what a play of equal cards is, and what it leaves to this seat and to the next one."""
    seat = s.turn
    stage = 2
    if s.size[seat]:
        stage = 0 if s.drawn < s.deck_n else 1
    run = copies + s.run if rank == s.top else copies
    clears = rank >= CLEAR or run >= 3
    least = 0 if clears else rank
    stays = -copies
    equal = -copies
    stuck = 0
    lower = 0
    for other in range(RANKS):
        cards = 0
        if stage < 2:
            cards = _in_hand(s, seat, other)
        else:
            for i in range(s.up_n[seat]):
                cards += s.up[seat][i] // COLORS == other
        stays += cards
        if other == rank:
            equal += cards
        if other < least:
            stuck += cards
        if s.top <= other < rank and cards:
            lower += 1
    out[0] = PLAY + ((stage * RANKS + rank) * EQUAL + min(copies, EQUAL) - 1) * 2 + (equal > 0)
    out[1] = LOWER + (stage * RANKS + rank) * 3 + min(lower, 2)
    out[2] = STAY + (stage * 6 + min(stays, 5)) * 2 + clears
    out[3] = STUCK + rank * 5 + min(stuck, 4)
    other = seat_after(s, seat)
    if stays == 0 and s.down[seat] == 0 and (stage == 2 or s.up_n[seat] == 0):
        out[4] = OUT
        return 5
    if clears:
        why = EXTRA[rank] + (rank >= CLEAR)
        out[4] = CLEARED + why * (len(PILES) + 1) + steps_reached(s.pile_n, PILES)
        out[5] = NEXT_CLEARED + _plays_from(s, other, 0)
        return 6
    out[4] = NOT_CLEARED + 2 * rank + (run > 1)
    out[5] = PILE_LEFT + steps_reached(s.pile_n + copies, PILES)
    out[6] = NEXT_FROM + rank * (NEXT_SIZES + 3) + _plays_from(s, other, rank)
    known = 0
    if s.size[other] > s.hand_n[other]:
        for higher in range(rank, RANKS):
            known += _known_in(s, other, higher)
    out[7] = NEXT_KNOWN + rank * 3 + min(known, 2)
    return 8


def _plays_from(s: Position, seat: int, least: int) -> int:
    """Return from what a seat plays next, where ``least`` is the lowest rank that can be played."""
    if s.size[seat]:
        return min(s.size[seat], NEXT_SIZES) - 1
    if s.up_n[seat] == 0:
        return TURNS_UP
    return CAN if s.up[seat][s.up_n[seat] - 1] // COLORS >= least else CANT
