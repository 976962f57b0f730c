"""Intervals and tests: the statistics that the solver, tournaments and studies share.

The distributions are SciPy's, which is imported only when one of them is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

Z95 = 1.959963984540054
"""Standard errors on each side of a 95 % interval of a normal distribution."""


def wilson(share: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Return the 95 % interval of a share measured in ``n`` trials, by Wilson's method.

    It also holds for shares near 0 or 1. Another quantile ``z``, such as Student's, gives another
    confidence. Without trials the interval is 0 to 1.

    >>> low, high = wilson(0.5, 100)
    >>> f"{low:.3f} {high:.3f}"
    '0.404 0.596'
    """
    if not n:
        return 0.0, 1.0
    spread = z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * share * (1 - share) + spread * spread / 4) / (1 + spread)
    # Rounding must not push the share itself outside of its interval.
    return min(max(0.0, middle - half), share), max(min(1.0, middle + half), share)


def t95(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t with ``freedom`` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def two_sided(difference: float, error: float) -> float:
    """Return how likely chance alone makes a difference at least this large (normal test)."""
    from scipy.special import erfc

    if error == 0.0:
        return 1.0 if difference == 0.0 else 0.0
    return float(erfc(abs(difference) / error / sqrt(2.0)))


def chi_square_tail(statistic: float, freedom: int) -> float:
    """Return the chance that chi-square with these degrees of freedom is at least this large."""
    from scipy.special import chdtrc

    return float(chdtrc(freedom, max(statistic, 0.0)))


def holm(chances: Sequence[float], limit: float = 0.05) -> list[bool]:
    """Return which of several tests are significant by Holm's method.

    If nothing differs, the chance that any of them is marked is at most ``limit``.
    """
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    found = [False] * len(chances)
    for done, i in enumerate(order):
        if chances[i] * (len(chances) - done) > limit:
            break
        found[i] = True
    return found
