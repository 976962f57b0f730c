"""Tests of events, commands and the fold."""
