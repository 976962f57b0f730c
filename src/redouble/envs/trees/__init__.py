"""Games as trees in which chance has nodes of its own."""
