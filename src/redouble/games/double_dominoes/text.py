"""Double Double Dominoes in words: move texts, options, the board, and what a seat sees."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from redouble.contract.options import Data, Number, Option, PerSeat, read_lines
from redouble.contract.outcome import NOT_OVER, EndReason
from redouble.contract.parts import Outlook
from redouble.contract.view import KEPT_CARDS, KEPT_ZONES, Card, Fact, Scene, Zone, back, fact
from redouble.games.double_dominoes import rules
from redouble.games.double_dominoes.rules import Position
from redouble.kernel.checks import counted
from redouble.kernel.errors import DeckError
from redouble.kernel.piles import ERASED

CARDS = tuple(f"{low}-{high}" for low, high in zip(rules.LOW, rules.HIGH, strict=True))
REASONS = (
    NOT_OVER,
    EndReason("victory total reached"),
    EndReason("no room on the board"),
    EndReason("boneyard empty"),
)

FILES = "abcdefghijklmno"
_COLUMN_AND_ROW = tuple([q % rules.SIZE + 1, q // rules.SIZE + 1] for q in range(rules.SQUARES))
_SQUARE = tuple(f"{FILES[q % rules.SIZE]}{q // rules.SIZE + 1}" for q in range(rules.SQUARES))
_BOARD = read_lines(Path(__file__).with_name("board.txt"))


def _placement(action: int) -> str:
    """The text of a placement; empty when the action is none, since it leaves the board."""
    kind, spot = divmod(action, rules.PLACEMENTS)
    direction, square = divmod(spot, rules.SQUARES)
    if not rules.beside(square, direction) or (
        rules.LOW[kind] == rules.HIGH[kind] and direction not in (rules.EAST, rules.NORTH)
    ):
        return ""
    return f"{CARDS[kind]} {_SQUARE[square]} {'enws'[direction]}"


_MOVES = (*map(_placement, range(rules.STOP)), "stop", *(f"pit {card}" for card in CARDS))
_ACTIONS = {move: action for action, move in enumerate(_MOVES) if move}


def _read_board(lines: Sequence[str]) -> list[int]:
    """The squares' diamonds from a1 on, and the star; raises DeckError naming the wrong line."""
    numbered = [(number, line.split("#", 1)[0].split()) for number, line in enumerate(lines, 1)]
    rows = [(number, row) for number, row in numbered if row]
    if len(rows) != rules.SIZE:
        raise DeckError(f"the board has {len(rows)} rows instead of {rules.SIZE}")
    squares: list[int] = []
    for number, row in reversed(rows):
        if len(row) != rules.SIZE:
            raise DeckError(
                f"line {number}: the row has {len(row)} squares instead of {rules.SIZE}"
            )
        for mark in row:
            if mark not in ("*", ".", "1", "2", "3", "4", "5"):
                raise DeckError(
                    f"line {number}: {mark!r} is not a diamond 1-5, '.' or the star '*'"
                )
            squares.append(rules.STAR if mark == "*" else 0 if mark == "." else int(mark))
    if squares.count(rules.STAR) != 1:
        raise DeckError(f"the board has {squares.count(rules.STAR)} stars '*' instead of one")
    return squares


OPTIONS: tuple[Option, ...] = (
    PerSeat("ages", "Ages", None, "The oldest player wins a tie for the start.", 1, 150),
    Number(
        "victory",
        "Victory total",
        0,
        "Points that end the game (0 = set by the number of players).",
        0,
        999,
    ),
    Data("board", "Your own board", _BOARD, "The rows of your board.", read=_read_board),
)


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """Return two double-six sets, or three from five seats on (DM3)."""
    return sorted(list(range(rules.KINDS)) * (2 if seats <= 4 else 3))


def check(seats: int, options: Mapping[str, Any]) -> None:
    """Accept everything: no options contradict each other."""


def name(s: Position, action: int) -> str:
    """Return, for instance, ``3-5 h8 e``, ``stop`` or ``pit 3-5``."""
    return _MOVES[action]


def parse(s: Position, text: str) -> int:
    """Return the action that :func:`name` gives this text, or -1."""
    return _ACTIONS.get(text, -1)


def tell(before: Position, after: Position, action: int) -> str:
    """Return, for instance, ``places 3-5: 4 points; {2} gets 3 bonus points``."""
    return _tell_move(before, after, action) + _tie_break(after)


def _tell_move(before: Position, after: Position, action: int) -> str:
    if action == rules.STOP:
        return "stops"
    if action < 0:
        return "can't place a domino and puts one in the pit"
    if action >= rules.PIT:
        return f"can't place a domino and puts {CARDS[action - rules.PIT]} in the pit"
    gains = [after.points[seat] - before.points[seat] for seat in range(before.seats)]
    points = gains.pop(before.turn)
    said = f"places {CARDS[action // rules.PLACEMENTS]}: {counted(points, 'point')}"
    others = [seat for seat in range(before.seats) if seat != before.turn]
    for seat, gain in zip(others, gains, strict=True):
        if gain:
            said += f"; {{{seat}}} gets {gain} bonus points"
    return said


