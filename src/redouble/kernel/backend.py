"""What compiles loops here, and the arrays that they work on.

They are Numba's and NumPy's where these are installed. Elsewhere arrays are plain, and loops are
interpreted, or in a browser's tab compiled with its edition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redouble.kernel.cores import IN_BROWSER, INTERPRETED

if TYPE_CHECKING or not (IN_BROWSER or INTERPRETED):
    import numpy as np

    from redouble.kernel.engine import compiled, dtype, put, to_records, why_slow
else:
    from redouble.kernel import arrays as np
    from redouble.kernel.interpreter import why_slow
    from redouble.kernel.modules import compiled, dtype, put, to_records

__all__ = ["compiled", "dtype", "np", "put", "to_records", "why_slow"]
