"""Fair deals, which everyone can check."""
