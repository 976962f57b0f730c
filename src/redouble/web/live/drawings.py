"""What was drawn of a table as it stands, so that viewers who see the same share it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Key = TypeVar("Key")
Drawing = TypeVar("Drawing")


class Slot(Generic[Key, Drawing]):
    """One kind of drawing. A key names all that differs between viewers, such as their seat.

    The module that draws makes the slot, so that its key and its drawing have types.
    """


class Drawings:
    """What was drawn since the last change, by slot and key."""

    def __init__(self) -> None:
        self._slots: dict[Slot[Any, Any], dict[Any, Any]] = {}

    def of(self, slot: Slot[Key, Drawing]) -> dict[Key, Drawing]:
        """Return the drawings of a slot by their keys."""
        return self._slots.setdefault(slot, {})

    def kept(self, slot: Slot[Key, Drawing], key: Key, draw: Callable[[], Drawing]) -> Drawing:
        """Return the drawing of a key, or draw it now."""
        drawn = self.of(slot)
        if key not in drawn:
            drawn[key] = draw()
        return drawn[key]

    def clear(self) -> None:
        """Forget all drawings, because the table has changed."""
        self._slots.clear()
