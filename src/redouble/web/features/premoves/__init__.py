"""Moves that are decided in advance."""
