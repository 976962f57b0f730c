"""How a log makes a table. A table is loaded by applying its log again."""

from collections.abc import Iterable, Sequence

from redouble.kernel.state import SPECTATOR
from redouble.web.table.acts.base import Entry
from redouble.web.table.acts.undo import Undo
from redouble.web.table.seats import Header
from redouble.web.table.state import MAX_LINES, LogLine, Table


def load(header: Header, entries: Sequence[Entry]) -> Table:
    """Return the table with this log. Only moves that its pages can show are put into words."""
    table = Table(header)
    shown = set(_moves_that_count(entries)[-MAX_LINES:])
    for entry in entries:
        apply(table, entry, in_words=entry.ply in shown)
    return table


def apply(table: Table, entry: Entry, in_words: bool = True) -> None:
    """Change a table by the next entry of its log."""
    assert entry.ply == table.ply, f"entry {entry.ply} after {table.ply}"
    event, table.now, stood = entry.event, entry.at, (table.status, table.turn)
    moves, words, name = table.match.ply, event.told(table), event.subject(table)
    event.change(table)
    if event.is_move:
        texts = _in_words(table) if in_words else {SPECTATOR: ""}
        table.lines.append(LogLine(entry.ply, event.seat, name, texts, table.match.names, moves))
    elif words:
        texts, made, names = {SPECTATOR: words}, table.match.ply, table.match.names
        table.lines.append(LogLine(entry.ply, event.seat, name, texts, names, made, move=False))
        if event.noted:
            table.notes.append((made, f"{name} {words}."))
    table.ply += 1
    progress = event.changes_position or event.changes_seats or event.starts_turn
    if progress or (table.status, table.turn) != stood:
        table.changed = entry.at
    if event.changes_position:
        table.last_move = table.ply
    if event.ends_undo_request:
        table.undone.request = None
    if event.changes_seats:
        table.pause.request = None
    table.clocks = table.clocks.follow(
        table.thinking,
        entry.at,
        moved=event.changes_position or event.starts_turn,
        by_move=event.is_move,
        opening=not table.movers,
    )


def _in_words(table: Table) -> dict[int, str]:
    """Return the last move in the words that each reader may read.

    These are the seats that people own or can take, and SPECTATOR.
    """
    seats = [i for i, seat in enumerate(table.seats) if seat.person or seat.open]
    words = {reader: table.match.tell(reader) for reader in [*seats, SPECTATOR]}
    public = words[SPECTATOR]
    return {r: text for r, text in words.items() if r == SPECTATOR or text != public}


def _moves_that_count(entries: Iterable[Entry]) -> list[int]:
    """Return where in the log the moves are that weren't undone."""
    plies: list[int] = []
    for entry in entries:
        if entry.event.is_move:
            plies.append(entry.ply)
        elif isinstance(entry.event, Undo):
            del plies[entry.event.keep :]
    return plies
