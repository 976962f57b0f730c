"""Training: small networks that learn to play from a game's expert and from its search."""
