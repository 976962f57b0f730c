"""Games in words, for language models: rules, what a seat sees, its moves, and what it answers.

Nothing here needs a compiler, but for opponents that search.
"""

from redouble.envs.text.answers import Answer, AnswerReader
from redouble.envs.text.endings import GameEnding, find_ending
from redouble.envs.text.game import AnswerCounts, AnswerResult, TextGame, TextPlayer
from redouble.envs.text.rules import rules_in_words

__all__ = [
    "Answer",
    "AnswerCounts",
    "AnswerReader",
    "AnswerResult",
    "GameEnding",
    "TextGame",
    "TextPlayer",
    "find_ending",
    "rules_in_words",
]
