"""Pages follow cards: an element is the same card before and after a move.

Whole random games are drawn as a seat sees them, and each drawing is compared with the one before.
"""

import re
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.contract.view import View, Zone
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.web.drawing.markup.prompt import draw_question
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.scene import scene_of

HELD = {"hand", "aside", "up", "down"}
"""Kinds of zones in front of a player, from which cards are played."""
MAX_BACKS = 24
"""Backs that a plate draws; the rest of a larger hand is only counted."""
MAX_PLIES = 400


def drawn(view: View, game: Game, names: tuple[str, ...]) -> set[str]:
    """Return the ids of the cards in a drawing.

    No id or transition name may be there twice, and only an element that is a card has a name.
    """
    scene = scene_of(view, names, playable=view.turn == view.seat)
    html = draw_scene(game, scene, draw_question(scene, ""))
    ids = re.findall(r'\bid="(card-[^"]*)"', html)
    moving = re.findall(r'view-transition-name: ?([^";]*)', html)
    for listed in (ids, moving):
        assert not [one for one, times in Counter(listed).items() if times > 1]
    assert not [one for one in moving if one.startswith("card-") and one not in ids]
    return set(ids)


def zones(view: View, held: bool, seat: int | None = None) -> dict[str, str]:
    """The ids of cards in hands, or of cards that lie elsewhere, with their texts."""
    return {
        f"card-{card.place}": card.text
        for zone in view.zones
        if (zone.kind in HELD) == held and (seat is None or zone.seat == seat)
        for card in zone.cards
    }


def moves(game: Game, seed: str) -> Iterator[tuple[Match, int]]:
    """Play a whole random game; yield it after each move, with the seat that made the move."""
    match = Match(game, max(game.min_seats, min(3, game.max_seats)), seed)
    dice = Random(seed)
    while match.turn is not None and match.ply < MAX_PLIES:
        mover = match.turn
        yield match, mover
        match.push(dice.choice(list(match.legal_moves)))
        yield match, mover


@pytest.mark.parametrize("eyes", [0, SPECTATOR], ids=["a player", "a spectator"])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_card_leaves_the_hand_of_the_player_who_plays_it(game: Game, eyes: int) -> None:
    arrived = 0
    before: View | None = None
    there: set[str] = set()
    for match, mover in moves(game, f"moving {game.name}"):
        view = match.view(eyes)
        ids = drawn(view, game, match.names)
        if before is not None and before.ply < view.ply:
            hand = zones(before, held=True, seat=mover)
            lying = zones(before, held=False)
            for card, text in zones(view, held=False).items():
                if text and card not in lying and hand:
                    assert card in hand, f"ply {view.ply}: {text} comes from elsewhere"
                    assert card in there or len(hand) > MAX_BACKS, f"ply {view.ply}: not drawn"
                    arrived += 1
        before, there = view, ids
    assert arrived > 5 or game.max_seats == 1


@pytest.mark.parametrize(
    "game", [g for g in GAMES.values() if g.max_seats > 1], ids=lambda g: g.name
)
def test_nothing_in_ones_own_hand_changes_when_others_play(game: Game) -> None:
    compared = 0
    before: list[str] = []
    for match, mover in moves(game, f"still {game.name}"):
        view = match.view(0)
        mine = zones(view, held=True, seat=0)
        hand = [f"card-{card.place}" for zone in _hands(view) for card in zone.cards if card.up]
        if mover and mine.keys() & set(before):  # else all are dealt anew
            assert mine.keys() >= set(before)
            left = set(before) & set(hand)  # all, or 3UP leave it once everyone has chosen them
            assert [card for card in before if card in left] == [c for c in hand if c in left]
            assert drawn(view, game, match.names) >= set(before)
            compared += 1
        before = hand
    assert compared > 5


def _hands(view: View) -> list[Zone]:
    return [zone for zone in view.zones_of(0) if zone.kind == "hand"]
