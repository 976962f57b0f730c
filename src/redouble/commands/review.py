"""``redouble review``: the analysis of a saved game."""

from __future__ import annotations

from typing import Annotated

import typer

from redouble.commands.arguments import AsJson, Plain, RecordFile


def review(
    file: RecordFile,
    line: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Review the record on this line.", show_default="the only record"
        ),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Review only this seat, counted from 0.", show_default="every seat"
        ),
    ] = None,
    iterations: Annotated[
        int,
        typer.Option(metavar="N", min=10, max=100_000, help="Search iterations for each decision."),
    ] = 1000,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Analyze a saved game: mistakes and luck."""
    from redouble.match.replay import replay
    from redouble.terminal.ask.screen import Screen
    from redouble.terminal.files import naming, read_record
    from redouble.terminal.study import review

    screen = Screen(plain)
    number, record = read_record(file, line)
    with naming(file):
        match = replay(record, number)
    if seat is not None:
        review.check_seat(match, seat)
    found = review.reviewed(match, screen, iterations)
    if as_json:
        review.as_json(match, number, found, screen)
    else:
        review.as_text(match, found, screen, seat)
