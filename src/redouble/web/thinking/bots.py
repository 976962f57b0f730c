"""The bots of a server: those that every installation has, and trained agents of its own."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from redouble.bots import BOTS, Bot
from redouble.bots.levels import LEVELS, USUAL_LEVEL
from redouble.contract.game import Game
from redouble.kernel.errors import RedoubleError

MAX_NAME = 24
"""Characters in the name of a trained agent."""
_log = logging.getLogger(__name__)


class RosterError(RedoubleError):
    """A trained agent can't be a bot of this server."""


class Trained(Bot, Protocol):
    """A bot for one game with one number of seats and its options."""

    @property
    def game(self) -> Game:
        """The game that it plays."""

    @property
    def seats(self) -> int:
        """How many players there are."""

    def check(self, game: Game, seats: int, options: Mapping[str, Any]) -> None:
        """Raise a :class:`RedoubleError` unless it can play this."""


class Roster(Mapping[str, Bot]):
    """A read-only mapping of a server's bots by name: :data:`BOTS`, then its trained agents.

    ``agents`` are named by what players shall read. An unknown name raises
    :class:`~redouble.bots.UnknownBot`.
    """

    def __init__(self, agents: Mapping[str, Trained] | None = None) -> None:
        self._agents = dict(agents or {})
        self._missed: set[str] = set()

    @classmethod
    def load(cls, files: Sequence[Path]) -> Roster:
        """Return a roster with the agents of these files, each named after its file.

        Raises :class:`RosterError` for a name that can't be told from another, and
        :class:`~redouble.envs.agent.AgentError` for a file that holds no agent.
        """
        agents: dict[str, Trained] = {}
        for file in files:
            from redouble.envs.agent import Agent  # imports a compiler

            name = file.stem.strip()
            if name in agents or name in BOTS:
                raise RosterError(f"there is already a bot named {name}: rename {file}")
            if not name.isprintable() or not 0 < len(name) <= MAX_NAME:
                raise RosterError(
                    f"{file} is named after no bot: give it a name of 1 to {MAX_NAME} characters"
                )
            agents[name] = Agent.load(file)
        return cls(agents)

    def __getitem__(self, name: str) -> Bot:
        return self._agents[name] if name in self._agents else BOTS[name]

    def __iter__(self) -> Iterator[str]:
        yield from BOTS
        yield from self._agents

    def __len__(self) -> int:
        return len(BOTS) + len(self._agents)

    def choices(self, game: Game) -> list[tuple[str, str]]:
        """Return the bots that a table of this game can be made with, each with its words."""
        agents = [(name, one) for name, one in self._agents.items() if one.game is game]
        return [(level, f"{level} bot") for level in LEVELS] + [
            (name, f"{name} bot, with {one.seats} players") for name, one in agents
        ]

    def check(self, name: str, game: Game, seats: int, options: Mapping[str, Any]) -> None:
        """Raise a :class:`RedoubleError` unless there is such a bot and it can play this."""
        if name in self._agents:
            self._agents[name].check(game, seats, options)
        else:
            BOTS[name]

    def at_table(self, name: str) -> Bot:
        """Return the bot of a seat, or one of the usual level if the server no longer has it."""
        if name in self:
            return self[name]
        if name not in self._missed:
            self._missed.add(name)
            _log.warning("there is no bot named %s: a %s bot plays instead", name, USUAL_LEVEL)
        return BOTS[USUAL_LEVEL]
