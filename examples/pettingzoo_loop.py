"""Let every seat of a game play at random through PettingZoo.

python examples/pettingzoo_loop.py double-down
"""

import sys

from redouble.envs.peers.pettingzoo import env

[game] = sys.argv[1:] or ["double-down"]
table = env(game)
table.reset(seed=1)
for agent in table.agent_iter():
    seen, reward, terminated, truncated, _ = table.last()
    if terminated or truncated:
        print(f"{agent}: {reward:+.2f}")
        table.step(None)
    else:
        table.step(table.action_space(agent).sample(seen["action_mask"]))
