"""What a network sees of Double Double Dominoes."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from redouble.contract.registry import GAMES
from redouble.games.double_dominoes.features import (
    BONUSES,
    CLOSES,
    DIAMONDS,
    ENDS,
    GAINS,
    GOES_ON,
    INTO_PIT,
    LOSES,
    OPENS,
    OPENS_LESS,
    POINTS,
    STANDS_THEN,
    STOPS,
    WINS,
)
from redouble.games.double_dominoes.rules import (
    HIGH,
    KINDS,
    LOW,
    NUMBERS,
    PLACEMENTS,
    SQUARES,
    STEP,
    STOP,
    WORD,
    _placements,
    beside,
)
from redouble.match.match import Match
from tests.helpers.noticing import seen


def test_traits_of_dominoes_tell_what_a_placement_gains() -> None:
    dice = random.Random(6)
    met: Counter[str] = Counter()
    for seed in range(6):
        match = Match(GAMES["double-dominoes"], 2 + seed % 3, f"gains {seed}")
        while match.turn is not None:
            s, seat, action = match.state, match.turn, dice.choice(match.legal_moves.actions)
            found, before = seen(match.game, s, action), list(s.points)
            match.push_action(action)
            s = match.state
            gained = [after - points for after, points in zip(s.points, before, strict=True)]
            if action >= STOP:
                assert found == [STOPS if action == STOP else INTO_PIT + action - STOP - 1]
                continue
            kind = action // PLACEMENTS
            double = LOW[kind] == HIGH[kind]
            assert GAINS + double * POINTS + gained[seat] in found
            bonuses = [one - BONUSES for one in found if BONUSES <= one < OPENS]
            others = [(seat + 1 + later) % s.seats for later in range(s.seats - 1)]
            assert bonuses == [later for later, other in enumerate(others) if gained[other]]
            stands = [one for one in found if STANDS_THEN <= one < GOES_ON]
            assert (stands[0] - STANDS_THEN) // 3 == (
                s.points[seat] % NUMBERS if s.points[seat] else NUMBERS
            )
            reached = max(s.points) >= s.goal
            assert (ENDS + WINS in found) == (s.points[seat] >= s.goal)
            assert (ENDS + LOSES in found) == (reached and s.points[seat] < s.goal)
            met["bonus"] += bool(bonuses)
            met["end"] += reached
            met["double"] += double
    assert all(met[what] for what in ("bonus", "end", "double"))


def test_traits_of_dominoes_tell_what_can_be_covered_beside_it() -> None:
    """The rules list all dominoes that fit beside it afterwards."""
    dice = random.Random(7)
    compared = 0
    for seed in range(4):
        match = Match(GAMES["double-dominoes"], 2, f"opens {seed}")
        while match.turn is not None and match.ply < 20:
            action = dice.choice(match.legal_moves.actions)
            found, seat = seen(match.game, match.state, action), match.turn
            match.push_action(action)
            s, kind = match.state, action // PLACEMENTS
            if action >= STOP or LOW[kind] == HIGH[kind] or s.turn == seat:
                continue
            low = action % SQUARES
            high = low + STEP[action % PLACEMENTS // SQUARES]
            opens = sorted(
                (one - first) // 3 % (DIAMONDS + 1)
                for first, end in (
                    (OPENS, OPENS_LESS),
                    (OPENS_LESS, CLOSES),
                )
                for one in found
                if first <= one < end
            )
            assert opens == sorted(most_beside(s, square) for square in (low, high))
            compared += 1
    assert compared > 20


def most_beside(s: Any, square: int) -> int:
    """The most that a domino covers of which one end touches a square and the other is free."""
    out, most = [0] * 3000, 0
    near = [q for way in range(4) for q in beside(square, way)]
    for kind in range(KINDS):
        for action in out[: _placements(s, kind, out, 0)]:
            low = action % SQUARES
            ends = low, low + STEP[action % PLACEMENTS // SQUARES]
            touched = [s.touched[q // WORD] >> q % WORD & 1 for q in ends]
            if sum(touched) == 1 and ends[touched.index(1)] in near:
                most = max(most, sum(max(s.board[q], 0) for q in ends))
    return most
