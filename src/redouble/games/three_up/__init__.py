"""3UP 3DOWN: be the first without a card, the last three of them unseen."""

from pathlib import Path

from redouble.contract.game import Game
from redouble.games.three_up import rules, text
from redouble.games.three_up.greedy import evaluate, greedy

GAME = Game(
    name="three-up",
    title="3UP 3DOWN",
    version=1,
    min_seats=2,
    max_seats=12,
    summary="Be the first without a card: your hand, three face up, and three nobody has seen.",
    rules=rules,
    text=text,
    greedy=greedy,
    evaluate=evaluate,
    horizon=0,
    folder=Path(__file__).parent,
)
