"""Cards and piles in a terminal: boxes with a face, backs, and small chips."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rich.text import Text

from redouble.contract.view import Card, Zone
from redouble.terminal.draw.blocks import Block, beside, flow, width

COLORS = {
    "red": "bright_red",
    "green": "green",
    "blue": "bright_blue",
    "yellow": "yellow",
    "black": "bright_black",
    "white": "bright_white",
}
"""The terminal's color for each color in views; others are used unchanged."""

BACK = "blue"
QUIET = "bright_black"
MAX_CHIPS = 8
"""More cards than these are counted instead of drawn."""
LITTLE_ROWS = 2
MAX_LARGE = 3


@dataclass(frozen=True)
class Glyphs:
    """The characters that cards are made of."""

    corners: str
    level: str
    upright: str
    back: str
    small_back: str
    times: str


ROUND = Glyphs("╭╮╰╯", "─", "│", "▒", "▮", "\u00d7")
ASCII = Glyphs("....", "-", "|", "#", "#", "x")


def style_of(card: Card) -> str:
    if not card.up:
        return BACK
    return COLORS.get(card.color, card.color)


def box(card: Card, glyphs: Glyphs, edges: int = 0) -> Block:
    """One card of three lines, with the edges of ``edges`` cards below it."""
    text = card.face if card.up else glyphs.back * 2
    inner = max(4, len(text) + 2)
    face = text.center(inner) if card.up else glyphs.back * inner
    style = style_of(card)
    top_left, top_right, low_left, low_right = tuple(glyphs.corners)
    level = glyphs.level * inner
    return [
        Text(top_left + level + top_right * (edges + 1), style),
        Text.assemble(
            (glyphs.upright, style),
            (face, f"bold {style}".strip() if card.up else style),
            (glyphs.upright * (edges + 1), style),
        ),
        Text(low_left + level + low_right * (edges + 1), style),
    ]


def empty(glyphs: Glyphs) -> Block:
    gap = " " * 4
    corners = glyphs.corners
    return [
        Text(f"{corners[0]}{gap}{corners[1]}", QUIET),
        Text(f" {gap} "),
        Text(f"{corners[2]}{gap}{corners[3]}", QUIET),
    ]


def fan(cards: Sequence[Card], glyphs: Glyphs) -> Block:
    """Overlapping cards, as in a hand: only the left part of each but the last shows."""
    lines = [Text(), Text(), Text()]
    for card in cards[:-1]:
        text = card.face if card.up else glyphs.back * 2
        style = style_of(card)
        lines[0].append(glyphs.corners[0] + glyphs.level * len(text), style)
        lines[1].append(glyphs.upright, style)
        lines[1].append(text, f"bold {style}".strip() if card.up else style)
        lines[2].append(glyphs.corners[2] + glyphs.level * len(text), style)
    for line, part in zip(lines, box(cards[-1], glyphs), strict=True):
        line.append_text(part)
    return lines


def chip(card: Card, glyphs: Glyphs, count: int = 1) -> Text:
    """A card in one line: its text on its color."""
    text = Text(f" {card.face} ", f"bold reverse {style_of(card)}".strip())
    if count > 1:
        text.append(f"{glyphs.times}{count}", "bold")
    return text


def chips(zone: Zone, glyphs: Glyphs, max_chips: int = MAX_CHIPS) -> list[Text]:
    """A zone in one line, one text per card.

    Equal neighbors are counted if there are more than ``max_chips`` cards; if that still gives too
    many texts, only the number of cards remains.
    """
    if not zone.size:
        return [Text("-", QUIET)]
    shown = zone.cards if zone.spread else zone.cards[-1:]
    if not any(card.up for card in shown):
        if zone.spread and zone.size <= (MAX_CHIPS if max_chips > 1 else 1):
            return [Text(glyphs.small_back * zone.size, BACK)]
        return [Text.assemble((glyphs.small_back, BACK), f"{glyphs.times}{zone.size}")]
    unplaced = (replace(card, place="") for card in shown)
    parts = [_alike(card, len(list(same)), glyphs, max_chips) for card, same in groupby(unplaced)]
    if len(parts) > max_chips:
        styles = {style_of(card) for card in shown}
        return [
            Text(f"{zone.size}", f"bold {styles.pop()}".strip() if len(styles) == 1 else "bold")
        ]
    if zone.size > len(shown):
        parts[-1] = Text.assemble(parts[-1], (f" {glyphs.times}{zone.size}", QUIET))
    return parts


