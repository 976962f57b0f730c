"""What a network sees of Double Decker."""

import random

from redouble.contract.registry import GAMES
from redouble.games.double_decker.features import (
    BEATS,
    CAPTURED,
    DEEDS,
    GIFT,
    HAND,
    HELD,
    HOLDS,
    ITSELF,
    LEADS,
    LIES,
    MINE,
    OPENS,
    PASSES,
    RANKS,
    REFUSED,
    STAGE,
    STAGES,
    STAYS_BELOW,
)
from redouble.games.double_decker.rules import NUMBERS
from redouble.match.match import Match
from tests.helpers.noticing import noticed, seen


def test_traits_of_double_decker_tell_what_a_card_does() -> None:
    game = GAMES["double-decker"]
    match = Match(game, 4, "deeds")
    deeds: dict[int, set[int]] = {}
    dice = random.Random(2)
    while match.turn is not None and match.ply < 40:
        s = match.state
        for card in match.legal_moves.actions:
            found = seen(game, s, card)
            lying = s.lying[card // NUMBERS]
            if s.played == 0:
                deed = LEADS
            elif not lying:
                deed = PASSES if s.colors == 2 else OPENS
            else:
                deed = BEATS if 1 << card % NUMBERS > lying else STAYS_BELOW
            deeds.setdefault(deed, set()).add((found[1] - STAGE) // (RANKS * STAGES))
            gifts = range(GIFT, REFUSED)
            assert any(one in gifts for one in found) == (deed == STAYS_BELOW)
            refused = range(REFUSED, ITSELF)
            assert any(one in refused for one in found) == (deed == OPENS)
        match.push_action(dice.choice(match.legal_moves.actions))
    assert deeds == {deed: {deed} for deed in range(DEEDS)}


def test_features_of_double_decker_tell_what_is_held_and_lies() -> None:
    match = Match(GAMES["double-decker"], 4, "held")
    dice = random.Random(3)
    while match.turn is not None and match.ply < 60:
        s = match.state
        found = noticed(match.game, s)
        held = [one - HOLDS for one in found if HOLDS <= one < LIES]
        assert sorted(one % NUMBERS for one in held) == sorted(
            card % NUMBERS for card in match.legal_moves.actions
        )
        lies = sum(LIES <= one < HELD for one in found)
        assert lies == sum(lying.bit_count() for lying in s.lying)
        cards = [(one - HELD) % (HAND + 1) for one in found if HELD <= one < CAPTURED]
        assert sum(cards) == len(match.legal_moves.actions)
        mine = range(CAPTURED, CAPTURED + 3 * (MINE + 1))
        captured = [(one - CAPTURED) % (MINE + 1) for one in found if one in mine]
        assert sum(captured) == s.won[s.turn].bit_count()
        match.push_action(dice.choice(match.legal_moves.actions))
