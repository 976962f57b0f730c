"""Cards as a terminal shows them: with the signs of their suits."""

from __future__ import annotations

from redouble.games.double_or_quits.text import CARDS

SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
FACES = {card: card[:-1] + SIGNS[card[-1]] for card in CARDS}
"""For instance ``8♥`` for ``8H``."""
