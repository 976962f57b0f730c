"""For programs that learn: games as arrays, as trees, on graphics cards and in other libraries."""
