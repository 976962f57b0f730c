"""Tournaments between bots, ours and anybody's, on duplicate deals. docs/arena.md says how."""
