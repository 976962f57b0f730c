"""What a position or a finished game is worth: hints, reviews, puzzles and the solver."""
