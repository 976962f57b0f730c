"""Trained agents: small networks that play as bots, and the files that hold them.

A network is layers of weights and biases over a seat's tensor
(:mod:`redouble.envs.observation`), with max(0, x) between them. Its last layer gives each action a
score, and the agent plays the legal action with the highest one. That takes NumPy alone.

A file is an ``.npz`` archive: ``about`` is a line of JSON, ``weights0``, ``bias0``, ``weights1``
and so on are the layers. Files are read without pickle, so reading one runs nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from redouble.bots.inputs import check_decision
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.observation import layout, observation, tensor_size
from redouble.kernel import checks
from redouble.kernel.border import STRICT, read_json
from redouble.kernel.errors import InputError, RedoubleError
from redouble.kernel.rng import Generator
from redouble.match.match import Observation

__all__ = ["MAX_BYTES", "MAX_LAYERS", "MAX_WEIGHT", "Agent", "AgentError"]

Array = np.ndarray[Any, np.dtype[Any]]

FORMAT = 1
MAX_LAYERS = 8
MAX_BYTES = 2**27
"""A file's size once it is unpacked."""
HEADER = 1024
"""What describes an array in a file takes less."""
MAX_WEIGHT = 10_000.0
"""The size of a weight or a bias; with it no score overflows."""
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, tokenize.TokenError),
    *(ValueError, SyntaxError, TypeError, KeyError, IndexError, EOFError),
    *(NotImplementedError, RuntimeError, RecursionError, MemoryError, OverflowError),
)
"""What reading a broken archive raises."""


class AgentError(RedoubleError):
    """A trained agent that cannot be used: its file is broken, or it is for another game."""


@dataclass(frozen=True)
class About:
    """What a file says of its agent."""

    __pydantic_config__ = STRICT

    agent: int
    """The version of this format."""
    game: str
    rules: int
    """The version of the game's rules."""
    seats: int
    options: dict[str, Any]
    observation: str
    """A digest of which slots of a tensor tell what."""
    training: dict[str, Any] | None = None
    """How the agent was trained, if the file says so."""


