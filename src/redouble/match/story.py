"""What was done so far, in the words in which each reader may hear it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match


@dataclass(frozen=True)
class Told:
    """A move in words: who made it and what was done."""

    seat: int
    text: str
    fresh: bool = True
    """Whether the reader has not had a decision since."""


def last_move(match: Match, names: Sequence[str], reader: int | None) -> str:
    """The last move in words without a subject, as ``reader`` may hear it; empty at the start.

    ``names`` are put in for the seats. ``SPECTATOR`` hears what everybody hears, None everything.
    """
    return re.sub(r"\{(\d+)\}", lambda found: names[int(found[1])], match.tell(reader))


class Story:
    """The moves since it began, told to several readers and to a spectator.

    ``names`` are what it calls the seats; without them, what the match calls them.
    """

    def __init__(
        self, match: Match, readers: Iterable[int], names: Sequence[str] | None = None
    ) -> None:
        self.names = match.names if names is None else tuple(names)
        self._match = match
        self._first_ply = match.ply
        self._readers = dict.fromkeys([*readers, SPECTATOR])
        self._moves: list[dict[int, Told]] = []

    def hear(self, mover: int) -> None:
        """Take in the match's last move, which ``mover`` made."""
        match, names = self._match, self.names
        self._moves.append({r: Told(mover, last_move(match, names, r)) for r in self._readers})

    def forget(self) -> None:
        """Drop the moves that the match has taken back."""
        del self._moves[self._match.ply - self._first_ply :]

    def told(self, reader: int, since: int) -> list[Told]:
        """The moves as this reader heard them; those from ply ``since`` on are fresh."""
        heard = (move[reader] for move in self._moves)
        return [
            Told(one.seat, one.text, fresh=ply >= since)
            for ply, one in enumerate(heard, self._first_ply)
        ]

    def last(self, reader: int) -> str:
        """The last move as a sentence."""
        one = self._moves[-1][reader]
        return f"{self.names[one.seat]} {one.text}."
