"""Stepping through a record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from rich.text import Text

from redouble.kernel.errors import RecordError
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.match.replay import replay
from redouble.match.story import Told, last_move
from redouble.terminal import plain
from redouble.terminal.blocks import Block, wrapped
from redouble.terminal.cards import QUIET
from redouble.terminal.screen import Screen, shown, shown_names
from redouble.terminal.table import Picture, draw

NOTE_LINES = 4
"""Lines of a screen that the notes of one ply may take."""


@dataclass
class Film:
    """A recorded game, ply by ply, as one seat sees it; seat None sees everything."""

    record: Record
    line: int
    seat: int | None = None

    def __post_init__(self) -> None:
        self.whole = replay(self.record, self.line)
        if self.seat is not None and not 0 <= self.seat < self.whole.seats:
            raise RecordError(
                f"line {self.line}: there is no seat {self.seat}; "
                f"seats are 0 to {self.whole.seats - 1}"
            )
        self.names = shown_names(self.whole.names)

    def plies(self) -> Iterator[tuple[Match, Told | None, str | None]]:
        """The match at each ply, the move that led there in words, and its text if it is known."""
        match = replay(replace(self.record, moves=(), ranks=None, notes=()), self.line)
        yield match, None, None
        for move in self.record.moves:
            mover = match.turn
            assert mover is not None
            action = match.legal_moves.action(move)
            assert action is not None
            mine = self.seat in (None, mover)
            secret = not mine and match.game.rules.hidden(match.state, action)
            match.push(move)
            told = Told(mover, last_move(match, self.names, self.seat))
            yield match, told, None if secret else match.moves[-1]

    def rows(self) -> Iterator[dict[str, Any]]:
        """One JSON object a ply."""
        for match, told, move in self.plies():
            yield {
                "line": self.line,
                "ply": match.ply,
                "seat": None if told is None else told.seat,
                "move": move,
                "text": "" if told is None else told.text,
                "notes": self.record.notes_at(match.ply),
                "view": match.view(self.seat).to_dict(),
            }


def as_json(film: Film, screen: Screen) -> None:
    """Every ply as one line of JSON."""
    for row in film.rows():
        screen.say(json.dumps(row, ensure_ascii=False))


def as_text(film: Film, screen: Screen) -> None:
    """The moves in words, the table before the first and after the last."""
    game = film.whole.game
    for match, told, _ in film.plies():
        if told is None:
            screen.say(f"{game.title}, seed {shown(match.seed)}.")
        else:
            screen.say(f"{match.ply}. {film.names[told.seat]} {told.text}.")
        for note in film.record.notes_at(match.ply):
            screen.say(note)
        if match.ply in (0, len(film.record.moves)):
            view = match.view(film.seat)
            for line in plain.lines(game.title, view, film.names, film.seat, you=False):
                screen.say(line)
    screen.say(_ending(film.whole, film.names))


def step_through(film: Film, screen: Screen) -> None:
    """One screen a ply: Enter goes on, ``b`` back, a number to that ply, ``q`` leaves."""
    told = [one for _, one, _ in film.plies() if one is not None]
    last = len(told)
    at = 0
    match = film.whole
    screen.clear()
    while True:
        while match.ply > at:
            match.pop()
        while match.ply < at:
            match.push(film.record.moves[match.ply])
        heard = [Told(one.seat, one.text, ply == at) for ply, one in enumerate(told[:at], 1)]
        keys = f"move {at} of {last}   Enter: on   b: back   a number: that move   q: leave"
        below = [*_notes(film.record, at, screen.columns), Text(keys, QUIET)]
        if at == last:
            below[-1:-1] = wrapped(Text(_ending(match, film.names), "bold"), screen.columns)
        view = match.view(film.seat)
        picture = Picture(match.game.title, view, film.names, film.seat, heard, below, you=False)
        screen.show(draw(picture, screen.glyphs, screen.columns, screen.rows - 1))
        answer = screen.ask().lower()
        if answer in ("q", "quit"):
            return
        if answer in ("b", "back"):
            at = max(0, at - 1)
        elif answer.isdecimal():
            at = min(last, int(answer))
        elif not answer:
            if at == last:
                return
            at += 1


def _notes(record: Record, ply: int, columns: int) -> Block:
    """What else happened at this ply; of very much, the last lines."""
    notes = [wrapped(Text(shown(note)), columns) for note in record.notes_at(ply)]
    return [line for lines in notes for line in lines][-NOTE_LINES:]


def _ending(match: Match, names: list[str]) -> str:
    outcome = match.outcome
    if outcome is None:
        return f"The record ends here; {names[match.turn or 0]} is to move."
    seats = sorted(range(match.seats), key=lambda seat: outcome.ranks[seat])
    scores = outcome.scores
    parts = [
        f"{outcome.ranks[seat]}. {names[seat]}" + (f" ({scores[seat]})" if scores else "")
        for seat in seats
    ]
    return f"Game over: {outcome.reason}. {', '.join(parts)}."
