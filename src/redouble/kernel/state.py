"""States: how a game declares its fields, and the plain objects that interpreted rules run on.

A state is an annotated class, the only place that says what it holds::

    class Position(State):
        total: Annotated[int, int16, "the total last called", NUMBER]
        starter: Annotated[int, int8, "seat that began this round", SEAT]

A field has a width, a meaning in words and a *kind* (:mod:`redouble.kernel.kinds`), by which
programs that learn see it.

Two forms follow from the declaration. The interpreted engine runs on a plain Python object with
ints and lists, made here; the compiled engine runs on a NumPy record, made by
:mod:`redouble.kernel.engine`. Both are indexed in the same way, ``s.hand[seat][i]``, so each rule
is written only once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Annotated, Any, ClassVar, Self, get_type_hints

from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.kinds import DERIVED, HISTORY, NUMBER, SEAT, Kind

__all__ = [
    "EVERYONE",
    "NOBODY",
    "SPECTATOR",
    "Field",
    "State",
    "Width",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint64",
]

type_names = ("int8", "uint8", "int16", "int32", "int64", "uint64")

NOBODY = -2
"""In ``known_to``: no seat has seen the card."""
SPECTATOR = -1
"""The seat number of a spectator, who sees only what everyone sees."""
EVERYONE = 99
"""In ``known_to``: every seat, and a spectator, has seen the card."""


@dataclass(frozen=True)
class Width:
    """The integer type and shape of a field: ``int8[7, 12]`` is a 7 x 12 array of ``int8``."""

    type_name: str
    shape: tuple[int, ...] = ()

    def __getitem__(self, shape: int | tuple[int, ...]) -> Width:
        return Width(self.type_name, shape if isinstance(shape, tuple) else (shape,))


int8, uint8, int16, int32, int64, uint64 = (Width(name) for name in type_names)


@dataclass(frozen=True)
class Field:
    """A declared field of a state: its name, its width, a short description and its kind."""

    name: str
    width: Width
    meaning: str
    kind: Kind | None = None
    """None: the game gives no observations."""


class State:
    """The fields that every state has; the class of a game adds its own.

    An instance holds ints, and lists of ints nested by the field's shape. All are zero at first.
    Rules change it in place.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = ()

    seats: Annotated[int, int8, "number of seats", DERIVED]
    turn: Annotated[int, int8, "seat to move; -1 when the game is over", SEAT]
    reason: Annotated[
        int, int8, "why the game ended, an index of the game's REASONS; 0 before", NUMBER
    ]
    stacked: Annotated[
        int, int8, "1: the first shuffle is skipped, the deck lies in a given order", HISTORY
    ]
    rng: Annotated[list[int], uint64[4], "the generator; zero when erased", DERIVED]

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        inherited = {name for name in State.__annotations__ if name != "FIELDS"}
        own = [name for name in cls.__annotations__ if name not in inherited]
        names = [name for name in State.__annotations__ if name in inherited] + own
        cls.FIELDS = tuple(Field(name, *hints[name].__metadata__) for name in names)

    def __init__(self) -> None:
        for field in self.FIELDS:
            setattr(self, field.name, _zeros(field.width.shape))

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        twin.assign(self)
        return twin

    def assign(self, other: State) -> None:
        """Copy every field of ``other`` into this state.

        Raises :class:`~redouble.kernel.errors.InputError` if it is of another class.
        """
        if type(other) is not type(self):
            raise checks.wrong("other", other, f"a {type(self).__name__}", InputError)
        values = self.__dict__
        for name, value in other.__dict__.items():
            if type(value) is list:
                value = [row[:] for row in value] if type(value[0]) is list else value[:]
            values[name] = value

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain ints and lists, in the order of their declaration."""
        return {field.name: getattr(self.copy(), field.name) for field in self.FIELDS}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    __hash__ = None  # type: ignore[assignment]  # a state is mutable

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in self.to_dict().items())
        return f"{type(self).__name__}({fields})"

    @classmethod
    def differences(cls, one: State, other: State) -> list[str]:
        """Return the names of the fields in which two states differ."""
        checks.instance(one, cls, "one")
        checks.instance(other, cls, "other")
        return [f.name for f in cls.FIELDS if getattr(one, f.name) != getattr(other, f.name)]


def size(cls: type[State]) -> int:
    """Return the size of a state class's fields in bytes, without the record's padding."""
    if not (isinstance(cls, type) and issubclass(cls, State)):
        raise checks.wrong("cls", cls, "a class of states", InputError)
    bits = {name: int(name.lstrip("uint")) for name in type_names}
    return sum(bits[f.width.type_name] // 8 * prod(f.width.shape) for f in cls.FIELDS)


def _zeros(shape: tuple[int, ...]) -> Any:
    if not shape:
        return 0
    if len(shape) == 1:
        return [0] * shape[0]
    return [_zeros(shape[1:]) for _ in range(shape[0])]
