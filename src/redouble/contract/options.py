"""A game's options: what they are called, what they may be, and how a state carries them.

An option ``free-flip`` is written with a hyphen in records and on the command line and with an
underscore in Python and in the state, where a field of that name holds it as an int or as a list.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from redouble.kernel import checks
from redouble.kernel.errors import DeckError, OptionError, RedoubleError, about_file

__all__ = ["Choice", "Data", "DeckData", "Flag", "Number", "Option", "PerSeat", "exclusion"]

MAX_DATA_BYTES = 100_000
"""Bytes of a deck or board file; a larger file is refused unread."""

_SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_WORDS = {"yes": True, "no": False}


@dataclass(frozen=True)
class Option(ABC):
    """An option of a game. Raises :class:`OptionError` if its name or texts are not valid."""

    name: str
    """The slug by which records and the command line know it: lower case, with hyphens."""
    label: str
    """What pages and menus call it: two or three words."""
    default: Any
    meaning: str
    """One plain sentence that says what the option changes."""
    in_state: ClassVar[bool] = True
    """Whether the state has a field for it; the composition of a deck goes in as its box."""

    def __post_init__(self) -> None:
        if not _SLUG.fullmatch(checks.text(self.name, "name", OptionError)):
            right = "lower-case words with hyphens, such as 'free-flip'"
            raise checks.wrong("name", self.name, right, OptionError)
        for what in ("label", "meaning"):
            if not checks.text(getattr(self, what), what, OptionError):
                raise OptionError(f"option {self.name} has no {what}: give one")

    @property
    def field(self) -> str:
        """The state's field, and the Python keyword."""
        return self.name.replace("-", "_")

    @property
    def usual(self) -> str:
        """The default in words."""
        return written(self.default)

    @abstractmethod
    def check(self, value: Any, seats: int) -> Any:
        """Return the value as plain JSON, as records hold it.

        Raises :class:`OptionError` or :class:`DeckError` if the option cannot have it.
        """

    def encode(self, value: Any, seats: int) -> Any:
        """Return what the state's field holds for a value: an int or a list of ints.

        Raises what :meth:`check` raises.
        """
        return self.check(value, seats)

    def in_words(self, value: Any) -> str:
        """Return a value as people read it: a list with spaces after its commas."""
        return written(value).replace(",", ", ")

    def wrong(self, value: Any, right: str) -> OptionError:
        """Return the error that says what to give instead."""
        said = f"cannot be {checks.quoted(value)}: give {checks.text(right, 'right')}"
        return OptionError(f"option {self.name} {said}", f"{self.label} {said}")


@dataclass(frozen=True)
class Flag(Option):
    """A switch. Takes True and False, and as text yes and no."""

    def check(self, value: Any, seats: int) -> bool:
        if isinstance(value, str) and value.lower() in _WORDS:
            return _WORDS[value.lower()]
        if not isinstance(value, bool):
            raise self.wrong(value, "yes or no")
        return value

    def encode(self, value: Any, seats: int) -> int:
        return int(self.check(value, seats))


@dataclass(frozen=True)
class Number(Option):
    """A whole number from ``low`` to ``high``."""

    low: int
    high: int

    def check(self, value: Any, seats: int) -> int:
        number = _whole(value)
        if number is None or not self.low <= number <= self.high:
            raise self.wrong(value, f"a whole number from {self.low} to {self.high}")
        return number


@dataclass(frozen=True)
class Choice(Number):
    """One of several things, each with a number from ``low`` on. Takes its number or its words."""

    words: tuple[str, ...]
    """What each number stands for. Case and the marks between words don't matter in an answer."""

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = (
            checks.whole(each, "a limit", error=OptionError) for each in (self.low, self.high)
        )
        if len(checks.texts(self.words, "words", OptionError)) != high - low + 1:
            raise OptionError(f"option {self.name} has {len(self.words)} words: give one a number")

    @property
    def usual(self) -> str:
        return self.in_words(self.default)

    def check(self, value: Any, seats: int) -> int:
        if isinstance(value, str):
            said = {_only_words(words): self.low + i for i, words in enumerate(self.words)}
            value = said.get(_only_words(value), value)
        try:
            return super().check(value, seats)
        except OptionError:
            known = "; ".join(f"{self.low + i} {words}" for i, words in enumerate(self.words))
            raise self.wrong(value, f"one of these, by number or words: {known}") from None

    def in_words(self, value: Any) -> str:
        number = _whole(value)
        if number is None or not self.low <= number <= self.high:
            return written(value)
        return self.words[number - self.low]


