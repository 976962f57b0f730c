"""What a game has to define, and the registry of the games that do."""
