"""People: guests and their sessions, names and results."""
