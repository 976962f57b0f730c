"""Random ids of people and tables."""

from __future__ import annotations

import secrets


def new_id(size: int) -> str:
    """Return a random id of this many bytes, for addresses and command lines.

    It doesn't begin with a hyphen: a command would take it for an option.
    """
    while (found := secrets.token_urlsafe(size)).startswith("-"):
        pass
    return found
