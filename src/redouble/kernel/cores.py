"""What this process may use of the machine."""

import os
import sys

from redouble.kernel.extras import is_installed

IN_BROWSER = sys.platform == "emscripten"
"""Whether this is a tab of a browser, which has no threads, no processes and no compiler."""
INTERPRETED = not IN_BROWSER and not is_installed("numba", "numpy")
"""Whether searches and solvers run without a compiler, which takes much longer."""


def cores() -> int:
    """Return the number of cores that this process may use, at least 1.

    A process that is bound to some of the machine's cores, as in a container, gets their number. A
    tab has one, besides that which serves pages.
    """
    if IN_BROWSER:
        return 1
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
