"""How a game of 3UP 3DOWN ended, in words."""

from __future__ import annotations

from redouble.contract.moments import who
from redouble.contract.outcome import Ending
from redouble.games.three_up.position import Position
from redouble.games.three_up.rules import MAX_QUIET
from redouble.games.three_up.text import stale

PLACES = ("first", "second", "third")


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return who was out of cards first, or what was counted, and the cards that are left."""
    seats = range(after.seats)
    notes = tuple(_left(after, seat) for seat in seats)
    if after.games:
        low, *others = sorted(after.points[: after.seats])
        by = f"won by {_counted(others[0] - low, 'point')}" if others[0] > low else "was a tie"
        games = _counted(after.games, "game")
        last = " The last was a stalemate, by our own rule." if stale(after) else ""
        return Ending(f"The lowest total after {games} {by}.{last}")
    if stale(after):
        turns = f"{_counted(after.stall, 'turn')} each" if after.stall else f"{MAX_QUIET:,} turns"
        ours = "a stalemate by our own rule, so the fewest cards win"
        return Ending(f"Nobody made progress for {turns}: {ours}.", notes)
    first = next(seat for seat in seats if after.place_out[seat] == 1)
    fewest = min(_cards(after, seat) for seat in seats if not after.place_out[seat])
    out = who(first, viewer, "was", "were")
    if after.play_on:
        return Ending(f"{out} out of cards first; the others played on for places.", notes)
    nobody = "the other player still held" if after.seats == 2 else "nobody else had fewer than"
    return Ending(f"{out} out of cards; {nobody} {fewest}.", notes)


def _cards(s: Position, seat: int) -> int:
    return s.size[seat] + s.up_n[seat] + s.down[seat].bit_count()


def _left(s: Position, seat: int) -> str:
    if place := s.place_out[seat]:
        return f"out {PLACES[place - 1]}" if place <= len(PLACES) else f"out {place}th"
    return f"{_counted(_cards(s, seat), 'card')} left"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
