"""Shares of opponents beaten, the unit of searches, in words that people use.

With one opponent a share is a chance to win, with several it gives a rank. In a one-player
game it is how near a win is.
"""

from collections.abc import Sequence

from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.shares import share_beaten

__all__ = [
    *("difference", "expected", "heading", "loss_in_words", "of_ranks", "ordinal"),
    *("place_in_words", "rank", "unit"),
]

MAX_SEATS = 1000
MAX_SHARE = 1000.0
"""Either way: estimates may lie a little outside of 0 to 1, and differences are negative."""
MARGIN = 0.2
"""A rank that lies this close to the middle of two places, either way, is called both."""
LITTLE = 0.35
"""Places that aren't worth counting."""


def of_ranks(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return the share of opponents that each of several seats beat, a tie counting half.

    Raises :class:`~redouble.kernel.errors.InputError` unless there are several ranks from 1.
    """
    given = checks.items(ranks, "ranks", "ranks")
    if not 1 < len(given) <= MAX_SEATS:
        raise InputError(f"ranks has {len(given)} ranks: give 2 to {MAX_SEATS}, one for each seat")
    for one in given:
        checks.whole(one, "a rank", 1)
    return tuple(share_beaten(ranks, len(ranks), seat) for seat in range(len(ranks)))


def rank(share: float, seats: int) -> float:
    """Return the rank that a seat with this expected share can expect."""
    _check(seats, share)
    return 1.0 + (1.0 - share) * (seats - 1)


def expected(share: float, seats: int) -> str:
    """Return what a seat can expect: a rank, games won of a hundred, or how near a win it is."""
    _check(seats, share)
    if seats == 1:
        return f"{share:.0%}"
    if seats == 2:
        return f"{100 * share:.0f} of 100"
    return f"{rank(share, seats):.1f}"


def place_in_words(share: float, seats: int) -> str:
    """Return the place that a seat can expect, or the two it lies between: ``2nd or 3rd``."""
    place = rank(share, seats)
    first, last = max(round(place - MARGIN), 1), min(round(place + MARGIN), seats)
    return ordinal(first) if first == last else f"{ordinal(first)} or {ordinal(last)}"


def loss_in_words(better: float, worse: float, seats: int) -> str:
    """Return what a seat can expect from the worse of two moves, compared with the better one."""
    _check(seats, better, worse)
    if seats <= 2:
        return f"with {expected(worse, seats)}"
    places = rank(worse, seats) - rank(better, seats)
    if places < LITTLE:
        return "a little worse"
    if places < 1 - MARGIN:
        return "half a place worse"
    return "a place worse" if round(places) == 1 else f"{places:.0f} places worse"


def ordinal(number: int) -> str:
    """Return a place, such as 3rd."""
    checks.whole(number, "number", 0)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def heading(seats: int) -> str:
    """Return the heading of a column of :func:`expected`."""
    _check(seats)
    if seats == 1:
        return "of the way to a win"
    return "games won" if seats == 2 else f"place of {seats}"


def unit(seats: int) -> str:
    """Return the unit of differences, in the plural."""
    _check(seats)
    if seats == 1:
        return "percent of the way to a win"
    return "games of 100" if seats == 2 else "places"


def difference(share: float, seats: int, sign: bool = True) -> str:
    """Return a difference in share as a number of :func:`unit`; plus is good for the seat."""
    _check(seats, share)
    many = seats > 2
    number = share * (seats - 1) if many else share * 100
    text = f"{number:+.2f}" if many else f"{number:+.0f}"
    return text.lstrip("+-") if not sign or not text.strip("+-0.") else text


def _check(seats: int, *shares: float) -> None:
    checks.whole(seats, "seats", 1, MAX_SEATS)
    for share in shares:
        checks.number(share, "share", -MAX_SHARE, MAX_SHARE)
