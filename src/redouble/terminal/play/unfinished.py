"""The game that is being played, kept in a file in case its terminal or its machine goes away."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TextIO

import platformdirs

from redouble.bots import BOTS
from redouble.kernel.errors import RedoubleError
from redouble.kernel.locks import lock
from redouble.match.match import Match
from redouble.match.record import Note, Record
from redouble.match.replay import replay
from redouble.terminal.ask.screen import Screen
from redouble.terminal.play.session import Session
from redouble.terminal.play.setup import Setup

MAX_KEPT = 20
"""Games that were cut off; beyond, the oldest are deleted."""
OFFER = "Enter: continue it   n: not now   d: delete it > "


class Keeper:
    """Keeps one game in a file, which is locked until this process ends, however it ends."""

    def __init__(self) -> None:
        self._file: TextIO | None = None
        self._path = Path()

    def keep(self, setup: Setup, session: Session) -> None:
        """Write the game as it is now, or nothing where that isn't possible."""
        game = session.match.record(session.notes).to_dict()
        line = json.dumps({"people": len(session.people), "bot": setup.bot, "record": game})
        with contextlib.suppress(OSError):
            if self._file is None:
                self._path = _new_path()
                self._file = _locked(self._path)
            self._file.seek(0)
            self._file.write(f"{line}\n")
            self._file.truncate()
            self._file.flush()
            os.fsync(self._file.fileno())

    def discard(self) -> None:
        """Delete the file: the game has ended, or its player has left it."""
        if self._file is not None:
            self._file.close()  # Windows deletes no open file
            self._file = None
            with contextlib.suppress(OSError):
                self._path.unlink()

    def open(self, path: Path) -> Unfinished | None:
        """Take over a file, and return its game; None if it has none to go on with.

        Raises :class:`OSError` if it can't be used, or another process plays its game.
        """
        self._path, self._file = path, _locked(path)
        try:
            kept = json.loads(self._file.read())
            record = Record.from_dict(kept["record"])
            match, people = replay(record), int(kept["people"])
            bot = BOTS[str(kept["bot"])].name
        except (ValueError, KeyError, TypeError, RedoubleError):
            return None
        if match.turn is None or not 0 <= people <= match.seats:
            return None
        return Unfinished(match, record.notes, people, bot, self)


@dataclass(frozen=True)
class Unfinished:
    match: Match
    notes: Sequence[Note]
    people: int
    bot: str
    keeper: Keeper


def offer_unfinished(screen: Screen) -> Unfinished | None:
    """Ask whether to continue the last game that was cut off; return it if so.

    Raises :class:`InputEnded`.
    """
    found = _last() if screen.typing else None
    if found is None:
        return None
    moves = "1 move" if found.match.ply == 1 else f"{found.match.ply} moves"
    screen.say(f"Your game of {found.match.game.title} was cut off after {moves}.")
    while True:
        answer = screen.ask(OFFER).lower()
        if answer in ("", "y", "yes", "c"):
            return found
        if answer in ("d", "delete"):
            found.keeper.discard()
            return None
        if answer in ("n", "no", "q", "quit"):
            return None
        screen.say(f"There is no choice {answer!r} here.")


def _folder() -> Path:
    return Path(platformdirs.user_data_dir("redouble")) / "unfinished"


def _new_path() -> Path:
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for old in _newest(folder)[MAX_KEPT - 1 :]:
        old.unlink(missing_ok=True)
    return folder / f"{token_hex(8)}.json"


def _locked(path: Path) -> TextIO:
    # Only its owner may read it: it tells all cards.
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
    try:
        lock(file.fileno())
    except OSError:
        file.close()
        raise
    return file


def _last() -> Unfinished | None:
    """Return the latest game that no process is playing and that these rules can go on with."""
    with contextlib.suppress(OSError):
        for path in _newest(_folder()):
            with contextlib.suppress(OSError):
                if (found := Keeper().open(path)) is not None:
                    return found
    return None


def _newest(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
