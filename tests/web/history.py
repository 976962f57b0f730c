"""What programs asked of a server and what it answered, checked against its log.

A table is a register to which moves are appended, and that can be read. Every call is written down
with the times at which it began and ended. A call whose answer never came may have had its effect
or not. :func:`faults` finds what no correct server could have answered, in the manner of Jepsen
(Kingsbury) for registers that only grow:

- what was confirmed is in the log, once, at its place; what was refused is not;
- nothing is in the log that nobody sent;
- a call that begins after another has ended sees at least what that one saw.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

READ = ""
"""The move of a call that reads."""


@dataclass(frozen=True)
class Call:
    """A move sent to a table, or a look at it.

    ``ply`` is the entry that the move was to become, or the length of the log that was read.
    ``confirmed`` is None if no answer came. Times are in seconds of one clock.
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
    sent: dict[tuple[int, str], list[Call]] = defaultdict(list)
    for call in calls:
        if call.move != READ:
            sent[call.ply, call.move].append(call)
    for (ply, move), those in sent.items():
        made = ply < len(log) and log[ply].move == move
        if not made and any(call.confirmed for call in those):
            found = repr(log[ply].move) if ply < len(log) else "nothing"
            yield f"{move!r} was confirmed as entry {ply}, where the log has {found}"
        if made and all(call.confirmed is False for call in those):
            yield f"{move!r} was refused, and is entry {ply}"
    for entry in log:
        if entry.move and (entry.ply, entry.move) not in sent:
            yield f"nobody sent {entry.move!r}, which is entry {entry.ply}"
    yield from _out_of_order(calls, sent, len(log))


def _out_of_order(
    calls: Sequence[Call], sent: Mapping[tuple[int, str], Sequence[Call]], length: int
) -> Iterator[str]:
    """Find calls that saw less than a call that had ended before they began."""
    ended: list[tuple[float, int]] = []
    least = 0  # what the log has held since a call that has ended
    for call in sorted(calls, key=lambda call: call.begun):
        while ended and ended[0][0] < call.begun:
            least = max(least, heappop(ended)[1])
        if not call.confirmed:
            continue
        # A move that is sent again is confirmed again, however old it is.
        again = call.move != READ and sent[call.ply, call.move][0] is not call
        if call.ply < least and not again:
            what = f"{call.move!r} became entry" if call.move else "someone saw a log of length"
            yield f"{what} {call.ply} when it had {least} entries already"
        if call.move == READ and call.ply > length:
            yield f"someone saw a log of length {call.ply}, which has {length} entries"
        heappush(ended, (call.ended, call.ply + (call.move != READ)))
