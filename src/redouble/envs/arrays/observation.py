"""Observations: what a seat can know of a position, as a row of small numbers.

A state's fields declare their kinds (:mod:`redouble.kernel.kinds`). From these this module writes
a function ``observe(s, seat, out)``, as plain a rule as those that people write: it runs
interpreted and compiled. Its source is kept in a file, so that a debugger shows it.

The row, or *tensor*, is made of a redacted state, so it tells nothing that the seat can't know.
Seats are counted from the observer: its own slots come first in every field.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from redouble.contract.game import Game
from redouble.kernel import checks, kinds
from redouble.kernel.engine import attributes, cache_root, dtype
from redouble.kernel.errors import RulesError
from redouble.kernel.state import Field, State

__all__ = ["Slice", "layout", "observation", "tensor_size"]

WORD = 63
"""The slots that a set written at once can have."""

ANY_SEATS = "s.seats & 127  # no index is negative: the compiler need not look"
"""The number of seats in a source that is written for any."""

Observe = Callable[[Any, int, Any], None]

HEAD = '''"""What a seat sees of {title}, written from the kinds of the state's fields."""

from redouble.kernel.primitives import write_numbers, write_set


def observe(s, seat, out):
    """Write the tensor of a state that is redacted for ``seat``."""
    n = {n}
    seat &= 127
    at = 0
'''


PUT_HEAD = '''"""What observations of {title} are made from."""

from redouble.kernel.engine import put_part


def put_seen(scratch, states, i):
    """Copy the fields that a redaction and an observation use."""
    s = states[i]
    seen = scratch[0]
