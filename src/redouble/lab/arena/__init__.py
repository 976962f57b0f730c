"""Tournaments between bots, bundled or custom, on duplicate deals; see docs/arena.md."""

from redouble.kernel.extras import require

require("comparing bots", "lab", "numpy", "numba")
