"""Dimmed cards: in every game exactly those that a seat could reach and cannot play."""

from random import Random
from typing import Any

import pytest

import redouble
from tests.helpers.worlds import own_games

OPTIONS: list[dict[str, dict[str, Any]]] = [
    {},
    {"double-down": {"forgetful": True}, "double-or-quits": {"free_flip": True}},
    {"three-up": {"color_four": True}},
]
REACHED = ("hand", "up", "cell", "waste")
"""Kinds of zones with cards that moves name, or that moves are called after."""


@pytest.mark.parametrize("name", own_games())
def test_dimmed_are_exactly_the_cards_without_a_move(name: str) -> None:
    dice, dimmed = Random("dimmed"), 0
    for options in (each.get(name, {}) for each in OPTIONS):
        match = redouble.new(name, seed="dimmed", **options)
        while match.turn is not None:
            view = match.view(match.turn)
            zones = [z for z in view.zones if z.kind in REACHED and z.seat in (None, match.turn)]
            held = {card.text for zone in zones for card in zone.cards if card.up}
            tops = {zone.name: zone.cards[-1].text for zone in zones if zone.cards}
            legal = {tops.get(move, word) for move in match.legal_moves for word in move.split()}
            assert set(view.dimmed) == held - legal
            dimmed += len(view.dimmed)
            match.push(dice.choice(list(match.legal_moves)))
    assert bool(dimmed) == (name != "double-decker")
