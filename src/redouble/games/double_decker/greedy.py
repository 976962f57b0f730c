"""A good human's Double Decker: collect the most promising color, and lose the others cheaply.

The value of a card is the round's expected result after playing it: the cards captured so far, the
cards this trick may add, and the cards that the rest of the hand can expect to win. The color with
the best sum is the one to collect. High cards of that color are saved for good tricks, and those of
the other colors are played where they win little or nothing. A pass costs two points, so it only
serves to get rid of a worse card. Chances and points are in 64ths.
"""

from __future__ import annotations

from redouble.games.double_decker.rules import (
    COLORS,
    MAX_DECK,
    NUMBERS,
    ONE_COLOR,
    ROUNDS,
    Position,
    count,
    worth,
)
from redouble.kernel.rng import Generator

ONE = 64
EVERY_CARD = (1 << MAX_DECK) - 1
ZEROS = 1 | 1 << NUMBERS | 1 << 2 * NUMBERS

# A seat that can play a higher card does so 1.5 times as often as by chance, in 64ths.
EAGER = 96
# The cards that a won trick usually brings, in 64ths.
CARDS_A_WIN = 160
# Half of the high cards in the colors that the seat doesn't collect can be played without winning.
UNWANTED = 2
# A seat that has yet to play joins a color less often than by chance, since it has its own color.
JOINS = 40
PASS = 128
# For `evaluate`: the value of a point in thousandths of a certain win, before it is divided by the
# tricks to come plus SETTLED; and the points that a passed card costs.
A_POINT = 4000
SETTLED = 5
PASSED = 2

# The layout of `work`: three numbers for each color, then one for each card in hand.
CAPTURED = 0
HOPED = 3
UNSEEN = 6
HIGHER = 16
HOPE = 32


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """Return the card after which the round looks best."""
    seat = s.turn
    unseen = unseen_by(s, seat)
    others = count(unseen)
    for color in range(COLORS):
        work[CAPTURED + color] = ONE * count(s.won[seat] >> NUMBERS * color & ONE_COLOR)
        work[HOPED + color] = 0
        work[UNSEEN + color] = count(unseen >> NUMBERS * color & ONE_COLOR)
    for i in range(n):
        color = out[i] // NUMBERS
        higher = count((unseen >> NUMBERS * color & ONE_COLOR) >> (out[i] - NUMBERS * color))
        hope = _chance(higher, others, s.seats - 1) * CARDS_A_WIN // ONE
        if n > 1:
            hope = hope * (n - 2) // (n - 1)  # the last card is never played
        work[HIGHER + i] = higher
        work[HOPE + i] = hope
        work[HOPED + color] += hope

    later = s.seats - s.played - 1
    best = out[0]
    highest = -1_000_000
    for i in range(n):
        color = out[i] // NUMBERS
        lying = s.lying[color]
        work[HOPED + color] -= work[HOPE + i]
        worth = ONE * _outlook(work)
        if lying == 0 and s.colors == 2:
            worth -= ONE * PASS
        elif 1 << (out[i] - NUMBERS * color) > lying:
            wins = _chance(work[HIGHER + i], others, later)
            cards = ONE * (count(lying) + 1) + JOINS * later * work[UNSEEN + color] // others
            work[CAPTURED + color] += cards
            worth += wins * (_outlook(work) - worth // ONE)
            work[CAPTURED + color] -= cards
        work[HOPED + color] += work[HOPE + i]
        if worth > highest:
            highest = worth
            best = out[i]
    return best


def unseen_by(s: Position, seat: int) -> int:
    """Return the cards that this seat has not seen: those in the other hands."""
    seen = s.hand[seat]
    for other in range(s.seats):
        seen |= s.won[other] | s.passed[other]
    for color in range(COLORS):
        seen |= s.lying[color] << NUMBERS * color
    if s.deck_n < MAX_DECK:
        seen |= ZEROS
    return EVERY_CARD & ~seen


def _chance(higher: int, others: int, later: int) -> int:
    """Return the chance that no seat yet to play beats a card: ``higher`` of the others could."""
    passes_over = max(ONE - higher * EAGER // others, 0)
    chance = ONE
    for _ in range(later):
        chance = chance * passes_over // ONE
    return chance


def _outlook(work: list[int]) -> int:
    """Return the points to expect from the round with the best color to collect."""
    best = -1_000_000
    for own in range(COLORS):
        points = 2 * work[CAPTURED + own] + work[HOPED + own]
        for color in range(COLORS):
            points -= work[CAPTURED + color]
            if color != own:
                points -= work[HOPED + color] // UNWANTED
        best = max(best, points)
    return best


def evaluate(s: Position, out: list[int]) -> None:
    """Write the points so far, with this round's cards; they count more late in the game."""
    left = (ROUNDS - s.round) * s.tricks - s.trick
    for seat in range(s.seats):
        points = s.total[seat]
        if s.round < ROUNDS:
            points += worth(s.won[seat]) - PASSED * count(s.passed[seat])
        out[seat] = points * A_POINT // (left + SETTLED)
