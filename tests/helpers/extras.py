"""What a base installation has, and what it lacks."""

import redouble

GAME = "double-down"


def _record() -> str:
    match = redouble.new(GAME, seats=2, seed="base")
    for _ in range(2):
        match.push(match.legal_moves[0])
    return f"{match.record()}\n"


IN_THE_BASE = {
    "play": (f"{GAME} --seed base --plain", "quit\n"),
    "rules": (f"{GAME} --plain", ""),
    "games": ("", ""),
    "replay": ("- --json -", _record()),
    "review": ("- --iterations 10", _record()),
    "puzzle": (f"{GAME} --plain", "quit\n"),
    "solve": ("--games 2 --seed base", ""),
    "verify": ("--help", ""),
}
"""The commands that need no extra, with arguments and what is typed."""
SEARCHING = ("play", "review", "solve")
"""Those of them that are slow without the compiler."""
WITHOUT_EXTRAS = {
    "serve": ("", "web"),
    "backup": ("copy", "web"),
    "restore": ("copy", "web"),
    "migrate": ("--from here --to postgresql://there/name", "web"),
    "work": ("--database postgresql://there/name", "web"),
    "admin": ("tables", "web"),
    "study": (f"{GAME} --games 10", "lab"),
    "arena": (f"{GAME} random greedy --games 2", "lab"),
    "models": (f"{GAME} greedy", "lab"),
    "dataset": (f"{GAME} --games 1 --out there", "data"),
    "selfplay": (f"{GAME} --games 2 --bots greedy --out games.jsonl", "fast"),
    "bench": (GAME, "fast"),
    "prepare": (GAME, "fast"),
    "build": (f"c {GAME} --out there", "fast"),
    "mcp": ("", "llm"),
}
"""The commands that need an extra, with arguments and its name."""
