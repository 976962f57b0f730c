"""Finished games: records, replays, reviews, shared results, the solver."""
