"""Finding people: who looks for others now, for which games, and who plays together."""
