"""Bots: five levels for people to play against, and ``random``, ``greedy`` and ``learned``.

A bot receives an :class:`~redouble.match.match.Observation`, which has only what its seat may know.
Bots have their own random numbers, apart from the game's.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

from redouble.bots.levels import LEVELS, LevelBot
from redouble.bots.policy import Policy
from redouble.bots.simple import GreedyBot, RandomBot
from redouble.kernel import checks
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import Generator, seed_words
from redouble.match.match import Observation

__all__ = ["BOTS", "BOT_NAMES", "Bot", "UnknownBot", "own_chance"]


class UnknownBot(RedoubleError, KeyError):
    """No bot has this name."""

    __str__ = Exception.__str__  # a KeyError would quote the sentence


class Bot(Protocol):
    """A player of any game."""

    @property
    def name(self) -> str:
        """The name that tables and tournaments list it by."""

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return one of ``observation.legal``; ``rng`` is the generator of this decision."""


BOT_NAMES = (
    *("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"),
    *("Gus", "Hana", "Ivo", "Jo", "Kim", "Lou"),
)
"""Names for bots at a table."""


class Bots(Mapping[str, Bot]):
    """A read-only mapping of the bots by name, weakest level first.

    An unknown name raises :class:`UnknownBot`.
    """

    def __init__(self) -> None:
        bots: list[Bot] = [LevelBot(name, policy) for name, policy in LEVELS.items()]
        self._bots = {
            bot.name: bot
            for bot in [*bots, LevelBot("learned", Policy(learned=True)), GreedyBot(), RandomBot()]
        }

    def __getitem__(self, name: str) -> Bot:
        if not isinstance(name, str) or name not in self._bots:
            known = ", ".join(self._bots)
            raise UnknownBot(f"there is no bot {checks.quoted(name)}: the bots are {known}")
        return self._bots[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._bots)

    def __len__(self) -> int:
        return len(self._bots)

    def __repr__(self) -> str:
        return f"<Bots {', '.join(self)}>"


BOTS = Bots()
"""Every bot by name; the levels combine ``greedy``, ``random`` and a search."""


def own_chance(seed: str, seat: int, ply: int) -> Generator:
    """Return the random numbers of one decision of a bot.

    They depend only on the game's seed text, the seat and the ply. So a game with bots can be
    replayed, and a bot answers the same way when a move is undone and made again.
    """
    checks.text(seed, "seed")
    checks.whole(seat, "seat")
    checks.whole(ply, "ply")
    return seed_words(f"bot at seat {seat}, ply {ply}, of {seed}")
