"""What programs asked of a server and what it answered, checked against its log.

A table is a register to which moves are appended, and that can be read. Every call is written down
with the times at which it began and ended. A call whose answer never came may have had its effect
or not. :func:`faults` finds what no correct server could have answered, in the manner of Jepsen
(Kingsbury) for registers that only grow:

- what was confirmed is in the log, once, as the next move; what was refused is not;
- nothing is in the log that nobody sent;
- a call that begins after another has ended sees at least what that one saw.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

READ = ""
"""The move of a call that reads."""


@dataclass(frozen=True)
class Call:
    """A move sent to a table, or a look at it.

    ``ply`` is the length of the log that was read, or that the move was sent for: it is to become
    the next move. Other entries may come before it, such as players who sit down, since they leave
    the position as it is. ``confirmed`` is None if no answer came. Times are in seconds of one
    clock.
    """

    table: str
    ply: int
    move: str
    begun: float
    ended: float
    confirmed: bool | None


@dataclass(frozen=True)
class Entry:
    """An entry of a table's log; ``move`` is empty for those that are no moves."""

    ply: int
    move: str


def faults(calls: Iterable[Call], logs: Mapping[str, Sequence[Entry]]) -> list[str]:
    """Return a sentence for everything that no correct server could have answered.

    ``logs`` holds the tables' logs as they are in the end. The calls to a table that is missing
    there are faults if they were confirmed.
    """
    by_table: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        by_table[call.table].append(call)
    return [
        f"table {table}: {fault}"
        for table in sorted(by_table.keys() | logs.keys())
        for fault in _faults(by_table[table], logs.get(table, ()))
    ]


def _faults(calls: Sequence[Call], log: Sequence[Entry]) -> Iterator[str]:
    if [entry.ply for entry in log] != list(range(len(log))):
        yield f"its log has the entries {[entry.ply for entry in log]}"
        return
    places = _next_moves(log)
    sent: dict[tuple[int, str], list[Call]] = defaultdict(list)
    for call in calls:
        if call.move != READ:
            sent[_place(call, places), call.move].append(call)
    for (place, move), those in sent.items():
        made = place < len(log) and log[place].move == move
        if not made and any(call.confirmed for call in those):
            found = repr(log[place].move) if place < len(log) else "nothing"
            yield f"{move!r} was confirmed as entry {place}, where the log has {found}"
        if made and all(call.confirmed is False for call in those):
            yield f"{move!r} was refused, and is entry {place}"
    for entry in log:
        if entry.move and (entry.ply, entry.move) not in sent:
            yield f"nobody sent {entry.move!r}, which is entry {entry.ply}"
    yield from _out_of_order(calls, sent, places)


def _next_moves(log: Sequence[Entry]) -> list[int]:
    """Return for each length of the log the place of the next move, at the end its length."""
    places = [len(log)]
    for entry in reversed(log):
        places.append(entry.ply if entry.move else places[-1])
    return places[::-1]


def _place(call: Call, places: Sequence[int]) -> int:
    """Return the place in the log that a move was for."""
    return places[call.ply] if call.ply < len(places) else call.ply


def _out_of_order(
    calls: Sequence[Call], sent: Mapping[tuple[int, str], Sequence[Call]], places: Sequence[int]
) -> Iterator[str]:
    """Find calls that saw less than a call that had ended before they began."""
    ended: list[tuple[float, int]] = []
    least = 0  # what the log has held since a call that has ended
    for call in sorted(calls, key=lambda call: call.begun):
        while ended and ended[0][0] < call.begun:
            least = max(least, heappop(ended)[1])
        if not call.confirmed:
            continue
        if call.move == READ:
            seen = call.ply
            if seen < least:
                yield f"someone saw a log of length {seen} when it had {least} entries already"
            if seen >= len(places):
                yield f"someone saw a log of length {seen}, which has {len(places) - 1} entries"
            heappush(ended, (call.ended, seen))
            continue
        place = _place(call, places)
        # A move that is sent again is confirmed again, however old it is.
        if place < least and sent[place, call.move][0] is call:
            yield f"{call.move!r} became entry {place} when it had {least} entries already"
        heappush(ended, (call.ended, place + 1))
