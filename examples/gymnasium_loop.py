"""Play against bots through Gymnasium, choosing legal moves at random.

python examples/gymnasium_loop.py double-down 20
"""

import sys

import gymnasium
import numpy as np

from redouble import GAMES

game, games = sys.argv[1:] or ("double-down", "20")
name = f"redouble.envs.peers.gymnasium:redouble/{game}-v{GAMES[game].version}"
env = gymnasium.make(name, opponents="casual")
dice = np.random.default_rng(1)
rewards = []
seen, info = env.reset(seed=1)
while len(rewards) < int(games):
    legal = np.flatnonzero(info["action_mask"])
    seen, reward, terminated, truncated, info = env.step(dice.choice(legal))
    if terminated or truncated:
        rewards.append(reward)
        seen, info = env.reset()
print(f"{games} games of {game}: mean reward {np.mean(rewards):+.2f}")
