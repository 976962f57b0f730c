"""A view in plain sentences: for pipes, files and screen readers."""

from __future__ import annotations

from collections.abc import Sequence

from redouble.contract.view import Fact, View, Zone
from redouble.terminal.draw import boards
from redouble.terminal.draw.cards import ASCII


def lines(
    title: str, view: View, names: Sequence[str], me: int | None, you: bool = True
) -> list[str]:
    """The table, then the seats clockwise; last the one whose view it is, marked ``you``."""
    table = [_fact(fact) for fact in view.facts_of(None)]
    text = [f"--- {title}" + (f": {', '.join(table)}" if table else "")]
    board = boards.draw(view, ASCII) or boards.Drawn([])
    text += [line.plain.rstrip() for line in board.block]
    view = board.rest(view)
    text += [_zone(zone) for zone in view.zones_of(None)]
    first = 0 if me is None else me + 1
    for step in range(view.seats):
        seat = (first + step) % view.seats
        parts = [_fact(fact) for fact in view.facts_of(seat)]
        parts += [_zone(zone) for zone in view.zones_of(seat)]
        if parts:
            mark = " (you)" if you and seat == me else ""
            text.append(f"{names[seat]}{mark}: {'; '.join(parts)}")
    return text


def _fact(fact: Fact) -> str:
    """A number follows the name, a word a colon, and a yes is left out."""
    if fact.value == "yes":
        return fact.name
    return f"{fact.name}{'' if isinstance(fact.value, int) else ':'} {fact.text}"


def _zone(zone: Zone) -> str:
    if not zone.size:
        return f"{zone.name}: empty"
    if not any(card.up for card in zone.cards):
        return f"{zone.name}: {zone.size} face down"
    cards = zone.cards if zone.spread else zone.cards[-1:]
    text = " ".join(card.face if card.up else "(face down)" for card in cards)
    if zone.size > len(cards):
        text += f" on {zone.size - len(cards)} more"
    return f"{zone.name}: {text}"
