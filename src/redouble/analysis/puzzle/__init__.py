"""Puzzles: positions in which one move is clearly best, by what the seat to move knows.

docs/puzzles.md explains how ``scripts/puzzles.py`` finds and rates them.
"""

from __future__ import annotations

from redouble.analysis.puzzle.shelf import (
    FILE,
    HARDNESS,
    LADDER,
    RATERS,
    AnswerVerdict,
    Margin,
    NoPuzzle,
    Puzzle,
    PuzzleError,
    forget_puzzles,
    number_of_puzzles,
    puzzle_numbered,
    puzzles_at,
    puzzles_of,
)

__all__ = [
    "FILE",
    "HARDNESS",
    "LADDER",
    "RATERS",
    "AnswerVerdict",
    "Margin",
    "NoPuzzle",
    "Puzzle",
    "PuzzleError",
    "forget_puzzles",
    "number_of_puzzles",
    "puzzle_numbered",
    "puzzles_at",
    "puzzles_of",
]
