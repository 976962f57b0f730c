"""What people see in the middle of a move of Double Decker, in words."""

from __future__ import annotations

from redouble.contract.moments import Headline, MomentKind, who
from redouble.games.double_decker.rules import (
    COLORS,
    ROUND_OVER,
    ROUNDS,
    TRICK_COMPLETE,
    Position,
)
from redouble.games.double_decker.text import COLOR_NAMES

NUMBER_WORDS = ("no", "one", "two", "three", "four", "five")


def _trick_complete(s: Position, seat: int | None) -> Headline:
    highest = max(range(COLORS), key=lambda color: (s.lying[color], -color))
    leads = s.trick + 1 < s.tricks
    taken: dict[int, list[str]] = {}
    for color in range(COLORS):
        if s.lying[color]:
            taken.setdefault(s.winner[color], []).append(COLOR_NAMES[color])
    titles = []
    for winner, colors in taken.items():
        first = winner == s.winner[highest] and leads
        what = " and ".join(colors)
        titles.append(
            who(
                winner,
                seat,
                f"takes {what}" + (" and leads" if first else ""),
                f"take {what}" + (" and lead" if first else ""),
            )
        )
    title, *more = titles
    return Headline(", ".join([title, *(f"y{one[1:]}" if one[0] == "Y" else one for one in more)]))


def _round_over(s: Position, seat: int | None) -> Headline:
    most = max(s.total[: s.seats])
    ahead = [other for other in range(s.seats) if s.total[other] == most]
    over = s.round == ROUNDS
    if len(ahead) == 1:
        verb = ("wins", "win") if over else ("leads", "lead")
        title = who(ahead[0], seat, *verb)
    else:
        names = ["you" if other == seat else f"{{{other}}}" for other in ahead]
        title = f"{', '.join(names[:-1])} and {names[-1]} {'share first place' if over else 'lead'}"
        title = title[0].upper() + title[1:]
    rounds = "one round" if s.round == 1 else f"{NUMBER_WORDS[s.round]} rounds"
    return Headline(f"{title} after {rounds}", _own_round(s, seat))


def _own_round(s: Position, seat: int | None) -> str:
    """Return what the round brought the viewer, or who made the most of it."""
    made = s.points[s.round - 1][: s.seats]
    if seat is None or seat < 0:
        return ""
    if made[seat] == max(made):
        return "You made the most points this round."
    return f"This round brought you {_points(made[seat])}."


def _points(number: int) -> str:
    sign = "\N{MINUS SIGN}" if number < 0 else ""
    return f"{sign}{abs(number)} point{'' if abs(number) == 1 else 's'}"


MOMENTS = (
    MomentKind("trick-complete", _trick_complete, seconds=1.4, sound="trick"),
    MomentKind("round-over", _round_over, seconds=8.0, waits=True, sound="deal"),
)

assert tuple(range(len(MOMENTS))) == (TRICK_COMPLETE, ROUND_OVER)
