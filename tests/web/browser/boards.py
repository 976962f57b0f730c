"""Boards of a table in all its states, drawn without a server, and what is wrong with how they lie.

A page of a table is loaded once, without its scripts; then it shows one board after the other, in
windows of all sizes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from playwright.sync_api import Page, Route, ViewportSize

from redouble.analysis.hint import Advice
from redouble.contract.registry import GAMES
from redouble.match.guide import guide_of
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

FINGERTIP = 44
LANE = 64
"""Pixels that a lane of Double Decker is high at least."""
LEGIBLE = 10
"""Pixels that letters of a name are high at least, from ascender to descender."""
FIGURE = 11
"""Pixels that the figures of a plate are high at least, measured in the same way."""
APART = 3
"""Pixels between two figures of a plate at least, where no shape is around one of them."""
SMALLER = ".place, .waste [aria-disabled], .equal > :not(:last-child)"
"""Targets that may be smaller: the squares of the board of dominoes, for which there is a list;
cards in the fan of the waste, which only say that they can't be played; and all but the last of
equal cards, which overlap."""
FAULTS = """(fingertip, lane, legible, figure, apart, smaller) => {
    const found = new Set(), page = document.documentElement;
    const felt = document.getElementById("felt"), board = document.getElementById("board");
    const ended = document.getElementById("ending")?.checkVisibility();
    const name = (one) => one &&
        `${one.tagName} ${one.className} ${one.getAttribute("aria-label") ?? one.textContent}`
            .replace(/\\s+/g, " ").slice(0, 60);
    const box = (one) => one.getBoundingClientRect();
    const up = function* (one) { for (; one && one !== felt; one = one.parentElement) yield one; };
    const shown = (selector, within = document) => [...within.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(".skip"))
        .filter((one) => box(one).height && [...up(one)].every((it) => it.offsetWidth !== 1));
    // What a list or a row scrolls to need not be in view.
    const LISTS = ".scrolls, .since, .round-sheet ol, .window, .log, .choices, " +
        ".ending-sheet, .deck, .places > div";
    const list = (one) => {
        const all = one.parentElement.closest(LISTS);
        return all && (all.scrollHeight > all.clientHeight || all.scrollWidth > all.clientWidth)
            ? all : null;
    };
    const inside = (a, b) => a.left > b.left - 1 && a.top > b.top - 1
        && a.right < b.right + 1 && a.bottom < b.bottom + 1;
    const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const meet = (a, b, least = 1.5) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > least
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > least;
    const hit = (x, y) => document.elementFromPoint(x, y);

    if (page.scrollHeight > page.clientHeight || page.scrollWidth > page.clientWidth)
        found.add("the page scrolls");
    if (felt.scrollHeight > felt.clientHeight + 1)
        found.add(`the felt scrolls by ${felt.scrollHeight - felt.clientHeight}`);
    const last = innerWidth > 900 && innerHeight > 500 ? "#log li:first-child" : ".ticker";
    const words = ".prompt, .guide, .hint, #go-on, .see-table, .next > *, .tools .btn, .banner, " +
        "#notice, #missed";
    const parts = ":is(.card, .dom, .seat, .backs i, .held i, .total, .lane)";
    for (const one of shown(`${words}, ${last}, #felt ${parts}`))
        if (!list(one) && !inside(box(one), view)) found.add(`cut off: ${name(one)}`);
    if (!shown(".prompt, .guide, .hint, .banner, #notice, #missed").length)
        found.add("nothing says what is asked");
    const playing = shown(".seat:not(:has(.state-out, .place))").length > 1;
    if (playing && board.dataset.over !== "1" && !shown(":is(.backs, .held) *").length)
        found.add("the others' cards are hidden");

    // Every name is whole, unless it is very long, and large enough to read.
    const long = (one) => parseInt(one.style.getPropertyValue("--letters")) > 12;
    for (const one of shown("*")) {
        const { textOverflow, webkitLineClamp, overflowX } = getComputedStyle(one);
        const cut = (textOverflow === "ellipsis" && one.scrollWidth > one.clientWidth
            || webkitLineClamp !== "none" && one.scrollHeight > one.clientHeight + 5);
        if (cut && !long(one) && overflowX !== "visible") found.add(`shortened: ${name(one)}`);
    }
    const names = ended ? ".standings .who" : ".seat:not(.me) .who, .round-sheet .who, .shown b";
    for (const one of ended ? [] : board.querySelectorAll(names)) {
        const size = parseFloat(getComputedStyle(one).fontSize), seat = one.closest(".seat, li");
        if (!shown("*", one.parentElement).includes(one)) found.add(`no name: ${name(seat)}`);
        else if (size < legible) found.add(`${size} pixels high: ${name(one)}`);
        else if (one.scrollWidth > one.clientWidth + 1 && !long(one))
            found.add(`shortened: ${name(one)}`);
    }

    // Nothing covers what is to be read, nor one part of the table another.
    const read = ended ? ".result h2, .see-table, .next > *" : ".prompt :is(strong, small), " +
        ":is(.guide, .hint) p, .who, .dealer, .points b, .made, .won b, .caption, .chips, " +
        ".total strong, " +
        ".round-sheet :is(.rank, .total), .heading p, .see-table, .banner, #notice, .facts dd, " +
        ".seat .note, .held b, .needs, .order";
    for (const text of shown(read)) {
        const on = text.closest(".prompt, .guide, .hint, .heading, .caption, .facts") ?? text;
        const room = list(text) ? box(list(text)) : view;
        for (const line of text.getClientRects())
            for (const part of [0.1, 0.5, 0.9]) {
                const x = line.left + part * line.width, y = (line.top + line.bottom) / 2;
                const spot = { left: x, right: x, top: y, bottom: y };
                if (line.width < 4 || !inside(spot, room)) continue;
                const there = hit(x, y);
                if (!on.contains(there) && !there?.contains(text))
                    found.add(`covered: ${name(text)} by ${name(there)}`);
            }
    }
    const regions = shown(".seats, .centre, .mine > *, .ticker, .tools, .side > .hint, .banner, " +
        "#notice, #missed, .see-table, .heading, .column > .seat, .lane")
        .filter((one) => !ended || !felt.contains(one))
        .map((one) => {
            const { left, right, top, bottom } = box(one), edge = box(felt);
            return [one, felt.contains(one) ? { left, right, top: Math.max(top, edge.top),
                bottom: Math.min(bottom, edge.bottom) } : box(one)];
        });
    for (const [one, a] of regions) for (const [other, b] of regions)
        if (one !== other && !one.contains(other) && !other.contains(one) && meet(a, b))
            found.add(`${name(one)} covers ${name(other)}`);
    for (const seat of ended ? [] : shown(".seat")) {
        const edge = box(seat);
        for (const { left, right } of shown(".backs i, .held i", seat).map(box))
            if (left < edge.left - 8 || right > edge.right + 8)
                found.add(`cards stick out of a plate: ${name(seat)}`);
        const things = shown(":scope > *, .piles > *", seat)
            .filter((one) => getComputedStyle(one).position !== "absolute");
        for (const one of things) for (const other of things)
            if (!one.contains(other) && !other.contains(one) && meet(box(one), box(other), 2.5))
                found.add(`${name(one)} covers ${name(other)} on a plate`);
    }

    // What is on a plate lies inside it, and its figures can be read and told apart.
    const texts = (within) => {
        const all = [], walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const range = new Range(), { data, parentElement: on } = walker.currentNode;
            range.selectNode(walker.currentNode);
            if (data.trim() && !long(on) && shown("*", on.parentElement).includes(on))
                for (const { left, right, top, bottom, width, height } of range.getClientRects())
                    if (width) all.push([on, data, { left, right, height,
                        top: top + height / 5, bottom: bottom - height / 5 }]);
        }
        return all;
    };
    const shaped = (one, other) => {
        for (; !one.contains(other); one = one.parentElement) {
            const { backgroundColor, backgroundImage, borderTopWidth } = getComputedStyle(one);
            if (backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none"
                || borderTopWidth !== "0px") return true;
        }
        return false;
    };
    for (const plate of ended ? [] : shown(".seat, .round-sheet li, .heading")) {
        const words = texts(plate), edge = box(plate), things = shown("*", plate)
            .filter((one) => !one.closest(".seats .backs, .held"))
            .map((one) => [one, "", box(one)]);
        for (const [one, , its] of plate.matches(".heading") ? [] : [...words, ...things])
            if (!inside(its, edge)) found.add(`sticks out of a plate: ${name(one)}`);
        const figures = words.filter(([, data]) => /[0-9]/.test(data));
        for (const [one, data, a] of figures) {
            const size = parseFloat(getComputedStyle(one).fontSize);
            if (size < figure && !one.matches(".who"))
                found.add(`${size} pixels high: ${data} of ${name(plate)}`);
            for (const [other, more, b] of figures)
                if (one !== other && more[0] !== "\u00d7"
                    && a.left <= b.left && b.left < a.right + apart
                    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > a.height / 2
                    && !shaped(one, other) && !shaped(other, one))
                    found.add(`${data} and ${more} run together: ${name(plate)}`);
        }
    }

    for (const sheet of shown(".round-sheet")) {
        const rows = shown("li", sheet), go = box(document.getElementById("go-on"));
        if (shown(".heap", sheet).length < 4 * (rows.length + 1)) found.add("a column has no name");
        const { left, right, bottom } = box(sheet.querySelector("ol"));
        if (meet({ left, right, top: bottom, bottom: bottom + 4 }, go, 0))
            found.add("the last row touches Continue");
        if (box(rows.at(-1)).bottom > bottom + 1) found.add("a row of the sheet is cut off");
    }

    // What a step of the tutorial is about, and what a hint suggests, is framed all round.
    const framed = shown(".pointed, .hinted:not(.place)");
    if (felt.querySelector(".guide, .mine .hint") && !framed.length) found.add("nothing is framed");
    for (const one of framed) {
        const { outlineStyle, outlineWidth, outlineOffset, borderRadius } = getComputedStyle(one);
        const its = box(one), out = parseFloat(outlineWidth) + parseFloat(outlineOffset);
        const frame = { left: its.left - out, top: its.top - out,
            right: its.right + out, bottom: its.bottom + out };
        const style = one.matches(".pointed") ? "dashed" : "solid";
        if (outlineStyle !== style || Math.min(its.width, its.height) < 12)
            found.add(`no frame: ${name(one)} of ${its.width} by ${its.height}`);
        for (const it of up(one.parentElement))
            if (getComputedStyle(it).overflow !== "visible" && !inside(frame, box(it)))
                found.add(`a frame is cut: ${name(one)} by ${name(it)}`);
        if (!inside(frame, view)) found.add(`a frame leaves the screen: ${name(one)}`);
        const x = (its.left + its.right) / 2, y = (its.top + its.bottom) / 2;
        const off = (from, to, at) => Math.max(from, Math.min(at, to)) - at;
        const near = ({ left, right, top, bottom }) =>
            Math.hypot(off(left, right, x), off(top, bottom, y)) < x - frame.left;
        const crosses = (line) => meet(frame, line) && (borderRadius !== "50%" || near(line));
        for (const text of shown(".guide, .mine > .hint, " + read))
            for (const line of text.getClientRects())
                if (!inside(line, its) && !text.contains(one) && crosses(line))
                    found.add(`a frame crosses ${name(text)}: ${name(one)}`);
        // One that lies on its card is covered by none of its neighbors.
        for (const part of out > 0 ? [] : [0.1, 0.3, 0.5, 0.7, 0.9])
            for (const [x, y] of [[part, 0], [part, 1], [0, part], [1, part]]) {
                const there = hit(its.left + 2 + x * (its.width - 4),
                    its.top + 2 + y * (its.height - 4));
                if (!one.contains(there) && !there?.contains(one))
                    found.add(`a frame is covered: ${name(one)} by ${name(there)}`);
            }
    }

    // Nothing is too small to see, or to hit with a fingertip.
    for (const one of shown(".lane"))
        if (one.offsetHeight < lane) found.add(`a lane is ${one.offsetHeight} pixels high`);
    for (const row of innerWidth < 900 ? shown(".hand .suit") : []) {
        const cards = [...row.children].map(box);
        for (const [at, { left, right, height }] of cards.entries()) {
            const seen = Math.min(right, cards[at + 1]?.left ?? right) - left;
            if (Math.min(seen, height) < fingertip - 0.5)
                found.add(`${seen} by ${height} pixels of a card are in sight`);
        }
    }
    const targets = ":is(#board, .bar) :is(a[href], button, select, label[for], label:has(input))";
    for (const one of shown(targets)) {
        if (one.matches(smaller) || one.matches(":disabled")) continue;
        if (ended && !one.closest(".ending, .bar, .tools, .see-table")) continue;
        const { left, right, top, bottom, width, height } = box(one);
        if (list(one) && !inside(box(one), box(list(one)))) continue;
        const has = (x, y) => one.contains(hit(x, y));
        const half = fingertip / 2 - 1, steps = [-half, 0, half], near = [...steps, half / 2];
        const [x, y] = [left + width / 2, top + height / 2];
        const cross = Math.min(width, height) > 2 * half
            && near.every((step) => has(x + step, y) && has(x, y + step));
        if (cross || steps.every((dx) => steps.every((dy) => has(x + dx, y + dy)))) continue;
        // Its middle isn't free: as much room elsewhere on it will do.
        const free = (from, to, at) => {
            for (let first = from + 1, end; (end = first + fingertip - 4) < to; first = end + 2) {
                while (end >= first && at(end)) end -= 2;
                if (end < first) return true;
            }
            return false;
        };
        const across = [0.5, 0.25, 0.75].some((part) =>
            free(left, right, (along) => has(along, top + part * height)));
        const down = [0.5, 0.15, 0.3, 0.85].some((part) =>
            free(top, bottom, (along) => has(left + part * width, along)));
        if (!across || !down) found.add(`no room for a finger: ${name(one)}`);
    }
    return [...found];
}"""
SHOW = """(board, warning, missed) => {
    document.getElementById("live").innerHTML = board;
    const notice = document.getElementById("notice"), summary = document.getElementById("missed");
    [notice.textContent, notice.hidden] = [warning, !warning];
    summary.hidden = !missed;
    summary.querySelector("[role=status]").innerHTML = missed;
    document.querySelector(".hinted")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}"""
LOOK = f"""given => {{
    const faults = {FAULTS}, show = {SHOW}, found = {{}};
    for (const [state, board] of Object.entries(boards)) {{
        show(board, warnings[state] ?? "", summaries[state] ?? "");
        const wrong = faults(...given);
        if (wrong.length) found[state] = wrong;
    }}
    return found;
}}"""
"""Shows all boards in one go, between two frames: they are laid out, but none is painted."""


def still_page(page: Page, game: str, drawn: dict[str, str]) -> None:
    """Open a table of a game, on which nothing changes any more, and give it boards."""
    short_table(page, game)
    whole = re.sub(r"<script\b.*?</script>", "", page.content(), flags=re.DOTALL)

    def without_scripts(route: Route) -> None:
        route.fulfill(body=whole, content_type="text/html")

    page.route(page.url, without_scripts)
    page.reload()
    warnings = {state: WARNING for state in drawn if state.endswith("turn 1")}
    summaries = {state: MISSED for state in drawn if state.endswith("missed")}
    given = [drawn, warnings, summaries]
    page.evaluate("given => [window.boards, window.warnings, window.summaries] = given", given)


def boards(game: str, seats: int) -> dict[str, str]:
    """What a player sees in a game played at random: of each kind of moment the longest words."""
    chosen = GAMES[game]
    needed = chosen.setups.needed(seats) if chosen.setups.needed else {}
    others = [Seat(name, bot="club") for name in NAMES[1:seats]]
    players = [Seat(NAMES[0], person(0)), *others]
    options = {**needed, **chosen.setups.usual, **LONGER.get(game, {})}
    playing, chance = Playing(header(chosen, players, "layout", **options)), random.Random(game)
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


def _states(playing: Playing, chance: random.Random, point: Viewpoint) -> Iterator[tuple[str, str]]:
    """Play, and yield each board worth a look with its kind."""
    table, own = playing.table, 0
    steps = guide_of(table.game).steps
    for _ in range(MAX_PLIES):
        if table.turn is None:
            return
        live = Live(table)
        own += table.turn == point.seat
        if table.turn == point.seat and own == 1:
            for number in range(1, len(steps) + 1):
                yield f"guide {number}", draw_board(live, Viewpoint(0, guide=number))
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


def faults(page: Page, size: ViewportSize) -> dict[str, list[str]]:
    """What is wrong with the boards that the page has, by state, in a window of this size."""
    page.set_viewport_size(size)
    given = [FINGERTIP, LANE, LEGIBLE, FIGURE, APART, SMALLER]
    found: dict[str, list[str]] = page.evaluate(LOOK, given)
    return found
