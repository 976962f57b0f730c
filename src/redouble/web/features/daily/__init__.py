"""The deals and the puzzle of the day."""
