"""Writing a data set: Parquet files and a card in a folder that appears when all is complete."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from redouble.bots.levels import LEVELS
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.extras import needs
from redouble.kernel.files import UnwritableFile
from redouble.kernel.locks import lock
from redouble.lab.dataset.card import CARD, ROWS, DatasetFile, card
from redouble.lab.dataset.columns import Column, tables
from redouble.lab.dataset.job import GAMES_SERIES, PUZZLES_SERIES, DatasetJob, Rows
from redouble.lab.shards import Executor, InOrder, Shard, carry_out, check_callable

__all__ = ["Dataset", "build"]

ALL_LEVELS = ("random", *LEVELS)
"""The bots that play unless you name others: every level, weakest first."""
GROUP = 4096
"""Rows, at least, that are written together."""
BY_COLUMN = "worlds"
"""The table whose rows come as columns."""
ORDER = {table: place for place, table in enumerate(ROWS)}
LIST = re.compile(r"list<(\w+)>")
FIXED = re.compile(r"(\w+)\[(\d+)\]")


@dataclass(frozen=True)
class Dataset:
    """A data set that was written."""

    folder: Path
    job: DatasetJob
    """What was played; after Ctrl-C, with the number of games that are in the files."""
    files: tuple[DatasetFile, ...]
    stopped: bool

    def __post_init__(self) -> None:
        checks.instance(self.folder, Path, "folder")
        checks.instance(self.job, DatasetJob, "job")
        for one in checks.items(self.files, "files", "files"):
            checks.instance(one, DatasetFile, "a file")

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows of each table."""
        return {one.table: one.rows for one in self.files}

    def digest(self) -> str:
        """Return the SHA-256 of the card, which has the digests of the other files.

        Raises :class:`~redouble.kernel.errors.InputError` if the folder has no card any more.
        """
        try:
            return _sha256(self.folder / CARD)
        except (OSError, ValueError) as error:
            raise InputError(f"{self.folder} has no card that can be read: {error}") from None


