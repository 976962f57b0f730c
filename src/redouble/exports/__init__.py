"""Games for other languages: WebAssembly modules, object files, and what describes them."""

from redouble.kernel.extras import require

require("compiling games", "fast", "numba", "numpy")
