"""What people see in the middle of a move of 3UP 3DOWN, in words."""

from __future__ import annotations

from collections.abc import Sequence

from redouble.contract.moments import Headline, MomentKind, who
from redouble.games.three_up.position import POINTS, Position
from redouble.games.three_up.rules import (
    DOWN_FAILED,
    GONE_OUT,
    PILE_CLEARED,
    PILE_TAKEN,
    POINTS_COUNTED,
    REVERSED,
    STALEMATE,
    UP_SHOWN,
)
from redouble.games.three_up.text import RANK_NAMES

PLACES = ("first", "second", "third")


def _up_shown(s: Position, seat: int | None) -> Headline:
    return Headline("Everyone's 3UP are face up", who(s.turn, seat, "plays first.", "play first."))


def _reversed(s: Position, seat: int | None) -> Headline:
    way = "left" if s.direction == 1 else "right"
    return Headline(f"Direction reverses: play goes to the {way}")


def _pile_cleared(s: Position, seat: int | None) -> Headline:
    extra = {0: "", 1: "One extra turn."}.get(s.extra, f"{s.extra} extra turns.")
    return Headline(who(s.turn, seat, "clears the pile", "clear the pile"), extra)


def _pile_taken(s: Position, seat: int | None) -> Headline:
    cards = "1 card" if s.pile_n == 1 else f"{s.pile_n} cards"
    return Headline(who(s.turn, seat, f"picks up the pile: {cards}", f"pick up the pile: {cards}"))


def _down_failed(s: Position, seat: int | None) -> Headline:
    return Headline(
        who(s.turn, seat, "turns up a card that is too low", "turn up a card that is too low"),
        "It goes to the hand, with the pile.",
    )


def _gone_out(s: Position, seat: int | None) -> Headline:
    out = who(s.turn, seat, "is out of cards", "are out of cards")
    place = s.place_out[s.turn]
    if not s.play_on:
        return Headline(out)
    where = PLACES[place - 1] if place <= len(PLACES) else f"{place}th"
    return Headline(f"{out}: {where} place")


def _points_counted(s: Position, seat: int | None) -> Headline:
    made = [
        sum(copies * POINTS[rank] for rank, copies in enumerate(s.counted[other]))
        for other in range(s.seats)
    ]
    others = [other for other in range(s.seats) if other != seat]
    counted = ", ".join(f"{{{other}}} {made[other]}" for other in others)
    over = "ends as a stalemate, our own house rule" if s.reason == STALEMATE else "is over"
    said = [] if len(others) == s.seats else [_own_points(s.counted[seat or 0], made[seat or 0])]
    return Headline(f"Game {s.game} of {s.games} {over}", " ".join([*said, f"Points: {counted}."]))


def _own_points(counted: Sequence[int], made: int) -> str:
    """Return what the game cost the viewer, and which cards of the hand that was."""
    if not made:
        return "You hold no cards, so you get no points."
    ranks = [rank for rank, copies in enumerate(counted) if copies]
    cards = [
        f"{counted[rank]} × {RANK_NAMES[rank]}" if counted[rank] > 1 else RANK_NAMES[rank]
        for rank in reversed(ranks)
    ]
    points = "1 point" if made == 1 else f"{made} points"
    return f"Your hand costs you {points}: {', '.join(cards)}."


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

assert tuple(range(len(MOMENTS))) == (
    UP_SHOWN,
    REVERSED,
    PILE_CLEARED,
    PILE_TAKEN,
    DOWN_FAILED,
    GONE_OUT,
    POINTS_COUNTED,
)