def _tie_break(s: Position) -> str:
    """Return in words who is first among equal points, or that nothing parts them; or "".

    More dots left in hand win (DM11). Hands lie open at the end, so everyone can count them.
    """
    most = max(s.points[: s.seats])
    tied = [seat for seat in range(s.seats) if s.points[seat] == most]
    if s.turn >= 0 or len(tied) == 1:
        return ""
    left = {seat: rules.dots(s, seat) for seat in tied}
    first = [seat for seat in tied if left[seat] == max(left.values())]
    if first == tied:
        return f"; {most} points and {counted(left[first[0]], 'dot')} left in hand each: a tie"
    each = ", ".join(f"{{{seat}}} {number}" for seat, number in left.items())
    said = f"; {most} points each, so the dots left in hand decide: {each}"
    if len(first) > 1:
        said += "; a tie between " + " and ".join(f"{{{seat}}}" for seat in first)
    return said


def outlook(before: Position, after: Position, seat: int) -> Outlook:
    """Return the points that a seat has made."""
    return Outlook(
        after.points[seat] - before.points[seat],
        "you make {} point{s}",
        "the others make {} point{s} in all",
    )


def describe(s: Position, action: int) -> str:
    """Return, for instance, ``Place 3-5 with the 3 on h8 and the 5 on i8 (4 points)``."""
    if action == rules.STOP:
        return "Stop here"
    if action >= rules.PIT:
        return f"Put {CARDS[action - rules.PIT]} in the pit"
    points = _points(s, action)
    placed = f"Place {in_words(_ends(*divmod(action, rules.PLACEMENTS)))}"
    return f"{placed} ({counted(points, 'point')})" if points else placed


def in_words(ends: Mapping[str, Any]) -> str:
    """Return a domino and its squares in words, from a view's board."""
    low, high = square_name(ends["low_at"]), square_name(ends["high_at"])
    if ends["low"] == ends["high"]:
        return f"{ends['domino']} on {low} and {high}"
    return f"{ends['domino']} with the {ends['low']} on {low} and the {ends['high']} on {high}"


def square_name(at: Sequence[int]) -> str:
    """Return what moves and the board's edge call the square in a column and row from 1."""
    column, row = at
    return f"{FILES[column - 1]}{row}"


def show(s: Position, seat: int | None) -> Scene:
    """Return hands, boneyard, pit and played dominoes, and what a drawing of the board needs."""
    fitting = _placements(s) if s.turn >= 0 and seat in (None, s.turn) else None
    board = _board(s) | {"placements": fitting or []}
    dimmed = _dimmed(s, fitting) if fitting else {}
    out = [0] * (rules.MAX_LEGAL + 1)
    actions = [] if fitting is None else out[: rules.legal(s, out)]
    moves = {_MOVES[action]: _parts(action) for action in actions}
    facts = tuple(_facts(s))
    tie_break = "dots" if any(one.kind == "dots" for one in facts) else ""
    return Scene(tuple(_zones(s)), facts, _prompt(s, fitting), board, dimmed, moves, tie_break)


