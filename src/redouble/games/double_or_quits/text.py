"""Double or Quits in words: move texts, options, moments, and what the player sees."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from redouble.contract.moments import Headline, MomentKind
from redouble.contract.options import Flag, Number, Option
from redouble.contract.outcome import NOT_OVER, Ending, EndReason
from redouble.contract.view import Card, Fact, Scene, Zone, fact
from redouble.games.double_or_quits import rules
from redouble.games.double_or_quits.rules import Position
from redouble.kernel.checks import counted
from redouble.kernel.piles import ERASED

RANKS = ("A", *(str(pips) for pips in range(2, 11)), "J", "Q", "K")
SUITS = ("spades", "hearts", "diamonds", "clubs")
CARDS = tuple(rank + suit for rank in RANKS for suit in "SHDC")
FACES = tuple(rank + suit for rank in RANKS for suit in "♠♥♦♣")
_WORDS = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}
MOVES = ("waste", *(f"cell {cell}" for cell in range(1, rules.CELLS + 1)), "flip", "redeal")
REASONS = (NOT_OVER, EndReason("foundation complete", won=True), EndReason("no more moves"))

OPTIONS: tuple[Option, ...] = (
    Flag(
        "free-flip", "Free flips", False, "You may flip or redeal even when you could play a card."
    ),
    Number("redeals", "Redeals", 2, "How many times you may turn the waste over.", low=0, high=9),
)


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """Return the 52 cards."""
    return list(range(rules.DECK))


def check(seats: int, options: Mapping[str, Any]) -> None:
    """Accept everything: no options contradict each other."""


def name(s: Position, action: int) -> str:
    """Return ``waste``, ``cell 3``, ``flip`` or ``redeal``."""
    return MOVES[action]


def parse(s: Position, text: str) -> int:
    """Return the action that :func:`name` gives this text, or -1."""
    return MOVES.index(text) if text in MOVES else -1


def tell(before: Position, after: Position, action: int) -> str:
    """Return, for instance, ``plays 8♥ from cell 3; K♦ blocks it for good``."""
    if action == rules.FLIP:
        said = f"flips {_face(after, after.line[after.waste_n - 1])}"
    elif action == rules.REDEAL:
        said = f"redeals; {redeals_left(after)}"
    elif action == rules.WASTE:
        said = f"plays {_face(after, after.top)} from the waste"
    else:
        said = f"plays {_face(after, after.top)} from {MOVES[action]}"
        place = after.cell[action - 1]
        if place == rules.EMPTY:
            said += "; nothing is left to fill it"
        elif after.deck[place] >> 2 == rules.KING:
            said += f"; {_face(after, place)} blocks it for good"
        else:
            said += f"; {_face(after, place)} fills it"
    if after.reason == rules.WON:
        said += ": the foundation is complete"
    elif after.reason == rules.LOST:
        said += f": no more moves, with {after.foundation_n} cards on the foundation"
    return said


def describe(s: Position, action: int) -> str:
    """Return, for instance, ``Play 8♥ from cell 3`` or ``Flip a card``."""
    if action in (rules.FLIP, rules.REDEAL):
        return "Flip a card" if action == rules.FLIP else "Redeal"
    if action == rules.WASTE:
        return f"Play {_face(s, s.line[s.waste_n - 1])} from the waste"
    return f"Play {_face(s, s.cell[action - 1])} from {MOVES[action]}"


def show(s: Position, seat: int | None) -> Scene:
    """Return foundation, cells and waste, the back of the stock, and what is known of it."""
    acting = s.turn >= 0 and seat in (None, s.turn)
    dimmed = _dimmed(s) if acting else {}
    actions = [action for action in range(len(MOVES)) if acting and s.moves >> action & 1]
    moves = {MOVES[action]: _parts(action) for action in actions}
    known = [asdict(_card(s, place)) for place in _known(s)]
    board = {"complete": rules.COMPLETE, "known": known}
    return Scene(tuple(_zones(s)), tuple(_facts(s)), _prompt(s), board, dimmed, moves)


def _zones(s: Position) -> list[Zone]:
    waste = tuple(_card(s, place) for place in s.line[: s.waste_n])
    stock = s.line[s.stock_at : s.stock_n]
    zones = [Zone("foundation", (_card(s, s.top),), size=s.foundation_n)]
    for number, place in enumerate(s.cell, 1):
        cards = () if place == rules.EMPTY else (_card(s, place),)
        zones.append(Zone("cell", cards, size=len(cards), number=number))
    zones.append(Zone("waste", waste, size=len(waste)))
    top = tuple(Card(place=str(place)) for place in stock[:1])
    zones.append(Zone("stock", top, size=len(stock)))
    return zones


def _facts(s: Position) -> list[Fact]:
    coming = [s.needed]
    while len(coming) < min(4, rules.COMPLETE - s.foundation_n):
        coming.append(rules.DOUBLED[coming[-1]])
    needed = RANKS[s.needed] if s.foundation_n < rules.COMPLETE else ""
    then = " ".join(RANKS[rank] for rank in coming[1:])
    facts = [
        fact("needed", needed, text=needed or "nothing"),
        fact("then", then, text=then or "nothing"),
        fact("foundation", s.foundation_n, text=f"{s.foundation_n} of {rules.COMPLETE}"),
        fact("redeals", s.redeals - s.redealt, name="redeals left"),
    ]
    if known := _known(s):
        texts = " ".join(_name(s, place) for place in known)
        faces = " ".join(_face(s, place) for place in known)
        kind, title = (
            ("stock-order", "stock from the top")
            if s.redealt
            else ("stock-bottom", "bottom of the stock")
        )
        facts.append(fact(kind, texts, name=title, text=faces))
    return facts


def _known(s: Position) -> list[int]:
    """Return the places of the known cards of the stock, from the top (DQ7).

    What was turned up once is known with its order; so are the kings of the deal, at the bottom.
    """
    stock = list(s.line[s.stock_at : s.stock_n])
    return stock if s.redealt else stock[max(0, len(stock) - s.kings) :]


def _parts(action: int) -> dict[str, Any]:
    if action in (rules.FLIP, rules.REDEAL):
        return {"kind": MOVES[action]}
    return {"kind": "play", "zone": "waste" if action == rules.WASTE else f"cell-{action}"}


def _prompt(s: Position) -> str:
    if s.turn < 0:
        return ""
    needed = RANKS[s.needed]
    playable = s.moves & ((1 << rules.FLIP) - 1)
    if s.moves >> rules.REDEAL:
        rest = f"redeal; {redeals_left(s)}."
    else:
        rest = f"flip a card; {redeals_left(s)}."
    if playable == s.moves:
        return f"Play {a_rank(needed)} to the foundation."
    if playable:
        return f"Play {a_rank(needed)} to the foundation, or {rest}"
    return f"No {needed} to play: {rest}"


def _dimmed(s: Position) -> dict[str, str]:
    dimmed = {}
    for place in (*s.line[: s.waste_n], *s.cell):
        if place != rules.EMPTY and s.deck[place] >> 2 != s.needed:
            rank = s.deck[place] >> 2
            wanted = f"A{a_rank(RANKS[s.needed])[1:]} is needed, not {a_rank(RANKS[rank])}."
            dimmed[_name(s, place)] = "Kings can't be played." if rank == rules.KING else wanted
    for place in s.line[: max(s.waste_n - 1, 0)]:
        dimmed.setdefault(_name(s, place), "Only the top card of the waste can be played.")
    return dimmed


def a_rank(rank: str) -> str:
    return f"an {rank}" if rank in ("A", "8") else f"a {rank}"


def redeals_left(s: Position) -> str:
    left = s.redeals - s.redealt
    return {0: "no redeals left", 1: "1 redeal left"}.get(left, f"{left} redeals left")


def _face(s: Position, place: int) -> str:
    return FACES[s.deck[place]]


def _name(s: Position, place: int) -> str:
    return CARDS[s.deck[place]]


def _card(s: Position, place: int) -> Card:
    card = s.deck[place]
    if card == ERASED:
        return Card(place=str(place))
    rank, suit = RANKS[card >> 2], SUITS[card & 3]
    return Card(
        CARDS[card],
        "red" if suit in ("hearts", "diamonds") else "",
        rank,
        suit,
        face=FACES[card],
        spoken=f"{_WORDS.get(rank, rank)} of {suit}",
        place=str(place),
    )


def _redealt(s: Position, seat: int | None) -> Headline:
    left = redeals_left(s)
    return Headline("The waste becomes the stock", f"{left[0].upper()}{left[1:]}.")


MOMENTS = (
    MomentKind("redealt", _redealt, seconds=0.7, sound="pickup"),
    MomentKind(
        "completed",
        lambda s, seat: Headline("The foundation is complete: you win!"),
        seconds=2.5,
        sound="win",
    ),
)


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return which card was missing, and how far the foundation got."""
    lie = f"{after.foundation_n} of {rules.COMPLETE} cards"
    if after.reason == rules.WON:
        left = after.redeals - after.redealt
        spare = f", with {counted(left, 'redeal')} to spare" if left else ""
        return Ending(f"All {rules.COMPLETE} cards are on the foundation{spare}.")
    needed = a_rank(RANKS[after.needed])
    return Ending(f"The foundation needed {needed}, and there was none to play.", (lie,))


assert len(CARDS) == rules.DECK
