"""What people see in the middle of a move of Double Down, in words."""

from __future__ import annotations

from redouble.contract.moments import Headline, MomentKind, who
from redouble.games.double_down.rules import CHIP_LOST, LIMIT, REVERSED, TWO_OWED, Position

CHIPS = ("No chips left: the next loss is the last.", "One chip left.", "Two chips left.")


def _reversed(s: Position, seat: int | None) -> Headline:
    way = "left" if s.direction == 1 else "right"
    return Headline(f"Direction reverses: play goes to the {way}")


def _two_owed(s: Position, seat: int | None) -> Headline:
    return Headline("The next player must play two cards")


def _chip_lost(s: Position, seat: int | None) -> Headline:
    lives = s.lives[s.turn]
    hits = who(s.turn, seat, f"hits {s.total}", f"hit {s.total}")
    mine = s.turn == seat
    if not lives:
        title = f"{hits} and {'are' if mine else 'is'} out"
    else:
        chip = "the last chip" if lives == 1 else "a chip"
        title = f"{hits} and {'lose' if mine else 'loses'} {chip}"
    left = "" if not lives else CHIPS[lives - 1]
    if s.seats_in == 1:
        then = ""
    elif s.total >= LIMIT:
        then = f"Round {s.round + 1} is dealt next."
    else:
        then = f"Play goes on at {s.total}."
    return Headline(title, f"{left} {then}".strip())


MOMENTS = (
    MomentKind("reversed", _reversed, seconds=0.8),
    MomentKind("two-owed", _two_owed, seconds=0.8),
    MomentKind("chip-lost", _chip_lost, seconds=2.8, sound="loss"),
)

assert tuple(range(len(MOMENTS))) == (REVERSED, TWO_OWED, CHIP_LOST)
