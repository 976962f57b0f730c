"""What watches a site: its log and its figures."""

from __future__ import annotations

from collections.abc import Callable

Observer = Callable[[str, str, int, float], None]
"""Hears of each request: its method, its route, the status and the seconds to the answer."""
