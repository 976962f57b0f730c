"""Boards of a table in all its states, drawn without a server, and what is wrong with how they lie.

A page of a table is loaded once, without its scripts; then it shows one board after the other, in
windows of all sizes.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, ViewportSize

from redouble.analysis.hint import Advice
from redouble.contract.registry import GAMES
from redouble.match.story import midsentence
from redouble.web.drawing.board import Viewpoint
from redouble.web.drawing.markup.board import draw_board, draw_moments
from redouble.web.live.live import Live
from redouble.web.store.clock import CLOCK
from redouble.web.table import Seat, Table
from redouble.web.table.clocks import CONTROLS, Clocks
from redouble.web.table.parts import Pause, Request
from redouble.web.thinking.hints import TableHint
from tests.web.browser.play import short_table
from tests.web.helpers.play import Playing, header, person

NAMES = (
    *("Wolfeschlegelsteinhausen", "Maximiliana Christabelle", "Ada", "Maximilian M"),
    *("Wolfgang", "Bartholomew"),
    *("Ben", "Guest 12345", "Hans", "Wilhelmina", "Konstantin H", "Eve"),
)
LONGER: dict[str, dict[str, Any]] = {"three-up": {"games": 2}, "double-dominoes": {"victory": 50}}
"""Options with which a table shows more, or comes to its end sooner."""
MAX_PLIES = 900
FILMED = 90
"""Boards of a game that are laid over each other."""
OWN_TURNS = (1, 2, 5)
"""Of the viewer's turns those that are looked at."""
REQUEST = """<div class="banner" role="alert">Ada asks to undo the last move.
<button class="btn main">Agree</button> <button class="btn">Refuse</button></div>"""
WARNING = "You have seen something new since then. Undo again to go ahead."
SOLVED = (
    "The solver, which sees everything, says: <b>Play the queen of diamonds from cell 3</b>. "
    "45 moves to win."
)
MISSED = f"""<div class="since"><strong>Since your last move</strong><ul>{
    "".join(
        f"<li><b>{name}</b> plays 9: 42. <em>{name} loses a chip.</em> Two left.</li>"
        for name in NAMES
    )
}</ul></div>"""

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
FINGERTIP = 44
LANE = 64
"""Pixels that a lane of Double Decker is high at least; in a low window a 24th of it."""
LEGIBLE = 10
"""Pixels that letters of a name are high at least, from ascender to descender."""
FIGURE = 11
"""Pixels that the figures of a plate are high at least, measured in the same way."""
APART = 3
"""Pixels between two figures of a plate at least, where no shape is around one of them."""
SMALLER = ".place, .waste [aria-disabled]"
"""Targets that may be smaller: the squares of the board of dominoes, for which there is a list, and
cards in the fan of the waste, which only say that they can't be played."""


def still_page(page: Page, game: str, drawn: dict[str, str]) -> None:
    """Open a table of a game, on which nothing changes any more, and give it boards."""
    short_table(page, game)
    whole = re.sub(r"<script\b.*?</script>", "", page.content(), flags=re.DOTALL)

    def without_scripts(route: Route) -> None:
        route.fulfill(body=whole, content_type="text/html")

    page.route(page.url, without_scripts)
    page.reload()
    page.evaluate(f"{SCRIPT}; null")  # a function would be called
    warnings = {state: WARNING for state in drawn if state.endswith("turn 1")}
    summaries = {state: MISSED for state in drawn if state.endswith("missed")}
    given = [drawn, warnings, summaries]
    page.evaluate("given => [window.boards, window.warnings, window.summaries] = given", given)


def boards(game: str, seats: int) -> dict[str, str]:
    """What a player sees in a game played at random: of each kind of moment the longest words."""
    playing, chance = _begun(game, seats)
    table, point, found = playing.table, Viewpoint(0), dict[str, str]()
    for kind, board in _states(playing, chance, point):
        if kind not in found or len(board) > len(found[kind]):
            found[kind] = board
    if table.turn is None:
        found["result"] = draw_board(Live(table), point)
        found["table after the result"] = found["result"].replace(
            'id="see-table"', 'id="see-table" checked'
        )
    felt = '<div class="felt" id="felt">'
    found["missed"] = found["turn 2"]
    if 'id="solver-said"' in found["turn 2"]:
        empty = 'id="solver-said"></p>'
        found["solver"] = found["turn 2"].replace(empty, f'id="solver-said">{SOLVED}</p>')
    found["request"] = found["turn 2"].replace(felt, felt + REQUEST)
    return found


