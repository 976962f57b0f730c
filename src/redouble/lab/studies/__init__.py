"""The house-rule lab: how rules shape a game, measured over many simulated games.

``plan`` defines a study, ``series`` plays its games in chunks, ``tally`` and ``luck`` add up the
results, ``run`` uses all cores, ``figures`` turns the sums into figures and sentences, and ``page``
makes a report of them.
"""

from redouble.kernel.extras import require

require("a study", "lab", "numpy", "numba")
