"""Uphill in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from redouble.contract.options import DeckData, Flag, Number, Option, read_counts, read_lines
from redouble.contract.outcome import NOT_OVER, EndReason
from redouble.contract.view import Card, Fact, Scene, Zone
from redouble.kernel.errors import DeckError
from redouble.kernel.piles import ERASED
from uphill.rules import (
    EMPTY,
    HAND,
    KINDS,
    MAX_LEGAL,
    MAX_REDEALS,
    MAX_STEPS,
    MAX_TILES,
    SPOTS,
    TOP_REACHED,
    WASTE,
    Position,
    legal,
)

CARDS = tuple(str(kind + 1) for kind in range(KINDS))
REASONS = (
    NOT_OVER,
    EndReason("the top is reached", won=True),
    EndReason("out of tiles below the top"),
)


def _read_tiles(lines: Sequence[str]) -> list[int]:
    return read_counts(lines, CARDS, MAX_TILES)


_TILES = read_lines(Path(__file__).parent / "tiles.txt")

OPTIONS: tuple[Option, ...] = (
    Number("steps", "Steps", 8, "How many steps each path has.", low=3, high=MAX_STEPS),
    Number("redeals", "Redeals", 1, "How often the waste is turned over.", 0, MAX_REDEALS),
    Flag("terraces", "Terraces", False, "Equal tiles may lie side by side."),
    DeckData("tiles", "Your own tiles", None, "A file that lists the tiles.", read=_read_tiles),
)


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """Return the tiles in use: at least two for each seat and one to draw."""
    tiles = _read_tiles(options["tiles"] or _TILES)
    if len(tiles) <= HAND * seats:
        raise DeckError(
            f"tiles: {len(tiles)} are too few for {seats}: list at least {HAND * seats + 1}"
        )
    return tiles


def check(seats: int, options: Mapping[str, Any]) -> None:
    """Accept everything: no options contradict each other."""


def name(s: Position, action: int) -> str:
    """Return, for instance, ``7 on 3`` or ``throw 7``."""
    tile, spot = CARDS[action // SPOTS], action % SPOTS
    return f"throw {tile}" if spot == WASTE else f"{tile} on {spot + 1}"


def parse(s: Position, text: str) -> int:
    """Return the action that :func:`name` gives this text, or -1."""
    return _ACTIONS.get(text, -1)


_ACTIONS = {name(Position(), action): action for action in range(KINDS * SPOTS)}


def tell(before: Position, after: Position, action: int) -> str:
    """Return, for instance, ``lays 7 on step 3`` or ``throws 7 away and turns the waste over``."""
    tile, spot = CARDS[action // SPOTS], action % SPOTS
    said = f"throws {tile} away" if spot == WASTE else f"lays {tile} on step {spot + 1}"
    if after.redealt > before.redealt:
        said += " and turns the waste over"
    if after.reason == TOP_REACHED:
        said += ": the top is reached"
    return said


def describe(s: Position, action: int) -> str:
    """Return, for instance, ``Lay the 7 on step 3`` or ``Throw the 7 away``."""
    tile, spot = CARDS[action // SPOTS], action % SPOTS
    return f"Throw the {tile} away" if spot == WASTE else f"Lay the {tile} on step {spot + 1}"


def show(s: Position, seat: int | None) -> Scene:
    """Return stock, waste, paths and hands, and each path step by step as the board."""
    mine = s.turn >= 0 and seat in (None, s.turn)
    tied = s.turn < 0 and s.seats > 1 and s.laid[0] == s.laid[1]
    return Scene(
        tuple(_zones(s)),
        tuple(_facts(s, tied)),
        "Lay a tile on your path, or throw one away." if s.turn >= 0 else "",
        board={"steps": s.steps, "paths": [_path(s, other) for other in range(s.seats)]},
        moves=_moves(s) if mine else {},
        tie_break="height" if tied else "",
    )


def _zones(s: Position) -> list[Zone]:
    stock = s.stock[s.stock_at : s.stock_n]
    zones = [
        Zone("stock", _cards(s, stock[:1]), size=len(stock)),
        Zone("waste", _cards(s, s.waste[: s.waste_n]), size=s.waste_n),
    ]
    for other in range(s.seats):
        laid = [place for place in s.path[other][: s.steps] if place != EMPTY]
        held = sorted(s.hand[other][: s.hand_n[other]], key=lambda place: s.deck[place])
        zones.append(Zone("path", _cards(s, laid), other, len(laid), spread=True))
        zones.append(Zone("hand", _cards(s, held), other, len(held), spread=True))
    return zones


def _facts(s: Position, tied: bool) -> list[Fact]:
    facts = [Fact("redeals", s.redeals - s.redealt, name="redeals left")]
    for other in range(s.seats):
        text = f"{s.laid[other]} of {s.steps}"
        facts.append(Fact("climbed", s.laid[other], other, text=text))
        if tied:
            facts.append(Fact("height", s.height[other], other))
    return facts


def _path(s: Position, seat: int) -> list[str | None]:
    places = s.path[seat][: s.steps]
    return [None if place == EMPTY else CARDS[s.deck[place]] for place in places]


def _moves(s: Position) -> dict[str, dict[str, Any]]:
    out = [0] * MAX_LEGAL
    moves: dict[str, dict[str, Any]] = {}
    for action in out[: legal(s, out)]:
        about: dict[str, Any] = {"kind": "throw", "tile": CARDS[action // SPOTS]}
        if action % SPOTS != WASTE:
            about = {**about, "kind": "lay", "step": action % SPOTS + 1}
        moves[name(s, action)] = about
    return moves


def _cards(s: Position, places: list[int]) -> tuple[Card, ...]:
    texts = ("" if s.deck[place] == ERASED else CARDS[s.deck[place]] for place in places)
    return tuple(Card(text, place=str(place)) for text, place in zip(texts, places, strict=True))
