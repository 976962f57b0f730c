"""What several tests of the web need."""
