"""Double Double Dominoes: cover the numbered diamonds; a double scores twice and goes on."""

from pathlib import Path

from redouble.contract.game import Game
from redouble.contract.parts import Player, Setups, Words
from redouble.games.double_dominoes import rules, terminal, text
from redouble.games.double_dominoes.greedy import evaluate, greedy
from redouble.games.double_dominoes.moments import MOMENTS, ending
from redouble.games.double_dominoes.page import DoubleDominoesPage

GAME = Game(
    name="double-dominoes",
    title="Double Double Dominoes",
    version=1,
    min_seats=2,
    max_seats=6,
    summary="Cover the numbered diamonds; a double scores twice and lets you go on.",
    folder=Path(__file__).parent,
    rules=rules,
    text=text,
    player=Player(greedy, evaluate, horizon=6),
    words=Words(describe=text.describe, moments=MOMENTS, ending=ending, outlook=text.outlook),
    setups=Setups(endings={2: {"victory": 130}}),
    draw=terminal.draw,
    page=DoubleDominoesPage,
)
