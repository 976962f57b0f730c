"""The description of what a game exports, as plain JSON, made from the same types as the code."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from redouble.contract.game import Game
from redouble.contract.placeholders import functions
from redouble.exports.loops import POSITION, exports, records
from redouble.kernel.portable import Buffer, Exported, Length

Layout = dict[str, Any]


def layout(game: Game, returned: Mapping[str, str]) -> Layout:
    """Return the description of a game's exports; ``returned`` has the type that each returns."""
    known = records(game)
    names = {kind: name for name, kind in known.items()}
    meanings = {field.name: field.meaning for field in game.rules.Position.FIELDS}
    return {
        "game": game.name,
        "title": game.title,
        "version": game.version,
        "seats": [game.min_seats, game.max_seats],
        "records": {
            name: _record(kind, meanings if name == POSITION else {})
            for name, kind in known.items()
        },
        "own": {name: _named(each) for name, each in functions(game).items()},
        "functions": {
            each.name: {
                "meaning": (each.function.__doc__ or "").strip().partition("\n")[0],
                **_compiled_from(each, game),
                "parameters": _parameters(each, names),
                "returns": returned[each.name],
            }
            for each in exports(game)
        },
    }


def _record(kind: np.dtype[Any], meanings: Mapping[str, str]) -> Layout:
    fields: list[Layout] = []
    for name, (field, offset, *_) in (kind.fields or {}).items():
        shape, base = list(field.shape), field.base.name
        fields.append({"name": name, "type": base, "shape": shape, "offset": offset})
        if name in meanings:
            fields[-1]["meaning"] = meanings[name]
    return {"size": kind.itemsize, "fields": fields}


def _compiled_from(exported: Exported, game: Game) -> Layout:
    """Return the name of the Python function, and of what is bound in it besides the game's own."""
    own = functions(game)
    chosen = {k: _named(v) for k, v in exported.bound.items() if own.get(k) is not v}
    return {"loop": _named(exported.function), "bound": chosen}


def _named(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _parameters(exported: Exported, names: Mapping[Any, str]) -> list[Layout]:
    found: list[Layout] = []
    for name, parameter in exported.parameters.items():
        if isinstance(parameter, Buffer):
            kind = names.get(parameter.element, parameter.element.name)
            found.append({"name": name, "type": kind, "shape": list(parameter.shape or ())})
        elif isinstance(parameter, Length):
            length = {"of": parameter.of, "axis": parameter.axis}
            found.append({"name": name, "type": "int32", "length": length})
        else:
            found.append({"name": name, "type": "int32" if parameter.whole else "float64"})
    return found
