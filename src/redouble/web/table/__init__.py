"""Tables: a match, who sits where, and everything that was done there, in order.

A table is its header and its log, and nothing else. The log only grows; an entry's ``ply`` is its
position in it. ``acts`` are what can be done there, and the events that a log keeps of it; ``fold``
applies a log to a table; ``state`` is the table itself. Nothing here reads or writes anything: that
is :mod:`redouble.web.live.tables`' work.
"""

from redouble.web.table.acts import Act, Entry, Event, Sender
from redouble.web.table.fold import apply, load
from redouble.web.table.pace import PACES, USUAL_PACE, check_pace
from redouble.web.table.parts import TABLE
from redouble.web.table.seats import Header, Pledge, Seat, open_seat
from redouble.web.table.state import LogLine, Status, Table
from redouble.web.table.talk import CHAT_LENGTH

__all__ = [
    "CHAT_LENGTH",
    "PACES",
    "TABLE",
    "USUAL_PACE",
    "Act",
    "Entry",
    "Event",
    "Header",
    "LogLine",
    "Pledge",
    "Seat",
    "Sender",
    "Status",
    "Table",
    "apply",
    "check_pace",
    "load",
    "open_seat",
]
