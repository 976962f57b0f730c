"""What a network sees of Double Decker: features of a position, and traits of a card."""

from __future__ import annotations

from redouble.games.double_decker.greedy import unseen_by
from redouble.games.double_decker.rules import (
    COLORS,
    MAX_LEGAL,
    MAX_SEATS,
    NUMBERS,
    ONE_COLOR,
    ROUNDS,
    Position,
    count,
)
from redouble.kernel.piles import write_bits

# What a card does: it leads, beats its color, stays below, opens the second color, or passes.
LEADS, BEATS, STAYS_BELOW, OPENS, PASSES = range(5)
DEEDS = 5
# How many of the other colors are worth less to the seat than the card's.
RANKS = COLORS
# Where numbers are told apart no further: seats yet to play; cards of the color that lie in the
# trick; unseen cards that beat this one (0, 1, up to 3, up to 6, more); cards of the color that
# stay in hand; and a color's lead over the seat's others in captured cards, from -2.
LATER, LYING, HIGHER, LEFT, LEAD = 3, 4, 5, 5, 5
STEPS = (1, 2, 4, 7)
# Numbers that count as one, and the quarters of a round.
WIDTH, STAGES = 3, 4

# Where each kind of trait begins, by all of what stands behind it.
CARD = 0  # rank, deed, later, lying, number
STAGE = CARD + RANKS * DEEDS * LATER * LYING * (NUMBERS // WIDTH)  # deed, rank, stage
BEATEN = STAGE + DEEDS * RANKS * STAGES  # deed, later, rank, higher
STAYS = BEATEN + DEEDS * LATER * RANKS * HIGHER  # deed, rank, left
GAP = STAYS + DEEDS * RANKS * LEFT  # rank, deed, lead
# A card below another, by what the color is to the seat that takes it: not its largest even with
# these cards, made its largest by them, one of several largest, the largest; lying, later.
GIFT = GAP + RANKS * DEEDS * LEAD
GIFTS = 4
# The other color, to which the card doesn't go: rank, later, lying.
REFUSED = GIFT + GIFTS * LYING * LATER
# The card itself, by the place of its color among the seat's.
ITSELF = REFUSED + RANKS * LATER * LYING  # place, number
TRAITS = ITSELF + COLORS * NUMBERS

# Where numbers of features are told apart no further: captured cards of a color; those of the other
# who has most; those of each other; and the lead in points over the best other, in steps.
MINE, MOST, OTHERS, LEADING, STEP = 12, 8, 6, 8, 4
HAND = MAX_LEGAL

# Where each kind of feature begins. Colors go by their places: what they are worth to the seat.
SEATS = 0
ROUND = SEATS + MAX_SEATS + 1
TRICK = ROUND + ROUNDS
PLAYED = TRICK + HAND
AHEAD = PLAYED + MAX_SEATS
HOLDS = AHEAD + 2 * LEADING + 1  # place, number
LIES = HOLDS + COLORS * NUMBERS  # place, number
HELD = LIES + COLORS * NUMBERS  # place, cards
CAPTURED = HELD + COLORS * (HAND + 1)  # place, cards
MOST_CAPTURED = CAPTURED + COLORS * (MINE + 1)  # place, cards
OTHER_CAPTURED = MOST_CAPTURED + COLORS * (MOST + 1)  # others in the order of turns, place, cards
FEATURES = OTHER_CAPTURED + (MAX_SEATS - 1) * COLORS * (OTHERS + 1)


def features(s: Position, out: list[int]) -> int:
    """Write the numbers of the features of a position; return how many."""
    seat = s.turn
    best = -1_000_000
    for other in range(s.seats):
        if other != seat:
            best = max(best, s.total[other])
    out[0] = SEATS + s.seats
    out[1] = ROUND + s.round
    out[2] = TRICK + s.trick
    out[3] = PLAYED + s.played
    lead = (s.total[seat] - best) // STEP
    out[4] = AHEAD + LEADING + min(max(lead, -LEADING), LEADING)
    n = 5
    for color in range(COLORS):
        place = _place(s, seat, color)
        cards = s.hand[seat] >> NUMBERS * color & ONE_COLOR
        n = write_bits(out, n, cards, HOLDS + place * NUMBERS)
        n = write_bits(out, n, s.lying[color], LIES + place * NUMBERS)
        out[n] = HELD + place * (HAND + 1) + count(cards)
        out[n + 1] = CAPTURED + place * (MINE + 1) + min(_captured(s, seat, color), MINE)
        n += 2
        most = 0
        other = seat
        for later in range(s.seats - 1):
            other = other + 1 if other + 1 < s.seats else 0
            captured = _captured(s, other, color)
            most = max(most, captured)
            at = OTHER_CAPTURED + (later * COLORS + place) * (OTHERS + 1)
            out[n] = at + min(captured, OTHERS)
            n += 1
        out[n] = MOST_CAPTURED + place * (MOST + 1) + min(most, MOST)
        n += 1
    return n


def _place(s: Position, seat: int, color: int) -> int:
    """Return how many colors are worth less to a seat, or as much and come later."""
    value = _value(s, seat, color)
    place = 0
    for other in range(COLORS):
        its = _value(s, seat, other)
        place += its < value or (its == value and other > color)
    return place


def traits(s: Position, action: int, out: list[int]) -> int:
    """Write the numbers of the traits of a card; return how many."""
    seat = s.turn
    color = action // NUMBERS
    number = action - NUMBERS * color
    lying = s.lying[color]
    if s.played == 0:
        deed = LEADS
    elif lying == 0:
        deed = PASSES if s.colors == 2 else OPENS
    else:
        deed = BEATS if 1 << number > lying else STAYS_BELOW
    rank = 0
    largest = 0
    value = _value(s, seat, color)
    for other in range(COLORS):
        if other != color:
            rank += value > _value(s, seat, other)
            largest = max(largest, _captured(s, seat, other))
    later = min(s.seats - s.played - 1, LATER - 1)
    laid = min(count(lying), LYING - 1)
    stage = STAGES * s.trick // s.tricks
    above = count((unseen_by(s, seat) >> NUMBERS * color & ONE_COLOR) >> number)
    higher = 0
    for step in STEPS:
        higher += above >= step
    left = min(count(s.hand[seat] >> NUMBERS * color & ONE_COLOR) - 1, LEFT - 1)
    lead = min(max(_captured(s, seat, color) - largest, -2), 2) + 2
    first = ((rank * DEEDS + deed) * LATER + later) * LYING + laid
    out[0] = CARD + first * (NUMBERS // WIDTH) + number // WIDTH
    out[1] = STAGE + (deed * RANKS + rank) * STAGES + stage
    out[2] = BEATEN + ((deed * LATER + later) * RANKS + rank) * HIGHER + higher
    out[3] = STAYS + (deed * RANKS + rank) * LEFT + left
    out[4] = GAP + (rank * DEEDS + deed) * LEAD + lead
    out[5] = ITSELF + _place(s, seat, color) * NUMBERS + number
    if deed == STAYS_BELOW:
        out[6] = GIFT + (_gift(s, color) * LYING + laid) * LATER + later
        return 7
    if deed == OPENS:
        beside = min(count(s.lying[0] | s.lying[1] | s.lying[2]), LYING - 1)
        out[6] = REFUSED + (rank * LATER + later) * LYING + beside
        return 7
    return 6


def _captured(s: Position, seat: int, color: int) -> int:
    return count(s.won[seat] >> NUMBERS * color & ONE_COLOR)


def _value(s: Position, seat: int, color: int) -> int:
    """Return what a color is worth to a seat: cards captured, and high ones in hand."""
    held = s.hand[seat] >> NUMBERS * color & ONE_COLOR
    return 4 * _captured(s, seat, color) + 2 * count(held >> 11) + 2 * count(held >> 16)


def _gift(s: Position, color: int) -> int:
    """Return what the color in the trick is to the seat that is winning it."""
    winner = s.winner[color]
    largest = 0
    for other in range(COLORS):
        if other != color:
            largest = max(largest, _captured(s, winner, other))
    captured = _captured(s, winner, color)
    if captured < largest:
        return int(captured + count(s.lying[color]) >= largest)
    return 2 if captured == largest else 3