class Agent:
    """A bot that plays what a trained network prefers; it makes no choice at random.

    ``layers`` are pairs of weights ``[inputs, outputs]`` and biases ``[outputs]``. The first has
    as many inputs as the game's tensors have slots, the last as many outputs as there are actions.
    ``training`` is what the file should say about how it was trained, as plain JSON. Raises
    :class:`AgentError` if they don't fit, and what :meth:`Game.check_options` raises.
    """

    def __init__(
        self,
        game: str | Game,
        seats: int,
        layers: Sequence[tuple[Array, Array]],
        options: Mapping[str, Any] | None = None,
        name: str = "agent",
        training: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = game if isinstance(game, Game) else GAMES[checks.text(game, "game")]
        self.options = self.game.check_options(seats, {} if options is None else options)
        self.seats = seats
        self.name = checks.text(name, "name")
        self.training = _checked_training(training)
        self.size = tensor_size(self.game, seats)
        self.actions = self.game.actions(self.options, seats)
        self._layers = _checked(layers, self.size, self.actions)

    @property
    def layers(self) -> list[tuple[Array, Array]]:
        """The weights and biases of each layer, in copies."""
        return [(weights.copy(), bias.copy()) for weights, bias in self._layers]

    @classmethod
    def load(cls, path: str | Path) -> Agent:
        """Return the agent of a file, named after it. Raises :class:`AgentError`."""
        file = _path(path)
        about, layers = _read(file)
        if about.game not in GAMES:
            raise AgentError(
                f"{file} is for the game {checks.quoted(about.game)}, which isn't installed"
            )
        game = GAMES[about.game]
        try:
            name = f"agent {file.stem}"
            agent = cls(game, about.seats, layers, about.options, name, about.training)
        except RedoubleError as error:
            raise AgentError(f"{file} can't play {game.title}: {error}") from None
        if (about.rules, about.observation) != (game.version, _digest(game, about.seats)):
            raise AgentError(
                f"{file} was trained with other rules or observations of {game.title}: "
                "train the agent again"
            )
        return agent

    def save(self, path: str | Path) -> None:
        """Write the agent to a file. Raises :class:`AgentError` if it cannot be written."""
        file = _path(path)
        about: dict[str, Any] = {
            "agent": FORMAT,
            "game": self.game.name,
            "rules": self.game.version,
            "seats": self.seats,
            "options": self.options,
            "observation": _digest(self.game, self.seats),
        }
        if self.training is not None:
            about["training"] = self.training
        arrays: dict[str, Any] = {"about": np.array(json.dumps(about))}
        for i, (weights, bias) in enumerate(self._layers):
            arrays[f"weights{i}"] = _smallest(weights)
            arrays[f"bias{i}"] = _smallest(bias)
        if sum(each.nbytes + HEADER for each in arrays.values()) > MAX_BYTES:
            raise AgentError(f"the agent takes more than {MAX_BYTES:,} bytes: make it smaller")
        try:
            with file.open("wb") as out:
                np.savez_compressed(out, **arrays)
        except (OSError, ValueError) as error:
            name = checks.printable(str(file))
            raise AgentError(f"{name} cannot be written: {_reason(error)}") from None

    def check(self, game: Game, seats: int, options: Mapping[str, Any]) -> None:
        """Raise :class:`AgentError` unless the agent is for this game, seats and options."""
        checks.instance(game, Game, "game")
        if game is not self.game:
            raise AgentError(f"{self.name} plays {self.game.title}, not {game.title}")
        if seats != self.seats:
            raise AgentError(
                f"{self.name} plays with {self.seats} seats, not {seats}: choose {self.seats}"
            )
        values = game.check_options(seats, options)
        other = [name for name in values if values[name] != self.options[name]]
        if other:
            raise AgentError(
                f"{self.name} plays with {other[0]}={self.options[other[0]]}, "
                f"not {values[other[0]]}: set the option so, or train another agent"
            )

    def scores(self, observations: Array) -> Array:
        """Return the scores ``float64[..., actions]`` of tensors ``[..., size]``.

        Raises :class:`InputError` if the tensors have another size.
        """
        values = _as_array(observations, np.float64, "observations", InputError)
        if values.ndim == 0 or values.shape[-1] != self.size or not np.isfinite(values).all():
            raise InputError(
                f"observations have the shape {values.shape}: "
                f"give tensors of {self.size} finite numbers"
            )
        last = len(self._layers) - 1
        for i, (weights, bias) in enumerate(self._layers):
            values = values @ weights + bias
            if i < last:
                np.maximum(values, 0.0, out=values)
        return values

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return the legal action with the highest score, of equal ones the first.

        Raises :class:`InputError`, or :class:`AgentError` if the position is of another game.
        """
        check_decision(observation, rng)
        legal = observation.legal
        if observation.game is not self.game or observation.state.seats != self.seats:
            raise AgentError(f"{self.name} plays {self.game.title} with {self.seats} seats")
        if legal[-1] >= self.actions:
            raise AgentError(f"{self.name} was trained with other options")
        if len(legal) == 1:
            return legal[0]
        scores = self.scores(np.array(_tensor(observation), np.int8))
        return legal[int(scores[list(legal)].argmax())]


def _tensor(seen: Observation) -> list[int]:
    return observation(seen.game, seen.state, seen.seat)


def _checked_training(training: object) -> dict[str, Any] | None:
    """Return what a file says about training. Raises :class:`AgentError` unless it is JSON."""
    if training is None:
        return None
    try:
        if isinstance(training, Mapping):
            found: dict[str, Any] = json.loads(json.dumps(dict(training), allow_nan=False))
            return found
    except (TypeError, ValueError, RecursionError):
        pass
    raise checks.wrong("training", training, "a dictionary of plain JSON", AgentError)


def _checked(layers: object, size: int, actions: int) -> list[tuple[Array, Array]]:
    """Return layers that lead from tensors to actions. Raises :class:`AgentError`."""
    pairs = checks.items(layers, "layers", "pairs of weights and biases", AgentError)
    if not 1 <= len(pairs) <= MAX_LAYERS:
        raise AgentError(f"there are {len(pairs)} layers: give 1 to {MAX_LAYERS}")
    checked = []
    inputs = size
    for i, pair in enumerate(pairs):
        both = checks.items(pair, f"layer {i}", "weights and biases", AgentError)
        if len(both) != 2:
            raise AgentError(f"layer {i} has {len(both)} arrays: give weights and biases")
        weights, bias = (_numbers(each, f"layer {i}") for each in both)
        outputs = actions if i == len(pairs) - 1 else bias.size
        if weights.shape != (inputs, outputs) or bias.shape != (outputs,):
            raise AgentError(
                f"layer {i} has weights {weights.shape} and biases {bias.shape}: "
                f"give {(inputs, outputs)} and {(outputs,)}"
            )
        checked.append((weights, bias))
        inputs = outputs
    return checked


def _numbers(value: object, what: str) -> Array:
    # The file holds single precision: scores are the same before and after saving.
    numbers = _as_array(value, np.float32, what, AgentError).astype(np.float64)
    if not (np.abs(numbers) <= MAX_WEIGHT).all():
        raise AgentError(f"{what} has a number that isn't from -{MAX_WEIGHT:g} to {MAX_WEIGHT:g}")
    return numbers


def _smallest(numbers: Array) -> Array:
    """Return numbers of single precision in half precision, if that is exact."""
    half = numbers.astype(np.float16)
    return half if (half == numbers).all() else numbers.astype(np.float32)


def _as_array(value: object, dtype: Any, what: str, error: type[RedoubleError]) -> Array:
    if isinstance(value, np.ndarray | list | tuple):  # others, such as a range, can be endless
        with contextlib.suppress(*UNREADABLE), np.errstate(over="ignore"):
            return np.asarray(value, dtype)
    raise checks.wrong(what, value, "arrays of numbers", error)


def _path(path: object) -> Path:
    if not isinstance(path, str | Path) or not str(path) or "\0" in str(path):
        raise checks.wrong("path", path, "the name of a file", AgentError)
    return Path(path)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _digest(game: Game, seats: int) -> str:
    slots = [(one.name, one.start, one.stop, one.kind) for one in layout(game, seats)]
    return hashlib.sha256(repr(slots).encode()).hexdigest()[:16]


def _read(file: Path) -> tuple[About, list[tuple[Array, Array]]]:
    """Return what a file holds; only its form is checked."""
    if not os.path.isfile(file):  # other than Path.is_file, it takes any name
        name = checks.printable(str(file))
        raise AgentError(f"there is no file {name}: give that of a trained agent")
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise AgentError(f"{file} holds more than {MAX_BYTES:,} bytes: no agent is so big")
            if len(entries) > 1 + 2 * MAX_LAYERS:
                raise AgentError(f"{file} isn't an agent: it holds {len(entries)} arrays")
            names = {entry.filename for entry in entries}
            layers = range((len(names) - 1) // 2)
            wanted = {"about.npy", *(f"{p}{i}.npy" for i in layers for p in ("weights", "bias"))}
            if names != wanted or len(names) != len(entries):
                raise AgentError(f"{file} isn't an agent: it holds {checks.quoted(sorted(names))}")
            about = _array(archive.read("about.npy"), "U")
            pairs = [
                (
                    _array(archive.read(f"weights{i}.npy"), "f"),
                    _array(archive.read(f"bias{i}.npy"), "f"),
                )
                for i in layers
            ]
            said = read_json(About, str(about.reshape(1)[0]), AgentError)
    except AgentError as error:
        text = str(error)
        raise AgentError(text if text.startswith(str(file)) else f"{file}: {text}") from None
    except OSError as error:
        raise AgentError(f"{file} cannot be read: {_reason(error)}") from None
    except UNREADABLE as error:
        raise AgentError(
            f"{file} isn't an agent, or it is damaged: {checks.printable(str(error))}"
        ) from None
    if said.agent != FORMAT:
        raise AgentError(f"{file} has the format {said.agent}, not {FORMAT}: train the agent again")
    return said, pairs


def _array(data: bytes, kind: str) -> Array:
    """Return the array of an archive's entry; its size is checked before memory is taken."""
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise AgentError("an array has an unknown format")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.kind != kind:
        raise AgentError(f"an array holds {dtype}: agents hold numbers and a text, never objects")
    values = np.frombuffer(data, dtype, offset=stream.tell())
    return values.reshape(shape, order="F" if by_columns else "C")
