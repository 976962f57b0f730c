"""What was done so far, in the words in which each reader may hear it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from redouble.match import Match
from redouble.state import SPECTATOR
from redouble.terminal.screen import shown
from redouble.terminal.table import Told


def seat_names(match: Match) -> list[str]:
    """The seats' names as they can be printed."""
    return [shown(name) or f"seat {seat}" for seat, name in enumerate(match.names)]


def last_move(match: Match, names: Sequence[str], reader: int | None) -> str:
    """The last move in words, the names of seats put in."""
    return re.sub(r"\{(\d+)\}", lambda found: names[int(found[1])], match.tell(reader))


class Story:
    """The moves since it began, told to several readers."""

    def __init__(self, match: Match, readers: Iterable[int]) -> None:
        self.names = seat_names(match)
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
