"""What a seat sees, laid out for a terminal of a given size.

A view can be drawn in several forms, from the most generous to the most compact. The first that
fits is shown: a wide window gets plates and large cards, and 80x24 still shows everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeVar

from rich.text import Text

from redouble.contract import drawing
from redouble.contract.view import Fact, View, Zone
from redouble.match.match import Moment
from redouble.match.story import YOU, StoryLine
from redouble.terminal.draw import cards
from redouble.terminal.draw.blocks import (
    Block,
    aligned,
    beside,
    fitted,
    flow,
    framed,
    width,
    wrapped,
)
from redouble.terminal.draw.cards import QUIET, Glyphs

_ZoneOrFact = TypeVar("_ZoneOrFact", Zone, Fact)

SEAT_COLORS = ("cyan", "magenta", "green", "yellow", "blue", "red")
LONG_FACT = 24
"""A longer fact of the table gets its own line."""
NAME_COLUMNS = 12


@dataclass(frozen=True)
class TablePicture:
    """Everything that one screen shows."""

    title: str
    view: View
    names: Sequence[str]
    me: int | None
    story: Sequence[StoryLine] = ()
    below: Block = field(default_factory=list)
    """The prompt, the choices and notices, under the table."""
    you: bool = True
    """Whether the seat at the bottom is the reader's."""


@dataclass(frozen=True)
class Form:
    """What is drawn large in one way to lay a picture out; the rest takes a line each."""

    plates: bool = False
    """Whether the other seats are framed plates."""
    piles: bool = False
    """Whether the table's piles are cards of three lines."""
    hand: bool = False
    """Whether the hand is cards of three lines."""


FORMS = (Form(True, True, True), Form(False, True, True), Form(False, False, True), Form())
MAX_STORY, MIN_STORY = 6, 3
"""Lines for the latest moves: the fresh ones if they fit, otherwise at least a few."""
BOARD_GAP = 3
PLATE_COLUMNS, PLATE_FRAME = 38, 4
"""Columns of a plate at most, and those of its frame."""
PLATE_CHIPS = 5
"""Cards in a line of a plate."""
MIN_BESIDE_BOARD = 22
"""Columns that seats, moves and the hand need beside a board; with fewer they go below it."""
MIN_SIDE = 36
"""Columns that the latest moves need beside the piles."""


@dataclass(frozen=True)
class Drawn:
    """A board as lines of text, and the zones of the view that it shows."""

    block: Block
    zones: frozenset[str] = frozenset()

    def rest(self, view: View) -> View:
        return replace(view, zones=tuple(zone for zone in view.zones if zone.key not in self.zones))


def draw_board(view: View, glyphs: Glyphs) -> Drawn | None:
    """Return the board as the view's game draws it; None if it has no board or draws none."""
    drawn = view.drawn(glyphs is cards.ROUND)
    if drawn is None:
        return None
    styles = {drawing.QUIET: QUIET}
    lines = [
        Text.assemble(*((text, styles.get(style, style)) for text, style in spans))
        for spans in drawn.lines
    ]
    return Drawn(lines, drawn.zones)


def headline(moment: Moment, columns: int) -> Block:
    """Return what happened in the middle of a move, for the space under the table."""
    detail = wrapped(Text(moment.detail, QUIET), columns) if moment.detail else []
    return [*wrapped(Text(f"{moment.title}.", "bold"), columns), *detail]


def draw(picture: TablePicture, glyphs: Glyphs, columns: int, rows: int) -> Block:
    """Return the picture in the most generous form that fits.

    A form with room for all fresh moves is preferred to a more generous one.
    """
    block: Block = []
    fresh = sum(line.fresh for line in picture.story)
    for min_lines, form in product((min(fresh, MAX_STORY), MIN_STORY, 1), FORMS):
        block = _laid_out(picture, form, glyphs, columns, rows, min_lines)
        if len(block) <= rows and width(block) <= columns:
            return block
    return block


def name_style(seat: int) -> str:
    return SEAT_COLORS[seat % len(SEAT_COLORS)]


def name_of(picture: TablePicture, seat: int) -> str:
    """A seat's name, short enough for a plate."""
    return fitted(picture.names[seat], NAME_COLUMNS)


def _laid_out(
    picture: TablePicture, form: Form, glyphs: Glyphs, columns: int, rows: int, min_lines: int
) -> Block:
    """The table from top to bottom; the latest moves take the remaining rows."""
    board = draw_board(picture.view, glyphs)
    head = _header(picture, columns)
    if board:
        picture = replace(picture, view=board.rest(picture.view))
        side = columns - width(board.block) - BOARD_GAP
        room = rows - len(head) - len(picture.below)
        if side < MIN_BESIDE_BOARD:
            room -= len(board.block) + 2
            parts = [head, board.block]
            parts.append(_side(picture, FORMS[-1], glyphs, columns, room, min_lines))
        else:
            room = max(len(board.block), room - 1)
            right = _side(picture, form, glyphs, side, room, min_lines)
            parts = [head, beside([board.block, right], BOARD_GAP)]
    else:
        others = (_plates if form.plates else _rows_of_seats)(picture, glyphs, columns)
        mine = _mine(picture, form, glyphs, columns)
        room = rows - len(head) - len(others) - len(mine) - len(picture.below)
        parts = [head, others, _middle(picture, form, glyphs, columns, room, min_lines), mine]
    return _spaced([part for part in (*parts, picture.below) if part], rows)


