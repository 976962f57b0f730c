"""What people see in the middle of a move of 3UP 3DOWN, and at its end, in words."""

from __future__ import annotations

from collections.abc import Sequence

from redouble.contract.moments import Headline, MomentKind, who
from redouble.contract.outcome import Ending
from redouble.games.three_up.position import MAX_SEATS, POINTS, Position
from redouble.games.three_up.rules import MAX_QUIET, STALEMATE
from redouble.games.three_up.text import RANK_NAMES, stale
from redouble.kernel.checks import counted

PLACES = ("", "first", "second", "third", *(f"{place}th" for place in range(4, MAX_SEATS + 1)))


def _up_shown(s: Position, seat: int | None) -> Headline:
    return Headline("Everyone's 3UP are face up", who(s.turn, seat, "plays first.", "play first."))


def _reversed(s: Position, seat: int | None) -> Headline:
    way = "left" if s.direction == 1 else "right"
    return Headline(f"Direction reverses: play goes to the {way}")


def _pile_cleared(s: Position, seat: int | None) -> Headline:
    extra = {0: "", 1: "One extra turn."}.get(s.extra, f"{s.extra} extra turns.")
    return Headline(who(s.turn, seat, "clears the pile", "clear the pile"), extra)


def _pile_taken(s: Position, seat: int | None) -> Headline:
    cards = counted(s.pile_n, "card")
    return Headline(who(s.turn, seat, f"picks up the pile: {cards}", f"pick up the pile: {cards}"))


def _down_failed(s: Position, seat: int | None) -> Headline:
    return Headline(
        who(s.turn, seat, "turns up a card that is too low", "turn up a card that is too low"),
        "It goes to the hand, with the pile.",
    )


def _gone_out(s: Position, seat: int | None) -> Headline:
    out = who(s.turn, seat, "is out of cards", "are out of cards")
    return Headline(f"{out}: {PLACES[s.place_out[s.turn]]} place" if s.play_on else out)


def _points_counted(s: Position, seat: int | None) -> Headline:
    made = [
        sum(copies * POINTS[rank] for rank, copies in enumerate(s.counted[other]))
        for other in range(s.seats)
    ]
    others = [other for other in range(s.seats) if other != seat]
    points = ", ".join(f"{{{other}}} {made[other]}" for other in others)
    over = "ends as a stalemate, our own house rule" if s.reason == STALEMATE else "is over"
    said = [] if len(others) == s.seats else [_own_points(s.counted[seat or 0], made[seat or 0])]
    return Headline(f"Game {s.game} of {s.games} {over}", " ".join([*said, f"Points: {points}."]))


def _own_points(hand: Sequence[int], made: int) -> str:
    """Return what the game cost the viewer, and which cards of the hand that was."""
    if not made:
        return "You hold no cards, so you get no points."
    ranks = [rank for rank, copies in enumerate(hand) if copies]
    cards = [
        f"{hand[rank]} × {RANK_NAMES[rank]}" if hand[rank] > 1 else RANK_NAMES[rank]
        for rank in reversed(ranks)
    ]
    return f"Your hand costs you {counted(made, 'point')}: {', '.join(cards)}."


MOMENTS = (
    MomentKind("up-shown", _up_shown, seconds=1.6, sound="deal"),
    MomentKind("reversed", _reversed, seconds=0.8),
    MomentKind("pile-cleared", _pile_cleared, seconds=1.2, sound="clear"),
    MomentKind("pile-taken", _pile_taken, seconds=1.4, sound="pickup"),
    MomentKind("down-failed", _down_failed, seconds=1.8, sound="pickup"),
    MomentKind("gone-out", _gone_out, seconds=2.0),
    MomentKind(
        "points-counted", _points_counted, seconds=8.0, seconds_each=1.0, waits=True, sound="deal"
    ),
)


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return who was out of cards first, or what was counted, and the cards that are left."""
    seats = range(after.seats)
    notes = tuple(_left(after, seat) for seat in seats)
    if after.games:
        low, *others = sorted(after.points[: after.seats])
        by = f"won by {counted(others[0] - low, 'point')}" if others[0] > low else "was a tie"
        games = counted(after.games, "game")
        last = " The last was a stalemate, by our own rule." if stale(after) else ""
        return Ending(f"The lowest total after {games} {by}.{last}")
    if stale(after):
        turns = f"{counted(after.stall, 'turn')} each" if after.stall else f"{MAX_QUIET:,} turns"
        ours = "a stalemate by our own rule, so the fewest cards win"
        return Ending(f"Nobody made progress for {turns}: {ours}.", notes)
    first = next(seat for seat in seats if after.place_out[seat] == 1)
    fewest = min(_cards(after, seat) for seat in seats if not after.place_out[seat])
    out = who(first, viewer, "was", "were")
    if after.play_on:
        return Ending(f"{out} out of cards first; the others played on for places.", notes)
    held = "the other player held" if after.seats == 2 else "everyone else held at least"
    return Ending(f"{out} out of cards; {held} {counted(fewest, 'card')}.", notes)


def _cards(s: Position, seat: int) -> int:
    return s.size[seat] + s.up_n[seat] + s.down[seat].bit_count()


def _left(s: Position, seat: int) -> str:
    if place := s.place_out[seat]:
        return f"out {PLACES[place]}"
    return f"{counted(_cards(s, seat), 'card')} left"
