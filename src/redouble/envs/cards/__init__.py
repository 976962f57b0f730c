"""Batches of games on graphics cards."""

from redouble.kernel.extras import require

require("redouble.envs.cards", "cuda", "numba", "numpy")
