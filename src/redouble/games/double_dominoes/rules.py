"""The rules of Double Double Dominoes: build lines of dominoes over the diamonds of the board.

The law is the publisher's text; DM1-DM13 and G1-G7 are the rulings of this folder's rulebook.

The board is kept as sets of squares, so that finding where a domino fits takes a few operations. A
set of squares is four words of four rows, 60 bits each. An empty square is *open* while at most one
domino square touches it (DM5 allows no second touch at one end): then it ``takes`` every number,
or, once touched, only the number that touches it. ``room`` holds the pairs of neighboring squares
where a domino may lie at all; a domino fits on such a pair when both squares take its ends.
"""

from __future__ import annotations

from typing import Annotated

from redouble.kernel.dealing import CLUE, add_place, deal_allowed, list_unseen, write_clue
from redouble.kernel.kinds import (
    BIG_NUMBER,
    DERIVED,
    HISTORY,
    NUMBER,
    OPTION,
    bag,
    bits,
    by_seat,
    through,
)
from redouble.kernel.moments import moment
from redouble.kernel.piles import (
    ERASED,
    IN_ORDER,
    first_copy,
    hide,
    lowest_bit,
    pick,
    shuffle,
    write_bits,
)
from redouble.kernel.rng import Generator, below, erase, reseed
from redouble.kernel.state import EVERYONE, NOBODY, State, int8, int16, int32, int64

MAX_SEATS = 6
MAX_DECK = 84
HAND = 3
NUMBERS = 7
GOALS = (0, 0, 100, 75, 50, 75, 50)
BONUS = 3

# The 28 kinds of domino, in the order of DM4: by their dots, then by the low end.
_ENDS = sorted(
    ((low, high) for high in range(NUMBERS) for low in range(high + 1)),
    key=lambda ends: (sum(ends), ends),
)
LOW = tuple(low for low, _ in _ENDS)
HIGH = tuple(high for _, high in _ENDS)
KINDS = 28
ALL_KINDS = (1 << KINDS) - 1

# Squares are numbered from a1 eastwards, row by row to the north.
SIZE = 15
SQUARES = SIZE * SIZE
STAR = -1
EAST, NORTH, WEST, SOUTH = range(4)
STEP = (1, SIZE, -1, -SIZE)

# Sets of squares.
WORDS = 4
WORD = WORDS * SIZE
ROW = (1 << SIZE) - 1
ALL_SQUARES = (1 << WORD) - 1
NOT_EAST_EDGE = sum(1 << bit for bit in range(WORD) if bit % SIZE != SIZE - 1)


