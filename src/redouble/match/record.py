"""A game as one JSON line: its header and its moves.

Reading is strict. A record comes from anywhere, so an unknown key, game, rules version, option or
seat count and an illegal move are refused, each with one sentence, and no file is ever opened on a
record's behalf.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from redouble.kernel import checks
from redouble.kernel.border import JsonShape, check_json, read_json, to_json
from redouble.kernel.errors import RecordError
from redouble.match.fair import FairDeal

__all__ = ["Note", "Record", "read_records"]

MAX_MOVES = 10_000_000
"""Moves of a record: more than a match of 99 long games has."""
Note = tuple[int, str]
"""Something that happened besides moves: the number of moves made by then, and a sentence."""
MAX_NOTES = 200
"""Notes of a record."""
MAX_NOTE = 200
"""Characters of a note."""


@dataclass(frozen=True)
class Record:
    """A game's header and moves.

    ``options`` holds only the options that differ from their defaults; ``ranks`` is None unless the
    game is over. ``notes`` say what else happened: "Anna left; a greedy bot plays for her."
    ``fair`` says how the seed of a fair deal came about; its chance can't be predicted.
    Raises :class:`RecordError` if a field has the wrong type, or if a note is too long or is not at
    one of these plies, in ascending order.
    """

    game: str
    rules: int
    seats: tuple[str, ...]
    seed: str
    moves: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    deck: tuple[str, ...] | None = None
    ranks: tuple[int, ...] | None = None
    notes: tuple[Note, ...] = ()
    fair: FairDeal | None = None

    def __post_init__(self) -> None:
        checks.text(self.game, "game", RecordError)
        checks.whole(self.rules, "rules", error=RecordError)
        checks.text(self.seed, "seed", RecordError)
        for what in ("seats", "moves", "deck"):
            if what != "deck" or self.deck is not None:
                most = MAX_MOVES if what == "moves" else checks.MAX_ITEMS
                given = checks.texts(getattr(self, what), what, RecordError, most)
                object.__setattr__(self, what, given)
        if not isinstance(self.options, dict):
            raise checks.wrong("options", self.options, "a dictionary", RecordError)
        if self.ranks is not None:
            ranks = checks.items(self.ranks, "ranks", "whole numbers", RecordError)
            found = tuple(checks.whole(rank, "a rank", error=RecordError) for rank in ranks)
            object.__setattr__(self, "ranks", found)
        if self.fair is not None:
            checks.instance(self.fair, FairDeal, "fair", RecordError)
        object.__setattr__(self, "notes", _checked_notes(self.notes, len(self.moves)))

    @classmethod
    def parse(cls, line: str, number: int = 1) -> Record:
        """Read one JSON line, the ``number``-th of its file.

        Raises :class:`RecordError` with the line number. This checks the form only;
        :func:`~redouble.match.replay.replay` checks the game.
        """
        number = checks.whole(number, "number", error=RecordError)
        try:
            checks.text(line, "a record", RecordError)
            return read_json(_Line, line, RecordError).record()
        except RecordError as error:
            raise RecordError(f"line {checks.quoted(number)}: {error}") from None

    @classmethod
    def from_dict(cls, data: object) -> Record:
        """Return the record that plain JSON holds. Raises :class:`RecordError`."""
        return check_json(_Line, data, RecordError).record()

    def notes_at(self, ply: int) -> list[str]:
        """Return the notes made after this number of moves."""
        return [sentence for at, sentence in self.notes if at == ply]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain JSON, as :meth:`from_dict` reads it."""
        moves = " ".join(move.replace(" ", "_") for move in self.moves)
        line = _Line(**{**vars(self), "moves": moves})
        return {key: value for key, value in to_json(line).items() if value not in (None, [])}

    @property
    def key(self) -> str:
        """A digest of the record: equal for equal records."""
        return hashlib.sha256(str(self).encode("utf-8", "surrogatepass")).hexdigest()

    def __str__(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class _Line(JsonShape):
    """A record as its JSON has it, with the keys in the documented order."""

    game: str
    rules: int
    seats: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    seed: str
    deck: tuple[str, ...] | None = None
    moves: str
    """Moves are separated by spaces; a space within a move becomes an underscore."""
    notes: tuple[Note, ...] = ()
    ranks: tuple[int, ...] | None = None
    fair: FairDeal | None = None

    def record(self) -> Record:
        """Return the record with its moves taken apart."""
        moves = tuple(move.replace("_", " ") for move in self.moves.split())
        return Record(**{**vars(self), "moves": moves})


def read_records(lines: Iterable[str]) -> Iterator[Record]:
    """Return the records of a file, one per line, as an iterator; empty lines are skipped.

    Raises :class:`RecordError`, which names the line.
    """
    if isinstance(lines, str) or not isinstance(lines, Iterable):
        raise checks.wrong("lines", lines, "a file or a list of lines", RecordError)
    return (
        Record.parse(line, number)
        for number, line in enumerate(lines, 1)
        if not isinstance(line, str) or line.strip()
    )


def _checked_notes(notes: Sequence[Note], moves: int) -> tuple[Note, ...]:
    checked: list[Note] = []
    for number, note in enumerate(checks.items(notes, "notes", "notes", RecordError), 1):
        pair = note if isinstance(note, (tuple, list)) else ()
        if len(pair) != 2:
            raise checks.wrong(f"note {number}", note, "a ply and a sentence", RecordError)
        ply = checks.whole(pair[0], f"note {number}: the ply", error=RecordError)
        sentence = checks.text(pair[1], f"note {number}: the sentence", RecordError)
        if number > MAX_NOTES:
            raise RecordError(f"{len(notes)} notes are too many: give at most {MAX_NOTES}")
        if not 0 <= ply <= moves:
            raise RecordError(f"note {number}: there is no ply {ply}; plies are 0 to {moves}")
        if checked and ply < checked[-1][0]:
            raise RecordError(
                f"note {number}: ply {ply} comes after ply {checked[-1][0]}: sort notes by ply"
            )
        if not 1 <= len(sentence) <= MAX_NOTE:
            raise RecordError(
                f"note {number}: {len(sentence)} characters; a note has 1 to {MAX_NOTE}"
            )
        checked.append((ply, sentence))
    return tuple(checked)
