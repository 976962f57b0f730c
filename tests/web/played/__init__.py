"""Tests of saved games and reviews."""
