"""What is wrong with a field of a request, in words for its sender."""

import json
from collections.abc import Mapping
from typing import Any

NUMBER, OBJECT = "has to be a whole number", "has to be an object"
YES_OR_NO = "has to be true or false"
MEANINGS = {
    "missing": "is missing",
    "extra_forbidden": "isn't a field of this request",
    "int_type": NUMBER,
    "int_parsing": NUMBER,
    "int_parsing_size": NUMBER,
    "int_from_float": NUMBER,
    "bool_type": YES_OR_NO,
    "bool_parsing": YES_OR_NO,
    "string_type": "has to be text",
    "string_unicode": "has to be valid Unicode",
    "list_type": "has to be a list",
    "dict_type": OBJECT,
    "model_type": OBJECT,
    "model_attributes_type": OBJECT,
    "literal_error": "has to be {expected}",
    "string_too_long": "may have at most {max_length} characters",
    "string_too_short": "needs at least {min_length} characters",
    "too_long": "may have at most {max_length} entries",
    "too_short": "needs at least {min_length} entries",
    "greater_than_equal": "has to be at least {ge}",
    "less_than_equal": "may be at most {le}",
    "json_invalid": "isn't valid JSON",
}
"""Sentences by the types of pydantic's errors, with the values of their contexts."""
WITHOUT_VALUE = (
    "missing",
    "extra_forbidden",
    "json_invalid",
    "string_too_long",
    "string_too_short",
)
MAX_NUMBER = 10**30
MAX_VALUE = 40
"""A wrong value that is quoted isn't larger, or has at most so many characters."""


def wrong_field(error: Mapping[str, Any]) -> dict[str, str]:
    """Return a wrong field for programs: its name, where it was sent, and what is wrong.

    The name is the path to it, such as ``seats.0.kind``; empty for the body as a whole.
    """
    kind, (where, *path) = error["type"], error["loc"]
    name = "" if kind == "json_invalid" else ".".join(map(str, path))
    meaning = MEANINGS.get(kind)
    message = meaning.format_map(error.get("ctx", {})) if meaning else error["msg"]
    message += _value(kind, error.get("input")) if meaning else ""
    return {"name": name, "where": str(where), "message": message}


def in_words(error: Mapping[str, Any]) -> str:
    """Return which field is wrong, how, and what it was if that is short."""
    wrong = wrong_field(error)
    field = wrong["name"] or "the body"
    if wrong["name"] and wrong["where"] in ("path", "query"):
        field = f"{field} in the address"
    return f"{field}{'' if error['type'] in MEANINGS else ':'} {wrong['message']}"


def _value(kind: str, value: object) -> str:
    if kind in WITHOUT_VALUE or not isinstance(value, (str, int, float)):
        return ""
    if isinstance(value, int) and abs(value) > MAX_NUMBER:
        return ""
    text = json.dumps(value)
    return f", not {text}" if len(text) <= MAX_VALUE else ""
