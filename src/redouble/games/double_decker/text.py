"""Double Decker in words: move texts and what a seat sees."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from redouble.contract.options import Option
from redouble.contract.outcome import NOT_OVER, EndReason
from redouble.contract.parts import Outlook
from redouble.contract.view import KEPT_CARDS, KEPT_ZONES, Card, Fact, Scene, Zone, back, fact
from redouble.games.double_decker.rules import (
    ACTIONS,
    COLORS,
    FIVE_ROUNDS,
    NO_CARD,
    NUMBERS,
    ONE_COLOR,
    ROUNDS,
    Position,
    count,
    worth,
)
from redouble.kernel.piles import ERASED

COLOR_NAMES = ("red", "blue", "green")
CARDS = tuple(f"{name[0].upper()}{number}" for name in COLOR_NAMES for number in range(NUMBERS))
REASONS = (NOT_OVER, EndReason("five rounds played"))

OPTIONS: tuple[Option, ...] = ()


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """Return 1 to 20 in each color; seven seats use the zeros, too (DK1)."""
    return [card for card in range(ACTIONS) if card % NUMBERS or seats == 7]


def check(seats: int, options: Mapping[str, Any]) -> None:
    """Accept everything: there are no options."""


def name(s: Position, action: int) -> str:
    """Return the card: its color's letter and its number."""
    return CARDS[action]


def parse(s: Position, text: str) -> int:
    """Return the action that :func:`name` gives this text, or -1."""
    return CARDS.index(text) if text in CARDS else -1


def tell(before: Position, after: Position, action: int) -> str:
    """Return, for instance, ``plays the red 7; {1} takes red, {3} takes blue and leads``."""
    seat = before.turn
    color, number = divmod(action, NUMBERS)
    said = f"{'passes' if _is_pass(before, color) else 'plays'} the {_spoken(action)}"
    if before.played + 1 < before.seats:
        return said
    lying, winner = list(before.lying), list(before.winner)
    if not _is_pass(before, color):
        if 1 << number > lying[color]:
            winner[color] = seat
        lying[color] |= 1 << number
    highest = max(range(COLORS), key=lambda color: (lying[color], -color))
    taken = []
    for color in range(COLORS):
        if lying[color]:
            leads = color == highest and before.trick + 1 < before.tricks
            taken.append(
                f"{{{winner[color]}}} takes {COLOR_NAMES[color]}" + (" and leads" if leads else "")
            )
    said += f"; {', '.join(taken)}"
    if after.round > before.round:
        said += f"; round {after.round} is over"
        if after.turn >= 0:
            said += f", {{{after.dealer}}} deals and leads"
    return said


def outlook(before: Position, after: Position, seat: int) -> Outlook:
    """Return the points that a seat has made, those of the round that goes on included."""
    return Outlook(
        _standing(after, seat) - _standing(before, seat),
        "you make {} point{s}",
        "the others make {} point{s} in all",
    )


def _standing(s: Position, seat: int) -> int:
    return s.total[seat] + (0 if s.turn < 0 else _made(s, seat))


def _made(s: Position, seat: int) -> int:
    return worth(s.won[seat]) - 2 * count(s.passed[seat])


