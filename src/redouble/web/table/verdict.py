"""The verdict on a game that has ended: whose it is, in what place, and whether it counts.

Results, ratings, badges, streaks, seasons and daily deals all go by it. It depends on what people
did themselves: no bot wins for anybody, and nobody loses by a game they haven't played.
"""

from dataclasses import dataclass

from redouble.web.table.state import Table

AWAY = "away"
"""A bot played the end for somebody who had made most of the moves before: a win doesn't count."""
LEFT = "left"
"""A bot played the end for somebody, and most of the moves."""
RESIGNED = "resigned"
UNPLAYED = "unplayed"
"""Somebody resigned before their first move: others win nothing by it."""
LAST = {LEFT, RESIGNED, UNPLAYED}
"""Who ends a game like this is last."""


def bots_at_end(table: Table) -> set[int]:
    """Return the seats of people for whom bots came to the end of a game, or made every move."""
    sole, own = table.alone or table.header.compares, table.hands.own
    return {
        i
        for i, seat in enumerate(table.seats)
        if seat.person and (seat.bot or not (own.get(i) or sole))
    }


@dataclass(frozen=True, slots=True)
class SeatVerdict:
    """What a game that has ended means to a person at its table."""

    seat: int
    person: str
    rank: int
    """From 1. Who has left shares the last place with others who have."""
    won: bool
    reason: str
    """Why it ended for them: a name from above, or the rules' reason."""
    counts: bool
    """Whether it is among the results that are counted, and can lift a rating."""
    moves: int
    """Moves that they made themselves."""


def verdicts(table: Table) -> list[SeatVerdict]:
    """Return the verdict for each person whose game it was; none while it runs or if it was closed.

    A game is nobody's who made no move in it, unless they resigned. Who resigned or left is last.
    A game that nobody came back to belongs only to those who had resigned before. A game counts for
    nobody if a move was undone after something new was seen.
    """
    if not table.over or table.closed:
        return []
    outcome, found = table.match.outcome, []
    for i, seat in enumerate(table.seats):
        own, stand_in = table.hands.own.get(i, 0), table.hands.stand_in.get(i, 0)
        sole = table.alone or table.header.compares
        played = seat.resigned or (outcome is not None and (own or sole))
        if seat.person is None or not played:
            continue
        if seat.resigned or outcome is None:
            reason = RESIGNED if own or sole else UNPLAYED
        elif seat.stand_in:
            reason = LEFT if stand_in > own else AWAY
        else:
            reason = outcome.reason
        last = outcome is None or reason in LAST
        won = not last and outcome is not None and outcome.won[i]
        found.append(
            SeatVerdict(
                seat=i,
                person=seat.person,
                rank=table.match.seats if outcome is None or last else outcome.ranks[i],
                won=won and not seat.bot,
                reason=reason,
                counts=not (table.undone.hindsight or (won and seat.bot)),
                moves=own,
            )
        )
    return found
