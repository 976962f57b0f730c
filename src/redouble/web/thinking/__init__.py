"""What thinks: hints and searches, with their threads and compiled code."""
