"""Learn against bots with sb3-contrib: python examples/maskable_ppo_loop.py double-down 20000"""

import sys

import gymnasium

from redouble import GAMES

try:
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy
except ImportError:
    raise SystemExit("This example needs sb3-contrib: pip install sb3-contrib") from None

name, steps = sys.argv[1:] or ("double-down", "20000")
made = f"redouble.envs.peers.gymnasium:redouble/{name}-v{GAMES[name].version}"
env = gymnasium.make(made, opponents="novice")
model = MaskablePPO("MlpPolicy", env, seed=1)
for trained in (False, True):
    if trained:
        model.learn(int(steps))
    mean, _ = evaluate_policy(model, env, n_eval_episodes=200, warn=False)
    print(f"after {model.num_timesteps} steps: mean reward {mean:+.2f}", flush=True)
