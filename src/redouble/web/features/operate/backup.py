"""Copies of a data folder, made while its server runs, and put back."""

import contextlib
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from redouble.kernel.errors import RedoubleError
from redouble.web.people.people import KEY_FILE
from redouble.web.store import FILE, keep_private, refuse_empty

BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside a database."""


class BackupError(RedoubleError):
    """A backup can't be made or put back; the message says why."""


def refuse_postgresql(database: str) -> None:
    """Raise :class:`BackupError` if the address of a PostgreSQL database is given."""
    if database:
        raise BackupError(
            "this copies data folders: copy a PostgreSQL database with pg_dump, put it back with "
            f"pg_restore, and keep the folder's {KEY_FILE} with it"
        )


def back_up(data: Path, to: Path) -> None:
    """Copy the database and the key of a data folder to a new folder.

    The server may run meanwhile: the copy is the database as it is at one moment, and everything
    confirmed before this begins is in it. Raises :class:`BackupError`; then there is no new folder.
    """
    if not (data / FILE).is_file():
        raise BackupError(f"there is no database in {data}: choose another folder with --data")
    refuse_empty(data / FILE)
    if to.exists():
        raise BackupError(f"{to} exists already: name a new folder for the backup")
    new = to.with_name(f"{to.name}.new")
    try:
        new.mkdir(mode=0o700, parents=True)
        _copy_database(data / FILE, new / FILE)
        if (data / KEY_FILE).exists():
            _copy_file(data / KEY_FILE, new / KEY_FILE)
        _check(new / FILE)
        new.rename(to)
    except (OSError, sqlite3.Error) as error:
        shutil.rmtree(new, ignore_errors=True)
        raise BackupError(f"the backup can't be made: {error}") from error
    except BackupError:
        shutil.rmtree(new, ignore_errors=True)
        raise


def check_backup(folder: Path) -> None:
    """Raise :class:`BackupError` if there is no backup in a folder."""
    if not (folder / FILE).is_file():
        raise BackupError(f"there is no backup in {folder}: give a folder that backup has made")


def restore(backup: Path, data: Path, replace: bool = False) -> Path | None:
    """Put a backup into a data folder that no server uses.

    With ``replace``, what is there is moved into a new folder beside it, which is returned. The
    files belong to the owner of those that were there, or of the folder, even if root puts them
    back. Raises :class:`BackupError`.
    """
    check_backup(backup)
    owner = (data / FILE if (data / FILE).exists() else data).stat()
    names = [FILE, *(f"{FILE}{end}" for end in BESIDE), KEY_FILE]
    found = [name for name in names if (data / name).exists()]
    if FILE in found and not replace:
        raise BackupError(f"{data} has a database already: move it away with --replace")
    new = data / "restored.new"
    try:
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        _copy_database(backup / FILE, new / FILE)
        _check(new / FILE)
        if (backup / KEY_FILE).exists():
            _copy_file(backup / KEY_FILE, new / KEY_FILE)
        else:  # the backup's people would have to sign in by a key that is gone
            found = [name for name in found if name != KEY_FILE]
        aside = data / time.strftime("replaced-%Y%m%d-%H%M%S") if found else None
        if aside is not None:
            aside.mkdir(mode=0o700)
            _give(aside, owner)
            for name in found:
                (data / name).rename(aside / name)
        for file in new.iterdir():
            _give(file, owner)
            if file.name == FILE and FILE in found:
                file.chmod(stat.S_IMODE(owner.st_mode))
            file.rename(data / file.name)
        new.rmdir()
        for file in data.glob("*.lock"):  # made by this command, if the folder was new
            _give(file, owner)
    except (OSError, sqlite3.Error) as error:
        raise BackupError(f"the backup can't be put back: {error}") from error
    return aside


def _give(path: Path, owner: os.stat_result) -> None:
    with contextlib.suppress(PermissionError):  # only root may give files away
        os.chown(path, owner.st_uid, owner.st_gid)


def _copy_database(source: Path, to: Path) -> None:
    keep_private(to)
    with _opened(source) as old, _opened(to) as new:
        old.backup(new)  # in one read transaction, which keeps nobody from writing
        new.execute("PRAGMA journal_mode = DELETE")  # one file, without others beside it
    _sync(to)


def _copy_file(source: Path, to: Path) -> None:
    keep_private(to)
    to.write_bytes(source.read_bytes())
    _sync(to)


def _sync(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _check(path: Path) -> None:
    with _opened(path) as database:
        found = _damage(database)
        ours = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'")
        if found:
            raise BackupError(f"the database is damaged: {'; '.join(found)}")
        if not ours.fetchone()[0]:
            raise BackupError("this isn't a database of Redouble")


def _damage(database: sqlite3.Connection) -> list[str]:
    """Return what is wrong with a database, by its tables; nothing if it is whole."""
    found = [row[0] for row in database.execute("PRAGMA integrity_check(3)")]
    if found == ["ok"]:
        return []
    named = []
    for (table,) in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
    ).fetchall():
        try:
            said = [row[0] for row in database.execute(f'PRAGMA integrity_check("{table}")')]
        except sqlite3.DatabaseError as error:
            said = [str(error)]
        if said != ["ok"]:
            named.append(f"table {table}: {' '.join(said[0].split())}")
    return named or found


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    address = f"{path.resolve().as_uri()}?mode=rw"
    with contextlib.closing(sqlite3.connect(address, uri=True, isolation_level=None)) as opened:
        opened.execute("PRAGMA busy_timeout = 5000")
        yield opened
