"""The weights that come with a game, and the bot that plays by them.

A game that has ``traits`` says which weights count for a move. One more weight counts for the move
that its heuristic would make, so weights learn where the heuristic should be overruled. The move
with the highest sum is played. The weights of each number of seats are in ``weights.json`` in the
game's folder, with the command that made them (:mod:`redouble.lab.training.gradient`) and what
they reach. :mod:`redouble.bots.linear` decides in the same way, compiled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from redouble.bots.greedy import GreedyBot
from redouble.contract.game import WORK, Game
from redouble.kernel import checks
from redouble.kernel.border import STRICT, read_json
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator
from redouble.match.match import Observation

__all__ = ["FILE", "LearnedBot", "LearnedWeights", "learned_weights"]

FILE = "weights.json"


@dataclass(frozen=True)
class LearnedWeights:
    """The weights for a number of seats, as a file has them.

    Raises :class:`~redouble.kernel.errors.InputError` if a field cannot be used.
    """

    __pydantic_config__ = STRICT

    command: str
    """What made them."""
    beats_experts: str
    """The share of experts that they beat without a search, with its 95 % interval."""
    games: int
    """The games in which that was measured."""
    weights: list[int]
    """In hundredths: one for each of the game's traits, then that of the heuristic's move."""

    def __post_init__(self) -> None:
        checks.text(self.command, "command")
        checks.text(self.beats_experts, "beats_experts")
        checks.whole(self.games, "games", 1)
        for weight in checks.items(self.weights, "weights", "whole numbers"):
            checks.whole(weight, "a weight")


def learned_weights(game: Game) -> Mapping[int, LearnedWeights]:
    """Return the weights that come with a game, by numbers of seats.

    Raises :class:`~redouble.kernel.errors.InputError` if the file is broken.
    """
    return _read(checks.instance(game, Game, "game"))


@cache
def _read(game: Game) -> Mapping[int, LearnedWeights]:
    file = game.folder / FILE
    return read_weights(file, game) if game.traits is not None and file.exists() else {}


def check_traits(game: Game) -> None:
    """Raise :class:`~redouble.kernel.errors.InputError` if a game has no traits."""
    if game.traits is None:
        raise InputError(f"{game.title} has no traits: a linear policy can't see its moves")


def read_weights(file: Path, game: Game) -> Mapping[int, LearnedWeights]:
    """Return the weights of a game that a file holds, by numbers of seats.

    Raises :class:`~redouble.kernel.errors.InputError` if the file is broken or of other traits.
    """
    try:
        text = file.read_text(encoding="utf-8")
        found = read_json(dict[int, LearnedWeights], text, InputError)
    except (OSError, UnicodeDecodeError, InputError) as error:
        raise InputError(f"{file} can't be read: {error}") from None
    for seats, one in found.items():
        if len(one.weights) != game.weights + 1:
            raise InputError(
                f"{file} has {len(one.weights)} weights for {seats} seats: give {game.weights + 1}"
            )
    return found


class LearnedBot:
    """A bot that plays by the game's learned weights; where there are none, by its heuristic."""

    name = "learned"

    def __init__(self) -> None:
        self._greedy = GreedyBot()

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return an action; ``rng`` is the decision's generator. Raises :class:`InputError`."""
        right = self._greedy.choose(observation, rng)
        game, state = observation.game, observation.state
        found = learned_weights(game).get(state.seats)
        if found is None or game.traits is None:
            return right
        weights, out = found.weights, [0] * WORK
        sums = []
        for action in observation.legal:
            n = game.traits(state, action, out)
            sums.append(sum(weights[k] for k in out[:n]) + weights[-1] * (action == right))
        return observation.legal[sums.index(max(sums))]