@dataclass(frozen=True)
class PerSeat(Option):
    """One whole number per seat, as a list or as text with commas; None if not given."""

    low: int
    high: int

    def check(self, value: Any, seats: int) -> list[int] | None:
        seats = checks.whole(seats, "seats", error=OptionError)
        if value is None:
            return None
        parts = value.split(",") if isinstance(value, str) else value
        numbers = [_whole(part) for part in parts] if isinstance(parts, (list, tuple)) else []
        checked = [n for n in numbers if n is not None and self.low <= n <= self.high]
        if not len(numbers) == len(checked) == seats:
            right = f"{seats} whole numbers from {self.low} to {self.high}, one per seat"
            raise self.wrong(value, right)
        return checked

    def encode(self, value: Any, seats: int) -> list[int]:
        return self.check(value, seats) or []


@dataclass(frozen=True)
class Data(Option):
    """A deck or board of the user's own: its lines, or the :class:`~pathlib.Path` of a file.

    Only a ``Path`` names a file, which is read at once; records hold its lines. Text never does,
    so what comes over the network, from a record or from a language model can't read this
    machine's files; :func:`read_options` makes paths of what people type. ``read`` turns the lines
    into the numbers that the state's field holds, and raises :class:`DeckError` if they make no
    sense.
    """

    read: Callable[[Sequence[str]], list[int]]

    @property
    def usual(self) -> str:
        return "the game's own"

    def check(self, value: Any, seats: int) -> list[str] | None:
        if value is None:
            return None
        if isinstance(value, Path):
            lines = read_lines(value)
            try:
                return self.check(lines, seats)
            except DeckError as error:
                raise DeckError(f"{checks.printable(str(value))}: {error}") from None
        if not isinstance(value, (list, tuple)) or not all(isinstance(x, str) for x in value):
            raise self.wrong(value, "a list of lines")
        lines = [line.rstrip() for line in checks.texts(value, self.name, DeckError)]
        lines[:1] = [line.removeprefix("\ufeff") for line in lines[:1]]  # of an editor's file
        if (size := sum(map(len, lines))) > MAX_DATA_BYTES:
            said = f"{size} characters, more than {MAX_DATA_BYTES}"
            raise DeckError(f"{self.name}: {said}", f"{self.label}: {said}")
        try:
            self.read(lines)
        except DeckError as error:
            said = str(error).removeprefix("deck: ")
            raise DeckError(str(error), f"{self.label}: {said}") from None
        return lines

    def encode(self, value: Any, seats: int) -> list[int]:
        lines = self.check(value, seats)
        return self.read(self.default if lines is None else lines)


@dataclass(frozen=True)
class DeckData(Data):
    """A file that lists the cards of the deck; the game's ``box`` reads it."""

    in_state: ClassVar[bool] = False


