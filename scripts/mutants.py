#!/usr/bin/env python3
"""Seed plausible rule bugs, one at a time, and show that the tests catch each.

    .venv/bin/python scripts/mutants.py [GAME_FOLDER ...] [--only WORDS]

The bugs stand in ``tests/mutants/<folder>.toml``: a line of the game's source and what it becomes.
Each is put into a copy of the project, where the game's example tests run, and then, while tests
pass, those of its bounds and the laws. A bug that no test catches is reported, and the exit code is
1. With ``--only``, only the bugs whose description contains these words are tried.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHOSEN = Path("src/redouble/games")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Seed plausible rule bugs and run the tests.")
    parser.add_argument("folders", nargs="*", metavar="GAME_FOLDER", help="default: every game")
    parser.add_argument("--only", default="", metavar="WORDS", help="words of the description")
    given = parser.parse_args(arguments)
    chosen = _mutants(given.folders, given.only)
    if not chosen:
        print("no mutants match: see tests/mutants", file=sys.stderr)
        return 2
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        for part in ("src", "tests"):
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        for name, mutant in chosen:
            caught = _caught(copy, name, mutant)
            survivors += not caught
            print(
                f"{'caught by ' + caught if caught else 'SURVIVED':24} {name}: {mutant['why']}",
                flush=True,
            )
    print(f"{len(chosen) - survivors} of {len(chosen)} caught")
    return 1 if survivors else 0


def _mutants(folders: list[str], words: str) -> list[tuple[str, dict[str, str]]]:
    """Return the chosen mutants, each with the folder of its game."""
    return [
        (file.stem, mutant)
        for file in sorted((ROOT / "tests" / "mutants").glob("*.toml"))
        if not folders or file.stem in folders
        for mutant in tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]
        if words in mutant["why"]
    ]


def _caught(copy: Path, folder: str, mutant: dict[str, str]) -> str:
    """Which tests fail with this bug in the copy: ``examples``, ``bounds``, ``laws`` or none."""
    path = copy / CHOSEN / folder / mutant["file"]
    original = path.read_text(encoding="utf-8")
    if original.count(mutant["old"]) != 1:
        raise SystemExit(
            f"{folder}: {mutant['why']!r}: its old text stands "
            f"{original.count(mutant['old'])} times in {mutant['file']}, not once"
        )
    path.write_text(original.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    try:
        if not _passes(copy, f"tests/games/test_{folder}.py"):
            return "examples"
        name = folder.replace("_", "-")
        if not _passes(copy, "tests/kernel/test_bounds.py", "-k", name):
            return "bounds"
        if not _passes(copy, "tests/test_laws.py", "-k", f"{name} and not l8"):
            return "laws"
        return ""
    finally:
        path.write_text(original, encoding="utf-8")


def _passes(copy: Path, *arguments: str) -> bool:
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"pytest could not run:\n{run.stdout}{run.stderr}")
    return run.returncode == 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
