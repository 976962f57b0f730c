"""A value that a test knows to be there."""

from typing import TypeVar

T = TypeVar("T")


def known(value: T | None) -> T:
    """Return a value that may be None but isn't."""
    assert value is not None
    return value
