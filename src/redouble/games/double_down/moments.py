"""What people see in the middle of a move of Double Down, and at its end, in words."""

from __future__ import annotations

from redouble.contract.moments import Headline, MomentKind, who
from redouble.contract.outcome import Ending
from redouble.games.double_down import rules
from redouble.games.double_down.rules import Position
from redouble.games.double_down.text import CARDS
from redouble.kernel.checks import counted

ORDER = ("first", "second", "third", "fourth", "fifth", "sixth")
CHIPS = ("No chips left: the next loss is the last.", "One chip left.", "Two chips left.")


def _reversed(s: Position, seat: int | None) -> Headline:
    way = "left" if s.direction == 1 else "right"
    return Headline(f"Direction reverses: play goes to the {way}")


def _chip_lost(s: Position, seat: int | None) -> Headline:
    lives = s.lives[s.turn]
    hits = who(s.turn, seat, f"hits {s.total}", f"hit {s.total}")
    mine = s.turn == seat
    if not lives:
        title = f"{hits} and {'are' if mine else 'is'} out"
    else:
        chip = "the last chip" if lives == 1 else "a chip"
        title = f"{hits} and {'lose' if mine else 'loses'} {chip}"
    said = [CHIPS[lives - 1]] if lives else []
    if s.seats_in > 1:
        over = s.total >= rules.LIMIT
        said.append(
            f"Round {s.round + 1} is dealt next." if over else f"Play goes on at {s.total}."
        )
    return Headline(title, " ".join(said))


MOMENTS = (
    MomentKind("reversed", _reversed, seconds=0.8),
    MomentKind(
        "two-owed", lambda s, seat: Headline("The next player must play two cards"), seconds=0.8
    ),
    MomentKind("chip-lost", _chip_lost, seconds=2.8, sound="loss"),
)


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return the card that put the last player out, or the stalemate, and everyone's chips."""
    left = tuple(_left(after, one) for one in range(after.seats))
    if after.reason == rules.STALEMATE:
        said = f"{rules.STALE:,} cards of this round were shuffled back, so the most chips win"
        return Ending(f"Stalemate, by our own rule: {said}.", left)
    seat = before.turn
    whose, they = ("Your", "you") if seat == viewer else (f"{{{seat}}}'s", f"{{{seat}}}")
    card = "turn card" if action == rules.TURN else CARDS[action]
    total = before.total + rules.VALUES[action]
    return Ending(f"{whose} {card} made {total}, and {they} had no chip left.", left)


def _left(s: Position, seat: int) -> str:
    if s.place_out[seat]:
        return f"out {ORDER[s.place_out[seat] - 1]}" if s.seats > 2 else "out"
    chips = s.lives[seat] - 1
    return f"{counted(chips, 'chip')} left" if chips else "on a free ride"
