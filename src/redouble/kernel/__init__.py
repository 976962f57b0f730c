"""What rules are written with and run on: states, chance, piles and the compiled engine."""
