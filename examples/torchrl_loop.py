"""Collect moves with TorchRL, every seat playing at random.

python examples/torchrl_loop.py double-down 200
"""

import sys

try:
    from torchrl.envs import PettingZooWrapper
except ImportError:
    raise SystemExit("This example needs TorchRL: pip install torchrl") from None

from redouble.envs.peers import pettingzoo

name, moves = sys.argv[1:] or ("double-down", "200")
table = PettingZooWrapper(pettingzoo.env(name), use_mask=True, seed=1)
made = table.rollout(int(moves), break_when_any_done=False)
for group in table.group_map:
    seen = made[group, "observation", "observation"]
    turns = made[group, "mask"].sum().item()
    reward = made["next", group, "reward"].sum().item()
    print(f"{group}: {turns} moves, observations {tuple(seen.shape)}, rewards {reward:+.2f}")
