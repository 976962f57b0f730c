"""Writing a game to a file, wholly or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from redouble.kernel.errors import RecordError, RedoubleError
from redouble.match.match import Match
from redouble.match.record import MAX_LINE, Note, Record


class SaveError(RedoubleError):
    """The game could not be written. Says why; what was there before is still there."""


def default_path(match: Match) -> Path:
    """Where a game is saved when nobody says where: in the folder one is in."""
    word = "".join(letter for letter in match.seed if letter.isalnum() or letter in "-_")
    return Path(f"{match.game.name}-{word[:16] or 'game'}.json")


def save(match: Match, path: Path, notes: Sequence[Note] = ()) -> None:
    """Write the match's record with these notes; an earlier save of the same game is replaced.

    Raises :class:`SaveError`.
    """
    try:
        _save(match.record(notes), path)
    except OSError as error:
        raise SaveError(f"{path} cannot be written: {error.strerror or error}") from error


def _save(record: Record, path: Path) -> None:
    path = Path(os.path.realpath(path))
    if path.exists() and not _is_save_of(record, path):
        raise SaveError(f"{path} is there already and is not this game: give another name")
    beside = path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        with open(beside, "x", encoding="utf-8") as file:
            file.write(f"{record}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _is_save_of(new: Record, path: Path) -> bool:
    """Whether the file holds this game, at whatever move, and nothing else."""
    if path.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read(MAX_LINE + 1).splitlines()
    try:
        old = Record.parse(lines[0]) if len(lines) == 1 else None
    except RecordError:
        return False
    return old is not None and all(
        getattr(old, key) == getattr(new, key) for key in ("game", "seats", "seed", "options")
    )