def _set_of(squares: list[int]) -> tuple[int, ...]:
    return tuple(sum(1 << q % WORD for q in squares if q // WORD == w) for w in range(WORDS))


def beside(square: int, direction: int) -> list[int]:
    """Return the square next to this one in a direction, in a list; an empty list at the edge."""
    column, row = square % SIZE + (direction == EAST) - (direction == WEST), square // SIZE
    row += (direction == NORTH) - (direction == SOUTH)
    return [row * SIZE + column] if 0 <= column < SIZE and 0 <= row < SIZE else []


NEAR = tuple(
    _set_of([near for way in range(4) for near in beside(square, way)]) for square in range(SQUARES)
)
# ALONG[axis][square]: the pairs along both sides of a domino whose west or south square this is.
# Both squares of such a pair touch that same domino, which DM5 forbids.
ALONG = tuple(
    tuple(
        _set_of([side for way in ways for side in beside(square, way)]) for square in range(SQUARES)
    )
    for ways in ((NORTH, SOUTH), (EAST, WEST))
)

# Actions: a kind, the direction from its lower to its other end and the square of its lower end;
# then `stop`; then the kinds for the pit.
PLACEMENTS = 4 * SQUARES
STOP = KINDS * PLACEMENTS
PIT = STOP + 1
ACTIONS = PIT + KINDS
# At most four kinds are held, and the board has 420 pairs of neighbouring squares. A pair takes a
# kind one way round only, since the square that is touched takes one number; before the first
# domino, when it is otherwise, only the four pairs with the star count. `stop` has three kinds.
MAX_LEGAL = (HAND + 1) * 2 * SIZE * (SIZE - 1)

# Where a domino is that does not lie on the board.
AWAY = -1
IN_PIT = -2

TOTAL_REACHED, BOARD_FULL, BONEYARD_EMPTY = range(1, 4)

# Moments.
PLACED, PITTED = range(2)

MAX_CLUES = 21


class Position(State):
    """A game of Double Double Dominoes between two moves."""

    # options
    ages: Annotated[
        list[int], int16[MAX_SEATS], "option: age of each seat, 0 when not given", OPTION
    ]
    victory: Annotated[
        int, int16, "option: points that end the game, 0: by the number of seats", OPTION
    ]
    board: Annotated[list[int], int8[SQUARES], "option: the diamonds' numbers; -1 the star", OPTION]
    # the dominoes
    box: Annotated[list[int], int8[MAX_DECK], "kinds in use, sorted", OPTION]
    deck: Annotated[
        list[int], int8[MAX_DECK], "kind at each place; the lowest is drawn first", DERIVED
    ]
    deck_n: Annotated[int, int8, "dominoes in use", DERIVED]
    known_to: Annotated[list[int], int8[MAX_DECK], "who has seen the domino of a place", DERIVED]
    where: Annotated[
        list[int], int16[MAX_DECK], "on the board: direction x 225 + low end's square", DERIVED
    ]
    by: Annotated[
        list[int], int8[MAX_DECK], "seat that put it on the board or in the pit; else -1", HISTORY
    ]
    pile_at: Annotated[int, int8, "the next place to draw; from here on is the boneyard", NUMBER]
    hand: Annotated[
        list[list[int]],
        int8[MAX_SEATS, HAND + 1],
        "places held by each seat",
        by_seat(bag(KINDS, length="hand_n")),
    ]
    hand_n: Annotated[list[int], int8[MAX_SEATS], "dominoes held by each seat", DERIVED]
    # the board
    last: Annotated[
        int, int8, "place of the domino laid last; -1 at the start", through("where", BIG_NUMBER)
    ]
    goal: Annotated[int, int16, "points that end the game", BIG_NUMBER]
    points: Annotated[
        list[int], int16[MAX_SEATS], "points of each seat, its piece's space", by_seat(BIG_NUMBER)
    ]
    following: Annotated[
        int, int8, "1: the last domino is a double that may be followed at once", NUMBER
    ]
    open: Annotated[
        list[int],
        int64[WORDS],
        "empty squares that at most one domino square touches",
        bits(SQUARES, WORD),
    ]
    touched: Annotated[
        list[int], int64[WORDS], "squares touching a domino; at first the star", bits(SQUARES, WORD)
    ]
    takes: Annotated[
        list[list[int]],
        int64[NUMBERS, WORDS + 1],
        "open squares for each number",
        bits(SQUARES, WORD),
    ]
    along: Annotated[
        list[list[int]],
        int64[2, WORDS],
        "pairs to the east, north beside one domino",
        bits(SQUARES, WORD),
    ]
    room: Annotated[list[list[int]], int64[2, WORDS], "pairs to the east, north with room", DERIVED]
    # what all can conclude
    may: Annotated[
        list[int], int32[MAX_DECK], "kinds that a place can hold for all that is known", HISTORY
    ]
    clues: Annotated[
        int, int8, "how many clues: a double could be followed, so of the hand", HISTORY
    ]
    clue_n: Annotated[list[int], int8[MAX_CLUES], "... of how many places", HISTORY]
    clue_place: Annotated[
        list[list[int]], int8[MAX_CLUES, HAND], "... these, one at least ...", HISTORY
    ]
    clue_kinds: Annotated[list[int], int32[MAX_CLUES], "... holds one of these kinds", HISTORY]


def setup(s: Position) -> None:
    """Deal three each, show the lowest of each hand and find the first seat (DM4)."""
    s.goal = s.victory
    if s.goal == 0:
        s.goal = GOALS[s.seats]
    _clear_board(s)
    if not s.stacked:
        shuffle(s.rng, s.deck, s.deck_n)
    for place in range(s.deck_n):
        s.known_to[place] = NOBODY
        s.where[place] = AWAY
        s.by[place] = -1
        s.may[place] = ALL_KINDS
    for _ in range(HAND):
        for seat in range(s.seats):
            _draw(s, seat)
    for seat in range(s.seats):
        _show_least(s, seat)
    _begin_turn(s, _first_seat(s))


def legal(s: Position, out: list[int]) -> int:
    """Write the legal actions, ascending; return their number, 0 when the game is over."""
    if s.turn < 0:
        return 0
    held = kinds_held(s, s.turn)
    n = 0
    kinds = held
    while kinds:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        n = _placements(s, kind, out, n)
    if s.following:
        out[n] = STOP
        return n + 1
    return n if n else write_bits(out, 0, held, PIT)  # DM7


def play(s: Position, action: int) -> None:
    """Place a domino, stop after a double, or put a domino in the pit."""
    if action < STOP:
        _place(s, action // PLACEMENTS, action % PLACEMENTS)
    elif action == STOP:
        s.following = 0
        _survey(s)
        _end_turn(s)
    else:
        _pit(s, action - PIT)


def rank(s: Position, out: list[int]) -> None:
    """Write each seat's rank: by points, then by the dots left in hand (DM11)."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            if s.points[other] > s.points[seat] or (
                s.points[other] == s.points[seat] and dots(s, other) > dots(s, seat)
            ):
                out[seat] += 1


def score(s: Position, out: list[int]) -> int:
    """Write each seat's points."""
    for seat in range(s.seats):
        out[seat] = s.points[seat]
    return s.seats


def redact(s: Position, seat: int) -> None:
    """Erase what ``seat`` cannot know: dominoes it has not seen and the generator."""
    hide(s.deck, s.known_to, s.deck_n, seat)
    erase(s.rng)


def hidden(s: Position, action: int) -> bool:
    """Return whether the others can't see which move this is: what goes in the pit (DM7)."""
    if action < PIT:
        return False
    hand = s.hand[s.turn]
    for i in range(s.hand_n[s.turn]):
        if s.deck[hand[i]] == action - PIT and s.known_to[hand[i]] == EVERYONE:
            return False  # DM13
    return True


# Setting up


def _clear_board(s: Position) -> None:
    """Clear the board: the first domino must cover the star."""
    for w in range(WORDS):
        s.open[w] = ALL_SQUARES
        s.touched[w] = 0
    s.open[WORDS - 1] = (1 << (SQUARES - (WORDS - 1) * WORD)) - 1
    for number in range(NUMBERS):
        for w in range(WORDS):
            s.takes[number][w] = s.open[w]
    for square in range(SQUARES):
        if s.board[square] == STAR:
            s.touched[square // WORD] = 1 << square % WORD
    s.last = -1
    _survey(s)


def _show_least(s: Position, seat: int) -> None:
    """Show the lowest domino of a hand, and thereby that the others are not lower (DM4)."""
    hand = s.hand[seat]
    least = KINDS
    for i in range(HAND):
        least = min(least, s.deck[hand[i]])
    i = first_copy(s.rng, s.deck, s.known_to, IN_ORDER, hand, HAND, least)
    _exclude(s, seat, (1 << least) - 1)
    _show(s, seat, hand[i])


def _first_seat(s: Position) -> int:
    """Return the seat with the fewest dots shown; of several the oldest, else by seed (DM4)."""
    least = 2 * NUMBERS
    oldest = 0
    tied = 0
    first = 0
    for seat in range(s.seats):
        fewest = 2 * NUMBERS
        for i in range(HAND):
            place = s.hand[seat][i]
            if s.known_to[place] == EVERYONE:
                fewest = LOW[s.deck[place]] + HIGH[s.deck[place]]
        if fewest < least or (fewest == least and s.ages[seat] > oldest):
            least = fewest
            oldest = s.ages[seat]
            tied = 1 << seat
            first = seat
        elif fewest == least and s.ages[seat] == oldest:
            tied |= 1 << seat
    if tied & (tied - 1):
        first = below(s.rng, s.seats)
        while not tied >> first & 1:
            first = first + 1 if first + 1 < s.seats else 0
    return first


# Where dominoes fit


def _placements(s: Position, kind: int, out: list[int], n: int) -> int:
    """Write the placements of a kind into ``out`` from index n on; return the index after them."""
    low = s.takes[LOW[kind]]
    high = s.takes[HIGH[kind]]
    east = s.room[0]
    north = s.room[1]
    first = kind * PLACEMENTS
    for w in range(WORDS):
        n = write_bits(out, n, east[w] & low[w] & high[w] >> 1, first + w * WORD)
    first += SQUARES
    for w in range(WORDS):
        n = write_bits(out, n, north[w] & low[w] & _from_north(high, w), first + w * WORD)
    if LOW[kind] != HIGH[kind]:
        first += SQUARES + 1
        for w in range(WORDS):
            n = write_bits(out, n, east[w] & high[w] & low[w] >> 1, first + w * WORD)
        first += SQUARES - 1 + SIZE
        for w in range(WORDS):
            n = write_bits(out, n, north[w] & high[w] & _from_north(low, w), first + w * WORD)
    return n


def _from_north(squares: list[int], w: int) -> int:
    """Return word ``w`` of a set moved a row to the south; the set ends with an empty word."""
    return squares[w] >> SIZE | (squares[w + 1] & ROW) << (WORD - SIZE)


def _fits(s: Position, kind: int) -> bool:
    low = s.takes[LOW[kind]]
    high = s.takes[HIGH[kind]]
    for w in range(WORDS):
        if s.room[0][w] & (low[w] & high[w] >> 1 | high[w] & low[w] >> 1):
            return True
        if s.room[1][w] & (low[w] & _from_north(high, w) | high[w] & _from_north(low, w)):
            return True
    return False


def _kinds_that_fit(s: Position, kinds: int) -> int:
    fitting = 0
    while kinds:
        if _fits(s, lowest_bit(kinds)):
            fitting |= kinds & -kinds
        kinds &= kinds - 1
    return fitting


def _survey(s: Position) -> bool:
    """Note where the next domino has room; return whether there is any (DM10).

    A pair of open squares has room when one of them at least is touched (for the first domino: is
    the star) and it does not lie along a single domino (DM5).
    """
    found = 0
    open_north = 0
    touched_north = 0
    for i in range(WORDS):
        w = WORDS - 1 - i
        free = s.open[w]
        touched = free & s.touched[w]
        east = free & free >> 1 & NOT_EAST_EDGE & (touched | touched >> 1) & ~s.along[0][w]
        north = free & (free >> SIZE | open_north)
        north &= (touched | touched >> SIZE | touched_north) & ~s.along[1][w]
        s.room[0][w] = east
        s.room[1][w] = north
        found |= east | north
        open_north = (free & ROW) << (WORD - SIZE)
        touched_north = (touched & ROW) << (WORD - SIZE)
    return found != 0


def _narrow(s: Position, low: int, high: int) -> None:
    """Keep only room that touches the double on these squares (DM6)."""
    north = 0
    for i in range(WORDS):
        w = WORDS - 1 - i
        near = NEAR[low][w] | NEAR[high][w]
        s.room[0][w] &= near | near >> 1
        s.room[1][w] &= near | near >> SIZE | north
        north = (near & ROW) << (WORD - SIZE)


def _cover(s: Position, square: int, number: int) -> None:
    """Cover a square with half a domino, whose number now touches the neighbors."""
    for w in range(WORDS):
        near = NEAR[square][w]
        if near:
            twice = near & s.touched[w]
            s.touched[w] |= near
            s.open[w] &= ~twice
            for other in range(NUMBERS):
                s.takes[other][w] &= ~near
            s.takes[number][w] |= near & ~twice & s.open[w]
    w = square // WORD
    others = ~(1 << square % WORD)
    s.open[w] &= others
    for other in range(NUMBERS):
        s.takes[other][w] &= others


# Moves


def _place(s: Position, kind: int, spot: int) -> None:
    seat = s.turn
    hand = s.hand[seat]
    i = first_copy(s.rng, s.deck, s.known_to, IN_ORDER, hand, s.hand_n[seat], kind)
    place = _leave_hand(s, i)
    _show(s, seat, place)
    direction = spot // SQUARES
    low = spot % SQUARES
    high = low + STEP[direction]
    s.where[place] = spot
    s.last = place
    _cover(s, low, LOW[kind])
    _cover(s, high, HIGH[kind])
    axis = direction & 1
    for w in range(WORDS):
        s.along[axis][w] |= ALONG[axis][min(low, high)][w]
    moment(s, PLACED)
    reached = _gain(s, kind, low, high)
    s.following = 0
    if reached:
        _end(s, TOTAL_REACHED)
    elif not _survey(s):
        _end(s, BOARD_FULL)
    elif LOW[kind] == HIGH[kind]:
        _go_on(s, seat, low, high)
    else:
        _end_turn(s)


def _gain(s: Position, kind: int, low: int, high: int) -> bool:
    """Score diamonds and bonuses (DM9); return whether someone reached the total."""
    reached = False
    for seat in range(s.seats):
        s.points[seat] += worth(s, kind, low, high, seat)
        if s.points[seat] >= s.goal:
            reached = True
    return reached


def worth(s: Position, kind: int, low: int, high: int, seat: int) -> int:
    """Return the points that a seat gets when the seat to move places a domino there (DM9)."""
    points = 0
    if seat == s.turn:
        points = max(s.board[low], 0) + max(s.board[high], 0)
        if LOW[kind] == HIGH[kind]:
            points *= 2
    stands = s.points[seat]
    if stands and (stands % NUMBERS == LOW[kind] or stands % NUMBERS == HIGH[kind]):  # DM2
        points += BONUS
    return points


def _go_on(s: Position, seat: int, low: int, high: int) -> None:
    """Go on after a double: the seat may follow it, or can't and ends its turn (DM6)."""
    _narrow(s, low, high)
    fitting = _kinds_that_fit(s, ALL_KINDS)
    if kinds_held(s, seat) & fitting:
        s.following = 1
        _add_clue(s, seat, fitting)
    else:
        _exclude(s, seat, fitting)
        _survey(s)
        _end_turn(s)


def _pit(s: Position, kind: int) -> None:
    """Put a domino face down in the pit, since none can be placed (DM7)."""
    seat = s.turn
    _exclude(s, seat, _kinds_that_fit(s, ALL_KINDS))
    place = _leave_hand(s, pick(s.rng, s.deck, s.known_to, s.hand[seat], s.hand_n[seat], kind))
    s.where[place] = IN_PIT
    if s.known_to[place] != EVERYONE:
        for i in range(s.hand_n[seat]):
            other = s.hand[seat][i]
            if s.known_to[other] == EVERYONE:
                s.may[place] &= ~(1 << s.deck[other])  # DM13
        _review_clues(s)
    moment(s, PITTED)
    _end_turn(s)


def _leave_hand(s: Position, i: int) -> int:
    """Take the i-th domino from the hand of the seat to move; return its place."""
    seat = s.turn
    place = s.hand[seat][i]
    s.hand_n[seat] -= 1
    s.hand[seat][i] = s.hand[seat][s.hand_n[seat]]
    s.by[place] = seat
    return place


def _begin_turn(s: Position, seat: int) -> None:
    s.turn = seat
    _draw(s, seat)


def _end_turn(s: Position) -> None:
    """Draw up to three (DM8); then the next seat's turn, or the end (DM10)."""
    seat = s.turn
    while s.hand_n[seat] < HAND and s.pile_at < s.deck_n:
        _draw(s, seat)
    if s.pile_at == s.deck_n:
        _end(s, BONEYARD_EMPTY)
    else:
        _begin_turn(s, seat + 1 if seat + 1 < s.seats else 0)


def _draw(s: Position, seat: int) -> None:
    place = s.pile_at
    s.pile_at += 1
    s.known_to[place] = seat
    s.hand[seat][s.hand_n[seat]] = place
    s.hand_n[seat] += 1


def _end(s: Position, reason: int) -> None:
    """End the game and show all hands, since their dots may count (DM12)."""
    s.turn = -1
    s.reason = reason
    for seat in range(s.seats):
        for i in range(s.hand_n[seat]):
            _reveal(s, s.hand[seat][i])


def kinds_held(s: Position, seat: int) -> int:
    kinds = 0
    for i in range(s.hand_n[seat]):
        kinds |= 1 << s.deck[s.hand[seat][i]]
    return kinds


def dots(s: Position, seat: int) -> int:
    """Return the dots on the dominoes of a hand."""
    n = 0
    for i in range(s.hand_n[seat]):
        kind = s.deck[s.hand[seat][i]]
        n += LOW[kind] + HIGH[kind]
    return n


# What all can conclude (G7)


def _reveal(s: Position, place: int) -> None:
    s.known_to[place] = EVERYONE
    s.may[place] = 1 << s.deck[place]
    _review_clues(s)


def _show(s: Position, seat: int, place: int) -> None:
    """Reveal a domino that a seat chose as the first of its kind in its hand (DM13)."""
    if s.known_to[place] != EVERYONE:
        for i in range(s.hand_n[seat]):
            other = s.hand[seat][i]
            s.may[other] &= ~((other < place) << s.deck[place])  # no branch could be predicted
    _reveal(s, place)


def _exclude(s: Position, seat: int, kinds: int) -> None:
    """Note for everyone that the seat holds none of these kinds now."""
    for i in range(s.hand_n[seat]):
        s.may[s.hand[seat][i]] &= ~kinds
    _review_clues(s)


def _add_clue(s: Position, seat: int, kinds: int) -> None:
    """Note for everyone that the seat, which may go on, holds one of these kinds (DM6)."""
    for i in range(s.hand_n[seat]):
        s.clue_place[s.clues][i] = s.hand[seat][i]
    s.clue_n[s.clues] = s.hand_n[seat]
    s.clue_kinds[s.clues] = kinds
    s.clues += 1
    _review_clues(s)


def _review_clues(s: Position) -> None:
    """Keep of each clue the places still in doubt, and drop clues that are met.

    The last place left of a clue must meet it.
    """
    kept = 0
    for i in range(s.clues):
        kinds = s.clue_kinds[i]
        n = 0
        for j in range(s.clue_n[i]):
            place = s.clue_place[i][j]
            if not s.may[place] & ~kinds:
                n = 0
                break
            if s.may[place] & kinds:
                s.clue_place[kept][n] = place
                n += 1
        if n == 1:
            s.may[s.clue_place[kept][0]] &= kinds
        elif n > 1:
            s.clue_n[kept] = n
            s.clue_kinds[kept] = kinds
            kept += 1
    s.clues = kept


# Other worlds


def determinize(s: Position, rng: Generator, work: list[int]) -> None:
    """Fill what was erased with a world that its seat cannot tell from the real one.

    The places about which something is known are dealt first, as :func:`deal_allowed` does it.
    What was put in the pit unseen was any domino of its hand.
    """
    pool = work[:MAX_DECK]
    places = work[MAX_DECK : 2 * MAX_DECK]
    masks = work[2 * MAX_DECK : 3 * MAX_DECK]
    clues = work[3 * MAX_DECK : 3 * MAX_DECK + CLUE * MAX_CLUES]
    scratch = work[3 * MAX_DECK + CLUE * MAX_CLUES :]
    n = list_unseen(s.deck, s.box, s.deck_n, KINDS, pool, scratch)
    m = _known_first(s, pool, places, masks, n)
    deal_allowed(rng, s.deck, pool, n, places, masks, m, clues, _write_clues(s, clues), scratch)
    for i in range(m, n):
        j = i + below(rng, n - i)
        s.deck[places[i]] = pool[j]
        pool[j] = pool[i]
    reseed(s.rng, rng)


def _known_first(s: Position, pool: list[int], places: list[int], masks: list[int], n: int) -> int:
    """List the erased places, first those about which something is known; return their number."""
    at = 0
    for place in range(s.deck_n):
        if s.deck[place] == ERASED:
            places[at] = place
            at += 1
    unseen = 0
    for i in range(n):
        unseen |= 1 << pool[i]
    m = 0
    for i in range(n):
        place = places[i]
        mask = s.may[place] & unseen
        if mask != unseen or _in_clue(s, place):
            places[i] = places[m]
            places[m] = place
            masks[m] = mask
            m += 1
    return m


def _in_clue(s: Position, place: int) -> bool:
    for i in range(s.clues):
        for j in range(s.clue_n[i]):
            if s.clue_place[i][j] == place:
                return True
    return False


def _write_clues(s: Position, clues: list[int]) -> int:
    """Write the clues as :func:`deal_allowed` reads them; return their number."""
    n = 0
    for i in range(s.clues):
        n = write_clue(clues, n, s.clue_kinds[i])
        for j in range(s.clue_n[i]):
            add_place(clues, n, s.clue_place[i][j])
    return n
