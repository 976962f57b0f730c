"""Records in files: reading them, and saving a game wholly or not at all."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from secrets import token_hex

from redouble.kernel.errors import RecordError, RedoubleError
from redouble.match.match import Match
from redouble.match.record import Note, Record
from redouble.match.replay import replay


class SaveError(RedoubleError):
    """The game could not be written. A file that was there before is unchanged."""


def default_path(match: Match) -> Path:
    """The file in the current folder to which a game is saved by default."""
    word = "".join(letter for letter in match.seed if letter.isalnum() or letter in "-_")
    return Path(f"{match.game.name}-{word[:16] or 'game'}.json")


def save(match: Match, path: Path, notes: Sequence[Note] = ()) -> None:
    """Write the match's record with these notes, replacing an earlier save of the same game.

    Raises :class:`SaveError`.
    """
    try:
        _save(match.record(notes), path)
    except OSError as error:
        raise SaveError(f"{path} cannot be written: {error.strerror or error}") from error


def _save(record: Record, path: Path) -> None:
    path = Path(os.path.realpath(path))
    if path.exists() and not _is_save_of(record, path):
        raise SaveError(f"{path} already exists and is not this game: give another name")
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
    """Whether the file holds this game at some move, and nothing else."""
    if path.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        lines = list(islice(file, 2))
    try:
        old = Record.parse(lines[0]) if len(lines) == 1 else None
    except RecordError:
        return False
    return old is not None and all(
        getattr(old, key) == getattr(new, key) for key in ("game", "seats", "seed", "options")
    )


def load_match(path: Path) -> tuple[Match, Sequence[Note]]:
    """Return the game saved in a file, and the record's notes.

    Raises :class:`RecordError` or :class:`OSError`.
    """
    line, record = read_record(path, otherwise="give a file with one")
    with naming(path):
        match = replay(record, line)
        if match.turn is None:
            raise RecordError(f"the game is over: see it with redouble replay {path}")
    return match, record.notes


def read_record(
    path: Path, number: int | None = None, otherwise: str = "choose one with --line"
) -> tuple[int, Record]:
    """Return the only record of a file, or the one on line ``number``, with its line number.

    Raises :class:`RecordError`; where there are several, it says what to do ``otherwise``.
    """
    with naming(path):
        lines = numbered_lines(path)
        if number is None and len(lines) > 1:
            raise RecordError(f"there are {len(lines)} saved games: {otherwise}")
        for line, text in lines:
            if number in (None, line):
                return line, Record.parse(text, line)
        raise RecordError(f"there is no record on line {number}: choose another with --line")


def numbered_lines(path: Path) -> list[tuple[int, str]]:
    """Return the non-empty lines of a file with their numbers. ``-`` is standard input.

    Raises :class:`RecordError` if there are none.
    """
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        text = text.removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise RecordError("not UTF-8 text: give a file of saved games") from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise RecordError("there is no record: give a file with one record per line")
    return lines


@contextmanager
def naming(path: Path | str, line: int | None = None) -> Iterator[None]:
    """Name the file, and the line if given, in errors about its records."""
    try:
        yield
    except RedoubleError as error:
        name = "standard input" if str(path) == "-" else path
        said = str(error)
        if line is not None and not said.startswith("line "):
            said = f"line {line}: {said}"
        mark = "," if said.startswith("line ") else ":"
        raise type(error)(f"{name}{mark} {said}") from None
