"""Many cases in one test, where each is too small to be a test of its own."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(name: object) -> Iterator[None]:
    """Add the name of the case to whatever fails inside."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the case {name}")
        raise
