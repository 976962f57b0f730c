"""Puzzles: positions in which one move is clearly best for all that the seat to move knows.

docs/puzzles.md says how they are found and rated; :mod:`redouble.analysis.puzzle.maker` does it.
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
    "puzzle_numbered",
    "puzzles_at",
    "puzzles_of",
]
