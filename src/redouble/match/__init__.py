"""A game being played, its record, and the story it tells."""
