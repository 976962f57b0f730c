"""Double Decker: tricks of two colors, and every color but your own costs points."""

from pathlib import Path

from redouble.contract.game import Game
from redouble.contract.parts import Beliefs, Network, Player, Setups, Words
from redouble.games.double_decker import rules, text
from redouble.games.double_decker.features import FEATURES, TRAITS, features, traits
from redouble.games.double_decker.greedy import evaluate, greedy
from redouble.games.double_decker.moments import MOMENTS, ending
from redouble.games.double_decker.page import DoubleDeckerPage

GAME = Game(
    name="double-decker",
    title="Double Decker",
    version=1,
    min_seats=4,
    max_seats=7,
    summary="Win tricks of two colors, and collect cards of one.",
    folder=Path(__file__).parent,
    rules=rules,
    text=text,
    player=Player(greedy, evaluate, horizon=10),
    words=Words(
        describe=text.describe,
        moments=MOMENTS,
        ending=ending,
        outlook=text.outlook,
        numbers=text.numbers,
    ),
    setups=Setups(endings={4: {}}),
    beliefs=Beliefs(
        rules.recall,
        rules.holders,
        rules.exchange_unseen,
        exchanges={4: 128, 5: 128, 6: 128, 7: 128},
    ),
    network=Network(features, FEATURES, traits, TRAITS, playouts=(4, 5, 6, 7)),
    page=DoubleDeckerPage,
)
