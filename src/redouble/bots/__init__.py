"""Players that are programs: five levels for people, and ``random`` and ``greedy``.

A bot is told what its seat may know, an :class:`~redouble.match.match.Observation`, and nothing
else; and it has a randomness of its own, which never touches the game's.
"""

from __future__ import annotations

from typing import Protocol

from redouble.bots.greedy import GreedyBot
from redouble.bots.levels import LEVELS, Level
from redouble.bots.random import RandomBot
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import Generator, seed_words
from redouble.match.match import Observation


class UnknownBot(RedoubleError):
    """No bot has this name."""


class Bot(Protocol):
    """A player of any game."""

    @property
    def name(self) -> str:
        """What people call it by."""

    def choose(self, observation: Observation, rng: Generator) -> int:
        """One of the actions ``observation.legal``; ``rng`` is this decision's own chance."""


BOT_NAMES = (
    *("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"),
    *("Gus", "Hana", "Ivo", "Jo", "Kim", "Lou"),
)
"""What bots at a table are called by."""

BOTS: dict[str, Bot] = {
    **{name: Level(name, policy) for name, policy in LEVELS.items()},
    **{bot.name: bot for bot in (GreedyBot(), RandomBot())},
}
"""Every bot by its name; ``greedy`` and ``random`` are what the levels are made of."""


def bot_named(name: str) -> Bot:
    """The bot of this name. Raises :class:`UnknownBot` naming those there are."""
    if name not in BOTS:
        raise UnknownBot(f"there is no bot {name!r}; the bots: {', '.join(BOTS)}")
    return BOTS[name]


def own_chance(seed: str, seat: int, ply: int) -> Generator:
    """The randomness of one decision of a bot.

    It depends on the game's seed text and on nothing that was played, so a game with bots can be
    played again, and a move taken back and made again gets the same answer.
    """
    return seed_words(f"bot at seat {seat}, ply {ply}, of {seed}")
