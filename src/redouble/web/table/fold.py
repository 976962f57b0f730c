"""How events change a table. A table is loaded by applying its log again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import singledispatch

from redouble.kernel.state import SPECTATOR
from redouble.match.story import last_move
from redouble.web.table import events
from redouble.web.table.clocks import FOR_GOOD, ONCE, TimeControl
from redouble.web.table.deal import note_share
from redouble.web.table.events import Entry, Event
from redouble.web.table.rest import Rest
from redouble.web.table.seats import Header, Seat, open_seat
from redouble.web.table.state import (
    MAX_LINES,
    MAX_MESSAGES,
    LogLine,
    Message,
    MoveMade,
    PauseRequest,
    Table,
    UndoRequest,
)
from redouble.web.table.talk import CHAT_BURST, REACTION_BURST, Reaction
from redouble.web.table.words import sentence


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
    event = entry.event
    moves, words = table.match.ply, sentence(event, table)
    take_in(event, table, entry)
    if event.is_move:
        texts = _in_words(table) if in_words else {SPECTATOR: ""}
        table.lines.append(LogLine(entry.ply, event.seat, texts, moves))
    elif words:
        line = LogLine(entry.ply, event.seat, {SPECTATOR: words}, table.match.ply, move=False)
        table.lines.append(line)
        if event.noted:
            table.notes.append((table.match.ply, f"{table.seats[event.seat].name} {words}."))
    table.ply += 1
    table.changed = entry.at
    if event.changes_position:
        table.last_move = table.ply
    if event.ends_undo_request:
        table.undo_request = None
    if event.changes_seats:
        table.pause_request = None
    fresh = event.changes_position or isinstance(event, events.EndPause)
    table.clocks = table.clocks.follow(
        table.thinking,
        entry.at,
        moved=fresh,
        by_move=event.is_move,
        opening=not table.movers,
    )


@singledispatch
def take_in(event: Event, table: Table, entry: Entry) -> None:
    """Change what is particular to an event's class."""
    raise TypeError(f"nothing is known of {type(event).__name__}")


@take_in.register
def _(event: events.Move, table: Table, entry: Entry) -> None:
    _push(event.move, table, entry)
    table.undone.clear()


@take_in.register
def _(event: events.Redo, table: Table, entry: Entry) -> None:
    _push(event.move, table, entry)
    table.undone.pop()


@take_in.register
def _(event: events.Undo, table: Table, entry: Entry) -> None:
    while table.match.ply > event.keep:
        table.undone.append(table.match.pop())
        table.movers.pop()
        table.choices.pop()
    table.undos += 1
    table.hindsight += event.hindsight
    kept = (line for line in table.lines if not line.move or line.moves < event.keep)
    table.lines = deque(kept, maxlen=MAX_LINES)
    table.notes = [(min(moves, table.match.ply), text) for moves, text in table.notes]


@take_in.register
def _(event: events.AskUndo, table: Table, entry: Entry) -> None:
    table.undo_request = UndoRequest(event.seat, event.keep, frozenset())


@take_in.register
def _(event: events.AgreeToUndo, table: Table, entry: Entry) -> None:
    request, person = table.undo_request, table.seats[event.seat].person
    assert request is not None
    assert person is not None
    table.undo_request = replace(request, agreed=request.agreed | {person})


@take_in.register
def _(event: events.RefuseUndo, table: Table, entry: Entry) -> None:
    pass  # it only ends the request


@take_in.register
def _(event: events.Resign, table: Table, entry: Entry) -> None:
    table.seats[event.seat] = replace(table.seats[event.seat], bot=event.level, resigned=True)


@take_in.register
def _(event: events.Leave | events.Free, table: Table, entry: Entry) -> None:
    # Nothing that was said or told of the seat stays: the next person there didn't do it.
    left = event.seat
    table.claims.pop(left, None)
    table.chat = deque((said for said in table.chat if said.seat != left), maxlen=MAX_MESSAGES)
    table.lines = deque((line for line in table.lines if line.seat != left), maxlen=MAX_LINES)
    table.muted = {seat: others - {left} for seat, others in table.muted.items() if seat != left}
    table.reactions.pop(left, None)
    table.unguided -= {left}
    table.clocks = table.clocks.in_zone(left, "")
    note_share(table.shares, event)
    _seat(table, left, Seat(table.unique_name(open_seat(left), left)))


@take_in.register
def _(event: events.Claim, table: Table, entry: Entry) -> None:
    assert event.person is not None
    table.claims[event.seat] = event.person


@take_in.register
def _(event: events.Admit, table: Table, entry: Entry) -> None:
    table.claims = {at: who for at, who in table.claims.items() if who != event.person}
    if not table.dealt:  # the share that the other browser has promised stays there
        table.shares.pop(event.seat, None)
    _seat(table, event.seat, replace(table.seats[event.seat], person=event.person, bot=""))


@take_in.register
def _(event: events.Deny, table: Table, entry: Entry) -> None:
    table.denied |= {(event.seat, table.claims.pop(event.seat))}


@take_in.register
def _(event: events.Sit, table: Table, entry: Entry) -> None:
    _seat(table, event.seat, Seat(event.name, event.person))


@take_in.register
def _(event: events.HandOver, table: Table, entry: Entry) -> None:
    table.seats[event.seat] = replace(table.seats[event.seat], bot=event.level)


@take_in.register
def _(event: events.PromiseShare | events.GiveShare, table: Table, entry: Entry) -> None:
    note_share(table.shares, event)


@take_in.register
def _(event: events.Deal, table: Table, entry: Entry) -> None:
    table.deal()


