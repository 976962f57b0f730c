"""What networks see: features of positions and traits of moves, in every game that has them."""

import random

import pytest

from redouble.bots.learned import network_of
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from redouble.testing import settings_of
from tests.helpers.noticing import TAUGHT, noticed, seen


@pytest.mark.parametrize("name", TAUGHT)
def test_features_and_traits_are_numbers_and_look_at_nothing_hidden(name: str) -> None:
    game, dice = GAMES[name], random.Random(1)
    sees = network_of(game)
    met: set[int] = set()
    noted: set[int] = set()
    for setting in settings_of(game, 3):
        match = Match(game, setting.seats, "traits", dict(setting.options))
        while match.turn is not None and match.ply < 300:
            known = match.observation()
            of_position = noticed(game, match.state)
            assert len(set(of_position)) == len(of_position)
            assert all(0 <= one < sees.feature_count for one in of_position)
            assert noticed(game, known.state) == of_position
            noted.update(of_position)
            for action in known.legal:
                found = seen(game, match.state, action)
                assert len(set(found)) == len(found)
                assert all(0 <= one < sees.trait_count for one in found)
                assert seen(game, known.state, action) == found
                met.update(found)
            match.push_action(dice.choice(match.legal_moves.actions))
    assert len(met) > sees.trait_count / 2
    assert len(noted) > sees.feature_count / 2
