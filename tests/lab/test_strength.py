"""Measurements of strength: the same for any number of threads, and what single contests count."""

from itertools import pairwise

import numpy as np
import pytest

from redouble.bots.levels import LEVELS
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.lab.contest import Contest, numbered_words
from redouble.lab.strength import SERIES, StrengthResult, StrengthTally, measure_strength

GAME = GAMES["double-down"]
CLUB, NOVICE = LEVELS["club"], LEVELS["novice"]


def test_a_tally_is_that_of_the_contests_games() -> None:
    tally = measure_strength(GAME, CLUB, NOVICE, 3, 90).tally
    shares, wins = [], []
    for series in SERIES:
        players = np.zeros((45, 3), np.int64)
        players[np.arange(45), np.arange(45) % 3] = 1
        results = Contest(GAME, 3, [NOVICE, CLUB]).play(players, numbered_words(series, 0, 45))
        shares.append(results.utilities()[players == 1])
        wins.append(results.wins()[players == 1])
    share, win = np.concatenate(shares), np.concatenate(wins)
    assert tally.share == pytest.approx(share.mean())
    assert tally.share_error == pytest.approx(1.96 * share.std() / np.sqrt(90), rel=1e-4)
    assert tally.win_rate == pytest.approx(win.mean())
    assert tally.win_error == pytest.approx(1.96 * win.std() / np.sqrt(90), rel=1e-4)
    assert tally.share > 0.7


def test_a_solitaire_counts_wins_and_points() -> None:
    game = GAMES["double-or-quits"]
    tally = measure_strength(game, CLUB, CLUB, 1, 200).tally
    assert tally.share == tally.win_rate
    assert 0.2 < tally.share < 0.5
    assert 30 < tally.mean_score < 45


def test_games_that_all_go_the_same_way_have_an_interval() -> None:
    assert StrengthTally().share_error == pytest.approx(0.5)
    assert 0 < StrengthTally(10, 10.0, 10.0, 10.0, 10.0).share_error < 0.2


def test_the_steps_between_levels_are_even_where_mistakes_count_most() -> None:
    steps = [level for level in LEVELS.values() if not level.iterations]
    shares = [
        measure_strength(GAME, stronger, weaker, 4, 2000).tally.share
        for weaker, stronger in pairwise(steps)
    ]
    assert min(shares) > 0.7
    assert max(shares) - min(shares) < 0.06


def test_what_cannot_be_measured_is_refused() -> None:
    for wrong in ({"games": 0}, {"seats": 99}, {"policy": "club"}, {"executor": 1}, {"watch": 1}):
        arguments = {"policy": CLUB, "others": NOVICE, "seats": 2, "games": 1} | wrong
        with pytest.raises(RedoubleError):
            measure_strength(GAME, **arguments)  # type: ignore[arg-type]  # wrong on purpose
    assert isinstance(measure_strength(GAME, CLUB, NOVICE, 2, 1), StrengthResult)
