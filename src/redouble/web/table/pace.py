"""How long bots take for their moves."""

from __future__ import annotations

from redouble.web.errors import WebError

PACES = {"slow": 1.6, "normal": 0.8, "fast": 0.25, "instant": 0.0}
"""Seconds that a bot takes for a move."""
USUAL_PACE = "normal"


def check_pace(pace: str) -> None:
    """Raise :class:`WebError` unless bots can play at this pace."""
    if pace not in PACES:
        raise WebError(f"pace {pace!r} is unknown: use one of {', '.join(PACES)}")