@take_in.register
def _(event: events.Return, table: Table, entry: Entry) -> None:
    table.seats[event.seat] = replace(table.seats[event.seat], bot="")


@take_in.register
def _(event: events.Say, table: Table, entry: Entry) -> None:
    if event.person is not None:
        times = (*table.chat_times.get(event.person, ()), entry.at)
        table.chat_times[event.person] = times[-CHAT_BURST:]
    if event.text:
        table.chat.append(Message(entry.ply, event.seat, event.text))


@take_in.register
def _(event: events.React, table: Table, entry: Entry) -> None:
    if event.person is not None:
        times = (*table.reaction_times.get(event.person, ()), entry.at)
        table.reaction_times[event.person] = times[-REACTION_BURST:]
    table.reactions[event.seat] = Reaction(entry.ply, event.seat, event.reaction, entry.at)


@take_in.register
def _(event: events.SetChat, table: Table, entry: Entry) -> None:
    table.chat_mode = event.chat


@take_in.register
def _(event: events.Mute, table: Table, entry: Entry) -> None:
    table.muted[event.seat] = table.muted.get(event.seat, frozenset()) | {event.other}


@take_in.register
def _(event: events.Unmute, table: Table, entry: Entry) -> None:
    table.muted[event.seat] = table.muted.get(event.seat, frozenset()) - {event.other}


@take_in.register
def _(event: events.ReportChat, table: Table, entry: Entry) -> None:
    pass  # it was for the operator


@take_in.register
def _(event: events.Close, table: Table, entry: Entry) -> None:
    table.closed = event.reason
    table.notes.append((table.match.ply, event.reason))


@take_in.register
def _(event: events.SkipGuide, table: Table, entry: Entry) -> None:
    table.unguided |= {event.seat}


@take_in.register
def _(event: events.SetPace, table: Table, entry: Entry) -> None:
    table.pace = event.pace


@take_in.register
def _(event: events.SetClock, table: Table, entry: Entry) -> None:
    rest = Rest(event.nights, event.weekends)
    times = event.move, event.bank, event.increment
    control = TimeControl(*times, event.then, event.level, rest)
    table.clocks = table.clocks.begin(control, table.match.seats, entry.at)
    table.notes.append((table.match.ply, control.sentences))


@take_in.register
def _(event: events.SetZone, table: Table, entry: Entry) -> None:
    table.clocks = table.clocks.in_zone(event.seat, event.zone)


@take_in.register
def _(event: events.TimeOut, table: Table, entry: Entry) -> None:
    seat = table.seats[event.seat]
    if event.then != ONCE:
        over = event.then == FOR_GOOD
        table.seats[event.seat] = replace(seat, bot=event.level, resigned=over)
        table.passed = table.passed or over
    table.clocks = table.clocks.run_out(event.seat, entry.at, event.then)


@take_in.register
def _(event: events.AskPause, table: Table, entry: Entry) -> None:
    _settle_pause(table, PauseRequest(event.seat, frozenset()))


@take_in.register
def _(event: events.AgreeToPause, table: Table, entry: Entry) -> None:
    request, person = table.pause_request, table.seats[event.seat].person
    assert request is not None
    assert person is not None
    _settle_pause(table, replace(request, agreed=request.agreed | {person}))


@take_in.register
def _(event: events.EndPause, table: Table, entry: Entry) -> None:
    table.paused, table.pause_request = False, None


@take_in.register
def _(event: events.AskSolver, table: Table, entry: Entry) -> None:
    table.helped = True


@take_in.register
def _(event: events.PlayOut, table: Table, entry: Entry) -> None:
    table.played_out_from = table.match.ply


@take_in.register
def _(event: events.Rematch, table: Table, entry: Entry) -> None:
    table.rematch, table.rematch_by = event.token, event.seat


@take_in.register
def _(event: events.Later, table: Table, entry: Entry) -> None:
    table.later |= {event.seat}


@take_in.register
def _(event: events.WantSeat, table: Table, entry: Entry) -> None:
    if event.person is not None and event.name:
        table.wants[event.person] = event.name


@take_in.register
def _(event: events.WantNoSeat, table: Table, entry: Entry) -> None:
    assert event.person is not None
    table.wants.pop(event.person, None)


def _settle_pause(table: Table, request: PauseRequest) -> None:
    """Note who agrees to a pause; it begins when all do."""
    table.paused = table.others(table.seats[request.seat].person) <= request.agreed
    table.pause_request = None if table.paused else request


def _push(move: str, table: Table, entry: Entry) -> None:
    seat = entry.event.seat
    table.choices.append(len(table.match.legal_moves) > 1)
    table.match.push(move)
    table.movers.append(seat)
    if not table.seats[seat].bot:
        table.made.append(MoveMade(seat, move, table.last_move, entry.ply))


def _seat(table: Table, number: int, seat: Seat) -> None:
    table.seats[number] = seat
    table.match.names = tuple(one.name for one in table.seats)


def _in_words(table: Table) -> dict[int, str]:
    """Return the last move in the words that each reader may read."""
    names = table.match.names
    words = {reader: last_move(table.match, names, reader) for reader in table.readers()}
    public = words[SPECTATOR]
    return {r: text for r, text in words.items() if r == SPECTATOR or text != public}


def _moves_that_count(entries: Iterable[Entry]) -> list[int]:
    """Return where in the log the moves are that weren't undone."""
    plies: list[int] = []
    for entry in entries:
        if entry.event.is_move:
            plies.append(entry.ply)
        elif isinstance(entry.event, events.Undo):
            del plies[entry.event.keep :]
    return plies
