"""A review as text: luck and mistakes, the course of the game, and its turning points."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from redouble.analysis import shares
from redouble.analysis.review import ITERATIONS, Decision, Review, review
from redouble.kernel.errors import RecordError
from redouble.match.match import Match
from redouble.match.story import last_move, midsentence
from redouble.terminal.ask.screen import InputEnded, Screen, first_time, shown_names
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
COLUMNS = ("", "place", "choices", "mistakes", "deal", "chance", "others", "own", "total")
SOCIAL = ("place", "others")
"""The columns that a solitaire game lacks."""


def check_seat(match: Match, seat: int) -> None:
    """Raise :class:`RecordError` if there is no such seat."""
    if not 0 <= seat < match.seats:
        raise RecordError(f"there is no seat {seat}: {seats_to_give(shown_names(match.names))}")


def reviewed(match: Match, screen: Screen, iterations: int = ITERATIONS) -> Review:
    """Review a game, with its progress on a terminal. Raises ReviewError."""

    def tell(words: str) -> None:
        if screen.live and sys.stderr.isatty():
            print(words, end="", file=sys.stderr, flush=True)

    def watch(done: int, total: int) -> bool:
        tell(f"\r\x1b[KReviewing: {100 * done // total}% ")
        return True

    tell(f"Reviewing... {first_time()}")
    try:
        return review(match, iterations, watch)
    finally:
        tell("\r\x1b[K")


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
    keep = [i for i, name in enumerate(COLUMNS) if found.seats > 1 or name not in SOCIAL]
    rows = [[Text(COLUMNS[i], QUIET) for i in keep]]
    for account in found.accounts:
        if seat not in (None, account.seat):
            continue
        total = account.result - account.start
        parts = (account.deal, account.chance, account.gifts, -account.lost)
        cells = [
            Text(names[account.seat], name_style(account.seat)),
            Text("" if account.rank is None else f"{account.rank}."),
            Text(f"{account.decisions}"),
            Text(f"{account.mistakes}"),
            *(Text(shares.difference(part, found.seats)) for part in parts),
            Text(shares.difference(total, found.seats), "bold"),
        ]
        rows.append([cells[i] for i in keep])
    return aligned(rows)


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
    moments = found.moments(seats)
    whose = "" if seats is None else f" of {', '.join(names[seat] for seat in sorted(seats))}"
    if not moments:
        screen.say(f"No clear mistakes{whose}.", "bold")
        return
    screen.say(f"The costliest moment{'s' if len(moments) > 1 else ''}{whose}:", "bold")
    for number, moment in enumerate(moments, 1):
        if screen.live:  # so that it can be read before this moment scrolls it away
            words = "to continue" if number > 1 else "to see the moments"
            with contextlib.suppress(InputEnded):
                screen.pause(f"Press Enter {words}. ")
        screen.say()
        at = match.copy()
        while at.ply > moment.ply + 1:
            at.pop()
        told = last_move(at, names, None)
        at.pop()
        words = sentence(moment, found.seats, names, told, at.describe(moment.better))
        said = screen.wrapped(f"{number}. {words}", "bold")
        screen.print(said)
        view, seat = at.view(moment.seat), moment.seat
        if screen.live:
            picture = TablePicture(match.game.title, view, names, seat, you=False)
            rows = screen.rows - AROUND_BOARD - len(said)
            screen.print(draw(picture, screen.glyphs, screen.columns, rows))
        else:
            screen.print(view.lines(match.game.title, names, you=False))


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
