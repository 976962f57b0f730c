"""Play through OpenSpiel: its information-set tree search in seat 0, random moves elsewhere.

python examples/openspiel_loop.py double-down 20
"""

import sys

import numpy as np
from open_spiel.python.algorithms import ismcts, mcts

from redouble.envs.peers import openspiel

name, simulations = sys.argv[1:] or ("double-down", "20")
game = openspiel.load(name)
dice = np.random.RandomState(1)
rollouts = mcts.RandomRolloutEvaluator(1, dice)
bot = ismcts.ISMCTSBot(game, rollouts, 1.0, int(simulations), random_state=dice)
state = game.new_initial_state()
while not state.is_terminal():
    if state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        action = dice.choice(outcomes, p=chances)
    elif state.current_player() == 0:
        action = bot.step(state)
    else:
        action = dice.choice(state.legal_actions())
    state.apply_action(action)
print(f"{name}: the tree search in seat 0 gets {state.returns()[0]:+.2f}")