def written(value: Any) -> str:
    """Return an option's value as people type it: yes, no, a number, or numbers with commas."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_shown, value))
    return _shown(value)


def _shown(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # a stranger's class may not have a text that works
        return checks.quoted(value)


def read_lines(path: Path | str) -> list[str]:
    """Return the lines of a small text file. Raises :class:`DeckError` if it cannot be read."""
    if not isinstance(path, (Path, str)):
        raise checks.wrong("file", path, "a file name", DeckError)
    shown = checks.printable(str(path))
    try:
        path = Path(path)
        if path.exists() and not path.is_file():
            raise DeckError(f"{shown} cannot be read: it is not a file")
        if path.stat().st_size > MAX_DATA_BYTES:
            raise DeckError(f"{shown} cannot be read: it is larger than {MAX_DATA_BYTES} bytes")
        return path.read_text(encoding="utf-8-sig").splitlines()
    except RedoubleError:
        raise
    except OSError as error:
        raise DeckError(about_file(error, shown)) from None
    except UnicodeDecodeError:
        raise DeckError(f"{shown} cannot be read: it is not UTF-8 text") from None
    except ValueError as error:  # a name that no file can have
        raise DeckError(f"{shown} cannot be read: {error}") from None


def read_counts(lines: Sequence[str], names: Sequence[str], max_cards: int) -> list[int]:
    """Return the cards of a deck file by card number, sorted.

    A line reads ``name x count``; ``#`` begins a comment. At most ``max_cards`` cards are allowed.
    Raises :class:`DeckError`, which names the line.
    """
    lines = checks.texts(lines, "lines", DeckError)
    names = checks.texts(names, "names", DeckError)
    max_cards = checks.whole(max_cards, "max_cards", 0, MAX_DATA_BYTES)
    cards: list[int] = []
    for number, line in enumerate(lines, 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        name, count = words[0], _whole(words[1].removeprefix("x")) if len(words) == 2 else None
        if name not in names:
            known = ", ".join(names)
            raise DeckError(
                f"line {number}: {checks.quoted(name)} is not a card: cards are {known}"
            )
        if count is None or count < 0:
            shown = checks.quoted(line.strip())
            raise DeckError(f"line {number}: {shown} is not a card and a count: write 'card x3'")
        cards += [names.index(name)] * min(count, max_cards + 1)  # a count may be astronomic
        if len(cards) > max_cards:
            raise DeckError(f"line {number}: too many cards: the deck holds at most {max_cards}")
    return sorted(cards)


def check_options(
    options: Sequence[Option], given: Mapping[str, Any], seats: int
) -> dict[str, Any]:
    """Return all options by name, those not given at their defaults.

    Names may be written with hyphens or underscores. Raises :class:`OptionError` or
    :class:`DeckError`.
    """
    checked = _options(options)
    by_name = {option.name: option for option in checked}
    if not isinstance(given, Mapping):
        raise checks.wrong("options", given, "a mapping of names to values", OptionError)
    seats = checks.whole(seats, "seats", 1, error=OptionError)
    values = {name: option.default for name, option in by_name.items()}
    for name, value in given.items():
        option = by_name.get(name.replace("_", "-")) if isinstance(name, str) else None
        if option is None:
            known = ", ".join(by_name) or "none"
            raise OptionError(
                f"there is no option {checks.quoted(name)}: the game's options are {known}"
            )
        values[option.name] = option.check(value, seats)
    return values


def read_options(options: Sequence[Option], texts: Sequence[str]) -> dict[str, Any]:
    """Return the values of texts ``name=value`` of a command line, unchecked.

    A flag's name alone turns it on, and a deck or board is the path of a file. Raises
    :class:`OptionError` for a name that is given twice or lacks a value.
    """
    texts = checks.texts(texts, "options", OptionError)
    options = _options(options)
    kinds = {option.name: type(option) for option in options}
    values: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip().replace("_", "-")
        kind = kinds.get(name, Option)
        if not sign and issubclass(kind, Flag):
            value = "yes"
        elif not sign and name in kinds:
            raise OptionError(f"option {name} needs a value: write {name}=...")
        if name in values:
            raise OptionError(f"option {name} is given twice: give it once")
        values[name] = Path(value.strip()) if issubclass(kind, Data) else value.strip()
    return values


def _options(options: Sequence[Option]) -> tuple[Option, ...]:
    checked = checks.items(options, "options", "options", OptionError)
    for option in checked:
        if not isinstance(option, Option):
            raise checks.wrong("an option", option, "an Option", OptionError)
    return checked


def exclusion(one: Option, other: Option, why: str) -> OptionError:
    """Return the error that two options exclude each other."""
    first, second = _options((one, other))
    said = f"exclude each other: {checks.text(why, 'why')}"
    return OptionError(
        f"{first.name} and {second.name} {said}", f"“{first.label}” and “{second.label}” {said}"
    )


def _only_words(text: str) -> str:
    """Return the words of a text without ``and``, as in ``red blue`` for ``Red and blue``."""
    return " ".join(word for word in re.findall(r"\w+", text.lower()) if word != "and")


def _whole(value: Any) -> int | None:
    """Return an int, or the int that a text spells; None for anything else, also booleans."""
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