def build(
    game: Game | str,
    out: Path,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    bots: Sequence[str] = ALL_LEVELS,
    games: int = 100,
    positions: int = 4,
    worlds: int = 200,
    seed: str = "dataset",
    puzzles: bool = True,
    executor: Executor | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Dataset:
    """Play games, value positions of them, and write all of it to the folder ``out``.

    The other arguments are those of :class:`~redouble.lab.dataset.job.DatasetJob`. Without
    ``seats`` it is the game's usual number; ``options`` change those by which people usually play.
    Without an ``executor`` all cores of this machine are used. ``watch`` is called again and again
    with the numbers of puzzles and games done, and of all of them.

    The same arguments write the same bytes, with the same versions of Redouble and pyarrow. The
    folder appears when it is complete: until then its files are in a hidden folder next to it,
    which is deleted after an error, or by the next run if the process was killed. Ctrl-C writes the
    games so far, or raises :class:`KeyboardInterrupt` before the first. Raises
    :class:`~redouble.kernel.files.UnwritableFile` if the folder exists and isn't empty or can't be
    written, :class:`~redouble.kernel.errors.MissingExtra` without pyarrow, :class:`OSError` for a
    full disk, and what the job raises.
    """
    chosen = GAMES[game] if isinstance(game, str) else checks.instance(game, Game, "game")
    job = DatasetJob(
        chosen.name,
        chosen.usual_seats if seats is None else seats,
        checks.texts(bots, "bots"),
        games,
        checks.text(seed, "seed"),
        chosen.as_played({} if options is None else options),
        positions,
        worlds,
        puzzles,
    )
    check_callable(watch, "watch", "a function of the numbers done and in all")
    with needs("a data set", "data"):
        import_module("pyarrow")  # its lack is said before games are played
    check_folder(out)
    partial = out.absolute().with_name(f".{out.absolute().name}.partial")
    partial.mkdir(exist_ok=True)
    with _locked(partial):
        try:
            for left in partial.iterdir():  # by a process that was killed
                left.unlink()
            built = _write(job, partial, executor, watch)
            for path in partial.iterdir():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
            partial.rename(out)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
    return replace(built, folder=out)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder until the process ends. Raises :class:`UnwritableFile` if another has it."""
    number = os.open(folder, os.O_RDONLY)
    try:
        try:
            lock(number)
        except BlockingIOError:
            raise UnwritableFile(
                f"another process writes to {folder}: wait for it, or give another name"
            ) from None
        yield
    finally:
        os.close(number)


def check_folder(out: Path) -> None:
    """Raise :class:`UnwritableFile` if no new folder can be made there; change nothing."""
    checks.instance(out, Path, "out", UnwritableFile)
    if "\0" in str(out):
        raise UnwritableFile("the name of a folder cannot have a zero byte: give another name")
    if out.is_dir():
        if any(out.iterdir()):
            raise UnwritableFile(f"the folder {out} isn't empty: give the name of a new one")
    elif out.exists():
        raise UnwritableFile(f"{out} is a file: give the name of a new folder")
    parent = out.absolute().parent
    if not parent.is_dir():
        raise UnwritableFile(f"{out} cannot be written: there is no folder {out.parent}")
    if not os.access(parent, os.W_OK):
        raise UnwritableFile(f"{out} cannot be written: permission denied")


def _write(
    job: DatasetJob, folder: Path, executor: Executor | None, watch: Callable[[int, int], None]
) -> Dataset:
    total = sum(shard.count for shard in job.shards())
    with DatasetWriter(job, folder) as writer:
        ran = carry_out(job, executor, writer.take, lambda stopping: watch(writer.done, total))
    if not ran.complete:
        if writer.written[PUZZLES_SERIES] < total - job.games or not writer.written[GAMES_SERIES]:
            raise KeyboardInterrupt
        job = replace(job, games=writer.written[GAMES_SERIES])
    files = tuple(
        DatasetFile(table, path.name, rows, path.stat().st_size, _sha256(path))
        for table, (path, rows) in sorted(writer.files.items(), key=lambda one: ORDER[one[0]])
    )
    (folder / CARD).write_text(card(job, files), encoding="utf-8")
    return Dataset(folder, job, files, not ran.complete)


class DatasetWriter:
    """Writes rows to files in the order of their shards, in whatever order they arrive."""

    def __init__(self, job: DatasetJob, folder: Path) -> None:
        self._columns = tables(GAMES[job.game], job.seats)
        self._folder = folder
        self._about = {"game": job.game, "seats": str(job.seats)}
        self._order: InOrder[Rows] = InOrder()
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._sizes: dict[str, int] = {}
        self._open: dict[str, Any] = {}
        self.written = self._order.done
        """How many puzzles and games were written, in order."""
        self.done = 0
        self.files: dict[str, tuple[Path, int]] = {}

    def __enter__(self) -> DatasetWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                for table in list(self._rows):
                    self._flush(table)
        finally:
            for file in self._open.values():
                file.close()

    def take(self, shard: Shard, rows: Rows) -> None:
        """Write the rows of a shard as soon as those before it are written."""
        self.done += shard.count
        for ready in self._order.take(shard, rows):
            for table, more in ready.items():
                for row in more:
                    self._rows.setdefault(table, []).append(row)
                    self._sizes[table] = self._sizes.get(table, 0) + _size(table, row)
                    if self._sizes[table] >= GROUP:
                        self._flush(table)

    def _flush(self, table: str) -> None:
        """Write the rows that wait as one group."""
        rows, self._rows[table], self._sizes[table] = self._rows[table], [], 0
        if not rows:
            return
        import pyarrow.parquet

        columns = self._columns[table]
        schema = arrow_schema(columns, self._about)
        if table == BY_COLUMN:
            group = pyarrow.concat_tables(_arrow_columns(columns, schema, row) for row in rows)
        else:
            group = pyarrow.Table.from_pylist(rows, schema)
        path = self._folder / f"{table}.parquet"
        if table not in self._open:
            self._open[table] = pyarrow.parquet.ParquetWriter(path, schema, compression="zstd")
        self._open[table].write_table(group)
        self.files[table] = path, self.files.get(table, (path, 0))[1] + group.num_rows


def _size(table: str, row: Mapping[str, Any]) -> int:
    """Return the number of rows that an item of :data:`Rows` stands for."""
    return len(row["state"]) if table == BY_COLUMN else 1


def _arrow_columns(columns: Sequence[Column], schema: Any, found: Mapping[str, Any]) -> Any:
    import pyarrow

    n = _size(BY_COLUMN, found)

    def arrow(column: Column) -> Any:
        kind, value = schema.field(column.name).type, found[column.name]
        if not isinstance(value, np.ndarray):
            value = np.full(n, value)
        if value.dtype.names:  # packed states
            buffers = [None, pyarrow.py_buffer(value.tobytes())]
            return pyarrow.FixedSizeBinaryArray.from_buffers(kind, n, buffers)
        if value.ndim == 1:
            return pyarrow.array(value, kind)
        offsets = pyarrow.array(np.arange(n + 1) * value.shape[1], pyarrow.int32())
        items = pyarrow.array(value.ravel(), kind.value_type)
        return pyarrow.ListArray.from_arrays(offsets, items, type=kind)

    return pyarrow.Table.from_arrays([arrow(column) for column in columns], schema=schema)


def arrow_schema(columns: Sequence[Column], about: Mapping[str, str]) -> Any:
    """Return the schema of a table, which says of each column what it means and who knows it."""
    import pyarrow

    def kind_of(kind: str) -> Any:
        if found := LIST.fullmatch(kind):
            return pyarrow.list_(kind_of(found[1]))
        if found := FIXED.fullmatch(kind):
            if found[1] == "binary":
                return pyarrow.binary(int(found[2]))
            return pyarrow.list_(kind_of(found[1]), int(found[2]))
        return getattr(pyarrow, kind)()

    def field(column: Column) -> Any:
        notes = {"meaning": column.meaning, "known by": column.known_by}
        return pyarrow.field(column.name, kind_of(column.kind), metadata=notes)

    return pyarrow.schema([field(column) for column in columns], metadata=dict(about))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
