"""Learn against bots with RLlib's PPO and masks: python examples/rllib_loop.py double-down 3"""

import sys

import gymnasium
import numpy as np

from redouble import GAMES

try:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
except ImportError:
    raise SystemExit("This example needs RLlib: pip install 'ray[rllib]' torch") from None


class Masked(gymnasium.Env):
    """A game whose observation carries the mask of legal actions, as RLlib's module wants it."""

    def __init__(self, config):
        version = GAMES[config["game"]].version
        name = f"redouble.envs.peers.gymnasium:redouble/{config['game']}-v{version}"
        self.env = gymnasium.make(name, opponents="novice")
        self.action_space, seen = self.env.action_space, self.env.observation_space
        floats = gymnasium.spaces.Box(-128, 127, seen.shape, np.float32)
        mask = gymnasium.spaces.Box(0, 1, (int(self.action_space.n),), np.float32)
        self.observation_space = gymnasium.spaces.Dict(observations=floats, action_mask=mask)

    def masked(self, seen, info):
        mask = info["action_mask"].astype(np.float32)
        return {"observations": seen.astype(np.float32), "action_mask": mask}

    def reset(self, *, seed=None, options=None):
        return self.masked(*self.env.reset(seed=seed)), {}

    def step(self, action):
        seen, reward, terminated, truncated, info = self.env.step(action)
        return self.masked(seen, info), reward, terminated, truncated, {}


name, rounds = sys.argv[1:] or ("double-down", "3")
config = PPOConfig().environment(Masked, env_config={"game": name}).env_runners(num_env_runners=0)
config.training(train_batch_size=2000, minibatch_size=250, num_epochs=4)
config.rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
algorithm = config.build_algo()
for number in range(1, int(rounds) + 1):
    mean = algorithm.train()["env_runners"]["episode_return_mean"]
    print(f"round {number}: mean reward {mean:+.2f}", flush=True)
