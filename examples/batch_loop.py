"""Learn by policy gradient, with NumPy alone: a linear policy against bots, 256 games at once.

python examples/batch_loop.py double-down 3000
"""

import sys

import numpy as np

from redouble.envs.arrays.batch import Batch

game, steps = sys.argv[1:] or ("double-down", "3000")
batch = Batch(game, seats=2, n=256, seed="example", opponents="novice")
weights = np.zeros((batch.size, batch.actions))
traces = np.zeros((batch.n, batch.size, batch.actions), np.float32)  # REINFORCE, game by game
dice, recent, step = np.random.default_rng(1), 0.0, batch.reset()
for number in range(1, int(steps) + 1):
    seen, seats = np.clip(step.observations, -2, 2), step.turn.copy()
    logits = np.where(step.mask, seen @ weights, -np.inf)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    actions = (chances.cumsum(axis=1) > dice.random((batch.n, 1))).argmax(axis=1)
    traces += seen[:, :, None] * (np.eye(batch.actions)[actions] - chances)[:, None, :]
    step = batch.step(actions)
    for i in np.flatnonzero(step.done):
        surprise = step.rewards[i, seats[i]] - recent
        weights, recent = weights + 0.0003 * surprise * traces[i], recent + 0.002 * surprise
        traces[i] = 0.0
    if number % (int(steps) // 5) == 0:
        print(f"after {number} steps: mean reward {recent:+.2f}", flush=True)
