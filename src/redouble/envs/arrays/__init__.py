"""Many games at once, played in compiled loops, and what their seats see as arrays."""

from redouble.kernel.extras import require

require("a batch of games", "fast", "numba", "numpy")
