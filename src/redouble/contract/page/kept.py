"""Drawings that are kept by all that they show, since most parts of a board look as before."""

from collections.abc import Callable, Hashable

from redouble.contract.page.html import Child

MAX_KEPT = 65536
"""Drawings that are kept, of about a kilobyte each; those not used for as many are dropped. A table
of four draws about sixty parts a move, so this is enough for those of some hundred tables to last
until their next move."""
_drawings: dict[Hashable, Child] = {}
_older: dict[Hashable, Child] = {}


class Same:
    """Something that equals only itself, to keep drawings of a list by that views share."""

    __slots__ = ("_thing",)

    def __init__(self, thing: object) -> None:
        self._thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._thing is other._thing

    def __hash__(self) -> int:
        return id(self._thing)


def kept(shown: Hashable, draw: Callable[[], Child]) -> Child:
    """Return what was drawn of the same things before, or draw it now.

    ``shown`` names the part of the page and everything that its drawing depends on.
    """
    global _drawings, _older
    drawing = _drawings.get(shown)
    if drawing is None:
        drawing = _older.get(shown)
        if drawing is None:
            drawing = draw()
        if len(_drawings) >= MAX_KEPT // 2:
            _drawings, _older = {}, _drawings
        _drawings[shown] = drawing
    return drawing
