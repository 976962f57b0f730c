"""``redouble replay``, ``review`` and ``verify``: saved games."""

from typing import Annotated

import typer

from redouble.commands.arguments import JsonFile, Plain, RecordFile, warn_if_slow
from redouble.kernel.settings import MORE, option

EXIT_NOT_FAIR = 1
"""A record whose deal isn't what it claims to be."""


def replay(
    file: RecordFile,
    line: Annotated[int | None, option("N", "Show only the record on this line.")] = None,
    seat: Annotated[
        int | None, option("N", "Show only what this seat saw, from 0.", usual="everything")
    ] = None,
    plain: Plain = False,
    *,
    out: JsonFile,
) -> None:
    """Step through a saved game."""
    from redouble.match.record import Record
    from redouble.match.replay import Replay
    from redouble.terminal.ask.screen import Screen
    from redouble.terminal.files import naming, numbered_lines, read_record
    from redouble.terminal.study import replay

    screen = Screen(plain)
    if line is not None or (screen.live and out.json is None):
        number, record = read_record(file, line)
        records = [(number, record)]
    else:
        with naming(file):
            records = [(n, Record.parse(text, n)) for n, text in numbered_lines(file)]
    with out.lines() as write:
        for number, record in records:
            with naming(file):
                shown = Replay(record, number)
            replay.check_seat(shown, seat)
            for row in replay.rows(shown, seat, number) if out.json is not None else ():
                write(row)
            if screen.live and out.json is None:
                replay.step_through(shown, seat, screen)
            elif not out.printed:
                replay.as_text(shown, seat, screen)


def review(
    file: RecordFile,
    line: Annotated[
        int | None, option("N", "Review the record on this line.", usual="the only record")
    ] = None,
    seat: Annotated[
        int | None, option("N", "Review only this seat, from 0.", usual="every seat")
    ] = None,
    iterations: Annotated[
        int, option("N", "Search iterations for each decision.", low=10, high=100_000)
    ] = 1000,
    plain: Plain = False,
    *,
    out: JsonFile,
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
    warn_if_slow()
    found = review.reviewed(match, screen, iterations)
    out.write({"line": number, "game": match.game.name, **found.to_dict()})
    if not out.printed:
        review.as_text(match, found, screen, seat)


def verify(
    file: RecordFile,
    noted: Annotated[
        list[str] | None,
        option("HEX", f"A commitment, link or share that you noted before the end{MORE}"),
    ] = None,
    *,
    out: JsonFile,
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
    with out.lines() as write:
        for number, line in lines:
            with naming(file, number):
                found = check(Record.parse(line, number), noted or ())
            fair &= found.fair
            write(found.to_dict() | {"line": number})
            if not out.printed:
                if len(lines) > 1:
                    print(f"Line {number}")
                for one in found.findings:
                    print(f"{'ok  ' if one.good else 'BAD '} {one.sentence}")
                for sentence in (*found.shares, "Not checked:", *found.not_checked):
                    print(sentence if sentence == "Not checked:" else f"     {sentence}")
                claim = "fair" if found.fair else "not what it claims to be"
                print(f"The deal is {claim}.")
    if not fair:
        raise typer.Exit(EXIT_NOT_FAIR)
