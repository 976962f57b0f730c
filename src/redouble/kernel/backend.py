"""What compiles loops here, and the arrays that they work on.

They are Numba's and NumPy's. A browser's tab has modules that were compiled with the edition, and
plain arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redouble.kernel.cores import IN_BROWSER

if TYPE_CHECKING or not IN_BROWSER:
    import numpy as np

    from redouble.kernel.engine import compiled, dtype, put, to_records
else:
    from redouble.kernel import arrays as np
    from redouble.kernel.modules import compiled, dtype, put, to_records

__all__ = ["compiled", "dtype", "np", "put", "to_records"]
