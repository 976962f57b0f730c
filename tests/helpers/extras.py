"""What a base installation lacks."""

from __future__ import annotations

WITHOUT_EXTRAS = {
    "serve": ("", "web"),
    "backup": ("copy", "web"),
    "restore": ("copy", "web"),
    "migrate": ("--from here --to postgresql://there/name", "web"),
    "work": ("--database postgresql://there/name", "web"),
    "admin": ("tables", "web"),
    "study": ("GAME --games 10", "lab"),
    "arena": ("GAME random greedy --games 2", "lab"),
    "models": ("GAME greedy", "lab"),
    "dataset": ("GAME --games 1 --out there", "data"),
    "selfplay": ("GAME --games 2 --bots greedy --out games.jsonl", "fast"),
    "bench": ("GAME", "fast"),
    "prepare": ("GAME", "fast"),
    "build": ("c GAME --out there", "fast"),
    "mcp": ("", "llm"),
}
"""The commands that need an extra, with arguments and its name."""