'''
NUMBERS = ("number", "number: hundreds, rest", "number: ten thousands, hundreds, rest")
"""How numbers of one, two and three slots are read."""
LONG_ROW = 16
"""Bytes from which on skipping them pays."""


@dataclass(frozen=True)
class Slice:
    """The slots of a tensor that tell a field, from ``start`` to before ``stop``."""

    name: str
    start: int
    stop: int
    kind: str
    """How the slots are to be read, in words."""
    meaning: str


def tensor_size(game: Game, seats: int) -> int:
    """Return the length of the tensors of a game with so many seats. Raises :class:`SeatsError`."""
    checks.instance(game, Game, "game").check_seats(seats)
    return sum(_field_size(field, seats) for field in _fields(game))


def layout(game: Game, seats: int) -> tuple[Slice, ...]:
    """Return which slots of a tensor tell which field, in order. Raises :class:`SeatsError`."""
    checks.instance(game, Game, "game").check_seats(seats)
    slices = []
    at = 0
    for field in _fields(game):
        if size := _field_size(field, seats):
            kind = _in_words(field.kind)
            slices.append(Slice(field.name, at, at + size, kind, field.meaning))
        at += size
    return tuple(slices)


def observation(game: Game, state: State, seat: int) -> list[int]:
    """Return the tensor of a seat: numbers from -128 to 127.

    ``state`` can be the whole position or one redacted for the seat. Raises :class:`InputError` if
    the state is of another game or it has no such seat.
    """
    checks.instance(game, Game, "game").check_state(state)
    checks.whole(seat, "seat", 0, state.seats - 1)
    seen = state.copy()
    game.rules.redact(seen, seat)
    out = [0] * tensor_size(game, state.seats)
    observe_rule(game)(seen, seat, out)
    return out


def observe_rule(game: Game, seats: int | None = None) -> Observe:
    """Return ``observe(s, seat, out)`` of a game, a rule for ``compiled``.

    ``s`` is redacted for the seat, and ``out`` has :func:`tensor_size` elements. A rule for games
    with so many ``seats`` alone takes less time, since the compiler knows where each slot lies.
    """
    function: Observe = _written(observe_source(game, seats), game.name, "observe")
    return function


def put_rule(game: Game) -> Callable[[Any, Any, int], None]:
    """Return ``put_seen(scratch, states, i)`` of a game, for records and compiled loops alone.

    It copies to the first record of ``scratch`` what ``redact`` and ``observe`` can use: a rule
    uses no field that neither it nor what it calls names.
    """
    checks.instance(game, Game, "game")
    function: Callable[[Any, Any, int], None] = _written(_put_source(game), game.name, "put_seen")
    return function


@cache
def _put_source(game: Game) -> str:
    named = attributes(game.rules.redact) | attributes(observe_rule(game)) | {"seats"}
    record = dtype(game.rules.Position)
    assert record.fields is not None
    parts: list[tuple[int, int]] = []
    rows = []
    for field in _fields(game):
        start = record.fields[field.name][1]
        length = record.fields[field.name][0].itemsize
        each = length // field.width.shape[0] if isinstance(field.kind, kinds.BySeatKind) else 0
        if field.name not in named:
            continue
        if each >= LONG_ROW:
            rows.append((start, each))
        elif parts and start <= parts[-1][1] + LONG_ROW:
            parts[-1] = (parts[-1][0], start + length)
        else:
            parts.append((start, start + length))
    lines = [f"    put_part(seen, s, {start}, {stop})" for start, stop in parts]
    if rows:
        lines.append("    for seat in range(s.seats):")
    for start, each in rows:
        lines += [
            f"        at = {start} + {each} * seat",
            f"        put_part(seen, s, at, at + {each})",
        ]
    return PUT_HEAD.format(title=game.title) + "\n".join(lines) + "\n"


@cache
def _written(source: str, name: str, function: str) -> Any:
    """Return a function of a source, which lies in a file for compilers and debuggers."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    try:
        folder = cache_root() / "observe"
        folder.mkdir(parents=True, exist_ok=True)
        file = _write(folder / f"{name}-{digest}.py", source)
    except OSError:
        file = _write(Path(tempfile.mkdtemp(prefix="redouble-")) / f"{name}.py", source)
    module = ModuleType(f"redouble_observe_{name.replace('-', '_')}_{digest}")
    sys.modules[module.__name__] = module  # compiled code that was kept asks for it by its name
    exec(compile(source, file, "exec"), module.__dict__)
    return module.__dict__[function]


def _write(file: Path, source: str) -> Path:
    if not file.exists() or file.read_text(encoding="utf-8") != source:
        with tempfile.NamedTemporaryFile(
            "w", dir=file.parent, suffix=".part", encoding="utf-8", delete=False
        ) as part:
            part.write(source)
        Path(part.name).replace(file)
    return file


def observe_source(game: Game, seats: int | None = None) -> str:
    """Return the Python source of a game's ``observe``, for any number of seats or for one.

    Raises :class:`RulesError` if a field of its state declares no kind, or one of another shape,
    and :class:`SeatsError`.
    """
    checks.instance(game, Game, "game")
    if seats is not None:
        game.check_seats(seats)
    return _source(game, seats)


@cache
def _source(game: Game, seats: int | None) -> str:
    writer = _Writer()
    for field in _fields(game):
        if isinstance(field.kind, kinds.UnseenKind):
            continue
        writer.line(f"# {field.name}: {field.meaning}")
        writer.field(field)
    head = HEAD.format(title=game.title, n=ANY_SEATS if seats is None else seats)
    return head + "\n".join(writer.lines) + "\n"


def _fields(game: Game) -> tuple[Field, ...]:
    for field in game.rules.Position.FIELDS:
        if field.kind is None:
            raise RulesError(
                f"{game.title} gives no observations: its field {field.name} has no kind, "
                "the fourth element of its annotation"
            )
    return game.rules.Position.FIELDS


def _field_size(field: Field, seats: int) -> int:
    assert field.kind is not None
    shape = field.width.shape
    try:
        return _size(field.kind, shape, seats)
    except IndexError:
        wrong = f"{field.name}: {field.kind} is not for a value of the shape {shape}"
        raise RulesError(wrong) from None


def _size(kind: kinds.Kind, shape: tuple[int, ...], seats: int) -> int:
    match kind:
        case kinds.UnseenKind():
            return 0
        case kinds.SeveralKind(parts):
            return sum(_size(each, shape, seats) for each in parts)
        case kinds.BySeatKind(of):
            return seats * _size(of, shape[1:], seats)
        case kinds.CardsKind(faces):
            return faces
        case kinds.BagKind(faces):
            return faces + 1
        case kinds.RowKind():
            return shape[0]
        case kinds.BitsKind(n, word) if word and len(shape) == 1:
            return n
    if shape:
        return shape[0] * _size(kind, shape[1:], seats)
    match kind:
        case kinds.NumberKind(slots):
            return slots
        case kinds.OneHotKind(low, high):
            return high - low + 1
        case kinds.SeatKind():
            return seats
        case kinds.BitsKind(n):
            return n
        case kinds.ThroughKind(_, of):
            return _size(of, (), seats)
    raise TypeError(f"there is no kind {kind}")


def _in_words(kind: kinds.Kind | None) -> str:
    match kind:
        case kinds.NumberKind(slots):
            return NUMBERS[slots - 1]
        case kinds.OneHotKind(low, high):
            return f"one of {low} to {high}"
        case kinds.SeatKind():
            return "one of the seats"
        case kinds.BitsKind(n):
            return f"set of {n}"
        case kinds.CardsKind():
            return "how many of each card"
        case kinds.BagKind():
            return "how many of each card, and unknown"
        case kinds.RowKind():
            return "1 + card, in order; -1 unknown, 0 none"
        case kinds.BySeatKind(of):
            return f"{_in_words(of)}; by seat"
        case kinds.ThroughKind(_, of):
            return _in_words(of)
        case kinds.SeveralKind(parts):
            return "; then ".join(_in_words(each) for each in parts)
    return "not observed"


class _Writer:
    """Writes the lines of ``observe``, field by field."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 1
        self._loops = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    def field(self, field: Field) -> None:
        assert field.kind is not None
        self._value(field.kind, f"s.{field.name}", field.width.shape, "", field.width.type_name)

    def _value(
        self, kind: kinds.Kind, value: str, shape: tuple[int, ...], row: str, width: str
    ) -> None:
        """Write a value. ``row`` indexes, by seats, the fields that a list depends on."""
        match kind:
            case kinds.SeveralKind(parts):
                for each in parts:
                    self._value(each, value, shape, row, width)
            case kinds.BySeatKind(of):
                self.line("for i in range(n):")
                self._depth += 1
                self.line("owner = seat + i if seat + i < n else seat + i - n")
                self._value(of, f"{value}[owner]", shape[1:], "[owner]", width)
                self._depth -= 1
            case kinds.CardsKind(faces, stop):
                self._clear(faces)
                self.line(f"for j in range(s.{stop}{row}):")
                self.line(f"    out[at + {value}[j]] += 1")
                self.line(f"at += {faces}")
            case kinds.BagKind():
                self._bag(kind, value, row)
            case kinds.RowKind(start, stop):
                self._row(start, stop, value, shape[0])
            case kinds.BitsKind(n, word) if word and len(shape) == 1:
                for w in range((n + word - 1) // word):
                    self._bits(f"{value}[{w}]", min(word, n - w * word))
            case kinds.NumberKind(1) if len(shape) == 1 and width.endswith("int8"):
                self.line(f"write_numbers(out, at, {value}, {shape[0]})")
                self.line(f"at += {shape[0]}")
            case _ if shape:
                loop = f"j{self._loops}"
                self._loops += 1
                self.line(f"for {loop} in range({shape[0]}):")
                self._depth += 1
                self._value(kind, f"{value}[{loop}]", shape[1:], row, width)
                self._depth -= 1
            case _:
                self._one(kind, value, width)

    def _one(self, kind: kinds.Kind, value: str, width: str) -> None:
        match kind:
            case kinds.NumberKind(1):
                if width != "int8":
                    value = value if width.startswith("u") else f"max({value}, -128)"
                    value = f"min({value}, 127)"
                self.line(f"out[at] = {value}")
                self.line("at += 1")
            case kinds.NumberKind(slots):
                self.line(f"value = {value}")
                if slots == 3:
                    self.line("out[at] = value // 10000")
                    self.line("value %= 10000")
                    self.line("at += 1")
                self.line("out[at] = value // 100")
                self.line("out[at + 1] = value % 100")
                self.line("at += 2")
            case kinds.OneHotKind(low, high) if high - low < WORD:
                self.line(f"value = {value}")
                self._bits(f"1 << value{-low:+} if {low} <= value <= {high} else 0", high - low + 1)
            case kinds.OneHotKind(low, high):
                self._clear(high - low + 1)
                self.line(f"value = {value}")
                self.line(f"if {low} <= value <= {high}:")
                self.line(f"    out[at + value{-low:+}] = 1")
                self.line(f"at += {high - low + 1}")
            case kinds.SeatKind():
                self.line(f"value = {value}")
                self.line("if value >= 0:")
                self.line("    value = value - seat if value >= seat else value - seat + n")
                self.line("for j in range(n):")
                self.line("    out[at + j] = 1 if j == value else 0")
                self.line("at += n")
            case kinds.BitsKind(n):
                self._bits(value, n)
            case kinds.ThroughKind(field, of):
                self.line(f"value = {value}")
                self.line(f"value = s.{field}[value] if value >= 0 else -1")
                self._one(of, "value", "")

    def _clear(self, slots: int) -> None:
        self.line(f"for j in range({slots}):")
        self.line("    out[at + j] = 0")

    def _bits(self, value: str, n: int) -> None:
        self.line(f"write_set(out, at, {value}, {n})")
        self.line(f"at += {n}")

    def _bag(self, kind: kinds.BagKind, value: str, row: str) -> None:
        start = f"s.{kind.start}{row}" if kind.start else "0"
        stop = f"s.{kind.stop}{row}" if kind.stop else f"{start} + s.{kind.length}{row}"
        self._clear(kind.faces + 1)
        self.line(f"for j in range({start}, {stop}):".replace("(0, 0 + ", "(").replace("(0, ", "("))
        self.line(f"    face = s.deck[{value}[j]]")
        self.line(f"    out[at + (face if face >= 0 else {kind.faces})] += 1")
        self.line(f"at += {kind.faces + 1}")

    def _row(self, start: str, stop: str, value: str, length: int) -> None:
        first = f"s.{start}" if start else ""
        last = f"s.{stop}" if stop else str(length)
        self._clear(length)
        self.line(f"for j in range({first}, {last}):" if first else f"for j in range({last}):")
        self.line(f"    card = s.deck[{value}[j]]")
        self.line(f"    out[at + j{first and f' - {first}'}] = card + 1 if card >= 0 else -1")
        self.line(f"at += {length}")
