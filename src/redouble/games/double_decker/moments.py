"""What people see in the middle of a move of Double Decker, and at its end, in words."""

from __future__ import annotations

from redouble.contract.moments import Headline, MomentKind, who
from redouble.contract.outcome import Ending
from redouble.games.double_decker.rules import COLORS, NUMBERS, ONE_COLOR, ROUNDS, Position, count
from redouble.games.double_decker.text import COLOR_NAMES
from redouble.kernel.checks import joined

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
        title = f"{joined(names)} {'share first place' if over else 'lead'}"
        title = title[0].upper() + title[1:]
    rounds = "one round" if s.round == 1 else f"{NUMBER_WORDS[s.round]} rounds"
    said = [_own_round(s, seat)] if seat is not None and seat >= 0 else []
    fewest = min(s.total[: s.seats])
    last = [other for other in range(s.seats) if s.total[other] == fewest]
    if not over and len(last) == 1:
        said.append(f"{who(last[0], seat, 'deals and leads next', 'deal and lead next')}.")
    return Headline(f"{title} after {rounds}", " ".join(said))


def _own_round(s: Position, seat: int) -> str:
    made = s.points[s.round - 1][: s.seats]
    piles = [count(s.won[seat] >> NUMBERS * color & ONE_COLOR) for color in range(COLORS)]
    best, passed = piles.index(max(piles)), count(s.passed[seat])
    order = sorted(filter(piles.__getitem__, range(COLORS)), key=lambda color: color != best)
    points = {color: piles[color] if color == best else -piles[color] for color in order}
    gave = [f"{piles[color]} {COLOR_NAMES[color]} {_signed(points[color])}" for color in order]
    if passed:
        gave.append(f"{passed} passed {_signed(-2 * passed)}")
    came = f": {', '.join(gave)}" if gave else ""
    if made[seat] == max(made):
        return f"You made the most points this round{came}."
    return f"This round brought you {_points(made[seat])}{came}."


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"\N{MINUS SIGN}{-number}"


def _points(number: int) -> str:
    sign = "\N{MINUS SIGN}" if number < 0 else ""
    return f"{sign}{abs(number)} point{'' if abs(number) == 1 else 's'}"


MOMENTS = (
    MomentKind("trick-complete", _trick_complete, seconds=1.4, sound="trick"),
    MomentKind("round-over", _round_over, seconds=8.0, seconds_each=1.0, waits=True, sound="deal"),
)


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return whether the last round changed the lead."""
    seats = range(after.seats)
    totals = after.total[: after.seats]
    last = after.points[ROUNDS - 1]
    earlier = [totals[seat] - last[seat] for seat in seats]
    first = [seat for seat in seats if totals[seat] == max(totals)]
    led = [seat for seat in seats if earlier[seat] == max(earlier)]
    winner = first[0]
    if len(first) > 1:
        return Ending(f"{len(first)} players share first place with {_points(max(totals))}.")
    lead = totals[winner] - max(totals[seat] for seat in seats if seat != winner)
    if winner in led:
        held = who(winner, viewer, "led", "led")
        return Ending(f"{held} before the last round and won by {_points(lead)}.")
    passed = "you" if led[0] == viewer else f"{{{led[0]}}}"
    made = who(winner, viewer, "made", "made")
    return Ending(f"{made} {_points(last[winner])} in the last round and overtook {passed}.")