def _spaced(parts: Sequence[Block], rows: int) -> Block:
    """The parts below each other, separated by empty lines while there is room."""
    spare = rows - sum(len(part) for part in parts)
    lines: Block = []
    for part in parts:
        if lines and spare > 0:
            lines.append(Text())
            spare -= 1
        lines += part
    return lines


def _side(
    picture: TablePicture, form: Form, glyphs: Glyphs, columns: int, room: int, min_lines: int
) -> Block:
    upper = [
        *_rows_of_seats(picture, glyphs, columns),
        *cards.zones(picture.view.zones_of(None), glyphs, columns, large=False),
    ]
    mine = _mine(picture, form, glyphs, columns)
    story_room = max(min_lines, room - len(upper) - len(mine) - 2)
    return _spaced([upper, _story(picture, columns, story_room), mine], room)


def _header(picture: TablePicture, columns: int) -> Block:
    facts = picture.view.facts_of(None)
    short = [fact for fact in facts if len(fact.text) <= LONG_FACT]
    parts = [Text(f" {picture.title} ", "bold reverse"), *map(_fact, short)]
    lines = flow([[part] for part in parts], columns)
    for fact in facts:
        if fact not in short:
            lines += wrapped(_fact(fact), columns)
    return lines


def _fact(fact: Fact) -> Text:
    if fact.value == "yes":
        return Text(fact.name, "bold")
    return Text.assemble((fact.name, QUIET), " ", (fact.text, "bold"))


def _other_seats(picture: TablePicture) -> list[int]:
    """Clockwise from the left of the seat at the bottom."""
    n = picture.view.seats
    if picture.me is None:
        return list(range(n))
    return [(picture.me + step) % n for step in range(1, n)]


