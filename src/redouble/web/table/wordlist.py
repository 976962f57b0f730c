# ruff: noqa: RUF001 - look-alike letters are what this is about
"""Words that an operator doesn't want in names and chat, from a file of theirs.

Only whole words count, so *Cassandra* and *Hancock* are names like others. Look-alike letters,
digits for letters, repeated letters, spaced-out letters and signs within a word don't hide one.
"""

import logging
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from redouble.kernel.errors import RedoubleError, about_file
from redouble.web.errors import WebError
from redouble.web.table.names import CAPITALS, SMALL

PREFIX = "*"
"""What stands behind a word of the list with which no word may begin."""
LEET = str.maketrans("34578@$!€+", "eastbaslet")
"""Digits and signs that stand for letters; names.py has others."""
LETTERS_TOO = "@$€"
"""Signs that are a letter even in a word without one."""
AROUND = ".,;:!?…\"'“”„‘’«»()[]{}<>"
"""What stands around words."""
WITHIN = re.compile(r"[-_*~'’`^#=\\/·•]")
"""What is put into words to hide them."""
BETWEEN = re.compile(r"[^\w@$€+|!]|_")
"""What stands between the parts of a word."""
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
RUN = 3
"""Single letters in a row that are read as a word."""
_log = logging.getLogger(__name__)


class WordListError(RedoubleError):
    """The operator's file can't be read."""


class WordList:
    """The words of a file, read again when it has changed; none without a file."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._file: Path | None = None
        self._stamp = (0.0, 0)
        self._take(words)

    def use(self, file: Path | None) -> None:
        """Use a file: one word on each line; what follows a ``#`` is a comment.

        Raises :class:`WordListError`.
        """
        self._file = file
        if file is None:
            self._take(())
            return
        try:
            self._read(file)
        except OSError as error:
            raise WordListError(about_file(error, file)) from error
        except UnicodeDecodeError as error:
            raise WordListError(f"{file} can't be read: give a text file in UTF-8") from error

    def check_name(self, name: str) -> None:
        """Raise :class:`WebError` for a name that has one of the words."""
        if self.has(name):
            raise WebError("this name isn't allowed on this site: choose another one")

    def check_line(self, text: str) -> None:
        """Raise :class:`WebError` for a line of chat that has one of the words."""
        if self.has(text):
            raise WebError("this line has a word that isn't allowed on this site: change it")

    def has(self, text: str) -> bool:
        """Return whether a text has one of the words."""
        self._look_again()
        if self._whole is None or self._within is None:
            return False
        if any(self._whole.search(one) for one in _readings(text)):
            return True
        return any(self._within.search(one) for one in _spaced_out(text))

    def _look_again(self) -> None:
        if self._file is None:
            return
        try:
            if _stamp_of(self._file) != self._stamp:
                self._read(self._file)
        except (OSError, UnicodeDecodeError) as error:
            _log.error("%s can't be read, so its earlier words stay: %s", self._file, error)

    def _read(self, file: Path) -> None:
        stamp = _stamp_of(file)
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        self._take(line.partition("#")[0] for line in lines)
        self._stamp = stamp

    def _take(self, words: Iterable[str]) -> None:
        patterns = [one for one in map(_pattern, words) if one]
        either = "|".join(patterns)
        self._whole = re.compile(rf"(?:^| )(?:{either})(?: |$)") if patterns else None
        self._within = re.compile(either) if patterns else None


def _stamp_of(file: Path) -> tuple[float, int]:
    found = file.stat()
    return found.st_mtime, found.st_size


def _pattern(line: str) -> str:
    """Return the regular expression of a word of the list; empty for an empty line."""
    prefix = line.strip().endswith(PREFIX)
    word = " ".join(map(_skeleton, line.strip().rstrip(PREFIX).split()))
    runs = (match[0] for match in re.finditer(r"(.)\1*", word))
    found = "".join(f"{re.escape(run[0])}{{{len(run)},}}" for run in runs)
    return f"{found}[^ ]*" if found and prefix else found


def _skeleton(word: str) -> str:
    """Return what is the same for words that look alike."""
    plain = unicodedata.normalize("NFKC", word)
    if not any(char.isalpha() or char in LETTERS_TOO for char in plain):
        return plain  # a number is a number
    small = unicodedata.normalize("NFD", plain.translate(CAPITALS).casefold())
    bare = "".join(char for char in small if unicodedata.category(char) != "Mn")
    return bare.translate(SMALL).translate(LEET).replace("i", "l")


def _parts(text: str) -> list[str]:
    parts = (one.strip("!") for one in BETWEEN.split(unicodedata.normalize("NFKC", text)))
    return [one for one in parts if one]


def _readings(text: str) -> Iterator[str]:
    """Yield the ways in which a text can be read, as skeletons of words between spaces."""
    chunks = [one.strip(AROUND) for one in unicodedata.normalize("NFKC", text).split()]
    parts = _parts(text)
    for words in (
        [WITHIN.sub("", one) for one in chunks],
        parts,
        [word for part in parts for word in CAMEL.split(part)],
        [part.strip("0123456789+|!") for part in parts],
    ):
        yield " ".join(map(_skeleton, words))


def _spaced_out(text: str) -> Iterator[str]:
    run: list[str] = []
    for part in [*_parts(text), "end"]:
        if len(part) == 1:
            run.append(part)
            continue
        if len(run) >= RUN:
            yield _skeleton("".join(run))
        run = []


WORDS = WordList()
"""The words that this server doesn't want."""