def _parts(action: int) -> dict[str, Any]:
    if action == rules.STOP:
        return {"kind": "stop"}
    if action > rules.STOP:
        return {"kind": "pit", "domino": CARDS[action - rules.STOP - 1]}
    return {"kind": "place", "domino": CARDS[action // rules.PLACEMENTS]}


def _zones(s: Position) -> list[Zone]:
    left = s.deck_n - s.pile_at
    where = s.where[: s.deck_n]
    zones = [
        Zone("boneyard", (back(str(s.pile_at)),) if left else (), size=left),
        _lying(s, "pit", [place for place, spot in enumerate(where) if spot == rules.IN_PIT]),
        _lying(s, "board", [place for place, spot in enumerate(where) if spot > rules.AWAY]),
    ]
    hands = (s.hand[seat][: s.hand_n[seat]] for seat in range(s.seats))
    return zones + [_lying(s, "hand", hand, seat) for seat, hand in enumerate(hands)]


def _lying(s: Position, kind: str, places: Sequence[int], seat: int | None = None) -> Zone:
    """Return the dominoes at some places side by side, sorted, those face down last."""
    deck = s.deck
    dominoes = sorted([(deck[place] == ERASED, deck[place], place) for place in places])
    return _zone(kind, tuple(dominoes), seat)


@lru_cache(maxsize=KEPT_ZONES)
def _zone(kind: str, dominoes: tuple[tuple[bool, int, int], ...], seat: int | None) -> Zone:
    cards = tuple(_card(face, place) for _, face, place in dominoes)
    return Zone(kind, cards, seat, len(cards), spread=True)


@lru_cache(maxsize=KEPT_CARDS)
def _card(kind: int, place: int) -> Card:
    if kind == ERASED:
        return back(str(place))
    return Card(CARDS[kind], pips=(rules.LOW[kind], rules.HIGH[kind]), place=str(place))


def _facts(s: Position) -> list[Fact]:
    facts = [fact("victory", s.goal, name="victory total")]
    for seat in range(s.seats):
        facts.append(fact("points", s.points[seat], seat))
        space = s.points[seat] % rules.NUMBERS if s.points[seat] else "start"
        facts.append(fact("space", space, seat))
        if s.turn < 0 and s.points[: s.seats].count(s.points[seat]) > 1:
            facts.append(fact("dots", rules.dots(s, seat), seat, name="dots left in hand"))
    return facts


def _board(s: Position) -> dict[str, Any]:
    """Return what a drawing of the board needs.

    A square is given as its column and its row, from 1; in moves the column is a letter.
    """
    laid = [
        (spot % rules.SQUARES, spot, s.deck[place], place, s.by[place])
        for place, spot in enumerate(s.where[: s.deck_n])
        if spot > rules.AWAY
    ]
    # By square: the order of the places would tell which of two like dominoes was held longer.
    return {
        "kind": "dominoes",
        "size": rules.SIZE,
        "star": _at(s.board.index(rules.STAR)),
        "diamonds": _diamonds(tuple(s.board)),
        "dominoes": _dominoes(tuple(sorted(laid)), s.last),
        "goal": s.goal,
        "pieces": [
            {"seat": seat, "space": points, "dots": points % rules.NUMBERS if points else None}
            for seat, points in enumerate(s.points[: s.seats])
        ],
        "following": bool(s.following),
    }


@lru_cache(maxsize=64)
def _diamonds(board: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return the squares with diamonds; all views of the same board share the list."""
    return [
        {"at": _at(square), "number": number} for square, number in enumerate(board) if number > 0
    ]


@lru_cache(maxsize=KEPT_CARDS)
def _dominoes(laid: tuple[tuple[int, ...], ...], last: int) -> list[dict[str, Any]]:
    """Return the dominoes on the board; views that show the same ones share the list."""
    return [
        _ends(kind, spot) | {"place": str(place), "seat": seat, "last": place == last}
        for _, spot, kind, place, seat in laid
    ]


def _ends(kind: int, spot: int) -> dict[str, Any]:
    direction, square = divmod(spot, rules.SQUARES)
    return {
        "domino": CARDS[kind],
        "low": rules.LOW[kind],
        "high": rules.HIGH[kind],
        "low_at": _at(square),
        "high_at": _at(square + rules.STEP[direction]),
    }


def _at(square: int) -> list[int]:
    return _COLUMN_AND_ROW[square][:]


def _placements(s: Position) -> list[dict[str, Any]]:
    """The moves that place a domino, with the points that they bring the seat to move.

    Shown to that seat, and in a view of everything.
    """
    out = [0] * (rules.MAX_LEGAL + 1)
    actions = out[: rules.legal(s, out)]
    return [
        {"move": _MOVES[action]}
        | _ends(*divmod(action, rules.PLACEMENTS))
        | {"points": _points(s, action)}
        for action in actions
        if action < rules.STOP
    ]


def _points(s: Position, action: int) -> int:
    kind, spot = divmod(action, rules.PLACEMENTS)
    direction, low = divmod(spot, rules.SQUARES)
    return rules.worth(s, kind, low, low + rules.STEP[direction], s.turn)


def _dimmed(s: Position, fitting: list[dict[str, Any]]) -> dict[str, str]:
    fit = {placement["domino"] for placement in fitting}
    held = [kind for kind in range(rules.KINDS) if rules.kinds_held(s, s.turn) >> kind & 1]
    return {CARDS[kind]: _misfit(s, kind) for kind in held if CARDS[kind] not in fit}


def _misfit(s: Position, kind: int) -> str:
    numbers = sorted({rules.LOW[kind], rules.HIGH[kind]})
    either = " or ".join(f"a {number}" for number in numbers)
    if s.following:
        double = CARDS[s.deck[s.last]]
        if rules.LOW[s.deck[s.last]] in numbers:
            return f"There is no room for it beside the double {double}."
        return f"It must touch the double {double}."
    # An open square that is touched takes the number that touches it and no other.
    if any(s.takes[number][w] & s.touched[w] for number in numbers for w in range(rules.WORDS)):
        return f"There is no room for it beside {either}."
    return f"The board has no free end with {either}."


def _prompt(s: Position, fitting: list[dict[str, Any]] | None) -> str:
    if s.turn < 0:
        return ""
    if s.last < 0:
        return "Place the first domino on the star."
    if s.following:
        return "Place another domino beside your double, or stop."
    if fitting is None:
        return "Place a domino. If none fits, put one in the pit."
    return "Place a domino." if fitting else "Nothing fits: put a domino face down in the pit."
