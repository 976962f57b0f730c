"""Intervals and tests: the statistics that the solver, tournaments and studies share.

The distributions are SciPy's, which is imported only when one of them is needed.
"""

from collections.abc import Sequence
from math import inf, sqrt

from redouble.kernel import checks
from redouble.kernel.extras import needs

__all__ = ["Z95", "chi_square_tail", "holm", "t95", "two_sided", "wilson"]

Z95 = 1.959963984540054
"""Standard errors on each side of a 95% interval of a normal distribution."""
STATISTICS = "a statistical test"
"""The part of Redouble that needs another package, as an error names it."""
MAX_FREEDOM = 10**15
"""Degrees of freedom."""


def wilson(share: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Return the 95% interval of a share measured in ``n`` trials, by Wilson's method.

    It also holds for shares near 0 or 1. Another quantile ``z``, such as Student's, gives another
    confidence. Without trials the interval is 0 to 1. Raises
    :class:`~redouble.kernel.errors.InputError` if a number is out of range.

    >>> low, high = wilson(0.5, 100)
    >>> f"{low:.3f} {high:.3f}"
    '0.404 0.596'
    """
    share = checks.number(share, "share", 0, 1)
    n = checks.number(n, "n", 0)
    z = checks.number(z, "z", 0)
    if not n:
        return 0.0, 1.0
    spread = z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * share * (1 - share) + spread * spread / 4) / (1 + spread)
    # Rounding must not push the share itself outside of its interval.
    return min(max(0.0, middle - half), share), max(min(1.0, middle + half), share)


def t95(freedom: int) -> float:
    """Return the two-sided 95% quantile of Student's t with ``freedom`` degrees of freedom.

    Raises :class:`~redouble.kernel.errors.InputError` unless that is at least 1.
    """
    with needs(STATISTICS, "lab"):
        from scipy.special import stdtrit

    return float(stdtrit(checks.whole(freedom, "freedom", 1, MAX_FREEDOM), 0.975))


def two_sided(difference: float, error: float) -> float:
    """Return how likely chance alone makes a difference at least this large (normal test).

    Raises :class:`~redouble.kernel.errors.InputError` if a number is out of range. An infinite
    error makes any difference possible.
    """
    with needs(STATISTICS, "lab"):
        from scipy.special import erfc

    difference = checks.number(difference, "difference")
    if isinstance(error, float) and error == inf:
        return 1.0
    error = checks.number(error, "error", 0)
    if error == 0.0:
        return 1.0 if difference == 0.0 else 0.0
    return float(erfc(abs(difference) / error / sqrt(2.0)))


def chi_square_tail(statistic: float, freedom: int) -> float:
    """Return the chance that chi-square with these degrees of freedom is at least this large.

    Raises :class:`~redouble.kernel.errors.InputError` if a number is out of range.
    """
    with needs(STATISTICS, "lab"):
        from scipy.special import chdtrc

    found = checks.number(statistic, "statistic")
    return float(chdtrc(checks.whole(freedom, "freedom", 1, MAX_FREEDOM), max(found, 0.0)))


def holm(chances: Sequence[float], limit: float = 0.05) -> list[bool]:
    """Return which of several tests are significant by Holm's method.

    If nothing differs, the chance that any of them is marked is at most ``limit``.
    Raises :class:`~redouble.kernel.errors.InputError` if a number is not from 0 to 1.
    """
    given = [
        checks.number(chance, "a chance", 0, 1)
        for chance in checks.items(chances, "chances", "numbers from 0 to 1")
    ]
    checks.number(limit, "limit", 0, 1)
    order = sorted(range(len(given)), key=lambda i: given[i])
    found = [False] * len(given)
    for done, i in enumerate(order):
        if given[i] * (len(given) - done) > limit:
            break
        found[i] = True
    return found
