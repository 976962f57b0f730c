"""A review as text: luck and mistakes, the course of the game, and its turning points."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from redouble.analysis import shares
from redouble.analysis.review import ITERATIONS, Account, Decision, Review, review
from redouble.contract import plain
from redouble.kernel.errors import RecordError
from redouble.match.match import Match
from redouble.match.story import last_move, midsentence
from redouble.terminal.ask.screen import FIRST_TIME, InputEnded, Screen, shown_names
from redouble.terminal.draw.blocks import Block, aligned, fitted, width, wrapped
from redouble.terminal.draw.cards import QUIET
from redouble.terminal.draw.table import NAME_COLUMNS, TablePicture, draw, name_style
from redouble.terminal.study.replay import seats_to_give

if TYPE_CHECKING:
    from redouble.analysis.solve import Foresight

BARS = " ▁▂▃▄▅▆▇█"
ASCII_BARS = " .:-=+*#@"
GRAPH_FRAME = 26
"""Columns of a graph line besides name and bars: two figures and gaps."""
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
AROUND_BOARD = 2
"""Lines that a costly moment needs besides its sentence and its table."""
COLUMNS = (
    "",
    "place",
    "choices",
    "mistakes",
    "deal",
    "chance",
    "others",
    "own",
    "total",
)


def check_seat(match: Match, seat: int) -> None:
    """Raise :class:`RecordError` if there is no such seat."""
    if not 0 <= seat < match.seats:
        raise RecordError(f"there is no seat {seat}: {seats_to_give(shown_names(match.names))}")


def reviewed(match: Match, screen: Screen, iterations: int = ITERATIONS) -> Review:
    """Review a game, with its progress on a terminal. Raises ReviewError."""
    telling = screen.live and sys.stderr.isatty()

    def watch(done: int, total: int) -> bool:
        if telling:
            sys.stderr.write(f"\r\x1b[KReviewing: {100 * done // total}% ")
            sys.stderr.flush()
        return True

    if telling:
        compiles = "redouble.bots.search" not in sys.modules
        sys.stderr.write(f"Reviewing...{FIRST_TIME if compiles else ''}")
        sys.stderr.flush()
    try:
        return review(match, iterations, watch)
    finally:
        if telling:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def as_text(
    match: Match,
    found: Review,
    screen: Screen,
    seat: int | None = None,
    players: Collection[int] = (),
) -> None:
    """Print the review of one seat, or of all.

    If only some seats are ``players`` at this terminal, the costliest moments are theirs.
    """
    names = [fitted(name, NAME_COLUMNS) for name in shown_names(match.names)]
    unit = shares.unit(match.seats)
    head = f"{match.game.title}: {match.ply} moves, reviewed with {found.iterations} iterations"
    screen.say(head, "bold")
    if not found.over:
        screen.say("The game isn't over: results are what each player can expect now.")
    screen.say()
    screen.print(_accounts(found, names, seat))
    parts = "the deal, chance (cards and play), the others' mistakes and own mistakes"
    if found.seats == 1:
        parts = "the deal, chance (the cards) and own mistakes"
    said = f"Measured in {unit}; plus is good. The total is the sum of {parts}."
    screen.print(wrapped(Text(said, QUIET), screen.columns))
    screen.say()
    screen.print(_graph(found, names, seat, screen))
    screen.say()
    if found.foresight is not None:
        _foreseen(match, found.foresight, screen)
    some = {seat} if seat is not None else set(players)
    _moments(match, found, names, some if 0 < len(some) < found.seats else None, screen)


def _accounts(found: Review, names: Sequence[str], seat: int | None) -> Block:
    several = found.seats > 1
    keep = [i for i, name in enumerate(COLUMNS) if several or name not in _SOCIAL]
    rows = [[Text(COLUMNS[i], QUIET) for i in keep]]
    for account in found.accounts:
        if seat in (None, account.seat):
            cells = [Text(names[account.seat], name_style(account.seat)), *_figures(account, found)]
            rows.append([cells[i] for i in keep])
    return aligned(rows)


_SOCIAL = ("place", "others")


def _figures(account: Account, found: Review) -> Iterator[Text]:
    yield Text("" if account.rank is None else f"{account.rank}.")
    yield Text(f"{account.decisions}")
    yield Text(f"{account.mistakes}")
    for figure in (account.deal, account.chance, account.gifts, -account.lost):
        yield Text(shares.difference(figure, found.seats))
    yield Text(shares.difference(account.result - account.start, found.seats), "bold")


def _graph(found: Review, names: Sequence[str], seat: int | None, screen: Screen) -> Block:
    """One line of bars per seat: what it could expect, from the deal to the end."""
    bars = BARS if "utf" in screen.console.encoding.lower() else ASCII_BARS
    rows = []
    room = max(8, screen.columns - width([Text(name) for name in names]) - GRAPH_FRAME)
    last_point = len(found.points) - 1
    steps = max(1, min(room - 1, last_point))
    for account in found.accounts:
        if seat not in (None, account.seat):
            continue
        line = [point.shares[account.seat] for point in found.points]
        kept = [line[last_point * step // steps] for step in range(steps + 1)]
        drawn = "".join(bars[1 + min(int(share * 8), 7)] for share in kept)
        first, last = (shares.expected(share, found.seats) for share in (line[0], line[-1]))
        style = name_style(account.seat)
        rows.append([Text(names[account.seat], style), Text(first), Text(drawn, style), Text(last)])
    what = Text("What each player could expect, given what they knew: higher is better.", QUIET)
    return [what, *aligned(rows)]


def _foreseen(match: Match, foresight: Foresight, screen: Screen) -> None:
    """What the solver says, which knows more than the player did."""
    said = f"The solver, which knows the stock: {foresight.said(match)}"
    screen.print(wrapped(Text(said, "bold"), screen.columns))
    if foresight.line:
        line = f"Before that, these moves would have won: {foresight.line_said(match)}."
        screen.print(wrapped(Text(line), screen.columns))
    more = "The player could not know this, so nothing else in the review depends on it."
    screen.print(wrapped(Text(more, QUIET), screen.columns))
    screen.say()


def _moments(
    match: Match,
    found: Review,
    names: Sequence[str],
    seats: Collection[int] | None,
    screen: Screen,
) -> None:
    """The costliest moments of some seats, or of all, each with the table that the seat saw."""
    moments = found.moments(seats)
    whose = "" if seats is None else f" of {', '.join(names[seat] for seat in sorted(seats))}"
    if not moments:
        screen.say(f"No clear mistakes{whose}.", "bold")
        return
    screen.say(f"The costliest moment{'s' if len(moments) > 1 else ''}{whose}:", "bold")
    for number, moment in enumerate(moments, 1):
        if screen.live:
            _wait(screen, number)
        screen.say()
        at = match.copy()
        while at.ply > moment.ply + 1:
            at.pop()
        told = last_move(at, names, None)
        at.pop()
        words = sentence(moment, found.seats, names, told, at.describe(moment.better))
        said = screen.wrapped(f"{number}. {words}", "bold")
        screen.print(said)
        _table(at, moment.seat, names, screen, screen.rows - AROUND_BOARD - len(said))


def _wait(screen: Screen, number: int) -> None:
    """Wait until the screen has been read, before moment ``number`` scrolls it away."""
    words = "to continue" if number > 1 else "to see the moments"
    with contextlib.suppress(InputEnded):
        screen.pause(f"Press Enter {words}. ")


def sentence(moment: Decision, seats: int, names: Sequence[str], told: str, better: str) -> str:
    """What was played, what was better, and what the difference cost.

    ``told`` and ``better`` are the two moves in words.
    """
    cost = shares.difference(moment.loss, seats, sign=False)
    error = shares.difference(moment.error, seats, sign=False)
    return (
        f"Move {moment.ply + 1}: {names[moment.seat]} {told}. Better: {midsentence(better)}. "
        f"Cost: {cost} {shares.unit(seats)} ({PLUS_MINUS} {error})."
    )


def _table(match: Match, seat: int, names: Sequence[str], screen: Screen, rows: int) -> None:
    view = match.view(seat)
    if screen.live:
        picture = TablePicture(match.game.title, view, names, seat, you=False)
        screen.print(draw(picture, screen.glyphs, screen.columns, rows))
        return
    for line in plain.lines(match.game.title, view, names, seat, you=False):
        screen.say(line)
