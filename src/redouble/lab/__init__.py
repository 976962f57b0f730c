"""Many games at once: simulation, contests, tournaments, studies and benchmarks."""
