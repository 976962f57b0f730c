"""The bots at a server's tables."""

from __future__ import annotations

import logging
from functools import cache

from redouble.bots import BOTS, Bot
from redouble.bots.levels import USUAL_LEVEL

_log = logging.getLogger(__name__)


def bot_at_table(name: str) -> Bot:
    """Return the bot of a seat, or one of the usual level if there is no such bot any more."""
    if name in BOTS:
        return BOTS[name]
    _warn_once(name)
    return BOTS[USUAL_LEVEL]


@cache
def _warn_once(name: str) -> None:
    _log.warning("there is no bot named %s: a %s bot plays instead", name, USUAL_LEVEL)
