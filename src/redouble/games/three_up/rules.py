"""The rules of 3UP 3DOWN: be the first to get rid of all cards, the last three unseen.

The law is the publisher's text; TU1-TU21 and G1-G7 are the rulings of this folder's rulebook.
The state is in ``position``, the action numbers are in ``actions``, and what a seat knows is in
``worlds``: ``redact`` and ``determinize``.
"""

from __future__ import annotations

from redouble.games.three_up.actions import (
    ACTIONS,
    COLORED,
    DOWN,
    DRAW,
    KEEP,
    MAX_LEGAL,
    SWAP,
    TAKE,
    colored_play,
    copies_of,
    rank_of,
    up_action,
    up_card,
)
from redouble.games.three_up.position import (
    CLEAR,
    COLORS,
    COPIES,
    DEALT,
    EXTRA,
    FROM_SEEN,
    FROM_UP,
    HAND,
    KINDS,
    MAX_DECK,
    POINTS,
    RANKS,
    Position,
    down_place,
    equal_up,
)
from redouble.games.three_up.worlds import determinize, redact
from redouble.kernel.moments import moment
from redouble.kernel.piles import IN_ORDER, first_copy, seat_beside, shuffle, write_bits
from redouble.kernel.rng import below
from redouble.kernel.state import NOBODY

__all__ = [
    "ACTIONS",
    "MAX_LEGAL",
    "Position",
    "determinize",
    "hidden",
    "legal",
    "play",
    "quiet_limit",
    "rank",
    "redact",
    "score",
    "seat_after",
    "setup",
]


OUT_OF_CARDS, ALL_PLACES, STALEMATE, COUNTED = range(1, 5)

# Moments.
UP_SHOWN, REVERSED, PILE_CLEARED, PILE_TAKEN, DOWN_FAILED, GONE_OUT, POINTS_COUNTED = range(7)

# For `first_copy`: nobody has seen any of the unseen cards.
_UNSEEN = (NOBODY,) * MAX_DECK
# A seat that holds this many cards may no longer draw instead of playing (TU17).
DRAW_LIMIT = 100
# With `stall` 0, the moves without progress that end a game all the same (TU21): as many as the
# longest `stall` allows twelve seats.
MAX_QUIET = 12_000


def setup(s: Position) -> None:
    """Draw the dealer (TU3), shuffle and deal the first game."""
    s.first = _left(s, below(s.rng, s.seats))
    if not s.stacked:
        shuffle(s.rng, s.deck, s.deck_n)
    _deal(s)


def legal(s: Position, out: list[int]) -> int:
    """Write the legal actions, ascending; return their number, 0 when the game is over."""
    if s.turn < 0:
        return 0
    if s.choosing:
        return _choices(s, out)
    if s.asking:
        return _swaps(s, out)
    seat = s.turn
    if s.size[seat]:
        return _plays(s, seat, out)
    if s.up_n[seat]:
        return _plays_up(s, seat, out)
    return write_bits(out, 0, s.down[seat], DOWN)


def play(s: Position, action: int) -> None:
    """Carry out a choice of 3UP, a play, take, draw, turning up or swap of the seat to move."""
    s.quiet += 1
    ends = False
    if s.choosing:
        _choose(s, action)
    elif s.asking:
        ends = _swap(s, action)
    elif action < DOWN or action >= COLORED:
        ends = _play_cards(s, action)
    elif action < TAKE:
        ends = _turn_up(s, action - DOWN)
    elif action == TAKE:
        ends = _take(s)
    else:
        ends = _draw_by_choice(s)
    if ends:
        _end_turn(s)
    if s.quiet >= quiet_limit(s) and not s.reason:
        s.reason = STALEMATE  # TU13
    if s.reason:
        _end_game(s)


