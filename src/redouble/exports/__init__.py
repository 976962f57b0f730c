"""Games for other languages: WebAssembly modules, object files, and what describes them."""