def describe(s: Position, action: int) -> str:
    """Return, for instance, ``Play the red 7`` or ``Pass with the blue 10``."""
    passing = _is_pass(s, action // NUMBERS)
    return f"{'Pass with' if passing else 'Play'} the {_spoken(action)}"


def show(s: Position, seat: int | None) -> Scene:
    """Return each seat's hand, card in the trick, captured cards by color and passed cards."""
    return Scene(tuple(_zones(s)), tuple(_facts(s)), _prompt(s), _board(s))


def _zones(s: Position) -> list[Zone]:
    zones: list[Zone] = []
    ids = _ids(s)
    for seat in range(s.seats):
        held = s.tricks + 1 - s.trick - (s.card[seat] != NO_CARD)
        known = tuple([(card, ids[card]) for card in _in_mask(s.hand[seat])])
        backs = () if known else _backs(s, seat)
        zones.append(_hand(seat, s.turn < 0, held, known, backs))
        lies = s.card[seat] != NO_CARD and not _has_passed(s, seat)
        zones.append(_pile("trick", seat, 1 << s.card[seat] if lies else 0, ids))
        for color in range(COLORS):
            won = s.won[seat] & ONE_COLOR << NUMBERS * color
            zones.append(_pile(COLOR_NAMES[color], seat, won, ids))
        zones.append(_pile("passed", seat, s.passed[seat], ids))
    return zones


@lru_cache(maxsize=KEPT_ZONES)
def _hand(
    seat: int, over: bool, held: int, known: tuple[tuple[int, str], ...], backs: tuple[str, ...]
) -> Zone:
    """Return a hand whose cards the reader knows, or the places of its backs."""
    cards = tuple(_card(card, place) for card, place in known) or tuple(map(back, backs))
    kind, title = ("aside", "set aside") if over else ("hand", "hand")
    return Zone(kind, cards, seat, held, spread=True, name=title)


def _pile(kind: str, seat: int, mask: int, ids: Mapping[int, str]) -> Zone:
    return _zone(kind, seat, tuple([(card, ids[card]) for card in _in_mask(mask)]))


@lru_cache(maxsize=KEPT_ZONES)
def _zone(kind: str, seat: int, pile: tuple[tuple[int, str], ...]) -> Zone:
    cards = tuple(_card(card, place) for card, place in pile)
    return Zone(kind, cards, seat, len(cards), spread=kind != "trick")


def _facts(s: Position) -> list[Fact]:
    playing = s.turn >= 0
    facts = [
        _counted("round", s.round if _is_counted(s) else s.round + 1, ROUNDS),
        _counted("trick", min(s.trick + 1, s.tricks), s.tricks),
    ]
    if playing:
        colors = [COLOR_NAMES[color] for color in range(COLORS) if s.lying[color]]
        facts.append(fact("lying", " and ".join(colors) or "nothing", name="in the trick"))
    for seat in range(s.seats):
        facts.append(fact("points", s.total[seat], seat))
        if playing:
            facts.append(fact("made", _made(s, seat), seat, name="this round"))
        if playing and seat == s.dealer:
            facts.append(fact("dealer", "yes", seat))
        if playing and s.card[seat] != NO_CARD and _has_passed(s, seat):
            passed = f"passed {_spoken(s.card[seat])}"
            facts.append(fact("lying", passed, seat, name="in the trick"))
        for number in range(s.round):
            facts.append(fact("round", s.points[number][seat], seat, number + 1))
    return facts


def _counted(kind: str, number: int, of: int) -> Fact:
    return fact(kind, number, text=f"{number} of {of}")


def _board(s: Position) -> dict[str, Any]:
    """Return this trick, the last one of the round, and the color that would be a pass.

    When a round has been counted, also its score sheet.
    """
    missing = [COLOR_NAMES[color] for color in range(COLORS) if not s.lying[color]]
    ids = _ids(s)
    return {
        "trick": _trick(s, ids),
        "last": _last_trick(s, ids) if s.last[0] != NO_CARD else None,
        "pass": missing[0] if s.colors == 2 else None,
        "sheet": _sheet(s) if _is_counted(s) else None,
    }


def _is_counted(s: Position) -> bool:
    """Return whether the last round has been counted, and the next one is not yet dealt."""
    return s.trick == s.tricks


def _sheet(s: Position) -> list[dict[str, Any]]:
    """Return a row for each seat, best total first: what each color and the passes gave."""
    rows: list[dict[str, Any]] = []
    for seat in range(s.seats):
        made = s.points[s.round - 1][seat]
        piles = [count(s.won[seat] >> NUMBERS * color & ONE_COLOR) for color in range(COLORS)]
        best = piles.index(max(piles))  # of equal ones any: the points are the same
        colors = [
            {"color": COLOR_NAMES[color], "cards": cards, "points": cards if own else -cards}
            for color, cards in enumerate(piles)
            for own in [color == best]
        ]
        passes = count(s.passed[seat])
        rows.append(
            {
                "seat": seat,
                "colors": colors,
                "passed": {"cards": passes, "points": -2 * passes},
                "made": made,
                "total": s.total[seat],
                "before": s.total[seat] - made,
            }
        )
    totals, before = ([row[key] for row in rows] for key in ("total", "before"))
    for row in rows:
        row["rank"] = 1 + sum(total > row["total"] for total in totals)
        row["rank_before"] = 1 + sum(total > row["before"] for total in before)
    return sorted(rows, key=lambda row: (row["rank"], row["seat"]))


def _trick(s: Position, ids: Mapping[int, str]) -> dict[str, Any]:
    """Return cards by seat, who passed, colors in the order they came, and who wins each now."""
    order = [(s.turn - s.played + i) % s.seats for i in range(s.played)]
    joined = [s.card[seat] // NUMBERS for seat in order if not _has_passed(s, seat)]
    colors = list(dict.fromkeys(joined))
    return {
        "cards": [None if card == NO_CARD else _plain(card, ids) for card in s.card[: s.seats]],
        "passed": [seat for seat in order if _has_passed(s, seat)],
        "colors": [COLOR_NAMES[color] for color in colors],
        "winners": [s.winner[color] for color in colors],
    }


def _last_trick(s: Position, ids: Mapping[int, str]) -> dict[str, Any]:
    """Return the same for the last trick: its cards lie with those who took or passed them."""
    cards = s.last[: s.seats]
    winner = {}
    for card in sorted(cards):
        for seat in range(s.seats):
            if s.won[seat] >> card & 1:
                winner[card // NUMBERS] = seat
    return {
        "cards": [_plain(card, ids) for card in cards],
        "passed": [seat for seat in range(s.seats) if s.passed[seat] >> cards[seat] & 1],
        "colors": [COLOR_NAMES[color] for color in winner],
        "winners": list(winner.values()),
    }


def _prompt(s: Position) -> str:
    if s.turn < 0:
        return ""
    colors = [COLOR_NAMES[color] for color in range(COLORS) if s.lying[color]]
    if not colors:
        return "Lead any card."
    if len(colors) == 1:
        return f"Play any card: {colors[0]} joins the trick, another color makes it a double trick."
    third = next(name for name in COLOR_NAMES if name not in colors)
    return f"Play {colors[0]} or {colors[1]}, or pass with a {third} card: that costs two points."


def _is_pass(s: Position, color: int) -> bool:
    return s.colors == 2 and not s.lying[color]


def _has_passed(s: Position, seat: int) -> bool:
    return bool(s.passed[seat] >> s.card[seat] & 1)


def _spoken(card: int) -> str:
    return f"{COLOR_NAMES[card // NUMBERS]} {card % NUMBERS}"


@lru_cache(maxsize=KEPT_CARDS)
def _in_mask(mask: int) -> tuple[int, ...]:
    return tuple(card for card in range(ACTIONS) if mask >> card & 1)


def _backs(s: Position, seat: int) -> tuple[str, ...]:
    """Return the places of a hand that the reader doesn't know, in the order of the deal."""
    first, deck, prefix = (seat - s.dealer) % s.seats, s.deck, _id(s, "")
    dealt = range(first, s.deck_n, s.seats)
    return tuple([f"{prefix}{place}" for place in dealt if deck[place] == ERASED])


def _ids(s: Position) -> dict[int, str]:
    """Return the place of each card that the reader knows."""
    prefix = _id(s, "")
    deck = enumerate(s.deck[: s.deck_n])
    return {card: f"{prefix}{place}" for place, card in deck if card != ERASED}


def _id(s: Position, place: int | str) -> str:
    """Return the round and the place that the card had after its shuffle."""
    return f"{s.round if _is_counted(s) else s.round + 1}-{place}"


@lru_cache(maxsize=KEPT_CARDS)
def _card(card: int, place: str) -> Card:
    color, number = divmod(card, NUMBERS)
    name = COLOR_NAMES[color]
    return Card(CARDS[card], name, rank=str(number), spoken=_spoken(card), place=place)


def _plain(card: int, ids: Mapping[int, str]) -> dict[str, Any]:
    return dict(vars(_card(card, ids[card])))


assert len(REASONS) == FIVE_ROUNDS + 1


def numbers(s: Position) -> dict[str, int]:
    """Return the highest number of each color in the trick: 0 if there is none."""
    return {
        f"the highest {name}": s.lying[color].bit_length() for color, name in enumerate(COLOR_NAMES)
    }
