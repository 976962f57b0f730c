"""Daily deals and the daily puzzle, and each person's counted try."""
