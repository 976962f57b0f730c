"""The C header of a game's object file, made from the description of its exports."""

from collections.abc import Iterator, Mapping
from typing import Any

TYPES = {"float64": "double"}
KEYWORDS = (
    " auto break case char const continue default do double else enum extern float for goto if"
    " inline int long register restrict return short signed sizeof static struct switch typedef"
    " union unsigned void volatile while "
)


def prefix_of(game: str) -> str:
    """Return what the names of a game begin with in C."""
    return f"{game.replace('-', '_')}_"


def header(layout: Mapping[str, Any]) -> str:
    """Return the header as text."""
    return "\n".join([*_lines(layout), ""])


def _lines(layout: Mapping[str, Any]) -> Iterator[str]:
    prefix = prefix_of(layout["game"])
    guard = f"{prefix.upper()}H"
    low, high = layout["seats"]
    yield f"/* {layout['title']} for {low} to {high} players; its rules have the version"
    yield f"   {layout['version']}. Numbers are explained in docs/other-languages.md. */"
    yield f"#ifndef {guard}"
    yield f"#define {guard}"
    yield "#include <assert.h>"
    yield "#include <stdint.h>"
    yield "#ifdef __cplusplus"
    yield 'extern "C" {'
    yield "#endif"
    for name, record in layout["records"].items():
        struct = f"struct {prefix}{name}"
        yield ""
        yield f"{struct} {{"
        for field in record["fields"]:
            shape = "".join(f"[{length}]" for length in field["shape"])
            meaning = f" /* {field['meaning']} */" if "meaning" in field else ""
            yield f"    {_type(field['type'])} {_name(field['name'])}{shape};{meaning}"
        yield "};"
        yield f'static_assert(sizeof({struct}) == {record["size"]}, "the layout of {struct}");'
    yield ""
    yield "/* A position to deal from with setup, for each number of seats. */"
    yield f"extern const struct {prefix}position {prefix}headers[{high + 1}];"
    for name, function in layout["functions"].items():
        yield ""
        yield f"/* {function['meaning']} */"
        parameters = [_parameter(each, prefix, layout) for each in function["parameters"]]
        lead = f"{_type(function['returns'])} {prefix}{name}("
        line = f"{lead}{', '.join(parameters)});"
        if len(line) <= 100:
            yield line
        else:
            yield lead
            yield ",\n".join(f"    {each}" for each in parameters) + ");"
    yield ""
    yield "#ifdef __cplusplus"
    yield "}"
    yield "#endif"
    yield "#endif"


def _parameter(parameter: Mapping[str, Any], prefix: str, layout: Mapping[str, Any]) -> str:
    kind, name = parameter["type"], _name(parameter["name"])
    if "shape" not in parameter:
        return f"{_type(kind)} {name}"
    shape = "".join(f"[{length}]" for length in parameter["shape"])
    told = f" /* {shape} */" if shape else ""
    known = f"struct {prefix}{kind}" if kind in layout["records"] else _type(kind)
    return f"{known} *{name}{told}"


def _type(name: str) -> str:
    return TYPES.get(name, name if name == "void" else f"{name}_t")


def _name(name: str) -> str:
    return f"{name}_" if f" {name} " in KEYWORDS else name
