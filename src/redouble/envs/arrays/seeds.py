"""The seeds of environments: whole numbers, where matches have texts."""

from __future__ import annotations

from redouble.kernel import checks

LARGEST_SEED = 2**63 - 1


def checked_seed(seed: object) -> int | None:
    """Return a seed, or None for none. Raises InputError if it is not a number from 0 on."""
    return None if seed is None else checks.whole(seed, "seed", 0, LARGEST_SEED)
