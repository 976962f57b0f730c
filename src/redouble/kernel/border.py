"""JSON from outside: parsed strictly, checked by pydantic, refused in one sentence.

Records, reviews, puzzles and settings come from files and from the network. Each is a frozen
dataclass, a :class:`JsonShape`, and is read and written here only, so all of them refuse the same
things: unknown keys, repeated keys, numbers in quotes, booleans for numbers.

Pydantic validates because the web pages depend on it anyway. Importing it takes longer than
importing all of ``redouble``, so that happens when the first JSON is read or written.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from redouble.kernel.checks import counted, quoted
from redouble.kernel.errors import RedoubleError

if TYPE_CHECKING:
    from pydantic import ConfigDict, TypeAdapter, ValidationError
    from pydantic_core import ErrorDetails

T = TypeVar("T")

STRICT: ConfigDict = {"extra": "forbid", "strict": True, "allow_inf_nan": False}
"""The configuration of every shape: nothing is converted, nothing unknown is let through."""


class JsonShape:
    """Base class of dataclasses that are read from JSON."""

    __pydantic_config__ = STRICT


_RIGHT = {
    "string_type": "a string",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "dict_type": "an object",
    "mapping_type": "an object",
    "dataclass_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "none_required": "null",
}
"""What to give instead, by pydantic's name of the error."""


def read_json(shape: type[T], text: str, error: type[RedoubleError]) -> T:
    """Return the value of this shape that a JSON text holds.

    Editors may have put a byte-order mark before it. Raises ``error`` with one sentence about the
    first thing that is wrong.
    """
    text = text.removeprefix("\ufeff")
    return _validated(shape, text, _parsed(text, error), error)


def check_json(shape: type[T], data: object, error: type[RedoubleError]) -> T:
    """Return the value of this shape that parsed JSON or TOML holds.

    Raises ``error`` as :func:`read_json` does.
    """
    try:
        text = json.dumps(data)
    except (TypeError, ValueError, RecursionError) as reason:
        raise error(f"not JSON: {reason}") from None
    return _validated(shape, text, data, error)


def to_json(value: object) -> Any:
    """Return a value of a shape as plain JSON, with its keys in the order of its fields."""
    return _adapter(type(value)).dump_python(value, mode="json")


_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(shape: Any) -> TypeAdapter[Any]:
    if shape not in _adapters:
        from pydantic import TypeAdapter

        _adapters[shape] = TypeAdapter(shape)
    return _adapters[shape]


def _parsed(text: str, error: type[RedoubleError]) -> Any:
    """Parse once with Python's parser: pydantic's takes the last of repeated keys."""

    def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise error(f"the key {twice!r} appears twice: remove one of them")
        return data

    def no_constant(name: str) -> None:
        raise error(f"{name} is not JSON: give a finite number")

    try:
        data = json.loads(text, object_pairs_hook=without_repeats, parse_constant=no_constant)
    except error:
        raise
    except (ValueError, RecursionError) as reason:
        raise error(f"not JSON: {reason}") from None
    if not isinstance(data, dict):
        raise error("not a JSON object")
    return data


def _validated(shape: type[T], text: str, data: object, error: type[RedoubleError]) -> T:
    from pydantic import ValidationError

    try:
        value: T = _adapter(shape).validate_json(text)
    except ValidationError as reason:
        raise error(_sentence(reason, data, shape)) from None
    return value


def _sentence(errors: ValidationError, data: Any, shape: type[Any]) -> str:
    """Say what is wrong; unknown and missing keys first, since they explain the rest."""
    first, *_ = sorted(errors.errors(include_url=False), key=_weight)
    *path, last = first["loc"] or ("",)
    where = _path((*path, last))
    kind = first["type"]
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        known = ", ".join(field.name for field in fields(shape)) if not path else ""
        return f"unknown key {where!r}: " + (f"the keys are {known}" if known else "remove it")
    if kind == "missing" and isinstance(last, int):
        return f"{_path(tuple(path))} has only {counted(last, 'item')}: give one more"
    if kind == "missing":
        return f"the key {where!r} is missing"
    if kind == "value_error":
        reason = first["ctx"]["error"]
        return f"{where}: {reason}" if where else str(reason)
    if kind == "json_invalid":
        return f"not JSON: {first['ctx']['error']}"
    if not where:
        return "not JSON: it is not valid Unicode"
    return f"{where} cannot be {quoted(_value(data, first))}: give {_right(first)}"


def _weight(error: ErrorDetails) -> int:
    kind = error["type"]
    return ("unexpected_keyword_argument", "extra_forbidden", "missing", kind).index(kind)


def _path(parts: tuple[int | str, ...]) -> str:
    """``notes[1].text`` for ``("notes", 1, "text")``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".")


def _value(data: Any, error: ErrorDetails) -> object:
    """Return the wrong value; what pydantic holds is converted, what was parsed is not."""
    for part in error["loc"]:
        try:
            data = data[part]
        except (LookupError, TypeError):  # part names a member of a union
            return error["input"]
    return data


def _right(error: ErrorDetails) -> str:
    kind, limits = error["type"], error.get("ctx", {})
    if kind == "literal_error":
        return f"one of {limits['expected']}"
    things = "characters" if "string" in kind else "items"
    if kind in ("too_long", "string_too_long"):
        return f"at most {limits['max_length']} {things}"
    if kind in ("too_short", "string_too_short"):
        return f"at least {limits['min_length']} {things}"
    if kind == "greater_than_equal":
        return f"at least {limits['ge']}"
    if kind == "less_than_equal":
        return f"at most {limits['le']}"
    return _RIGHT.get(kind) or error["msg"].removeprefix("Input should be ")
