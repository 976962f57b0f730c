"""A game as one JSON line: its header and its moves.

Reading is strict. A record comes from anywhere, so an unknown key, game, rules version, option or
seat count and an illegal move are refused, each with one sentence, and no file is ever opened on a
record's behalf.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from redouble.kernel.errors import RecordError

MAX_LINE = 1_000_000
"""Characters; a longer line is refused unread."""
Note = tuple[int, str]
"""Something that happened besides moves: the number of moves made by then, and a sentence."""
MAX_NOTES = 200
MAX_NOTE = 200
"""Characters of one note."""

_KEYS = {"game", "rules", "seats", "options", "seed", "deck", "moves", "notes", "ranks"}
_NEEDED = _KEYS - {"deck", "notes", "ranks", "options"}


@dataclass(frozen=True)
class Record:
    """A game's header and moves; ``ranks`` only when the game is over.

    ``options`` holds those that are not at their defaults. ``notes`` say what else happened: "Anna
    left; a greedy bot plays for her." Raises :class:`RecordError` where a note is too long, or not
    at a ply of these moves, ascending.
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

    def __post_init__(self) -> None:
        _check_notes(self.notes, len(self.moves))

    @classmethod
    def parse(cls, line: str, number: int = 1) -> Record:
        """Read one JSON line, the ``number``-th of its file. Raises :class:`RecordError`.

        Only the form is checked here; :func:`~redouble.match.replay.replay` checks the game.
        """
        try:
            return cls._parse(line)
        except RecordError as error:
            raise RecordError(f"line {number}: {error}") from None

    @classmethod
    def _parse(cls, line: str) -> Record:
        if len(line) > MAX_LINE:
            raise RecordError(f"longer than {MAX_LINE} characters: no record")
        try:
            data = json.loads(line, object_pairs_hook=_without_repeats)
        except RecordError:
            raise
        except (ValueError, RecursionError) as error:
            raise RecordError(f"not JSON: {error}") from None
        if not isinstance(data, dict):
            raise RecordError("not a JSON object")
        if unknown := sorted(set(data) - _KEYS):
            raise RecordError(f"unknown key {unknown[0]!r}; keys are {', '.join(sorted(_KEYS))}")
        if missing := sorted(_NEEDED - set(data)):
            raise RecordError(f"the key {missing[0]!r} is missing")
        moves = _typed(data, "moves", str, "a string")
        return cls(
            game=_typed(data, "game", str, "a string"),
            rules=_typed(data, "rules", int, "a whole number"),
            seats=_strings(data, "seats"),
            seed=_typed(data, "seed", str, "a string"),
            moves=tuple(move.replace("_", " ") for move in moves.split()),
            options=_typed(data, "options", dict, "an object", default={}),
            deck=None if data.get("deck") is None else _strings(data, "deck"),
            ranks=None if data.get("ranks") is None else _numbers(data, "ranks"),
            notes=_pairs(data, "notes"),
        )

    def notes_at(self, ply: int) -> list[str]:
        """What happened when so many moves had been made."""
        return [sentence for at, sentence in self.notes if at == ply]

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON, as :meth:`parse` reads it."""
        data: dict[str, Any] = {
            "game": self.game,
            "rules": self.rules,
            "seats": list(self.seats),
            "options": self.options,
            "seed": self.seed,
        }
        if self.deck is not None:
            data["deck"] = list(self.deck)
        # A space parts two moves; a space within a move is written as a low line.
        data["moves"] = " ".join(move.replace(" ", "_") for move in self.moves)
        if self.notes:
            data["notes"] = [list(note) for note in self.notes]
        if self.ranks is not None:
            data["ranks"] = list(self.ranks)
        return data

    def __str__(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)


def read_records(lines: Iterable[str]) -> Iterator[Record]:
    """The records of a file, one a line; empty lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield Record.parse(line, number)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RecordError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands twice")
    return data


def _typed(data: dict[str, Any], key: str, kind: type, right: str, default: Any = None) -> Any:
    value = data.get(key, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RecordError(f"{key} cannot be {value!r}: give {right}")
    return value


def _strings(data: dict[str, Any], key: str) -> tuple[str, ...]:
    values = _typed(data, key, list, "a list of strings")
    if not all(isinstance(value, str) for value in values):
        raise RecordError(f"{key} must hold strings only")
    return tuple(values)


def _numbers(data: dict[str, Any], key: str) -> tuple[int, ...]:
    values = _typed(data, key, list, "a list of whole numbers")
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        raise RecordError(f"{key} must hold whole numbers only")
    return tuple(values)


def _pairs(data: dict[str, Any], key: str) -> tuple[Note, ...]:
    values = _typed(data, key, list, "a list of pairs of a ply and a sentence", default=[])
    for value in values:
        if not (
            isinstance(value, list)
            and len(value) == 2
            and isinstance(value[0], int)
            and not isinstance(value[0], bool)
            and isinstance(value[1], str)
        ):
            raise RecordError(f"{key} must hold pairs of a ply and a sentence only")
    return tuple((ply, sentence) for ply, sentence in values)


def _check_notes(notes: Sequence[Note], moves: int) -> None:
    if len(notes) > MAX_NOTES:
        raise RecordError(f"{len(notes)} notes are too many: {MAX_NOTES} at most")
    before = 0
    for number, (ply, sentence) in enumerate(notes, 1):
        if not 0 <= ply <= moves:
            raise RecordError(f"note {number}: there is no ply {ply}; plies are 0 to {moves}")
        if ply < before:
            raise RecordError(f"note {number}: ply {ply} comes after ply {before}: notes ascend")
        if not 1 <= len(sentence) <= MAX_NOTE:
            raise RecordError(
                f"note {number}: {len(sentence)} characters; a note has 1 to {MAX_NOTE}"
            )
        before = ply