def film(game: str, seats: int) -> dict[str, str]:
    """Every board that a player sees of the first moves of a game played at random, in order."""
    playing, chance = _begun(game, seats)
    table, point, found = playing.table, Viewpoint(0), dict[str, str]()
    while len(found) < FILMED:
        playing.move(chance.choice(list(table.match.legal_moves)))
        if table.turn is None:
            break  # the result has a page of its own
        for moment in (*draw_moments(Live(table), point), draw_board(Live(table), point)):
            if 'class="round-sheet' not in moment:
                found[f"{len(found)}"] = moment
    return found


def _begun(game: str, seats: int) -> tuple[Playing, random.Random]:
    """A table with long names, and the chance that plays there."""
    chosen = GAMES[game]
    needed = chosen.setups.needed(seats) if chosen.setups.needed else {}
    others = [Seat(name, bot="club") for name in NAMES[1:seats]]
    players = [Seat(NAMES[0], person(0)), *others]
    options = {**needed, **chosen.setups.usual, **LONGER.get(game, {})}
    return Playing(header(chosen, players, "layout", **options)), random.Random(game)


def _states(playing: Playing, chance: random.Random, point: Viewpoint) -> Iterator[tuple[str, str]]:
    """Play, and yield each board worth a look with its kind."""
    table, own = playing.table, 0
    for _ in range(MAX_PLIES):
        if table.turn is None:
            return
        live = Live(table)
        own += table.turn == point.seat
        if table.turn == point.seat and own == 1:
            yield "guide", draw_board(live, Viewpoint(0, guide=1))
        if table.turn == point.seat and own in OWN_TURNS:
            yield f"turn {own}", draw_board(live, point)
            yield f"hint {min(own, 2)}", draw_board(live, point, hint=longest_hint(live))
        if table.turn == point.seat and own == OWN_TURNS[1]:
            asking = Live(table)
            asking.warn(person(0), table.last_move)
            yield "undo question", draw_board(asking, point)
            yield from _clocked(table, point)
        playing.move(chance.choice(list(table.match.legal_moves)))
        for moment in draw_moments(Live(table), point):
            yield moment.split('data-moment="')[1].split('"')[0], moment


def _clocked(table: Table, point: Viewpoint) -> Iterator[tuple[str, str]]:
    """Yield the boards of a table as it would be with a clock, if it isn't a solitaire game."""
    if table.alone:
        return
    timed = table.copy()
    timed.seats = [replace(seat, person=person(i), bot="") for i, seat in enumerate(timed.seats)]
    timed.clocks = Clocks(CONTROLS["5-minutes"], (3500.0,) * len(timed.seats), since=CLOCK.now())
    timed.clocks = timed.clocks.follow(
        timed.turn, CLOCK.now(), moved=True, by_move=False, opening=False
    )
    yield "clock", draw_board(Live(timed), point)
    yield "clock of another", draw_board(Live(timed), Viewpoint(len(timed.seats) - 1))
    timed.pause = Pause(Request(1))
    yield "asked for a pause", draw_board(Live(timed), point)
    timed.pause = Pause(begun=True)
    yield "paused", draw_board(Live(timed), point)


def longest_hint(live: Live) -> TableHint:
    """The hint with the longest words that a search may find, and one move's card in its frame."""
    match, names = live.table.match, live.table.match.names
    move = max(match.legal_moves, key=lambda move: len(match.describe(move)))
    other = midsentence(match.describe(move))
    reason = (
        f"you'll probably finish 2nd or 3rd of {len(names)}. Second best: {other}, half a place "
        f"worse. Watch out: {max(names, key=len)} could {other}"
    )
    advice = Advice(0, move, match.describe(move), reason)
    return TableHint(advice, live.table.last_move, coming=True)


def faults(page: Page, size: ViewportSize, states: str = "") -> dict[str, list[str]]:
    """What is wrong with boards that the page has, by state, in a window of this size.

    ``states``: a pattern that the names of their states match.
    """
    page.set_viewport_size(size)
    given = [states, FINGERTIP, LANE, LEGIBLE, FIGURE, APART, SMALLER]
    found: dict[str, list[str]] = page.evaluate("given => look(...given)", given)
    return found
