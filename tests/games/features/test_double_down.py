"""What a network sees of Double Down."""

from redouble.contract.registry import GAMES
from redouble.games.double_down.features import (
    DOUBLE,
    FIRST,
    HIDDEN,
    HOLDS,
    IN_HAND,
    LAST_ADDED_TO,
    LIVES,
    NEVER_ADD,
    ONE_NEXT,
    OWN_NEXT,
    PLAYED,
    SAFE,
    TOTAL,
    TWO_NEXT,
    UNSEEN,
)
from redouble.games.double_down.rules import X2
from redouble.match.match import Match
from tests.helpers.noticing import named, noticed


def test_traits_of_double_down_tell_what_a_card_does() -> None:
    deck = GAMES["double-down"].text.box(2, GAMES["double-down"].check_options(2, {}))
    names = [GAMES["double-down"].text.CARDS[face] for face in deck]
    wanted = ["11", "33", "22", "0", "66", "5", "x2", "10", "9", "turn"]
    rest = list(names)
    for card in wanted:
        rest.remove(card)
    match = Match(GAMES["double-down"], 2, "traits", {"ages": [22, 30]}, deck=[*wanted, *rest])
    assert match.turn == 0  # it holds 11, 22, 66, x2 and 9
    lives = LIVES * 4 + 4
    assert DOUBLE + lives in named(match, "11")
    assert DOUBLE + lives not in named(match, "9")
    assert ONE_NEXT + 9 + 10 in named(match, "9")
    assert TWO_NEXT + 0 + 10 in named(match, "x2")
    assert NEVER_ADD + 0 in named(match, "x2")
    assert NEVER_ADD + 1 in named(match, "9")
    assert SAFE + 4 in named(match, "9")  # then 11 makes 20, 22 makes 31, 66 makes 75
    assert SAFE + 1 in named(match, "x2")  # then only 9 is no double
    assert TOTAL + 0 + 10 in noticed(match.game, match.state)
    held = [match.state.deck[place] for place in match.state.hand[0][:5]]
    for face in held:
        assert HOLDS + face * IN_HAND in noticed(match.game, match.state)
    unseen = deck.count(X2) - held.count(X2)
    assert HIDDEN + X2 * (UNSEEN + 1) + unseen in noticed(match.game, match.state)
    match.push("x2")
    assert PLAYED + X2 in noticed(match.game, match.state)
    assert LAST_ADDED_TO + 0 + 10 in noticed(match.game, match.state)
    assert FIRST + 9 not in named(match, "33")
    assert OWN_NEXT + 33 + 10 in named(match, "33")