def rank(s: Position, out: list[int]) -> None:
    """Write each seat's rank: by points, else by going out; the rest share, or by cards left."""
    for seat in range(s.seats):
        if s.games:
            out[seat] = 1
            for other in range(s.seats):
                out[seat] += s.points[other] < s.points[seat]  # TU12
        elif s.place_out[seat]:
            out[seat] = s.place_out[seat]
        else:
            out[seat] = s.seats_out + 1  # TU12
            for other in range(s.seats):
                if s.reason == STALEMATE and not s.place_out[other]:
                    out[seat] += _cards_left(s, other) < _cards_left(s, seat)  # TU13


def score(s: Position, out: list[int]) -> int:
    """With `games` write each seat's points and return the number of seats, else return 0."""
    if not s.games:
        return 0
    for seat in range(s.seats):
        out[seat] = s.points[seat]
    return s.seats


def quiet_limit(s: Position) -> int:
    """Return how many moves without progress end the game as a stalemate (TU13, TU21)."""
    return s.stall * s.seats if s.stall else MAX_QUIET


def hidden(s: Position, action: int) -> bool:
    """Return whether the others can't see which move this is: 3UP choices but the last (TU3)."""
    return s.choosing > 1


# Legal actions.


def _plays(s: Position, seat: int, out: list[int]) -> int:
    """Write the moves from the hand: plays, else `take`; and `draw` where it is a choice."""
    held = s.held[seat]
    if s.color_four:
        return _colored_plays(s, seat, out)
    n = 0
    for rank in range(s.top, RANKS):
        # From 0, since compiled a sum of unsigned numbers alone would not mix with signed ones.
        copies = 0 + held[3 * rank] + held[3 * rank + 1] + held[3 * rank + 2]
        first = COPIES * rank
        out[n] = first
        out[n + 1] = first + 1
        out[n + 2] = first + 2
        for more in range(3, copies):
            out[n + more] = first + more
        n += copies
    playable = n > 0
    if not playable:
        out[0] = TAKE
        n = 1
    if s.drawn < s.deck_n and _may_draw(s, seat, playable):
        out[n] = DRAW
        n += 1
    return n


def _may_draw(s: Position, seat: int, playable: bool) -> bool:
    """Return whether a seat may draw before an extra turn (TU6) or instead of playing (TU11)."""
    if s.extra_turn and s.size[seat] < HAND:
        return True
    return s.draw_instead > 0 and playable and s.size[seat] < DRAW_LIMIT


def _colored_plays(s: Position, seat: int, out: list[int]) -> int:
    held = s.held[seat]
    playable = False
    for kind in range(COLORS * s.top, KINDS):
        if held[kind]:
            playable = True
            break
    n = 0
    if not playable:
        out[0] = TAKE
        n = 1
    if s.drawn < s.deck_n and _may_draw(s, seat, playable):
        out[n] = DRAW
        n += 1
    for rank in range(s.top, RANKS):
        n = _color_sets(rank, held[3 * rank], held[3 * rank + 1], held[3 * rank + 2], out, n)
    return n


def _color_sets(rank: int, reds: int, blues: int, greens: int, out: list[int], n: int) -> int:
    """Write the plays of any of these cards of a rank; return the new number of actions."""
    if reds + blues + greens:
        for red in range(reds + 1):
            for blue in range(blues + 1):
                for green in range(greens + 1):
                    if red + blue + green:
                        out[n] = colored_play(rank, red, blue, green)
                        n += 1
    return n


def _plays_up(s: Position, seat: int, out: list[int]) -> int:
    """Write the moves from the 3UP: plays, else `take`. The draw pile is gone by then."""
    n = 0
    i = 0
    while i < s.up_n[seat]:
        rank = s.up[seat][i] // COLORS
        copies = equal_up(s, seat, i)
        i += copies
        if rank >= s.top:
            if s.color_four:
                red = _count_up(s, seat, 3 * rank)
                blue = _count_up(s, seat, 3 * rank + 1)
                n = _color_sets(rank, red, blue, copies - red - blue, out, n)
            else:
                for action in range(COPIES * rank, COPIES * rank + copies):
                    out[n] = action
                    n += 1
    if not n:
        out[0] = TAKE
        n = 1
    return n


