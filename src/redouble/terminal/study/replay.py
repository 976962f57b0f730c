"""Stepping through a record in the terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from redouble.kernel.errors import SeatsError
from redouble.match.match import Moment
from redouble.match.replay import Replay
from redouble.match.story import StoryLine
from redouble.terminal.ask.screen import InputEnded, Screen
from redouble.terminal.draw.blocks import Block, wrapped
from redouble.terminal.draw.cards import QUIET
from redouble.terminal.draw.table import TablePicture, headline

NOTE_LINES = 4
"""Lines of a screen that the notes of one ply may take."""


def check_seat(replay: Replay, seat: int | None) -> None:
    """Raise :class:`SeatsError` for a seat that the saved game doesn't have; None is all."""
    if seat is not None and not 0 <= seat < replay.seats:
        raise SeatsError(f"there is no seat {seat}: {seats_to_give(replay.names)}")


def seats_to_give(names: Sequence[str]) -> str:
    """Return which numbers stand for which players, as people give them to a command."""
    return "give " + ", ".join(f"{seat} for {name}" for seat, name in enumerate(names))


def rows(replay: Replay, seat: int | None, line: int = 1) -> Iterator[dict[str, Any]]:
    """Yield every ply as plain JSON, as ``seat`` sees it; ``line`` is the record's."""
    for step in replay.steps(seat):
        yield {
            "line": line,
            "ply": step.ply,
            "seat": None if step.line is None else step.line.seat,
            "move": step.move,
            "text": "" if step.line is None else step.line.text,
            "moments": [
                {"name": one.kind.name, "title": one.title, "detail": one.detail}
                for one in step.moments
            ],
            "notes": replay.record.notes_at(step.ply),
            "view": step.view.to_dict(),
        }


def as_text(replay: Replay, seat: int | None, screen: Screen) -> None:
    """Print the moves in words, and the table when play begins and at the end.

    Secret choices that a game begins with come before the first table, so that it shows the cards
    as they are played from.
    """
    names, story = replay.names, replay.story(seat)
    screen.say(f"{replay.game.title}, seed {replay.seed}.")
    for ply in range(replay.last + 1):
        if ply:
            screen.say(f"{ply}. {names[story[ply - 1].seat]} {story[ply - 1].text}.")
        screen.print(replay.notes(ply))
        if ply in (replay.opening, replay.last):
            view = replay.at(ply).view(seat)
            screen.print(view.lines(replay.game.title, names, you=False))
    screen.say(_ending(replay))


def step_through(replay: Replay, seat: int | None, screen: Screen) -> None:
    """Show one ply a screen: Enter goes on, ``b`` back, a number to that ply, ``q`` leaves.

    On the way to the next ply, what happened in the middle of the move has screens of its own.
    """
    story, last, names = replay.story(seat), replay.last, replay.names
    at, ahead = 0, list[Moment]()
    screen.clear()
    while True:
        heard = [StoryLine(one.seat, one.text, ply == at) for ply, one in enumerate(story[:at], 1)]
        over = at == last and not ahead
        enter = "Enter: leave" if over else "Enter: next   q: leave"
        keys = f"Move {at} of {last}   b: back   a number: that move   {enter}"
        said = headline(ahead[0], screen.columns) if ahead else _notes(replay, at, screen.columns)
        if over:
            said += wrapped(Text(_ending(replay), "bold"), screen.columns)
        view = ahead[0].view if ahead else replay.at(at).view(seat)
        below = [*said, Text(keys, QUIET)]
        picture = TablePicture(replay.game.title, view, names, seat, heard, below, you=False)
        screen.show_table(picture)
        try:
            answer = screen.ask().lower()
        except InputEnded:
            return
        if answer in ("q", "quit"):
            return
        if answer in ("b", "back"):
            at, ahead = max(0, at - 1), []
        elif answer.isdecimal():
            at, ahead = min(last, int(answer)), []
        elif not answer:
            if over:
                return
            if ahead:
                del ahead[0]
            else:
                at += 1
                ahead = list(replay.moments(at, seat))


def _notes(replay: Replay, ply: int, columns: int) -> Block:
    """Return what else happened at this ply; if that is much, the last lines."""
    notes = [wrapped(Text(note), columns) for note in replay.notes(ply)]
    return [line for lines in notes for line in lines][-NOTE_LINES:]


def _ending(replay: Replay) -> str:
    outcome, names = replay.outcome, replay.names
    if outcome is None:
        return f"The record ends here; {names[replay.at(replay.last).turn or 0]} is to move."
    seats = sorted(range(replay.seats), key=lambda seat: outcome.ranks[seat])
    scores = outcome.scores
    parts = [
        f"{outcome.ranks[seat]}. {names[seat]}" + (f" ({scores[seat]})" if scores else "")
        for seat in seats
    ]
    return " ".join([f"Game over: {outcome.reason}. {', '.join(parts)}.", *replay.ties])
