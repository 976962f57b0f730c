"""Many games at once, played in compiled loops, and what their seats see as arrays."""
