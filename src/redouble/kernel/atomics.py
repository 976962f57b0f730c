"""Atomics: how threads that run compiled code share words of memory.

Each function is one indivisible access to an int64 of an array, and all threads see all accesses in
one order. The bodies here are for the interpreter, under its lock; the compiled ones are in
:mod:`redouble.kernel.engine`.
"""

from __future__ import annotations

from typing import Any

__all__: list[str] = []
# These functions are what compiled loops are made with, so they check nothing.


def load(words: Any, i: int) -> int:
    """Return a word."""
    value: int = words[i]
    return value


def exchange(words: Any, i: int, value: int) -> int:
    """Set a word and return what it was before."""
    before: int = words[i]
    words[i] = value
    return before


def add(words: Any, i: int, value: int) -> int:
    """Add to a word and return what it was before."""
    before: int = words[i]
    words[i] = before + value
    return before
