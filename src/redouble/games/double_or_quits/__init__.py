"""Double or Quits: a solitaire whose foundation doubles from card to card."""

from pathlib import Path

from redouble.contract.game import Game
from redouble.contract.parts import Player, Setups, Words
from redouble.games.double_or_quits import rules, solver, text
from redouble.games.double_or_quits.greedy import evaluate, greedy
from redouble.games.double_or_quits.page import DoubleOrQuitsPage

GAME = Game(
    name="double-or-quits",
    title="Double or Quits",
    version=1,
    min_seats=1,
    max_seats=1,
    summary="A solitaire: each card on the foundation doubles the one before.",
    folder=Path(__file__).parent,
    rules=rules,
    text=text,
    player=Player(greedy, evaluate, horizon=0),
    words=Words(describe=text.describe, moments=text.MOMENTS, ending=text.ending),
    setups=Setups(usual={"free-flip": True}, endings={1: {}}),  # as published it plays itself
    solver=solver,
    page=DoubleOrQuitsPage,
)
