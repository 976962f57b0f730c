"""``redouble admin``: a server's tables, people and reports, for its operator."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redouble.commands.arguments import AsJson, Database
from redouble.contract.registry import GAMES
from redouble.kernel.checks import either
from redouble.kernel.errors import RedoubleError

if TYPE_CHECKING:
    from redouble.web.features.operate.admin import Admin

EXIT_DECLINED = 1
"""The operator didn't confirm; nothing has changed."""
STATES = ("waiting", "playing", "over", "abandoned", "closed")

Data = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="The server's folder.", show_default="your data folder"),
]
Limit = Annotated[
    int, typer.Option(metavar="N", min=1, max=100_000, help="Maximum number of lines.")
]
Idle = Annotated[
    float,
    typer.Option("--idle", metavar="DAYS", min=0, help="Only those unchanged for this many days."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")]
Who = Annotated[
    str,
    typer.Argument(
        metavar="PERSON", help="The person's id, or the name if only one person has it."
    ),
]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="A sentence for them to read.")]

admin = typer.Typer(
    name="admin",
    help="Manage the tables and people of a server, running or not.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@admin.command("tables")
def list_tables(
    state: Annotated[
        str, typer.Option(metavar="STATE", help=f"Only tables in this state: {', '.join(STATES)}.")
    ] = "",
    game: Annotated[str, typer.Option(metavar="GAME", help="Only tables of this game.")] = "",
    idle: Idle = 0.0,
    limit: Limit = 100,
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """List tables, the most recently changed first."""
    if state and state not in STATES:
        raise RedoubleError(f"there is no state {state!r}: choose {either(STATES)}")
    if game:
        game = GAMES[game].name
    with _opened(data, database) as opened:
        found = opened.tables(state, game, idle, limit)
    rows = [
        (one.table, one.game, one.state, f"{one.entries}", _ago(one.changed), _list(one.players))
        for one in found
    ]
    _show(("TABLE", "GAME", "STATE", "ENTRIES", "CHANGED", "PLAYERS"), rows, found, as_json)


@admin.command("people")
def list_people(
    name: Annotated[
        str, typer.Option(metavar="TEXT", help="Only people whose name contains this.")
    ] = "",
    idle: Idle = 0.0,
    limit: Limit = 100,
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """List people, the most recently seen first."""
    with _opened(data, database) as opened:
        found = opened.people(name, idle, limit)
    rows = [
        (one.person, one.name, _ago(one.seen), f"{one.tables}", f"{one.unfinished}", one.banned)
        for one in found
    ]
    _show(("PERSON", "NAME", "SEEN", "TABLES", "UNFINISHED", "BANNED"), rows, found, as_json)


@admin.command("reports")
def list_reports(
    days: Annotated[
        float, typer.Option(metavar="DAYS", min=0, help="Only reports at most this many days old.")
    ] = 0.0,
    everything: Annotated[
        bool, typer.Option("--all", help="Also reports that you have handled.")
    ] = False,
    limit: Limit = 100,
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """List reports of players that you haven't handled yet, latest first, each with its chat."""
    with _opened(data, database) as opened:
        found = opened.reports(days, limit, everything=everything)
    rows = []
    for one in found:
        state = "handled" if one.handled else "open"
        who = f"{one.name} ({one.person})"
        rows.append((_ago(one.at), one.report, who, one.reporter_name, one.table, state, one.why))
        rows += [("", "", f"  {line}", "", "", "", "") for line in one.chat]
    heads = ("REPORTED", "REPORT", "PERSON, CHAT", "REPORTER", "TABLE", "STATE", "WHY")
    _show(heads, rows, found, as_json)


@admin.command("handled")
def handle_report(
    report: Annotated[
        str,
        typer.Argument(metavar="REPORT", help="A report of 'redouble admin reports'."),
    ],
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Mark a report as handled."""
    with _opened(data, database) as opened:
        opened.handle(report)
    _done({"report": report}, "The report is marked as handled.", as_json)


@admin.command("sanctions")
def list_sanctions(
    limit: Limit = 100, data: Data = None, database: Database = "", as_json: AsJson = False
) -> None:
    """List warnings, mutes and bans, those that people have appealed against first."""
    with _opened(data, database) as opened:
        found = opened.sanctions(limit)
    rows = [
        (
            one.kind, f"{one.name} ({one.person})", _ago(one.at), f"{one.ends or ''}",
            one.reason, " ".join(one.appeal.split()),
        )
        for one in found
    ]  # fmt: skip
    _show(("KIND", "PERSON", "SINCE", "ENDS", "REASON", "APPEAL"), rows, found, as_json)


@admin.command("close")
def close_table(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table's token or link.")],
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="A sentence for its players to read.")
    ] = "",
    yes: Yes = False,
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """End a table's game. Its players can still read it and download its record."""
    from redouble.web.features.operate.admin import reason_for

    told = reason_for(reason)
    with _opened(data, database) as opened:
        token = opened.unfinished(table)
        _confirm(f"End the game at table {token}? It can't go on afterwards.", yes)
        opened.close(token, told)
    _done({"table": token, "state": "closed"}, f"Table {token} is closed.", as_json)


@admin.command("rename")
def rename_person(
    person: Who,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new name.")],
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Change a person's name, even at tables they have joined."""
    with _opened(data, database) as opened:
        found = opened.person(person)
        new = opened.rename(found, name)
    said = f"{found.name} ({found.id}) is now called {new}."
    _done({"person": found.id, "name": new, "before": found.name}, said, as_json)


@admin.command("warn")
def warn_person(
    person: Who, reason: Reason, data: Data = None, database: Database = "", as_json: AsJson = False
) -> None:
    """Warn a person: every page says so until they have read it."""
    _impose("warning", person, reason, None, data, database, as_json)


@admin.command("mute")
def mute_person(
    person: Who,
    reason: Reason,
    days: Annotated[float, typer.Option(metavar="DAYS", min=0.01, help="For how many days.")],
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Let a person write no chat and send no reactions for some days."""
    _impose("mute", person, reason, days, data, database, as_json)


@admin.command("ban")
def ban_person(
    person: Who,
    reason: Reason,
    days: Annotated[
        float | None,
        typer.Option(metavar="DAYS", min=0.01, help="For how many days; for good if left out."),
    ] = None,
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Let a person look and no longer play. Without their cookie they are a new guest."""
    _impose("ban", person, reason, days, data, database, as_json)


@admin.command("unban")
def unban_person(
    person: Who, data: Data = None, database: Database = "", as_json: AsJson = False
) -> None:
    """Let a banned person play again."""
    _lift("ban", person, data, database, as_json)


@admin.command("unmute")
def unmute_person(
    person: Who, data: Data = None, database: Database = "", as_json: AsJson = False
) -> None:
    """Let a muted person write again."""
    _lift("mute", person, data, database, as_json)


def _impose(
    kind: str,
    person: str,
    reason: str,
    days: float | None,
    data: Path | None,
    database: str,
    as_json: bool,
) -> None:
    from redouble.web.features.operate.admin import AdminError, reason_for

    if not reason.strip():
        raise AdminError("the reason is empty: give a sentence, which the person reads")
    told = reason_for(reason)
    with _opened(data, database) as opened:
        found = opened.person(person)
        left = opened.impose(found, kind, told, days)
    said = f"{found.name} ({found.id}) reads this {kind} on every page."
    if left:
        said += f" Bots have taken over their seats in {left} game{'s' if left > 1 else ''}."
    _done({"person": found.id, "kind": kind, "reason": told, "left": left}, said, as_json)


def _lift(kind: str, person: str, data: Path | None, database: str, as_json: bool) -> None:
    with _opened(data, database) as opened:
        found = opened.person(person)
        opened.lift(found, kind)
    _done({"person": found.id, "lifted": kind}, f"The {kind} of {found.name} is lifted.", as_json)


@admin.command("export")
def export_person(person: Who, data: Data = None, database: Database = "") -> None:
    """Print everything that is stored about a person as JSON, as they could download it."""
    with _opened(data, database) as opened:
        print(opened.export(opened.person(person)), end="")


@admin.command("forget")
def forget_person(
    person: Who,
    yes: Yes = False,
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Delete everything that is stored about a person."""
    with _opened(data, database) as opened:
        found = opened.person(person)
        _confirm(f"Delete all data of {found.name} ({found.id})? This can't be undone.", yes)
        deleted = opened.forget(found)
    counts = dataclasses.asdict(deleted)
    said = (
        f"{found.name} is forgotten. Deleted: {deleted.tables} tables, {deleted.results} results,"
        f" {deleted.records} imported games, and the name at {deleted.seats} tables with others."
    )
    _done({"person": found.id, "deleted": counts}, said, as_json)


@admin.command("clock")
def show_clock(
    trust: Annotated[
        bool, typer.Option("--trust", help="Say that the clock is right, so that old data can go.")
    ] = False,
    data: Data = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Show whether the clock was set by more than a week, and so nothing is deleted."""
    from redouble.web.store.clock import CLOCK, in_utc

    with _opened(data, database) as opened:
        if trust:
            opened.trust_clock()
        state = opened.clock()
    said = f"This machine's clock says {in_utc(CLOCK.now())}. "
    said += f"The newest time that the server has seen is {in_utc(state.seen)}. "
    said += (
        "Old data are deleted when they are due."
        if state.settles is None
        else f"Nothing is deleted before {in_utc(state.settles)}, because the clock was set. "
        "If it is right now, add --trust."
    )
    _done({"seen": state.seen, "settles": state.settles}, said, as_json)


@contextlib.contextmanager
def _opened(data: Path | None, database: str) -> Iterator[Admin]:
    from redouble.web.features.operate.admin import opened, opened_beside
    from redouble.web.server.serve import AlreadyServed, data_folder, locked

    if database:
        with opened_beside(database) as admin:
            yield admin
        return
    folder, served = data_folder(data), False
    try:
        with locked(folder):
            pass
    except AlreadyServed:
        served = True
    with opened(folder, served) as admin:
        yield admin


def _confirm(question: str, yes: bool) -> None:
    """Ask a question; any answer but yes ends the command. Without a person, ``--yes`` is needed.

    Raises :class:`AdminError`.
    """
    if yes:
        return
    from redouble.web.features.operate.admin import AdminError

    if not sys.stdin.isatty():
        raise AdminError("this can't be undone: add --yes to confirm it")
    if not typer.confirm(question):
        print("Nothing has changed.")
        raise typer.Exit(EXIT_DECLINED)


def _done(result: dict[str, Any], said: str, as_json: bool) -> None:
    print(json.dumps(result, ensure_ascii=False) if as_json else said)


def _show(
    heads: Sequence[str], rows: Sequence[Sequence[str]], found: Sequence[Any], as_json: bool
) -> None:
    """Print rows below their headings, or what was found as JSON."""
    if as_json:
        print(json.dumps([dataclasses.asdict(one) for one in found], ensure_ascii=False, indent=1))
        return
    if not rows:
        print("There are none.")
        return
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def _ago(at: float | None) -> str:
    from redouble.web.drawing.templates import ago

    return "never" if at is None else ago(time.time() - at)
