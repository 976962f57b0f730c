"""A recorded game as a film: every ply at once, through anybody's eyes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from redouble.kernel.errors import RecordError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.match.replay import replay
from redouble.match.story import Told, last_move
from redouble.web.errors import WebError
from redouble.web.scene import Scene, scene_of

MAX_MOVES = 5000
"""A longer game is not shown."""
FRAMES = 32
"""The match is kept every so many plies; those between are played from the one before."""
KEPT = 24
"""Films in memory."""
OPEN, ONLOOKER = "open", "onlooker"
"""Whose eyes, besides the seats' by their number: nobody's, so that all is seen; the public's."""
MAX_NAME = 40
MAX_VALUE = 120


class Film:
    """A record that was replayed. Raises :class:`RecordError` when it cannot be.

    Nothing changes once it is made, but what is kept of what was asked for.
    """

    def __init__(self, record: Record) -> None:
        if len(record.moves) > MAX_MOVES:
            raise RecordError(
                f"{len(record.moves)} moves are too many to show: {MAX_MOVES} at most"
            )
        whole = replay(record)
        self.record = record
        self.key = hashlib.sha256(str(record).encode("utf-8", "surrogatepass")).hexdigest()
        """Films with the same key are of the same record."""
        self.game = whole.game
        self.outcome = whole.outcome
        self.names = [_name(name, seat) for seat, name in enumerate(record.seats)]
        match = replay(replace(record, moves=(), ranks=None, notes=()))
        self._frames = [match.copy()]
        for move in record.moves:
            match.push(move)
            if match.ply % FRAMES == 0:
                self._frames.append(match.copy())
        self._told: dict[int | None, list[Told]] = {}

    @property
    def seats(self) -> int:
        return len(self.names)

    @property
    def last(self) -> int:
        """The last ply."""
        return len(self.record.moves)

    def eyes(self, text: str) -> int | None:
        """Whose view a page asks for, as views count them. Raises :class:`WebError`."""
        if text == OPEN:
            return None
        if text == ONLOOKER:
            return SPECTATOR
        if text.isdecimal() and len(text) < 4 and int(text) < self.seats:
            return int(text)
        raise WebError(
            f"eyes cannot be {text[:MAX_NAME]!r}: give {OPEN!r}, {ONLOOKER!r} "
            f"or a seat from 0 to {self.seats - 1}"
        )

    def at(self, ply: int) -> Match:
        """The match as it stood after so many moves: a copy."""
        match = self._frames[ply // FRAMES].copy()
        while match.ply < ply:
            match.push(self.record.moves[match.ply])
        return match

    def told(self, eyes: int | None) -> list[Told]:
        """Every move in words, as these eyes may know it."""
        if eyes not in self._told:
            match = self.at(0)
            found = []
            for move in self.record.moves:
                mover = match.turn
                assert mover is not None
                match.push(move)
                found.append(Told(mover, last_move(match, self.names, eyes)))
            self._told[eyes] = found
        return self._told[eyes]

    def scene(self, ply: int, eyes: int | None, mine: int | None = None) -> Scene:
        """What there is to draw; in an open view, ``mine`` is the seat that lies nearest."""
        scene = scene_of(self.at(ply).view(eyes), self.game, self.names, playable=False)
        if eyes is None:
            nearest = 0 if self.seats == 1 else mine
            for place in scene.places:
                place.me = place.seat == nearest
        return scene

    def notes(self, ply: int) -> list[str]:
        """What else happened when so many moves had been made."""
        return [_visible(note) for note in self.record.notes_at(ply)]

    @property
    def seed(self) -> str:
        """The name of the deal."""
        return _short(_visible(self.record.seed))

    @property
    def options(self) -> list[tuple[str, str]]:
        """The options that were not as usual."""
        return [(name, _value(value)) for name, value in self.record.options.items()]

    @property
    def placing(self) -> list[dict[str, Any]]:
        """The seats with rank and score, the first first; without them when it has no end."""
        ended = self.outcome
        scores = ended.scores if ended else None
        rows = [
            {
                "seat": seat,
                "name": name,
                "rank": ended.ranks[seat] if ended else None,
                "score": scores[seat] if scores else None,
            }
            for seat, name in enumerate(self.names)
        ]
        return sorted(rows, key=lambda row: row["rank"] or 0)


@dataclass(frozen=True)
class Played:
    """A game that can be looked at again, and where it is kept."""

    film: Film
    table: str = ""
    """The token of the table where it was played; empty for a record that was brought along."""
    record: str = ""
    """The token of that record."""

    @property
    def at(self) -> str:
        """The address that the pages of this game begin with."""
        return f"/t/{self.table}" if self.table else f"/r/{self.record}"

    @property
    def replay(self) -> str:
        return f"{self.at}/replay" if self.table else self.at

    @property
    def review(self) -> str:
        return f"{self.at}/review"


@lru_cache(maxsize=KEPT)
def film_of(line: str) -> Film:
    """The film of a record, made once while it is looked at. Raises :class:`RecordError`."""
    return Film(Record.parse(line))


def _visible(text: str) -> str:
    return "".join(c for c in text if c.isprintable())


def _name(name: str, seat: int) -> str:
    """A name from anywhere, as it can be shown."""
    return " ".join(_visible(name).split())[:MAX_NAME] or f"Seat {seat + 1}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return _short(_visible(text))


def _short(text: str) -> str:
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]} ..."
