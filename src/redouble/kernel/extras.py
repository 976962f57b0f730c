"""Packages that a base installation leaves out: import them, or say which extra brings them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec

from redouble.kernel.errors import MissingExtra


@cache
def is_installed(*packages: str) -> bool:
    """Return whether packages are installed, without importing them."""
    return all(find_spec(package) is not None for package in packages)


def require(part: str, extra: str, *packages: str) -> None:
    """Check that packages are installed, without importing them.

    Raises :class:`~redouble.kernel.errors.MissingExtra`, which names the part of Redouble that
    needs them, the first missing package and the extra that installs it.
    """
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtra(part, package, extra)


@contextmanager
def needs(part: str, extra: str) -> Iterator[None]:
    """Guard the imports in a ``with`` statement.

    If a package isn't installed, raises :class:`~redouble.kernel.errors.MissingExtra` as
    :func:`require` does.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "redouble"):
            raise  # a fault of the program
        raise MissingExtra(part, package, extra) from None
