"""Batches of games on graphics cards."""
