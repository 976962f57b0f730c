"""What players read of events that aren't moves: a player's name, then these words."""

from __future__ import annotations

from functools import singledispatch

from redouble.web.table import events
from redouble.web.table.clocks import ONCE, UNTIL_BACK
from redouble.web.table.state import Table

SAID: dict[type[events.Event], str] = {
    events.AgreeToUndo: "agrees",
    events.Claim: "asks to play from another browser",
    events.Admit: "plays from another browser now",
    events.Deny: "isn't let in from another browser",
    events.Sit: "sits down",
    events.Return: "is back",
}
"""Events that are told in the same words each time."""


@singledispatch
def sentence(event: events.Event, table: Table) -> str:
    """Return the words for an event that is about to happen; empty for one that isn't shown."""
    return SAID.get(type(event), "")


@sentence.register
def _(event: events.Undo, table: Table) -> str:
    if table.alone:
        return ""
    return f"undoes {_moves(event.keep, table)}" + (
        " (new information was seen)" if event.hindsight else ""
    )


@sentence.register
def _(event: events.AskUndo, table: Table) -> str:
    return f"asks to undo {_moves(event.keep, table)}"


@sentence.register
def _(event: events.RefuseUndo, table: Table) -> str:
    request = table.undo_request
    own = request is not None and request.seat == event.seat
    return "no longer asks to undo" if own else "doesn't agree"


@sentence.register
def _(event: events.Resign, table: Table) -> str:
    if table.alone:
        return "gives up"
    others = [seat for i, seat in enumerate(table.seats) if seat.person and i != event.seat]
    if all(seat.resigned for seat in others):
        return "resigns"  # and nobody is left to play on for
    return f"resigns; a bot ({event.level}) takes over"


@sentence.register
def _(event: events.TimeOut, table: Table) -> str:
    return {
        ONCE: f"runs out of time; a bot ({event.level}) makes this move",
        UNTIL_BACK: f"runs out of time; a bot ({event.level}) plays until they are back",
    }.get(event.then, f"runs out of time; a bot ({event.level}) takes over")


@sentence.register
def _(event: events.AskPause, table: Table) -> str:
    alone = not table.others(table.seats[event.seat].person)
    return "pauses the game" if alone else "asks for a pause"


@sentence.register
def _(event: events.AgreeToPause, table: Table) -> str:
    request, person = table.pause_request, table.seats[event.seat].person
    assert request is not None
    asker = table.seats[request.seat].person
    last = table.others(asker) <= request.agreed | {person}
    return "agrees, and the game is paused" if last else "agrees to a pause"


@sentence.register
def _(event: events.EndPause, table: Table) -> str:
    if table.paused:
        return "ends the pause"
    request = table.pause_request
    own = request is not None and request.seat == event.seat
    return "no longer asks for a pause" if own else "doesn't agree to a pause"


@sentence.register
def _(event: events.Leave, table: Table) -> str:
    return f"is open again: {table.seats[event.seat].name} left"


@sentence.register
def _(event: events.Free, table: Table) -> str:
    return f"is open again: the host freed the seat of {table.seats[event.seat].name}"


@sentence.register
def _(event: events.HandOver, table: Table) -> str:
    if table.seats[event.seat].person:
        return f"is away; a bot ({event.level}) takes over"
    return f"is a bot ({event.level}) now"


def _moves(keep: int, table: Table) -> str:
    undone = table.match.ply - keep
    return "a move" if undone == 1 else f"{undone} moves"
