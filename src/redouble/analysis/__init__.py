"""Analysis of positions and games: hints, reviews, puzzles and the solver."""
