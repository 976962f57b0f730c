"""What a linear policy sees of a move in Double Decker: which of its weights count."""

from __future__ import annotations

from redouble.games.double_decker.greedy import unseen_by
from redouble.games.double_decker.rules import COLORS, NUMBERS, ONE_COLOR, Position, count

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

# Where the weights of each kind of trait begin, by all of what stands behind it.
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
WEIGHTS = REFUSED + RANKS * LATER * LYING


def traits(s: Position, action: int, out: list[int]) -> int:
    """Write the numbers of the weights that count for a card; return how many."""
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
    if deed == STAYS_BELOW:
        out[5] = GIFT + (_gift(s, color) * LYING + laid) * LATER + later
        return 6
    if deed == OPENS:
        beside = min(count(s.lying[0] | s.lying[1] | s.lying[2]), LYING - 1)
        out[5] = REFUSED + (rank * LATER + later) * LYING + beside
        return 6
    return 5


def _captured(s: Position, seat: int, color: int) -> int:
    """Return how many cards of a color a seat has captured."""
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
