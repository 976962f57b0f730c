"""Highest Card: everybody plays a card, the highest takes the round; most rounds win."""

from pathlib import Path

from highest_card import rules, text
from highest_card.greedy import evaluate, greedy
from redouble.contract.game import Game
from redouble.contract.parts import Player, Words

GAME = Game(
    name="highest-card",
    title="Highest Card",
    version=1,
    min_seats=2,
    max_seats=4,
    summary="Everybody plays a card; the highest takes the round.",
    folder=Path(__file__).parent,
    rules=rules,
    text=text,
    player=Player(greedy, evaluate, horizon=0),
    words=Words(describe=text.describe),
)
