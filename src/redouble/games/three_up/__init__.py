"""3UP 3DOWN: be the first to get rid of all cards, the last three unseen."""

from pathlib import Path

from redouble.contract.game import Game
from redouble.contract.parts import Player, Setups, Words
from redouble.games.three_up import rules, text
from redouble.games.three_up.actions import actions_in_use
from redouble.games.three_up.greedy import evaluate, greedy
from redouble.games.three_up.moments import MOMENTS, ending
from redouble.games.three_up.page import ThreeUpPage

GAME = Game(
    name="three-up",
    title="3UP 3DOWN",
    version=1,
    min_seats=2,
    max_seats=12,
    summary="Be the first to get rid of your hand, three face-up cards and three nobody has seen.",
    folder=Path(__file__).parent,
    rules=rules,
    text=text,
    player=Player(greedy, evaluate, horizon=0),
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
        needed=text.needed,
        actions=actions_in_use,
        endings={
            2: {"cards": ("3r x4", "5r x3", "9r x4", "clear-r x5", "clear+1-r x2")},
            3: {"play-on": True},
            12: {"play-on": True},
        },
    ),
    page=ThreeUpPage,
)
