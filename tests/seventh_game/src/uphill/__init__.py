"""Uphill: lay tiles on your path so that they rise, alone or in a race for two."""

from pathlib import Path

from redouble.contract.game import Game
from redouble.contract.parts import Player, Words
from uphill import rules, solver, text
from uphill.greedy import evaluate, greedy
from uphill.page import UphillPage
from uphill.terminal import draw

GAME = Game(
    name="uphill",
    title="Uphill",
    version=1,
    min_seats=1,
    max_seats=2,
    summary="Lay tiles on your path so that their numbers rise to the top.",
    folder=Path(__file__).parent,
    rules=rules,
    text=text,
    player=Player(greedy, evaluate, horizon=30),
    words=Words(describe=text.describe),
    solver=solver,
    draw=draw,
    page=UphillPage,
)
