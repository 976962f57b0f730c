"""Puzzles, and the rating of those who solve them."""
