"""``redouble admin``: a server's tables, people and reports, for its operator."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redouble.commands.arguments import JsonFile, ServerData, argument
from redouble.commands.help import command, new_app
from redouble.contract.registry import GAMES
from redouble.kernel.checks import either
from redouble.kernel.errors import RedoubleError
from redouble.kernel.settings import option, switch

if TYPE_CHECKING:
    from redouble.web.features.operate.admin import Admin

EXIT_DECLINED = 1
"""The operator didn't confirm; nothing has changed."""
STATES = ("waiting", "playing", "over", "abandoned", "closed")

Limit = Annotated[int, option("N", "Maximum number of lines.", low=1, high=100_000)]
Idle = Annotated[float, option("DAYS", "Only those unchanged for this many days.", low=0)]
Yes = Annotated[bool, switch("--yes", "Don't ask for confirmation.")]
Who = Annotated[str, argument("PERSON", "The person's id, or the name if only one person has it.")]
Reason = Annotated[str, option("TEXT", "A sentence for them to read.")]

admin = new_app("admin", "Manage the tables and people of a server, running or not.")


@dataclasses.dataclass(frozen=True)
class AdminData(ServerData):
    """A server's data, which a command opens."""

    @contextlib.contextmanager
    def opened(self) -> Iterator[Admin]:
        from redouble.web.features.operate.admin import opened, opened_beside
        from redouble.web.installed import FEATURES
        from redouble.web.server.serve import AlreadyServed, data_folder, locked

        if self.database:
            with opened_beside(self.database, FEATURES) as admin:
                yield admin
            return
        folder, served = data_folder(self.data, new=False), False
        try:
            with locked(folder):
                pass
        except AlreadyServed:
            served = True
        with opened(folder, served, FEATURES) as admin:
            yield admin


