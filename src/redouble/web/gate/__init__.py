"""What every request and response passes: connections, limits, checks, compression and the log."""
