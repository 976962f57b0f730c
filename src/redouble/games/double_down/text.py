"""Double Down in words: move texts, options, and what a seat sees."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from redouble.contract.options import DeckData, Flag, PerSeat, read_counts, read_lines
from redouble.contract.outcome import NOT_OVER, EndReason
from redouble.contract.parts import Outlook
from redouble.contract.view import KEPT_CARDS, KEPT_ZONES, Card, Fact, Scene, Zone, back, fact
from redouble.games.double_down import rules
from redouble.games.double_down.rules import Position
from redouble.kernel.errors import DeckError
from redouble.kernel.piles import ERASED

CARDS = (*(str(value) for value in rules.VALUES[: rules.X2]), "x2", "turn")
MOVES = (*CARDS, "draw", "forget")
REASONS = (NOT_OVER, EndReason("last player standing"), EndReason("stalemate"))

MAX_DRAWN = 2
"""Cards that a turn draws at most: so many backs of the draw pile are listed."""
SHOWN = 3
"""Cards on top of the discard pile that are listed."""

_DECK = read_lines(Path(__file__).with_name("deck.txt"))


def _read_deck(lines: Sequence[str]) -> list[int]:
    return read_counts(lines, CARDS, rules.MAX_DECK)


OPTIONS = (
    Flag(
        "forgetful",
        "Forgetful drawing",
        False,
        "You must remember to draw; forget, and your hand shrinks.",
    ),
    Flag(
        "repeats-cost",
        "Repeats cost a chip",
        False,
        "Repeating a double with 0, x2 or turn costs a chip, too.",
    ),
    PerSeat(
        "ages", "Ages", None, "The player whose age is nearest to a double starts.", low=1, high=150
    ),
    DeckData("cards", "Your own deck", None, "The cards of your deck.", read=_read_deck),
)


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """Return the faces in use: five cards a seat and one to draw (DD1), and one to add (DD14)."""
    cards = _read_deck(options["cards"] or _DECK)
    if len(cards) <= rules.HAND * seats:
        raise DeckError(
            f"deck: {len(cards)} cards, but {seats} players need at least {rules.HAND * seats + 1}"
        )
    if not any(rules.VALUES[face] > 0 for face in cards):
        raise DeckError(
            "deck: no card adds to the total, so nobody could ever lose a chip: add one from 2 up"
        )
    return cards


def check(seats: int, options: Mapping[str, Any]) -> None:
    """Raise :class:`DeckError` when the deck has too few cards, or the game couldn't end."""
    box(seats, options)


def name(s: Position, action: int) -> str:
    """Return the face played, ``draw`` or ``forget``."""
    return MOVES[action]


def parse(s: Position, text: str) -> int:
    """Return the action that :func:`name` gives this text, or -1."""
    return MOVES.index(text) if text in MOVES else -1


def tell(before: Position, after: Position, action: int) -> str:
    """Return, for instance, ``plays 6: 33, loses a chip``."""
    seat = before.turn
    stale = "; stalemate" if after.reason == rules.STALEMATE else ""
    if action >= rules.DRAW:
        return ("draws a card" if action == rules.DRAW else "forgets to draw") + stale
    total = before.total + rules.VALUES[action]
    said = f"plays {MOVES[action]}: {'still ' if total == before.total else ''}{total}"
    if action == rules.TURN:
        said += ", direction reverses"
    elif action == rules.X2:
        said += ", the next player must play two"
    if after.lives[seat] < before.lives[seat]:
        said += {0: " and is out", 1: ", loses the last chip: on a free ride"}.get(
            after.lives[seat], ", loses a chip"
        )
    if after.round > before.round:
        said += f"; round {after.round} begins"
    return said + stale


def out(s: Position, seat: int) -> bool:
    """Return whether a seat has lost its last chip and its free ride."""
    return s.place_out[seat] > 0


def outlook(before: Position, after: Position, seat: int) -> Outlook:
    """Return how many chips a seat has lost; the last loss, which costs the game, counts too."""
    return Outlook(
        before.lives[seat] - after.lives[seat],
        "you lose {} chip{s}",
        "the others lose {} chip{s} in all",
        once="you are out" if before.lives[seat] == 1 else "you lose a chip",
        fewer=True,
    )


