"""The scene of a view: its cards with their moves, its seats with their names.

This module contains no rules. The view says what can be played, and why something can't.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from redouble.contract.page.scene import BoardScene, Face, Pile, Place
from redouble.contract.view import Card, Fact, View, Zone
from redouble.match.story import ties_broken

KEPT_FACES = 8192
"""Faces that are kept: most cards look the same in the next scene."""
KEPT_PILES = 8192


class Bindings(NamedTuple):
    """Which cards make a move, or show why they can't be played."""

    moves: dict[tuple[int | None, str], str]
    """Moves by the owner and the text of their card."""
    tops: dict[str, str]
    """Moves by the key of the table's zone whose top card makes them."""
    reasons: dict[tuple[int | None, str], str]
    """Reasons by the owner and the text of their card."""
    others: list[str]
    """The moves without a card."""

    @property
    def owners(self) -> set[int | None]:
        """Whose cards these are."""
        return {owner for owner, _ in (*self.moves, *self.reasons)}


NOTHING_BOUND = Bindings({}, {}, {}, [])


def scene_of(
    view: View,
    names: Sequence[str],
    playable: bool,
    describe: Callable[[str], str] = str,
    *,
    still: bool = False,
    keyed: bool = False,
) -> BoardScene:
    """Return the scene of a view.

    ``playable`` says whether the viewer may move now; ``describe`` puts a legal move into words.
    ``still`` and ``keyed`` are those of the scene.
    """
    bindings = _bind(view) if playable else NOTHING_BOUND
    by_owner: dict[int | None, dict[str, Pile]] = {seat: {} for seat in (None, *range(view.seats))}
    owners = bindings.owners
    for zone in view.zones:
        playing = zone.seat in owners or (zone.seat is None and zone.key in bindings.tops)
        pile = _playing_pile(zone, bindings) if playing else _plain_pile(zone)
        by_owner[zone.seat][pile.key] = pile
    facts: defaultdict[int | None, dict[str, Fact]] = defaultdict(dict)
    for fact in view.facts:
        facts[fact.seat][fact.key] = fact
    outcome = view.outcome
    places = [
        Place(
            seat=seat,
            name=names[seat],
            me=seat == view.seat,
            turn=seat == view.turn,
            rank=outcome["ranks"][seat] if outcome else None,
            score=outcome["scores"][seat] if outcome and outcome["scores"] else None,
            facts=facts[seat],
            piles=by_owner[seat],
        )
        for seat in range(view.seats)
    ]
    return BoardScene(
        game=view.game,
        eyes=view.seat,
        turn=view.turn,
        places=places,
        piles=by_owner[None],
        facts=facts[None],
        prompt=view.prompt,
        board=view.board,
        outcome=outcome,
        moves=list(view.legal_moves) if playable else [],
        others=bindings.others,
        dimmed=view.dimmed if playable else {},
        about=view.moves if playable else {},
        ties=ties_broken(view, names) if outcome else [],
        ply=view.ply,
        describe=describe,
        still=still,
        keyed=keyed,
    )


def _playing_pile(zone: Zone, bindings: Bindings) -> Pile:
    seat, moves, reasons = zone.seat, bindings.moves, bindings.reasons
    faces = [
        _face(card, moves.get((seat, card.text), ""), reasons.get((seat, card.text), ""))
        for card in zone.cards
    ]
    if faces and seat is None and zone.key in bindings.tops:
        faces[-1] = faces[-1]._replace(move=bindings.tops[zone.key])
    return _pile_of(zone, faces)


@lru_cache(maxsize=KEPT_PILES)
def _plain_pile(zone: Zone) -> Pile:
    return _pile_of(zone, [_face(card, "", "") for card in zone.cards])


def _pile_of(zone: Zone, faces: Sequence[Face]) -> Pile:
    return Pile(
        *(zone.key, zone.kind, zone.number, zone.name),
        *(zone.seat, tuple(faces), zone.size, zone.spread),
    )


@lru_cache(maxsize=KEPT_FACES)
def _face(card: Card, move: str, why: str) -> Face:
    return Face(
        *(card.text, card.color, card.rank, card.suit, card.pips, card.face, card.spoken),
        *(card.place, move, why),
    )


def _bind(view: View) -> Bindings:
    """Return which cards make the legal moves.

    A move belongs to the mover's own cards with its text, else to those on the table, else to the
    top card of the zone that its description names.
    """
    bindings = Bindings({}, {}, {}, [])
    texts = {
        owner: {card.text for zone in view.zones_of(owner) for card in zone.cards}
        for owner in (view.turn, None)
    }
    tops = {zone.key for zone in view.zones_of(None) if zone.cards}
    for move in view.legal_moves:
        owners = [owner for owner, listed in texts.items() if move in listed]
        zone = view.moves.get(move, {}).get("zone")
        if owners:
            bindings.moves[owners[0], move] = move
        elif zone in tops:
            bindings.tops[zone] = move
        else:
            bindings.others.append(move)
    for text, why in view.dimmed.items():
        owners = [owner for owner, listed in texts.items() if text in listed]
        if owners:
            bindings.reasons[owners[0], text] = why
    return bindings