def _plates(picture: TablePicture, glyphs: Glyphs, columns: int) -> Block:
    """The other seats in frames, as many in a row as keep them readable."""
    seats = _other_seats(picture)
    if not seats:
        return []
    unicode = glyphs is cards.ROUND
    insides = {seat: _inside(picture, seat, glyphs) for seat in seats}
    widest = max(width(inside) for inside in insides.values())
    needed = max(widest, NAME_COLUMNS + 4) + 4
    across = max(1, min(len(seats), (columns + 1) // (needed + 1)))
    even = -(-len(seats) // -(-len(seats) // across))
    each = min((columns + 1) // even - 1, PLATE_COLUMNS)
    tallest = max(len(inside) for inside in insides.values())
    plates = []
    for seat in seats:
        inside = insides[seat] + [Text()] * (tallest - len(insides[seat]))
        moving = picture.view.turn == seat
        edge = f"bold {name_style(seat)}" if moving else QUIET
        plates.append(framed(inside, _name(picture, seat), each, edge, unicode))
    rows = [plates[i : i + even] for i in range(0, len(plates), even)]
    return [line for row in rows for line in beside(row, gap=1)]


def _inside(picture: TablePicture, seat: int, glyphs: Glyphs) -> Block:
    """A seat's zones and facts; all cards of a hand that everyone may see, in lines that fit."""
    view = picture.view
    names = [zone.name for zone in view.zones_of(seat)] + [f.name for f in view.facts_of(seat)]
    room = PLATE_COLUMNS - PLATE_FRAME - max(map(len, names), default=0) - 1
    rows: list[list[Text]] = []
    for zone in view.zones_of(seat):
        shown = [cards.strip(zone, glyphs, PLATE_CHIPS)]
        if picture.me is None and len(zone.cards) > PLATE_CHIPS:
            chips = cards.chips(zone, glyphs, len(zone.cards))
            shown = flow([[chip] for chip in chips], room, gap=1)
        heads = [Text(zone.name, QUIET)] + [Text()] * (len(shown) - 1)
        rows += map(list, zip(heads, shown, strict=True))
    rows += [[Text(fact.name, QUIET), Text(fact.text, "bold")] for fact in view.facts_of(seat)]
    return aligned(rows, gap=1) if rows else []


def _name(picture: TablePicture, seat: int) -> Text:
    me = seat == picture.me and picture.you
    text = Text(YOU if me else name_of(picture, seat), f"bold {name_style(seat)}")
    if picture.view.turn == seat and not me:
        text.append(" to move", "bold")
    return text


def _rows_of_seats(picture: TablePicture, glyphs: Glyphs, columns: int) -> Block:
    """The other seats as lines of a table: their zones and facts under headings.

    If the table is too wide, cards are counted instead of drawn; then facts are left out from the
    end, since a view lists the most important ones first. Numbered facts such as ``round 1`` go
    together, since some rounds without the others would mislead.
    """
    seats = _other_seats(picture)
    view = picture.view
    facts = _merged([view.facts_of(seat) for seat in seats])
    while seats:
        for max_chips in (cards.MAX_CHIPS, 3, 1):
            block = _seats_under_headings(picture, seats, facts, glyphs, max_chips)
            if width(block) <= columns:
                return block
        if not facts:
            return [
                line for seat in seats for line in _seat_wrapped(picture, seat, glyphs, columns)
            ]
        last = facts.pop()
        if last.number:
            facts = [fact for fact in facts if not (fact.kind == last.kind and fact.number)]
    return []


def _seats_under_headings(
    picture: TablePicture,
    seats: Sequence[int],
    facts: Sequence[Fact],
    glyphs: Glyphs,
    max_chips: int,
) -> Block:
    view = picture.view
    zones = _merged([view.zones_of(seat) for seat in seats])
    body = []
    for seat in seats:
        row = [_row_name(picture, seat)]
        mine = {zone.key: zone for zone in view.zones_of(seat)}
        row += [
            cards.strip(mine[zone.key], glyphs, max_chips) if zone.key in mine else Text()
            for zone in zones
        ]
        known = {fact.key: fact.text for fact in view.facts_of(seat)}
        body.append(row + [Text(known.get(fact.key, ""), "bold") for fact in facts])
    names = [*(zone.name for zone in zones), *(fact.name for fact in facts)]
    return aligned([*_headings(["", *names], body), *body])


def _merged(lists: Sequence[Sequence[_ZoneOrFact]]) -> list[_ZoneOrFact]:
    """The first with each key, after the one that it follows where it first occurs."""
    merged: list[_ZoneOrFact] = []
    keys: list[str] = []
    for things in lists:
        at = 0
        for thing in things:
            if thing.key not in keys:
                merged.insert(at, thing)
                keys.insert(at, thing.key)
            at = keys.index(thing.key) + 1
    return merged


def _headings(names: Sequence[str], body: Sequence[Sequence[Text]]) -> list[list[Text]]:
    """One line of headings, or two if a heading of two words is wider than its column."""
    upper, lower = [], []
    for column, name in enumerate(names):
        first, _, rest = name.rpartition(" ")
        if all(row[column].cell_len >= len(name) for row in body):
            first, rest = "", name
        upper.append(Text(first, QUIET))
        lower.append(Text(rest, QUIET))
    return [upper, lower] if any(upper) else [lower]


def _row_name(picture: TablePicture, seat: int) -> Text:
    mark = ">" if picture.view.turn == seat else " "
    return Text.assemble(mark, (name_of(picture, seat), f"bold {name_style(seat)}"))


def _seat_wrapped(picture: TablePicture, seat: int, glyphs: Glyphs, columns: int) -> Block:
    """One seat as name, zones and facts, on as many lines as necessary."""
    parts: list[Block] = [[_row_name(picture, seat)]]
    parts += [cards.small(zone, glyphs, columns, 3) for zone in picture.view.zones_of(seat)]
    parts += [[_fact(fact)] for fact in picture.view.facts_of(seat)]
    return flow(parts, columns)


def _middle(
    picture: TablePicture, form: Form, glyphs: Glyphs, columns: int, room: int, min_lines: int
) -> Block:
    """The table's piles, with the latest moves beside them if there is room, else below."""
    piles = picture.view.zones_of(None)
    block = cards.zones(piles, glyphs, columns, form.piles) if piles else []
    side = columns - width(block) - 4
    if block and form.piles and side >= MIN_SIDE:
        return beside([block, _story(picture, side, max(len(block), min_lines, room - 3))], 4)
    return [*block, *_story(picture, columns, max(room - len(block) - 3, min_lines))]


def _story(picture: TablePicture, columns: int, room: int) -> Block:
    lines: Block = []
    for line in reversed(picture.story):
        text = Text.assemble(
            (_called(picture, line), name_style(line.seat) if line.fresh else QUIET),
            (f" {line.text}", "" if line.fresh else QUIET),
        )
        first, *rest = wrapped(text, columns - 2)
        new = [first, *(Text.assemble("  ", more) for more in rest)]
        if len(lines) + len(new) > room:
            break
        lines = [*new, *lines]
    return lines


def _called(picture: TablePicture, line: StoryLine) -> str:
    return YOU if line.own else picture.names[line.seat]


def _mine(picture: TablePicture, form: Form, glyphs: Glyphs, columns: int) -> Block:
    if picture.me is None:
        return []
    view = picture.view
    facts = view.facts_of(picture.me)
    zones: list[Zone] = view.zones_of(picture.me)
    if not facts and not zones:
        return []
    plate = flow([[_name(picture, picture.me)], *([_fact(fact)] for fact in facts)], columns)
    return [*plate, *(cards.row if form.hand else cards.lines)(zones, glyphs, columns)]
