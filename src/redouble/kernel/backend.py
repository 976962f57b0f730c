"""What compiles loops here, the arrays that they work on, and the threads that they run in.

They are Numba's, NumPy's and the system's. A browser's tab has modules that were compiled with the
edition, plain arrays and other workers.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING

from redouble.kernel.cores import IN_BROWSER

if TYPE_CHECKING or not IN_BROWSER:
    import numpy as np

    from redouble.kernel.engine import compiled, dtype, put, to_records

    def threads(number: int) -> Executor:
        """Return this number of threads."""
        return ThreadPoolExecutor(number)

else:
    from redouble.kernel import arrays as np
    from redouble.kernel.modules import compiled, dtype, put, threads, to_records

__all__ = ["compiled", "dtype", "np", "put", "threads", "to_records"]
