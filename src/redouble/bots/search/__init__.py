"""The flat search of any game, compiled together with its rules.

It begins with what one seat knows, draws determinizations of it, tries the seat's moves in them
(:mod:`redouble.bots.search.flat`), and finishes with playouts
(:mod:`redouble.bots.search.playouts`). Worlds can be brought in line with what the others played
(:mod:`redouble.bots.search.beliefs`), and a game's network can have a say
(:mod:`redouble.bots.search.network`).
"""

from redouble.bots.search.network import SparseNetwork
from redouble.bots.search.thinking import Candidate, Forecast, Search, compare, forecast, think

__all__ = ["Candidate", "Forecast", "Search", "SparseNetwork", "compare", "forecast", "think"]
