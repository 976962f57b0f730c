"""Small networks in NumPy: an encoding of tensors, layers that learn, and Adam.

The encoding turns each slot of a tensor into numbers that are 0 or 1, so that a rule such as "a
total of 33" needs no more than one weight. It can be written as two layers with max(0, x) between
them, so the whole is an :class:`~redouble.envs.agent.Agent`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

FEW = 8
"""Values of a slot up to which its features say "at least"; with more they say "exactly"."""
DECAYS = 0.9, 0.999
"""Adam's averages of gradients and of their squares (Kingma and Ba, "Adam", 2015)."""
TINY = 1e-8


@dataclass(frozen=True)
class Encoding:
    """Features of tensors: whether a slot is at least, or exactly, a number."""

    size: int
    """Slots of a tensor."""
    slots: Array
    """int[features]: the slot of each feature."""
    numbers: Array
    """int8[features]: the number that it is compared with."""
    exact: Array
    """bool[features]: whether the slot has to be that number."""

    @classmethod
    def of(cls, observations: Array) -> Encoding:
        """Return the encoding that tells apart all values of a slot in these tensors.

        A slot that always has the same value has no feature.
        """
        rows: list[tuple[int, int, bool]] = []
        for slot in range(observations.shape[1]):
            values = np.unique(observations[:, slot]).tolist()
            few = len(values) <= FEW
            rows += [(slot, value, not few) for value in values[few:]]
        found = np.array(rows, np.int64).reshape(-1, 3)
        return cls(
            observations.shape[1],
            found[:, 0],
            found[:, 1].astype(np.int8),
            found[:, 2].astype(np.bool_),
        )

    def __len__(self) -> int:
        return len(self.slots)

    def features(self, observations: Array) -> Array:
        """Return the features float32[n, features] of tensors int8[n, size]."""
        values = observations[:, self.slots]
        found = np.where(self.exact, values == self.numbers, values >= self.numbers)
        return found.astype(np.float32)

    def layers(self) -> list[tuple[Array, Array]]:
        """Return the encoding as two layers: bends of lines, and steps and peaks made of them."""
        bends: dict[tuple[int, int], int] = {}
        parts: list[tuple[int, int, float]] = []  # a bend, a feature and its weight
        for feature, (slot, number, exact) in enumerate(
            zip(self.slots.tolist(), self.numbers.tolist(), self.exact.tolist(), strict=True)
        ):
            weights = (1.0, -2.0, 1.0) if exact else (1.0, -1.0)
            for k, weight in enumerate(weights):
                bend = bends.setdefault((slot, number - 1 + k), len(bends))
                parts.append((bend, feature, weight))
        first, start = np.zeros((self.size, len(bends))), np.zeros(len(bends))
        for (slot, number), bend in bends.items():
            first[slot, bend] = 1.0
            start[bend] = -number
        second = np.zeros((len(bends), len(self)))
        for bend, feature, weight in parts:
            second[bend, feature] += weight
        return [(first, start), (second, np.zeros(len(self)))]


class Network:
    """Layers of weights and biases with max(0, x) between them, and what Adam remembers of each.

    The first layer takes features, the last gives a score for each action.
    """

    def __init__(self, widths: Sequence[int], dice: np.random.Generator) -> None:
        self.arrays: list[Array] = []
        """The weights and biases of each layer, one after the other."""
        for i, (inputs, outputs) in enumerate(pairwise(widths)):
            spread = np.sqrt(2.0 / inputs) * (0.01 if i == len(widths) - 2 else 1.0)
            self.arrays.append(dice.normal(0.0, spread, (inputs, outputs)).astype(np.float32))
            self.arrays.append(np.zeros(outputs, np.float32))
        self.means = [np.zeros_like(array) for array in self.arrays]
        self.squares = [np.zeros_like(array) for array in self.arrays]
        self.steps = 0

    def rounded(self) -> list[tuple[Array, Array]]:
        """Return the layers with numbers of half precision, which take half as much in a file."""
        arrays = [array.astype(np.float16).astype(np.float32) for array in self.arrays]
        return list(zip(arrays[::2], arrays[1::2], strict=True))

    def forget(self) -> None:
        """Forget what Adam remembers."""
        for array in (*self.means, *self.squares):
            array[:] = 0.0
        self.steps = 0

    def learn(self, values: list[Array], slope: Array, rate: float) -> None:
        """Change the weights against ``slope``, the loss's gradient by score: Adam's step.

        ``values`` is what :func:`forward` returned.
        """
        self.steps += 1
        for i in range(len(self.arrays) - 2, -1, -2):
            inputs = values[i // 2]
            gradients = inputs.T @ slope, slope.sum(axis=0)
            if i:
                slope = (slope @ self.arrays[i].T) * (inputs > 0)
            for k, gradient in enumerate(gradients, i):
                mean, square = averaged(self.means[k], self.squares[k], gradient, self.steps)
                step = mean / (np.sqrt(square) + TINY)
                self.arrays[k] -= np.float32(rate) * step.astype(np.float32)


def averaged(mean: Array, square: Array, gradient: Array, steps: int) -> tuple[Array, Array]:
    """Update Adam's averages in place and return them corrected for having begun at 0.

    ``steps`` includes this one.
    """
    first, second = (1.0 - decay**steps for decay in DECAYS)
    mean += (1.0 - DECAYS[0]) * (gradient - mean)
    square += (1.0 - DECAYS[1]) * (gradient * gradient - square)
    return mean / first, square / second


def forward(arrays: Sequence[Array], features: Array) -> list[Array]:
    """Return the features and the values of each layer; the last are the scores [n, actions]."""
    values = [features]
    last = len(arrays) // 2 - 1
    for i, (weights, bias) in enumerate(zip(arrays[::2], arrays[1::2], strict=True)):
        found = values[-1] @ weights + bias
        values.append(found if i == last else np.maximum(found, 0.0))
    return values
