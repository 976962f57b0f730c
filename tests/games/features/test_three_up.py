"""What a network sees of 3UP 3DOWN."""

from __future__ import annotations

import random
from collections import Counter

from redouble.contract.registry import GAMES
from redouble.games.three_up.actions import DOWN, TAKE
from redouble.games.three_up.features import (
    CAN,
    CANT,
    CLEARED,
    EQUAL,
    HIDDEN,
    HOLDS,
    NEXT_FROM,
    NEXT_KNOWN,
    NEXT_SIZES,
    NOT_CLEARED,
    OTHER_DOWN,
    OTHER_SIZE,
    OUT,
    PILE_LEFT,
    PILES,
    TURNS_UP,
    UNSEEN,
    UPS,
)
from redouble.games.three_up.position import COLORS, COPIES, KINDS, RANKS
from redouble.kernel.piles import ERASED
from redouble.match.match import Match
from tests.helpers.noticing import noticed, seen


def test_features_of_three_up_tell_what_is_held_and_not_seen() -> None:
    match = Match(GAMES["three-up"], 3, "held")
    dice = random.Random(4)
    while match.turn is not None and match.ply < 200:
        s, known = match.state, match.observation().state
        found = noticed(match.game, s)
        held = dict(divmod(one - HOLDS, EQUAL) for one in found if HOLDS <= one < UPS)
        hand = Counter(kind // COLORS for kind in range(KINDS) for _ in range(s.held[s.turn][kind]))
        assert held == {rank: min(n, EQUAL) - 1 for rank, n in hand.items()}
        unseen = Counter(kind // COLORS for kind in s.box[: s.deck_n])
        unseen -= Counter(kind // COLORS for kind in known.deck[: s.deck_n] if kind != ERASED)
        hidden = [one - HIDDEN for one in found if HIDDEN <= one < OTHER_SIZE]
        assert [divmod(one, UNSEEN + 1) for one in hidden] == [
            (rank, min(unseen[rank], UNSEEN)) for rank in range(RANKS)
        ]
        later = sum(OTHER_SIZE <= one < OTHER_DOWN for one in found)
        assert later == s.seats - s.seats_out - 1
        match.push_action(dice.choice(match.legal_moves.actions))


def test_traits_of_three_up_tell_what_a_play_leaves() -> None:
    dice = random.Random(5)
    met: Counter[str] = Counter()
    for seed in range(30):
        match = Match(GAMES["three-up"], 2 + seed % 2, f"leaves {seed}")
        while match.turn is not None:
            s, seat, action = match.state, match.turn, dice.choice(match.legal_moves.actions)
            found = set(seen(match.game, s, action))
            plays = not s.choosing and action < DOWN
            laid, extra = s.pile_n + action % COPIES + 1, s.extra
            match.push_action(action)
            if not plays:
                continue
            s = match.state
            out, clears = s.place_out[seat], s.pile_n == 0
            assert (OUT in found) == bool(out)
            left = [one - PILE_LEFT for one in found if PILE_LEFT <= one < NEXT_FROM]
            assert bool(left) == (not out and not clears)
            assert left in ([], [sum(laid >= step for step in PILES)])
            why = [one - CLEARED for one in found if CLEARED <= one < NOT_CLEARED]
            assert bool(why) == (clears and not out)
            if why and s.turn == seat and not extra:
                assert why[0] // (len(PILES) + 1) > 1  # a Clear that gives an extra turn
            following = [one for one in found if NEXT_FROM <= one < NEXT_KNOWN]
            if following and s.turn != seat:
                what = (following[0] - NEXT_FROM) % (NEXT_SIZES + 3)
                takes = match.legal_moves.actions == (TAKE,)
                met["can"] += what == CAN
                met["can't"] += what == CANT
                assert not (takes and what in (CAN, TURNS_UP))
                assert takes or what != CANT
    assert all(met[what] for what in ("can", "can't"))
