"""Nights and weekends off: how the time to think passes in a player's own time zone."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

MORNING, EVENING = time(8), time(22)
"""When a night ends and when it begins."""
SATURDAY = 5
"""The first day of a weekend, as ``date.weekday`` counts."""
MAX_ZONE = 64
"""Characters in the name of a time zone, at most."""


@lru_cache(maxsize=1000)
def zone_of(name: str) -> tzinfo:
    """Return a time zone by its name, such as ``Europe/Berlin``; UTC for one that isn't known."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, ValueError, OSError):
        return UTC


def known_zone(name: str) -> str:
    """Return the name of a time zone as it is stored: empty for UTC and for an unknown one."""
    known = 0 < len(name) <= MAX_ZONE and name.isascii() and name.isprintable()
    return name if known and zone_of(name) is not UTC else ""


@dataclass(frozen=True, slots=True)
class Rest:
    """When nobody's time passes, by the clock on their own wall."""

    nights: bool = False
    weekends: bool = False

    def __bool__(self) -> bool:
        return self.nights or self.weekends

    def after(self, since: float, seconds: float, zone: str) -> float:
        """Return when so many seconds to think have passed. Times are in seconds since 1970."""
        if not self:
            return since + seconds
        for begin, end in self._spans(since, zone_of(zone)):
            if seconds <= end - begin:
                return begin + seconds
            seconds -= end - begin
        raise AssertionError("time goes on")

    def between(self, since: float, until: float, zone: str) -> float:
        """Return how many seconds to think there are between two times; 0 if there is none."""
        if not self:
            return max(0.0, until - since)
        passed = 0.0
        for begin, end in self._spans(since, zone_of(zone)):
            if begin >= until:
                break
            passed += min(end, until) - begin
        return passed

    def _spans(self, since: float, zone: tzinfo) -> Iterator[tuple[float, float]]:
        """Yield when time passes from ``since`` on, a day at a time."""
        day = datetime.fromtimestamp(since, zone).date()
        while True:
            if not (self.weekends and day.weekday() >= SATURDAY):
                begin, end = self._day(day, zone)
                if end > since:
                    yield max(begin, since), end
            day += timedelta(days=1)

    def _day(self, day: date, zone: tzinfo) -> tuple[float, float]:
        begins = datetime.combine(day, MORNING if self.nights else time(), zone)
        ends = datetime.combine(day, EVENING, zone)
        if not self.nights:
            ends = datetime.combine(day + timedelta(days=1), time(), zone)
        return begins.timestamp(), ends.timestamp()
