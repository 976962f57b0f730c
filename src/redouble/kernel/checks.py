"""Checks of arguments: every public call makes them before it does anything.

Each returns the value in the form that the rest of the code wants, or raises the given error in
the form "what went wrong: what to do".
"""

import operator
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

from redouble.kernel.errors import InputError, RedoubleError

T = TypeVar("T")

MAX_QUOTED = 60
"""Characters of a wrong value that an error message quotes."""
MAX_ITEMS = 100_000
"""Items of a sequence; a longer one, such as one without an end, is refused."""
_PLAIN = str.maketrans("\u2212\u2013\u2010\u2011×", "----x")


def whole(
    value: object,
    what: str,
    low: int | None = None,
    high: int | None = None,
    error: type[RedoubleError] = InputError,
) -> int:
    """Return a whole number from ``low`` to ``high``; NumPy's integers become ints."""
    right = "a whole number"
    if low is not None and high is not None:
        right += f" from {low} to {high}"
    elif low is not None:
        right += f" of at least {low}"
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # anything may be given
    except TypeError:
        raise wrong(what, value, right, error) from None
    if isinstance(value, bool):
        raise wrong(what, value, right, error)
    if (low is not None and number < low) or (high is not None and number > high):
        raise wrong(what, value, right, error)
    return int(number)


def number(
    value: object,
    what: str,
    low: float | None = None,
    high: float | None = None,
    error: type[RedoubleError] = InputError,
) -> float:
    """Return a finite number from ``low`` to ``high`` as a float."""
    right = "a number" + (f" from {low:g} to {high:g}" if None not in (low, high) else "")
    if low is not None and high is None:
        right += f" of at least {low:g}"
    try:
        # Anything may be given, and what float() refuses is refused below.
        found = float(value) if not isinstance(value, (bool, str, bytes)) else None  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or found != found or found in (float("inf"), float("-inf")):
        raise wrong(what, value, right, error)
    if (low is not None and found < low) or (high is not None and found > high):
        raise wrong(what, value, right, error)
    return found


def text(
    value: object, what: str, error: type[RedoubleError] = InputError, max_length: int | None = None
) -> str:
    """Return a text of at most ``max_length`` characters that can be written to a file."""
    if not isinstance(value, str):
        raise wrong(what, value, "a text", error)
    if max_length is not None and len(value) > max_length:
        raise error(f"{what} has {len(value)} characters: give at most {max_length}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise wrong(what, value, "a text of valid Unicode", error) from None
    return str(value)


def word(value: str) -> str:
    """Return a text as it is compared: without outer spaces, its accents written in one way."""
    return unicodedata.normalize("NFC", value).strip()


def typed(line: str) -> str:
    """Return what was typed in the characters of moves.

    Keyboards and phones also write full-width digits, multiplication and minus signs, and
    characters that have no width.
    """
    plain = unicodedata.normalize("NFKC", line).translate(_PLAIN)
    return "".join(one for one in plain if unicodedata.category(one) != "Cf")


def texts(
    value: object, what: str, error: type[RedoubleError] = InputError, most: int = MAX_ITEMS
) -> tuple[str, ...]:
    """Return texts as a tuple."""
    return tuple(
        text(item, f"{what}[{i}]", error)
        for i, item in enumerate(items(value, what, "texts", error, most))
    )


def items(
    value: object,
    what: str,
    kind: str,
    error: type[RedoubleError] = InputError,
    most: int = MAX_ITEMS,
) -> tuple[Any, ...]:
    """Return what a list or another ordered collection holds; a text is none."""
    right = f"a list of {kind}"
    if isinstance(value, (str, bytes, dict, set, frozenset)) or not isinstance(value, Iterable):
        raise wrong(what, value, right, error)
    try:
        size = len(value)  # type: ignore[arg-type]  # what has no length is refused
    except TypeError:  # an array of no dimension says that it has one
        raise wrong(what, value, right, error) from None
    if size > most:
        raise error(f"{what} has {size} items: give at most {most}")
    return tuple(value)


def instance(value: object, kind: type[T], what: str, error: type[RedoubleError] = InputError) -> T:
    """Return a value of this class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise wrong(what, value, f"{article} {kind.__name__}", error)
    return value


def one_of(
    value: object, known: Collection[T], what: str, error: type[RedoubleError] = InputError
) -> T:
    """Return one of the known values."""
    for each in known:
        if type(value) is type(each) and value == each:
            return each
    raise wrong(what, value, " or ".join(map(str, known)), error)


def wrong(what: str, value: object, right: str, error: type[RedoubleError]) -> RedoubleError:
    """Return the error that says what is wrong and what to give."""
    return error(f"{what} cannot be {quoted(value)}: give {right}")


def quoted(value: object) -> str:
    """Return a wrong value as an error message quotes it, cut where it is long."""
    if isinstance(value, int) and abs(value) > 10**MAX_QUOTED:
        return "a number of more than 60 digits"
    try:
        shown = repr(value)
    except Exception:  # a stranger's class may not have one that works
        shown = f"a {type(value).__name__}"
    return printable(shown, MAX_QUOTED)


def printable(text: str, max_length: int = 300) -> str:
    """Return a text as a terminal or a page can show it, cut where it is long."""
    shown = text.encode("utf-8", "backslashreplace").decode()
    return shown if len(shown) <= max_length else f"{shown[:max_length]}…"


def counted(n: int, thing: str) -> str:
    """Return for instance ``1 seat`` or ``2 seats``."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def either(choices: Sequence[str]) -> str:
    """Return for instance ``one``, ``one or two`` or ``one, two or three``."""
    return joined(choices, "or")


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Return for instance ``one``, ``one and two`` or ``one, two and three``."""
    *others, last = parts
    return f"{', '.join(others)} {word} {last}" if others else last
