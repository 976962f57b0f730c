"""Let RLCard's agents play: python examples/rlcard_loop.py double-down 20"""

import sys

import numpy as np

try:
    from rlcard.agents.random_agent import RandomAgent
    from rlcard.utils.pettingzoo_utils import tournament_pettingzoo, wrap_state
except ImportError:
    raise SystemExit("This example needs RLCard: pip install rlcard") from None

from redouble.envs.peers import pettingzoo


class Player(RandomAgent):
    """RLCard's DQNAgentPettingZoo and NFSPAgentPettingZoo fit in its place; they need PyTorch."""

    def eval_step(self, state):
        return super().eval_step(wrap_state(state))


name, games = sys.argv[1:] or ("double-down", "20")
table = pettingzoo.env(name)
np.random.seed(1)
agents = {seat: Player(table.action_space(seat).n) for seat in table.possible_agents}
for seat, reward in tournament_pettingzoo(table, agents, int(games)).items():
    print(f"{seat}: mean reward {reward:+.2f}")
