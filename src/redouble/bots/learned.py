"""The network that comes with a game, and the moves that it prefers.

A game that has ``features`` and ``traits`` says by numbers what is true of a position, and what of
a move. One more trait is that the game's heuristic would make the move, so a network learns where
to overrule it. Each of these numbers has a row of the network: one weight for each neuron. A
neuron adds up its weights of all that is true, and counts for nothing below zero. The score of a
move is what its neurons give, times their last weights, plus a weight of each of its traits. The
move with the highest score is played.

All weights are whole numbers, so that plain Python finds the same as
:mod:`redouble.bots.search.network`, which decides in compiled code. They are in ``weights.json`` in
the game's folder, with the command that made them (``scripts/weights.py``) and what they reach.
"""

from __future__ import annotations

from array import array
from base64 import b64decode
from binascii import Error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from operator import add
from pathlib import Path

from redouble.bots.simple import greedy_move
from redouble.contract.game import WORK, Game
from redouble.contract.parts import Network
from redouble.kernel import checks
from redouble.kernel.border import JsonShape, read_json
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator
from redouble.match.match import Observation

__all__ = ["FILE", "LearnedWeights", "learned_weights"]

FILE = "weights.json"


@dataclass(frozen=True)
class LearnedWeights(JsonShape):
    """A network for some numbers of seats, as a file has it.

    Raises :class:`~redouble.kernel.errors.InputError` if a field cannot be used.
    """

    command: str
    """What made it."""
    beats: dict[int, str]
    """For each number of seats, the share of those it learned against that it beats without a
    search, with its 95% interval; they are experts if the command names no others."""
    games: int
    """The games in which each of them was measured."""
    unit: float
    """What a score of 1 means in logits: the chance of a move grows by the factor e for each."""
    traits: list[int]
    """The weight of each of the game's traits, then that of the heuristic's move."""
    rows: str
    """The weights of the neurons for each feature, each trait and the heuristic's move: a signed
    byte each, in base64."""
    last: str
    """The last weight of each neuron, in the same way."""

    def __post_init__(self) -> None:
        checks.text(self.command, "command")
        if not checks.instance(self.beats, dict, "beats"):
            raise InputError("beats is empty: give at least one number of seats")
        for seats, share in self.beats.items():
            checks.whole(seats, "a number of seats in beats", 2)
            checks.text(share, "a share in beats")
        checks.whole(self.games, "games", 1)
        checks.number(self.unit, "unit", 0)
        for weight in checks.items(self.traits, "traits", "whole numbers"):
            checks.whole(weight, "a weight in traits")
        _ = self.layers

    @cached_property
    def layers(self) -> tuple[Sequence[int], Sequence[int]]:
        """The rows, one after the other, and the last weight of each neuron."""
        return _signed_bytes(self.rows, "rows"), _signed_bytes(self.last, "last")

    def sums(self, numbers: Sequence[int], begun: Sequence[int] | None = None) -> Sequence[int]:
        """Return what the neurons add up to for these rows, on top of what was ``begun``."""
        rows, last = self.layers
        found = [0] * len(last) if begun is None else begun
        for number in numbers:
            start = number * len(last)
            found = list(map(add, found, rows[start : start + len(last)]))
        return found

    def score(self, traits: Sequence[int], sums: Sequence[int]) -> int:
        """Return the score of a move with these traits, whose neurons add up to ``sums``."""
        given = sum(
            each * last for each, last in zip(sums, self.layers[1], strict=True) if each > 0
        )
        return given + sum(self.traits[k] for k in traits)


def _signed_bytes(text: str, what: str) -> Sequence[int]:
    try:
        found = array("b", b64decode(checks.text(text, what), validate=True))
    except Error:
        found = array("b")
    if not found:
        raise InputError(f"{what} has no bytes in base64")
    return found


def learned_weights(game: Game) -> Mapping[int, LearnedWeights]:
    """Return the networks that come with a game, by numbers of seats.

    Raises :class:`~redouble.kernel.errors.InputError` if the file is broken.
    """
    return _read(checks.instance(game, Game, "game"))


@cache
def _read(game: Game) -> Mapping[int, LearnedWeights]:
    file = game.folder / FILE
    known = read_weights(file, game) if game.network is not None and file.exists() else {}
    return {seats: one for one in known.values() for seats in one.beats}


def network_of(game: Game) -> Network:
    """Return what a network sees of a game.

    Raises :class:`~redouble.kernel.errors.InputError` if the game has none.
    """
    if game.network is None:
        raise InputError(f"{game.title} has no features and traits: a network can't see its moves")
    return game.network


def read_weights(file: Path, game: Game) -> dict[str, LearnedWeights]:
    """Return the networks of a game that a file holds, by their numbers of seats, such as ``3-7``.

    Raises :class:`~redouble.kernel.errors.InputError` if the file is broken or of other traits.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
        found = read_json(dict[str, LearnedWeights], text, InputError)
    except (OSError, UnicodeDecodeError, InputError) as error:
        raise InputError(f"{file} can't be read: {error}") from None
    sees = network_of(game)
    for one in found.values():
        rows, last = one.layers
        for what, is_so, wanted in (
            ("traits", len(one.traits), sees.trait_count + 1),
            ("rows", len(rows) / len(last), sees.feature_count + sees.trait_count + 1),
        ):
            if is_so != wanted:
                raise InputError(f"{file} has {is_so:g} weights in {what}: give {wanted}")
    return found


def learned_move(observation: Observation, rng: Generator) -> int:
    """Return the move with the highest score by the game's network, or else the heuristic's."""
    right = greedy_move(observation, rng)
    sees, state = observation.game.network, observation.state
    found = _read(observation.game).get(state.seats)
    if found is None or sees is None:
        return right
    out = [0] * WORK
    begun = found.sums(out[: sees.features(state, out)])
    scores = []
    for action in observation.legal:
        traits = out[: sees.traits(state, action, out)]
        if action == right:
            traits.append(sees.trait_count)
        sums = found.sums([sees.feature_count + k for k in traits], begun)
        scores.append(found.score(traits, sums))
    return observation.legal[scores.index(max(scores))]