@dataclasses.dataclass(frozen=True)
class Server(JsonFile, AdminData):
    """The server that a command is about, and how the command answers."""

    def say(self, sentence: str, **result: Any) -> None:
        """Answer with a sentence, or with its result as JSON."""
        self.write(result)
        if not self.printed:
            print(_plain(sentence))

    def show(self, heads: str, rows: Sequence[Sequence[str]], found: Sequence[Any]) -> None:
        """Answer with rows below their headings, or with what was found as JSON."""
        self.write([dataclasses.asdict(one) for one in found])
        if self.printed:
            return
        if not rows:
            print("There are none.")
            return
        lines = [heads.split(", "), *([_plain(cell) for cell in row] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            print("  ".join(cells).rstrip())


@command(admin, "tables")
def list_tables(
    state: Annotated[str, option("STATE", f"Only tables in this state: {', '.join(STATES)}.")] = "",
    game: Annotated[str, option("GAME", "Only tables of this game.")] = "",
    idle: Idle = 0.0,
    limit: Limit = 100,
    *,
    server: Server,
) -> None:
    """List tables, the most recently changed first."""
    if state and state not in STATES:
        raise RedoubleError(f"there is no state {state!r}: choose {either(STATES)}")
    with server.opened() as opened:
        found = opened.tables(state, game and GAMES[game].name, idle, limit)
    rows = [
        (
            one.table,
            one.game,
            one.state,
            f"{one.entries}",
            _ago(one.changed),
            ", ".join(one.players),
        )
        for one in found
    ]
    server.show("TABLE, GAME, STATE, ENTRIES, CHANGED, PLAYERS", rows, found)


@command(admin, "people")
def list_people(
    name: Annotated[str, option("TEXT", "Only people whose name contains this.")] = "",
    idle: Idle = 0.0,
    limit: Limit = 100,
    *,
    server: Server,
) -> None:
    """List people, the most recently seen first."""
    with server.opened() as opened:
        found = opened.people(name, idle, limit)
    rows = [
        (one.person, one.name, _ago(one.seen), f"{one.tables}", f"{one.unfinished}", one.banned)
        for one in found
    ]
    server.show("PERSON, NAME, SEEN, TABLES, UNFINISHED, BANNED", rows, found)


@command(admin, "reports")
def list_reports(
    days: Annotated[float, option("DAYS", "Only reports at most this many days old.", low=0)] = 0.0,
    everything: Annotated[bool, switch("--all", "Also reports that you have handled.")] = False,
    limit: Limit = 100,
    *,
    server: Server,
) -> None:
    """List reports that you haven't handled, latest first, with chat."""
    with server.opened() as opened:
        found = opened.reports(days, limit, everything=everything)
    rows = []
    for one in found:
        state = "handled" if one.handled else "open"
        who = f"{one.name} ({one.person})"
        rows.append((_ago(one.at), one.report, who, one.reporter_name, one.table, state, one.why))
        rows += [("", "", f"  {line}", "", "", "", "") for line in one.chat]
    server.show("REPORTED, REPORT, PERSON AND CHAT, REPORTER, TABLE, STATE, WHY", rows, found)


@command(admin, "handled")
def handle_report(
    report: Annotated[str, argument("REPORT", "A report of 'redouble admin reports'.")],
    *,
    server: Server,
) -> None:
    """Mark a report as handled."""
    with server.opened() as opened:
        opened.handle(report)
    server.say("The report is marked as handled.", report=report)


@command(admin, "sanctions")
def list_sanctions(limit: Limit = 100, *, server: Server) -> None:
    """List warnings, mutes and bans, those with an appeal first."""
    with server.opened() as opened:
        found = opened.sanctions(limit)
    rows = [
        (
            one.kind, f"{one.name} ({one.person})", _ago(one.at), f"{one.ends or ''}",
            one.reason, " ".join(one.appeal.split()),
        )
        for one in found
    ]  # fmt: skip
    server.show("KIND, PERSON, SINCE, ENDS, REASON, APPEAL", rows, found)


@command(admin, "close")
def close_table(
    table: Annotated[str, argument("TABLE", "The table's token or link.")],
    reason: Annotated[str, option("TEXT", "A sentence for its players to read.")] = "",
    yes: Yes = False,
    *,
    server: Server,
) -> None:
    """End a table's game. Its players can still read it and download its record."""
    from redouble.web.features.operate.admin import reason_for

    told = reason_for(reason)
    with server.opened() as opened:
        token = opened.unfinished(table)
        _confirm(f"End the game at table {token}? It can't go on afterwards.", yes)
        opened.close(token, told)
    server.say(f"Table {token} is closed.", table=token, state="closed")


@command(admin, "rename")
def rename_person(
    person: Who,
    name: Annotated[str, argument("NAME", "The new name.")],
    *,
    server: Server,
) -> None:
    """Change a person's name, even at tables they have joined."""
    with server.opened() as opened:
        found = opened.person(person)
        new = opened.rename(found, name)
    said = f"{found.name} ({found.id}) is now called {new}."
    server.say(said, person=found.id, name=new, before=found.name)


@command(admin, "warn")
def warn_person(person: Who, reason: Reason, *, server: Server) -> None:
    """Warn a person: every page says so until they have read it."""
    _impose("warning", person, reason, None, server)


@command(admin, "mute")
def mute_person(
    person: Who,
    reason: Reason,
    days: Annotated[float, option("DAYS", "For how many days.", low=0.01)],
    *,
    server: Server,
) -> None:
    """Let a person write no chat and send no reactions for some days."""
    _impose("mute", person, reason, days, server)


@command(admin, "ban")
def ban_person(
    person: Who,
    reason: Reason,
    days: Annotated[
        float | None, option("DAYS", "For how many days; for good if left out.", low=0.01)
    ] = None,
    *,
    server: Server,
) -> None:
    """Let a person look and no longer play. Without their cookie they are a new guest."""
    _impose("ban", person, reason, days, server)


@command(admin, "unban")
def unban_person(person: Who, *, server: Server) -> None:
    """Let a banned person play again."""
    _lift("ban", person, server)


@command(admin, "unmute")
def unmute_person(person: Who, *, server: Server) -> None:
    """Let a muted person write again."""
    _lift("mute", person, server)


def _impose(kind: str, person: str, reason: str, days: float | None, server: Server) -> None:
    from redouble.web.features.operate.admin import AdminError, reason_for

    if not reason.strip():
        raise AdminError("the reason is empty: give a sentence, which the person reads")
    told = reason_for(reason)
    with server.opened() as opened:
        found = opened.person(person)
        left = opened.impose(found, kind, told, days)
    said = f"{found.name} ({found.id}) reads this {kind} on every page."
    if left:
        said += f" Bots have taken over their seats in {left} game{'s' if left > 1 else ''}."
    server.say(said, person=found.id, kind=kind, reason=told, left=left)


def _lift(kind: str, person: str, server: Server) -> None:
    with server.opened() as opened:
        found = opened.person(person)
        opened.lift(found, kind)
    server.say(f"The {kind} of {found.name} is lifted.", person=found.id, lifted=kind)


@command(admin, "export")
def export_person(person: Who, *, server: AdminData) -> None:
    """Print all that is stored about a person, as JSON.

    They could download the same.
    """
    with server.opened() as opened:
        print(opened.export(opened.person(person)), end="")


@command(admin, "forget")
def forget_person(person: Who, yes: Yes = False, *, server: Server) -> None:
    """Delete everything that is stored about a person."""
    with server.opened() as opened:
        found = opened.person(person)
        _confirm(f"Delete all data of {found.name} ({found.id})? This can't be undone.", yes)
        deleted = opened.forget(found)
    said = (
        f"{found.name} is forgotten. Deleted: {deleted.tables} tables, {deleted.results} results,"
        f" {deleted.records} imported games, and the name at {deleted.seats} tables with others."
    )
    server.say(said, person=found.id, deleted=dataclasses.asdict(deleted))


@command(admin, "clock")
def show_clock(
    trust: Annotated[
        bool, switch("--trust", "Say that the clock is right, so that old data can go.")
    ] = False,
    *,
    server: Server,
) -> None:
    """Show whether nothing is deleted because the clock was set.

    A server whose clock was set by more than a week deletes no old data for a while.
    """
    from redouble.web.store.clock import CLOCK, in_utc

    with server.opened() as opened:
        if trust:
            opened.trust_clock()
        state = opened.clock()
    said = f"This machine's clock says {in_utc(CLOCK.now())}. "
    said += f"The newest time that the server has seen is {in_utc(state.seen)}. "
    said += (
        f"{state.words[0].upper()}{state.words[1:]}."
        if state.words
        else "Old data are deleted when they are due."
    )
    server.say(said, seen=state.seen, settles=state.settles)


def _confirm(question: str, yes: bool) -> None:
    """Ask a question; any answer but yes ends the command. Without a person, ``--yes`` is needed.

    Raises :class:`AdminError`.
    """
    if yes:
        return
    from redouble.web.features.operate.admin import AdminError

    if not sys.stdin.isatty():
        raise AdminError("this can't be undone: add --yes to confirm it")
    if not typer.confirm(_plain(question)):
        print("Nothing has changed.")
        raise typer.Exit(EXIT_DECLINED)


def _plain(text: str) -> str:
    """Return what visitors wrote with its control characters as codes: terminals obey these."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _ago(at: float | None) -> str:
    from redouble.web.drawing.templates import ago

    return "never" if at is None else ago(time.time() - at)