def describe(s: Position, action: int) -> str:
    """Return, for instance, ``Play the 8`` or ``Draw a card``."""
    if action >= rules.DRAW:
        return "Draw a card" if action == rules.DRAW else "Forget to draw"
    return "Play the turn card" if action == rules.TURN else f"Play the {CARDS[action]}"


def show(s: Position, seat: int | None) -> Scene:
    """Return hands, draw and discard pile, the total and everyone's chips."""
    dimmed = _dimmed(s) if s.turn >= 0 and seat in (None, s.turn) else {}
    return Scene(tuple(_zones(s)), tuple(_facts(s)), _prompt(s), dimmed=dimmed)


def _zones(s: Position) -> list[Zone]:
    stock = s.pile[s.pile_at : s.pile_n]
    played = s.discard[: s.discard_n]
    next_drawn = [back(_id(s, place)) for place in stock[:MAX_DRAWN][::-1]]
    on_top = [_card(s.deck[place], _id(s, place)) for place in played[-SHOWN:]]
    zones = [
        Zone("draw", tuple(next_drawn), size=len(stock), name="draw pile"),
        Zone("discard", tuple(on_top), size=len(played), name="discard pile"),
    ]
    for seat in range(s.seats):
        hand = [
            (s.deck[place] == ERASED, s.deck[place], s.order[place] // rules.MAX_DECK, place)
            for place in s.hand[seat][: s.hand_n[seat]]
        ]
        zones.append(_hand(seat, s.lives[seat] > 0, s.round, tuple(sorted(hand))))
    return zones


@lru_cache(maxsize=KEPT_ZONES)
def _hand(
    seat: int, playing: bool, number: int, hand: tuple[tuple[bool, int, int, int], ...]
) -> Zone:
    """Return a hand in round ``number``: its faces, shuffles and places, those face down last."""
    kind, title = ("hand", "hand") if playing else ("aside", "set aside")
    cards = tuple(_card(face, f"{number}-{pool}-{place}") for _, face, pool, place in hand)
    return Zone(kind, cards, seat, len(hand), spread=True, name=title)


def _id(s: Position, place: int) -> str:
    """Return the round, the shuffle of the round and the place that the card had after it."""
    return f"{s.round}-{s.order[place] // rules.MAX_DECK}-{place}"


@lru_cache(maxsize=KEPT_CARDS)
def _card(face: int, place: str) -> Card:
    if face == ERASED:
        return back(place)
    if face in (rules.X2, rules.TURN):
        color = "yellow"
    elif rules.VALUES[face] < 0:
        color = "green"
    else:
        color = "red" if rules.VALUES[face] >= 11 else ""
    return Card(CARDS[face], color, place=place)


def _facts(s: Position) -> list[Fact]:
    facts = [
        fact("total", s.total),
        fact("round", s.round),
        fact("direction", "left" if s.direction == 1 else "right"),
    ]
    for seat in range(s.seats):
        facts.append(fact("chips", max(s.lives[seat] - 1, 0), seat))
        if s.lives[seat] < 2:
            value, text = ("ride", "on a free ride") if s.lives[seat] else ("out", "out")
            facts.append(fact("state", value, seat, text=text))
    return facts


def _prompt(s: Position) -> str:
    if s.turn < 0:
        return ""
    if s.asking:
        return "Draw a card, or forget to and hold one card fewer this round."
    if s.debt == 1:
        return "Play a card."
    if s.owed == 2:
        hand = s.hand[s.turn][: s.hand_n[s.turn]]
        if all(s.deck[place] == rules.X2 for place in hand):
            return "The last card was an x2: play two cards. You hold only x2, so play one first."
        return "The last card was an x2: play two cards. The first can't be an x2."
    return "Play the second of your two cards."


def _dimmed(s: Position) -> dict[str, str]:
    out = [0] * (rules.MAX_LEGAL + 1)
    playable = out[: rules.legal(s, out)]
    reason = "The first of your two cards can't be an x2."
    if s.asking:
        reason = "First decide whether to draw."
    held = sorted({s.deck[place] for place in s.hand[s.turn][: s.hand_n[s.turn]]})
    return {CARDS[face]: reason for face in held if face not in playable}


assert len(CARDS) == rules.FACES


def numbers(s: Position) -> dict[str, int]:
    """Return the number by which players choose a card."""
    return {"the total": s.total}
