"""Data sets: positions with values, their worlds, puzzles and games, in Parquet files with a card.

``job`` plays the games and values positions, ``values`` tries moves in worlds, ``columns`` says
what the files hold, ``files`` writes them, and ``card`` describes them. See docs/data.md.
"""

from redouble.kernel.extras import require

require("a data set", "data", "numpy", "numba")