def _alike(card: Card, count: int, glyphs: Glyphs, max_chips: int) -> Text:
    if not card.up:
        return Text(glyphs.small_back * count, BACK)
    if count > 1 and count > max_chips // 3:
        return chip(card, glyphs, count)
    return Text(" ").join([chip(card, glyphs)] * count)


def strip(zone: Zone, glyphs: Glyphs, max_chips: int = MAX_CHIPS) -> Text:
    return Text(" ").join(chips(zone, glyphs, max_chips))


def title(zone: Zone) -> Text:
    """A zone's name, and its number of cards if the drawing doesn't show it."""
    text = Text(zone.name, QUIET)
    drawn = len(zone.cards) if zone.spread else min(1, len(zone.cards))
    if zone.size > drawn or drawn > MAX_CHIPS:
        text.append(f" {zone.size}", "bold")
    return text


def big(zone: Zone, glyphs: Glyphs, columns: int) -> Block:
    """A zone as cards of three lines side by side, overlapping, or as chips."""
    if not zone.size:
        cards = empty(glyphs)
    elif not zone.cards:
        cards = box(Card(), glyphs, edges=int(zone.size > 1))
    elif zone.spread and len(zone.cards) > 1:
        boxes = [box(card, glyphs) for card in zone.cards]
        cards = beside(boxes, gap=0)
        if width(cards) > columns:
            cards = fan(zone.cards, glyphs)
        if width(cards) > columns:
            cards = flow([[part] for part in chips(zone, glyphs, len(zone.cards))], columns, gap=1)
    else:
        cards = box(zone.cards[-1], glyphs, edges=int(zone.size > 1))
    return cards


def titled(zone: Zone, glyphs: Glyphs, columns: int) -> Block:
    """A zone as cards of three lines, its title above."""
    return [title(zone), *big(zone, glyphs, columns)]


def small(zone: Zone, glyphs: Glyphs, columns: int, max_chips: int = MAX_CHIPS) -> Block:
    """A zone in one line, or in as many as its cards need."""
    name = Text(zone.name, QUIET)
    line = Text.assemble(name, " ", strip(zone, glyphs, max_chips))
    if line.cell_len <= columns:
        return [line]
    return [name, *flow([[part] for part in chips(zone, glyphs, max_chips)], columns, gap=1)]


def zones(shown: Sequence[Zone], glyphs: Glyphs, columns: int, large: bool) -> Block:
    blocks = [(titled if large else small)(zone, glyphs, columns) for zone in shown]
    loose, tight = flow(blocks, columns, gap=2), flow(blocks, columns, gap=1)
    return tight if len(tight) < len(loose) else loose


def row(shown: Sequence[Zone], glyphs: Glyphs, columns: int) -> Block:
    """A seat's own zones: those that fit beside each other large, the others small below.

    If the seat has many zones, only the first, its hand, is large.
    """
    if not shown:
        return []
    if not 1 < len(shown) <= MAX_LARGE:
        return [*big(shown[0], glyphs, columns), *little(shown[1:], glyphs, columns)]
    blocks: list[Block] = []
    for zone in shown:
        block = titled(zone, glyphs, columns)
        if blocks and width(beside([*blocks, block])) > columns:
            break
        blocks.append(block)
    return [*beside(blocks), *little(shown[len(blocks) :], glyphs, columns)]


def lines(shown: Sequence[Zone], glyphs: Glyphs, columns: int) -> Block:
    """A seat's own zones, small: every card of the first, its hand; the others below."""
    if not shown:
        return []
    hand = small(shown[0], glyphs, columns, len(shown[0].cards))
    if len(hand) > 1:
        return [*hand, *little(shown[1:], glyphs, columns)]
    return flow([hand, *([line] for line in little(shown[1:], glyphs, columns))], columns)


def little(shown: Sequence[Zone], glyphs: Glyphs, columns: int) -> Block:
    """Small zones, with only as many cards drawn as fit on two lines."""
    lines: Block = []
    for max_chips in (MAX_CHIPS, 3, 1):
        lines = flow([small(zone, glyphs, columns, max_chips) for zone in shown], columns)
        if len(lines) <= LITTLE_ROWS:
            break
    return lines
