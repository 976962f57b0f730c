"""Double Down: add to the total; a player who makes a double or 99 loses a chip."""

from dataclasses import replace
from pathlib import Path

from redouble.contract.game import Game
from redouble.contract.parts import Network, Player, Setups, Words
from redouble.games.double_down import by_chance, rules, text
from redouble.games.double_down.features import FEATURES, TRAITS, features, traits
from redouble.games.double_down.greedy import evaluate, greedy
from redouble.games.double_down.moments import MOMENTS, ending
from redouble.games.double_down.page import DoubleDownPage

_NEWEST = Game(
    name="double-down",
    title="Double Down",
    version=2,
    min_seats=2,
    max_seats=7,
    summary="Add to the total; make a double or 99, and you lose a chip.",
    folder=Path(__file__).parent,
    rules=rules,
    text=text,
    player=Player(greedy, evaluate, horizon=3),
    words=Words(
        describe=text.describe,
        moments=MOMENTS,
        ending=ending,
        outlook=text.outlook,
        out=text.out,
        numbers=text.numbers,
    ),
    setups=Setups(
        thinking=30,
        endings={
            2: {"cards": ("10 x6", "33 x3", "5 x2")},
            3: {"cards": ("10 x17", "33 x3", "5 x1")},
            5: {"cards": ("10 x30", "33 x7")},
        },
    ),
    network=Network(features, FEATURES, traits, TRAITS, trust=0.002),
    page=DoubleDownPage,
)

GAME = replace(_NEWEST, earlier=(replace(_NEWEST, version=1, rules=by_chance),))
