"""An example test for each ruling of Highest Card, named after it."""

from __future__ import annotations

from highest_card import GAME
from redouble.match.match import Match

CARDS = [str(card) for card in range(1, 13)]
"""Stacked in this order, two players hold the odd and the even cards up to 6."""


def start(**options: object) -> Match:
    return Match(GAME, 2, deck=CARDS, options=options)


def test_hc1_the_first_player_starts_and_the_winner_of_a_round_starts_the_next() -> None:
    match = start()
    assert match.turn == 0
    match.push("1")
    match.push("2")
    assert match.turn == 1


def test_hc2_with_lowest_wins_the_lowest_card_takes_the_round() -> None:
    match = start(**{"lowest-wins": True})
    match.push("1")
    match.push("2")
    assert match.tell(0) == "lays 2; {0} takes the round"
    assert match.turn == 0


def test_hc3_players_with_equally_many_rounds_share_the_better_rank() -> None:
    match = Match(GAME, 4, deck=CARDS)
    for move in ["1", "2", "3", "4", "8", "9", "6", "7", "5", "10", "11", "12"]:
        match.push(move)
    assert match.outcome is not None
    assert match.outcome.ranks == (2, 3, 3, 1)
    assert match.outcome.scores == (1, 0, 0, 2)
