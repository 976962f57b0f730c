"""The flat search of any game, compiled together with its rules.

It begins with what one seat knows, draws determinizations of it, tries the seat's moves in them
(:mod:`redouble.bots.search.flat`), and finishes with playouts
(:mod:`redouble.bots.search.playouts`). Worlds can be brought in line with what the others played
(:mod:`redouble.bots.search.beliefs`), and a game's network can have a say
(:mod:`redouble.bots.search.network`).

Each seat's reward is the share of its opponents that it beats, a tie counting half. If a playout
reaches its horizon before the game ends, the game's ``evaluate`` gives the rewards.
"""

from redouble.bots.search.playouts import SURE_LEAD
from redouble.bots.search.thinking import Candidate, Forecast, Search, compare, forecast, think

__all__ = ["SURE_LEAD", "Candidate", "Forecast", "Search", "compare", "forecast", "think"]