def _choices(s: Position, out: list[int]) -> int:
    """Write the choices of three of the six cards, each set of equal ones once."""
    seat = s.turn
    colored = s.color_four
    # The positions of the six cards when sorted are runs of equal cards; out holds them meanwhile.
    n = 0
    for kind in range(KINDS):
        for _ in range(s.held[seat][kind]):
            out[32 + n] = kind if colored else kind // COLORS
            n += 1
    n = 0
    for k in range(2, DEALT):
        for j in range(1, k):
            if k > j + 1 and out[32 + k - 1] == out[32 + k]:
                continue
            lowest = up_action(colored, 0, out[32 + j], out[32 + k])
            for i in range(j):
                if j > i + 1 and out[32 + j - 1] == out[32 + j]:
                    continue
                if i > 0 and out[32 + i - 1] == out[32 + i]:
                    continue
                out[n] = lowest + out[32 + i]
                n += 1
    return n


def _swaps(s: Position, out: list[int]) -> int:
    seat = s.turn
    out[0] = KEEP
    n = 1
    for kind in range(KINDS):
        if s.held[seat][kind]:
            for i in range(s.up_n[seat]):
                if i == 0 or s.up[seat][i] != s.up[seat][i - 1]:
                    out[n] = SWAP + KINDS * kind + s.up[seat][i]
                    n += 1
    return n


# Dealing and choosing.


def _deal(s: Position) -> None:
    """Deal three cards down and six to each seat, one at a time; then 3UP are chosen."""
    row = MAX_DECK // s.seats
    for seat in range(s.seats):
        order = seat - s.first if seat >= s.first else seat - s.first + s.seats
        held = s.held[seat]
        for kind in range(KINDS):
            held[kind] = 0
            s.never[seat][kind] = 0
        for least in range(CLEAR):
            s.need[seat][least] = 0
        for i in range(DEALT):
            place = (3 + i) * s.seats + order
            s.hand[row * seat + i] = place
            held[s.deck[place]] += 1
        s.hand_at[seat] = row * seat
        s.hand_n[seat] = DEALT
        s.size[seat] = DEALT
        s.choice[seat] = 0
        s.up_n[seat] = 0
        s.pile_of[seat] = seat
        s.down[seat] = 7
        s.place_out[seat] = 0
    s.hand_at[s.seats] = MAX_DECK
    s.seats_out = 0
    s.drawn = (3 + DEALT) * s.seats
    s.cleared = 0
    _empty_pile(s)
    s.game += 1
    s.choosing = s.seats
    s.turn = s.first
    s.direction = 1
    s.extra = 0
    s.extra_turn = 0
    s.quiet = 0


def _empty_pile(s: Position) -> None:
    for kind in range(KINDS):
        s.pile[kind] = 0
    s.pile_n = 0
    s.top = 0
    s.run = 0


def _choose(s: Position, action: int) -> None:
    s.choice[s.turn] = action
    s.choosing -= 1
    s.turn = _left(s, s.turn)
    if not s.choosing:
        _show_choices(s)


