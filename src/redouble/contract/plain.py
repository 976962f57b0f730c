"""A view in plain sentences: for pipes, files, screen readers and language models."""

from collections.abc import Sequence

from redouble.contract.drawing import Drawing
from redouble.contract.registry import GAMES
from redouble.contract.view import Fact, View, Zone
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.state import SPECTATOR

__all__ = ["lines"]


def lines(
    title: str, view: View, names: Sequence[str], me: int | None, you: bool = True
) -> list[str]:
    """Return the table, then the seats clockwise; last the one whose view it is, marked ``you``.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument can't be used.
    """
    checks.text(title, "title")
    checks.instance(view, View, "view")
    names = checks.texts(names, "names")
    if len(names) != view.seats:
        raise InputError(f"names: {len(names)} names, expected {view.seats}: one per seat")
    if me is not None:
        me = checks.whole(me, "me", SPECTATOR, view.seats - 1)
    table = [_fact(fact) for fact in view.facts_of(None)]
    text = [f"--- {title}" + (f": {', '.join(table)}" if table else "")]
    board = _board(view)
    text += ["".join(span.text for span in line).rstrip() for line in board.lines]
    text += [_zone(zone) for zone in view.zones_of(None) if zone.key not in board.zones]
    first = 0 if me is None else me + 1
    for step in range(view.seats):
        seat = (first + step) % view.seats
        parts = [_fact(fact) for fact in view.facts_of(seat)]
        parts += [_zone(zone) for zone in view.zones_of(seat) if zone.key not in board.zones]
        if parts:
            mark = " (you)" if you and seat == me else ""
            text.append(f"{names[seat]}{mark}: {'; '.join(parts)}")
    return text


def _board(view: View) -> Drawing:
    draw = GAMES[view.game].draw if view.board else None
    return (draw and draw(view.board, False)) or Drawing(())


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
