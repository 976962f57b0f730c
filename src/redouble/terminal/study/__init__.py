"""Records, reviews, puzzles and solved deals in a terminal."""
