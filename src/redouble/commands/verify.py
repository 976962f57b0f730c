"""``redouble verify``: whether the cards of a saved game were dealt fairly."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from redouble.commands.arguments import AsJson, RecordFile

EXIT_NOT_FAIR = 1
"""A record whose deal isn't what it claims to be."""


def verify(
    file: RecordFile,
    noted: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEX",
            help="A commitment, link or share that you noted before the end; repeat for several.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that the cards of a saved game were dealt fairly.

    Exits with 1 if they were not, and with 2 if a record can't be checked.
    """
    from redouble.match.record import Record
    from redouble.match.verify import verify as check
    from redouble.terminal.files import naming, numbered_lines

    with naming(file):
        lines = numbered_lines(file)
    fair = True
    for number, line in lines:
        with naming(file, number):
            found = check(Record.parse(line, number), noted or ())
        fair &= found.fair
        if as_json:
            print(json.dumps(found.to_dict() | {"line": number}, ensure_ascii=False))
            continue
        if len(lines) > 1:
            print(f"Line {number}")
        for one in found.findings:
            print(f"{'ok  ' if one.good else 'BAD '} {one.sentence}")
        for sentence in found.shares:
            print(f"     {sentence}")
        print("Not checked:")
        for sentence in found.not_checked:
            print(f"     {sentence}")
        print("The deal is fair." if found.fair else "The deal is not what it claims to be.")
    if not fair:
        raise typer.Exit(EXIT_NOT_FAIR)
