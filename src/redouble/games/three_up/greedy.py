"""A sensible human's 3UP 3DOWN: play low cards first, and keep high cards and Clears for later."""

from __future__ import annotations

from redouble.games.three_up.actions import COLORED, DOWN, DRAW, SWAP, copies_of, rank_of, up_card
from redouble.games.three_up.position import COLORS, COPIES, HAND, KINDS, Position
from redouble.kernel.rng import Generator

# The value of a card of each rank to its owner: higher cards can be played more often.
WORTH = (0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 16, 19, 22)

# For `evaluate`, in thousandths of a certain win: a card left to play, a face-down card, which may
# turn out not to be playable, a place, and a point when several games are scored.
A_CARD = 70
DOWN_CARD = 120
A_PLACE = 1000
A_POINT = 15


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """Return the legal action of most worth, the first one of equals."""
    if n == 1:
        return out[0]
    if s.choosing:
        return _best_choice(s, out, n)
    if s.asking:
        return _best_swap(s, out, n)
    best = out[0]
    highest = -1_000_000
    for i in range(n):
        action = out[i]
        if action == DRAW:
            # Before an extra turn cards cost nothing: they would be drawn at its end anyway.
            if s.extra_turn and s.size[s.turn] < HAND:
                return DRAW
        elif action < DOWN or action >= COLORED:
            worth = _worth_of_play(s, action)
            if worth > highest:
                highest = worth
                best = action
    return best


def _best_choice(s: Position, out: list[int], n: int) -> int:
    """Return the best 3UP: high cards and pairs; the worst if another player gets them."""
    best = out[0]
    highest = -1_000_000
    for i in range(n):
        worth = 0
        last = -1
        for j in range(3):
            rank = up_card(out[i], j)
            if s.color_four:
                rank //= COLORS
            worth += WORTH[rank]
            if rank == last:
                worth += 12
            last = rank
        if s.pick_for_others or s.swap_piles:
            worth = -worth
        if worth > highest:
            highest = worth
            best = out[i]
    return best


def _best_swap(s: Position, out: list[int], n: int) -> int:
    """Return the swap of a high hand card for a much lower one, while cards can be drawn."""
    best = out[0]
    highest = 3
    if s.drawn < s.deck_n:
        for i in range(1, n):
            give = (out[i] - SWAP) // KINDS // COLORS
            get = (out[i] - SWAP) % KINDS // COLORS
            if WORTH[give] - WORTH[get] > highest:
                highest = WORTH[give] - WORTH[get]
                best = out[i]
    return best


def _worth_of_play(s: Position, action: int) -> int:
    """Return the worth of a play: the lower the cards, the better.

    High cards and Clears can be played later, on any pile. All copies are played at once, except
    good cards while the hand is filled up again anyway.
    """
    if action < DOWN:
        rank = action // COPIES
        copies = action % COPIES + 1
    else:
        rank = rank_of(action)
        copies = copies_of(action, 0) + copies_of(action, 1) + copies_of(action, 2)
    worth = -4 * WORTH[rank]
    if s.drawn == s.deck_n or s.size[s.turn] > HAND:
        return worth + 4 * copies
    return worth + (copies - 1) * (30 - 4 * WORTH[rank])


def evaluate(s: Position, out: list[int]) -> None:
    """Write minus the cards left, good ones counting less; seats that are out rank first."""
    for seat in range(s.seats):
        if s.place_out[seat]:
            worth = A_PLACE * (s.seats - s.place_out[seat])
        else:
            worth = -A_CARD * (s.size[seat] + s.up_n[seat])
            for i in range(3):
                worth -= DOWN_CARD * (s.down[seat] >> i & 1)
            for kind in range(KINDS):
                worth += 2 * WORTH[kind // COLORS] * s.held[seat][kind]
            for i in range(s.up_n[seat]):
                worth += 2 * WORTH[s.up[seat][i] // COLORS]
        out[seat] = worth - A_POINT * s.points[seat]