def _show_choices(s: Position) -> None:
    """Put the 3UP on the 3DOWN when all have chosen; deal the piles out if so played (TU11)."""
    s.quiet = 0
    if s.swap_piles:
        shuffle(s.rng, s.pile_of, s.seats)
    for seat in range(s.seats):
        dealt = seat
        if s.pick_for_others:
            dealt = _left(s, seat)
        owner = 0
        while s.pile_of[owner] != dealt:
            owner += 1
        six = 0
        for i in range(3):
            card = up_card(s.choice[seat], i)
            if not s.color_four:
                card = _first_color(s, seat, card)
            place = _from_hand(s, seat, card)
            six |= 1 << (place // s.seats - 3)
            s.up[owner][i] = card
        s.up_n[owner] = 3
        s.choice[seat] = six
    moment(s, UP_SHOWN)


# Turns.


def _left(s: Position, seat: int) -> int:
    return seat + 1 if seat + 1 < s.seats else 0


def _end_turn(s: Position) -> None:
    """End a turn or extra turn: start the next extra turn, or draw and pass to the next seat."""
    seat = s.turn
    if s.extra:
        s.extra -= 1
        s.extra_turn = 1
        if s.size[seat]:
            return  # TU6: an extra turn starts without drawing
        _fill(s, seat)
        return
    _fill(s, seat)
    _next_seat(s)


def _next_seat(s: Position) -> None:
    s.extra_turn = 0
    s.turn = seat_after(s, s.turn)


def seat_after(s: Position, seat: int) -> int:
    """Return the seat whose turn comes after this one's; the same if all others are out."""
    while True:
        seat = seat_beside(seat, s.direction, s.seats)
        if not s.place_out[seat]:
            return seat


def _fill(s: Position, seat: int) -> None:
    """Draw up to three cards."""
    while s.size[seat] < HAND and s.drawn < s.deck_n:
        _draw(s, seat)


def _go_out(s: Position, seat: int) -> None:
    """Let a seat without cards win, or take its place (TU10, TU11)."""
    s.seats_out += 1
    s.place_out[seat] = s.seats_out
    s.extra = 0
    moment(s, GONE_OUT)
    if not s.play_on:
        s.reason = OUT_OF_CARDS
    elif s.seats_out == s.seats - 1:
        s.reason = ALL_PLACES
    else:
        _next_seat(s)


def _end_game(s: Position) -> None:
    """End the game, or with `games` count points and deal the next one (TU11)."""
    if s.games:
        for seat in range(s.seats):
            for rank in range(RANKS):
                s.counted[seat][rank] = 0
            for kind in range(KINDS):
                s.counted[seat][kind // COLORS] += s.held[seat][kind]  # TU16
                s.points[seat] += s.held[seat][kind] * POINTS[kind // COLORS]
            s.hand_n[seat] = 0  # TU16: the hands are laid open to be counted
        moment(s, POINTS_COUNTED)
        if s.game < s.games:
            s.first = _left(s, s.first)
            s.reason = 0
            shuffle(s.rng, s.deck, s.deck_n)
            _deal(s)
            return
        s.reason = COUNTED
    s.turn = -1


def _cards_left(s: Position, seat: int) -> int:
    n = s.size[seat] + s.up_n[seat]
    for i in range(3):
        n += s.down[seat] >> i & 1
    return n


# Moves. Each returns whether it ends the turn or extra turn.


def _play_cards(s: Position, action: int) -> bool:
    """Play equal cards from the hand, else from the 3UP."""
    seat = s.turn
    fourth = False
    if s.color_four:
        rank = rank_of(action)
        copies = 0
        for color in range(COLORS):
            for _ in range(copies_of(action, color)):
                fourth |= _lay(s, seat, COLORS * rank + color)
                copies += 1
    else:
        rank = action // COPIES
        copies = action - COPIES * rank + 1
        for _ in range(copies):
            _lay(s, seat, _first_color(s, seat, rank))
    return _after_play(s, rank, copies, fourth)


def _first_color(s: Position, seat: int, rank: int) -> int:
    """Return the kind of this rank that is first in color order (TU14).

    Playing another color than red shows that the hand holds no red one, and so on (G7).
    """
    if not s.size[seat]:
        i = 0
        while s.up[seat][i] // COLORS != rank:
            i += 1
        return s.up[seat][i]
    held = s.held[seat]
    never = s.never[seat]
    kind = COLORS * rank
    no_red = held[kind] == 0
    no_blue = no_red and held[kind + 1] == 0
    never[kind] = s.drawn if no_red else never[kind]
    never[kind + 1] = s.drawn if no_blue else never[kind + 1]
    return kind + no_red + no_blue


def _lay(s: Position, seat: int, kind: int) -> bool:
    """Play a card from the hand, else the 3UP, and return what `_put` returns."""
    if s.size[seat]:
        came = _from_hand(s, seat, kind)
    else:
        _from_up(s, seat, kind)
        came = FROM_UP + seat
    return _put(s, kind, came)


def _put(s: Position, kind: int, came: int) -> bool:
    """Put a card on the pile; return whether it is the fourth of its color in a row (TU11)."""
    at = s.pile_n
    s.recent[at % 8] = kind
    s.came[at % 8] = came
    s.pile[kind] += 1
    s.pile_n = at + 1
    if not s.color_four or at < 3:
        return False
    color = kind % COLORS
    for i in range(at - 3, at):
        if s.recent[i % 8] % COLORS != color:
            return False
    return at == 3 or s.recent[(at - 4) % 8] % COLORS != color


def _after_play(s: Position, rank: int, copies: int, fourth: bool) -> bool:
    seat = s.turn
    s.run = s.run + copies if rank == s.top else copies
    s.top = rank
    if rank == 0 and s.reverse_ones and copies % 2:
        s.direction = -s.direction
        moment(s, REVERSED)
    clears = rank >= CLEAR or s.run >= 3  # TU5
    if clears:
        s.extra += copies * EXTRA[rank]  # TU4
        moment(s, PILE_CLEARED)
        s.cleared += s.pile_n
        s.quiet = 0
        _empty_pile(s)
    if s.size[seat] == 0 and s.up_n[seat] == 0 and s.down[seat] == 0:
        _go_out(s, seat)  # TU10
        return False
    if fourth and not clears and s.size[seat] and s.up_n[seat]:
        s.asking = 1
        return False
    return True


def _turn_up(s: Position, i: int) -> bool:
    """Play a 3DOWN card, or take it into the hand with the pile (TU9)."""
    seat = s.turn
    place = down_place(s, seat, i)
    kind = s.deck[place]
    s.down[seat] -= 1 << i
    if kind // COLORS >= s.top:
        return _after_play(s, kind // COLORS, 1, _put(s, kind, place))
    # The hand was empty, so nothing is known of it any more; the others see only that it failed.
    for other in range(KINDS):
        s.never[seat][other] = 0
    _to_hand(s, seat, place)
    moment(s, DOWN_FAILED)
    return _take(s)


def _take(s: Position) -> bool:
    """Pick up the pile: nothing in the hand, or in the 3UP, could be played (TU7)."""
    seat = s.turn
    held = s.held[seat]
    never = s.never[seat]
    if s.size[seat]:
        for kind in range(COLORS * s.top, KINDS):
            never[kind] = s.drawn
    moment(s, PILE_TAKEN)
    for kind in range(KINDS):
        held[kind] += s.pile[kind]
    s.size[seat] += s.pile_n
    _empty_pile(s)
    return True


def _draw_by_choice(s: Position) -> bool:
    """Fill the hand before an extra turn (TU6), or draw one card instead of playing (TU11)."""
    seat = s.turn
    if s.extra_turn and s.size[seat] < HAND:
        _fill(s, seat)
        return False
    _could_play(s, seat)
    _draw(s, seat)
    return True


def _could_play(s: Position, seat: int) -> None:
    """Note that drawing instead of playing shows a card that could be played (G7)."""
    if s.top == 0:
        return
    shown = 0
    for kind in range(COLORS * s.top, KINDS):
        shown += s.held[seat][kind]
    for i in range(s.hand_at[seat], s.hand_at[seat] + s.hand_n[seat]):
        if s.deck[s.hand[i]] >= COLORS * s.top:
            shown -= 1
    if shown:
        return  # a card all have seen is reason enough
    for least in range(s.top, CLEAR):
        if s.need[seat][least]:
            return  # known already
    for least in range(s.top):
        if s.need[seat][least] == s.drawn:
            s.need[seat][least] = 0
    s.need[seat][s.top] = s.drawn


def _swap(s: Position, action: int) -> bool:
    """Exchange a hand card with one of the 3UP, or keep them (TU11)."""
    seat = s.turn
    s.asking = 0
    if action >= SWAP:
        give = (action - SWAP) // KINDS
        get = (action - SWAP) % KINDS
        _from_hand(s, seat, give)
        _from_up(s, seat, get)
        s.held[seat][get] += 1
        s.size[seat] += 1
        i = s.up_n[seat]
        while i > 0 and s.up[seat][i - 1] > give:
            s.up[seat][i] = s.up[seat][i - 1]
            i -= 1
        s.up[seat][i] = give
        s.up_n[seat] += 1
    return True


# Cards into and out of hands.


def _count_up(s: Position, seat: int, kind: int) -> int:
    n = 0
    for i in range(s.up_n[seat]):
        if s.up[seat][i] == kind:
            n += 1
    return n


def _from_up(s: Position, seat: int, kind: int) -> None:
    i = 0
    while s.up[seat][i] != kind:
        i += 1
    s.up_n[seat] -= 1
    while i < s.up_n[seat]:
        s.up[seat][i] = s.up[seat][i + 1]
        i += 1


def _draw(s: Position, seat: int) -> None:
    _to_hand(s, seat, s.drawn)
    s.drawn += 1
    s.quiet = 0


def _to_hand(s: Position, seat: int, place: int) -> None:
    """Add an unseen card to a hand."""
    if s.hand_at[seat] + s.hand_n[seat] == s.hand_at[seat + 1]:
        _make_room(s, seat)
    s.hand[s.hand_at[seat] + s.hand_n[seat]] = place
    s.hand_n[seat] += 1
    s.held[seat][s.deck[place]] += 1
    s.size[seat] += 1


def _make_room(s: Position, seat: int) -> None:
    """Move rows of unseen cards by one, up or else down, so that a full row can get a card more."""
    other = seat + 1
    while other < s.seats and s.hand_at[other] + s.hand_n[other] == s.hand_at[other + 1]:
        other += 1
    if other < s.seats:
        while other > seat:
            s.hand[s.hand_at[other] + s.hand_n[other]] = s.hand[s.hand_at[other]]
            s.hand_at[other] += 1
            other -= 1
        return
    other = seat
    while s.hand_at[other - 1] + s.hand_n[other - 1] == s.hand_at[other]:
        other -= 1
    while other <= seat:
        s.hand_at[other] -= 1
        s.hand[s.hand_at[other]] = s.hand[s.hand_at[other] + s.hand_n[other]]
        other += 1


def _from_hand(s: Position, seat: int, kind: int) -> int:
    """Take a card from a hand: a copy that all have seen, else the one held longest (TU19).

    That shows that no unseen card held longer is equal. Return the place, or FROM_SEEN plus the
    seat.
    """
    start = s.hand_at[seat]
    n = 0 + s.hand_n[seat]
    seen = 0  # copies that all have seen: none where the whole hand is unseen
    if n < s.size[seat]:
        seen = s.held[seat][kind]
        for i in range(start, start + n):
            seen -= s.deck[s.hand[i]] == kind
    place = FROM_SEEN + seat
    if not seen:
        row = s.hand[start : start + n]
        i = start + first_copy(s.rng, s.deck, _UNSEEN, IN_ORDER, row, n, kind)
        place = 0 + s.hand[i]
        s.never[seat][kind] = max(place, 0 + s.never[seat][kind])
        if s.draw_instead:
            for least in range(min(kind // COLORS + 1, CLEAR)):
                if place < s.need[seat][least]:
                    s.need[seat][least] = 0
        s.hand[i] = s.hand[start + n - 1]
        s.hand_n[seat] = n - 1
    s.held[seat][kind] -= 1
    s.size[seat] -= 1
    return place
