"""``redouble replay``: saved games, move by move."""

from __future__ import annotations

from typing import Annotated

import typer

from redouble.commands.arguments import AsJson, Plain, RecordFile


def replay(
    file: RecordFile,
    line: Annotated[
        int | None,
        typer.Option(metavar="N", help="Show only the record on this line."),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Show only what this seat saw, counted from 0.",
            show_default="everything",
        ),
    ] = None,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Step through a saved game."""
    from redouble.match.record import Record
    from redouble.match.replay import Replay
    from redouble.terminal.ask.screen import Screen
    from redouble.terminal.files import naming, numbered_lines, read_record
    from redouble.terminal.study import replay

    screen = Screen(plain)
    if line is not None or (screen.live and not as_json):
        number, record = read_record(file, line)
        records = [(number, record)]
    else:
        with naming(file):
            records = [(n, Record.parse(text, n)) for n, text in numbered_lines(file)]
    for number, record in records:
        with naming(file):
            shown = Replay(record, number)
        replay.check_seat(shown, seat)
        if as_json:
            replay.as_json(shown, seat, screen, number)
        elif screen.live:
            replay.step_through(shown, seat, screen)
        else:
            replay.as_text(shown, seat, screen)
