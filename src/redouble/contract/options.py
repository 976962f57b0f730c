"""A game's options: what they are called, what they may be, and how a state carries them.

An option ``free-flip`` is written with a hyphen in records and on the command line and with an
underscore in Python and in the state, where a field of that name holds it as an int or as a list.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from redouble.kernel.errors import DeckError, OptionError

MAX_DATA_BYTES = 100_000
"""A deck or board file larger than this is refused unread."""


@dataclass(frozen=True)
class Option(ABC):
    """One option. ``check`` turns what a person gave into the value that a record holds."""

    name: str
    """The slug by which records and the command line know it: lower case, with hyphens."""
    label: str
    """What pages and menus call it: two or three words."""
    default: Any
    meaning: str
    """One plain sentence that says what the option changes."""
    in_state: ClassVar[bool] = True
    """Whether the state has a field for it; the composition of a deck goes in as its box."""

    @property
    def field(self) -> str:
        """The state's field, and the Python keyword."""
        return self.name.replace("-", "_")

    @abstractmethod
    def check(self, value: Any, seats: int) -> Any:
        """The value as JSON; raises :class:`OptionError` when the option cannot have it."""

    def encode(self, value: Any) -> Any:
        """What the state's field holds for a checked value."""
        return value

    def wrong(self, value: Any, right: str) -> OptionError:
        return OptionError(f"option {self.name} cannot be {value!r}: give {right}")


@dataclass(frozen=True)
class Flag(Option):
    """A switch; ``yes``/``no``, ``on``/``off`` and ``true``/``false`` are accepted as text."""

    def check(self, value: Any, seats: int) -> bool:
        words = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        if not isinstance(value, bool):
            raise self.wrong(value, "yes or no")
        return value

    def encode(self, value: Any) -> int:
        return int(value)


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
class PerSeat(Option):
    """One whole number a seat, as a list or as text with commas; None when not given."""

    low: int
    high: int

    def check(self, value: Any, seats: int) -> list[int] | None:
        if value is None:
            return None
        parts = value.split(",") if isinstance(value, str) else value
        numbers = [_whole(part) for part in parts] if isinstance(parts, (list, tuple)) else []
        right = f"{seats} whole numbers from {self.low} to {self.high}, one a seat"
        if len(numbers) != seats:
            raise self.wrong(value, right)
        checked = [n for n in numbers if n is not None and self.low <= n <= self.high]
        if len(checked) != seats:
            raise self.wrong(value, right)
        return checked

    def encode(self, value: Any) -> list[int]:
        return list(value or [])


@dataclass(frozen=True)
class Data(Option):
    """A deck or board of the user's own: a file's name, or its lines.

    Given as text it is the name of a file, which is read at once; records hold its lines, so they
    stand by themselves. ``read`` turns the lines into the numbers that the state's field holds,
    raising :class:`DeckError` when they make no sense.
    """

    read: Callable[[Sequence[str]], list[int]]

    def check(self, value: Any, seats: int) -> list[str] | None:
        if value is None:
            return None
        if isinstance(value, (str, Path)):
            value = read_lines(Path(value))
        if not isinstance(value, (list, tuple)) or not all(isinstance(x, str) for x in value):
            raise self.wrong(value, "the name of a file, or a list of its lines")
        lines = [line.rstrip() for line in value]
        self.read(lines)
        return lines

    def encode(self, value: Any) -> list[int]:
        return self.read(self.default if value is None else value)


@dataclass(frozen=True)
class DeckData(Data):
    """A file that lists the cards of the deck; the game's ``box`` reads it."""

    in_state: ClassVar[bool] = False


def read_lines(path: Path) -> list[str]:
    """The lines of a small text file; raises :class:`DeckError` when it cannot be read."""
    try:
        if path.stat().st_size > MAX_DATA_BYTES:
            raise DeckError(f"{path} is larger than {MAX_DATA_BYTES} bytes: no deck or board")
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DeckError(f"{path} cannot be read: {reason}") from error


def read_counts(lines: Sequence[str], names: Sequence[str], most: int) -> list[int]:
    """The cards of a deck file, by card number: lines ``name x count``, ``#`` begins a comment.

    Raises :class:`DeckError` naming the line that is wrong.
    """
    cards: list[int] = []
    for number, line in enumerate(lines, 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        name, count = words[0], _whole(words[1].removeprefix("x")) if len(words) == 2 else None
        if name not in names:
            raise DeckError(f"line {number}: {name!r} is no card; cards are {', '.join(names)}")
        if count is None or count < 0:
            raise DeckError(f"line {number}: {line.strip()!r} is not of the form 'card x3'")
        cards += [names.index(name)] * min(count, most + 1)  # a count may be astronomic
        if len(cards) > most:
            raise DeckError(f"line {number}: the deck has more than {most} cards")
    return sorted(cards)


def check_options(
    options: Sequence[Option], given: Mapping[str, Any], seats: int
) -> dict[str, Any]:
    """All options by name, those not given at their defaults.

    Names may be written with hyphens or underscores. Raises :class:`OptionError`.
    """
    by_name = {option.name: option for option in options}
    values = {option.name: option.default for option in options}
    for name, value in given.items():
        option = by_name.get(name.replace("_", "-"))
        if option is None:
            known = ", ".join(by_name) or "none"
            raise OptionError(f"there is no option {name!r}; the game's options: {known}")
        values[option.name] = option.check(value, seats)
    return values


def read_options(options: Sequence[Option], texts: Sequence[str]) -> dict[str, Any]:
    """Return the values of texts ``name=value``, unchecked; a flag's name alone turns it on.

    Raises :class:`OptionError` for a name that is given twice or lacks a value.
    """
    flags = {option.name for option in options if isinstance(option, Flag)}
    values: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip().replace("_", "-")
        if not sign and name in flags:
            value = "yes"
        elif not sign and any(option.name == name for option in options):
            raise OptionError(f"option {name} needs a value: write {name}=...")
        if name in values:
            raise OptionError(f"option {name} is given twice: give it once")
        values[name] = value.strip()
    return values


def _whole(value: Any) -> int | None:
    """An int, or the int that a text spells; None for anything else, booleans included."""
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
