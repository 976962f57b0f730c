"""Tournaments between bots, bundled or custom, on duplicate deals; see docs/arena.md."""
