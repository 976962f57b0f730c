"""Train against bots with PufferLib's PuffeRL, on processors: a two-layer network, with masks.

python examples/pufferlib_loop.py double-down 20000000
"""

import sys

import numpy as np

try:
    import pufferlib.pytorch
    import pufferlib.vector
    import torch
    from pufferlib.pufferl import PuffeRL
    from torch import nn
except ImportError:
    raise SystemExit("This example needs PufferLib: pip install pufferlib") from None

from redouble.envs.peers.pufferlib import PufferGames

NUMBERS = {
    **{"learning_rate": 1e-3, "gamma": 0.995, "gae_lambda": 0.95, "update_epochs": 2, "seed": 1},
    **{"clip_coef": 0.2, "vf_coef": 1.0, "vf_clip_coef": 0.2, "ent_coef": 0.003},
    **{"optimizer": "adam", "adam_beta1": 0.9, "adam_beta2": 0.999, "adam_eps": 1e-8},
    **{"max_grad_norm": 0.5, "bptt_horizon": 32, "batch_size": "auto", "anneal_lr": True},
    **{"minibatch_size": 4096, "max_minibatch_size": 4096, "use_rnn": False},
    **{"prio_alpha": 0.0, "prio_beta0": 1.0, "vtrace_rho_clip": 1.0, "vtrace_c_clip": 1.0},
    **{"device": "cpu", "precision": "float32", "compile": False, "compile_mode": "default"},
    **{"compile_fullgraph": False, "torch_deterministic": True, "cpu_offload": False},
    **{"checkpoint_interval": 10**9, "data_dir": "experiments"},
}


class Policy(nn.Module):
    """Scores of the legal actions, and what the position is worth."""

    hidden_size = 128

    def __init__(self, env):
        super().__init__()
        self.size, actions = env.size, int(env.single_action_space.n)
        first, second = nn.Linear(self.size, 128), nn.Linear(128, 128)
        self.body = nn.Sequential(first, nn.ReLU(), second, nn.ReLU())
        self.scores = pufferlib.pytorch.layer_init(nn.Linear(128, actions), std=0.01)
        self.value = pufferlib.pytorch.layer_init(nn.Linear(128, 1), std=0.1)

    def forward(self, seen, state=None):
        hidden = self.body(seen[:, : self.size].clamp(-8, 8) / 4.0)
        scores = self.scores(hidden).masked_fill(seen[:, self.size :] == 0, -1e9)
        return scores, self.value(hidden)

    forward_eval = forward


game, steps = sys.argv[1:] or ("double-down", "20000000")
arguments = {"game": game, "seats": 1 if game == "double-or-quits" else 2}
torch.manual_seed(1)
policy = None
for level, share in {"novice": 0.15, "club": 0.25, "expert": 0.6}.items():  # beginners only lose
    kwargs = {**arguments, "num_envs": 1024, "opponents": level}
    env = pufferlib.vector.make(PufferGames, env_kwargs=kwargs)
    policy = policy or Policy(env)
    total = int(share * int(steps))
    trainer = PuffeRL({**NUMBERS, "env": game, "total_timesteps": total}, env, policy)
    while trainer.global_step < total:
        trainer.evaluate()
        trainer.train()
    trainer.utilization.stop()  # its thread would keep the program from ending
env = PufferGames(**arguments, num_envs=1024, opponents="expert", seed=2)  # other deals
seen, rewards = env.reset()[0], []
while len(rewards) < 10_000:
    with torch.no_grad():
        best = policy(torch.as_tensor(seen))[0].argmax(1).numpy()
    seen, _, _, _, infos = env.step(best)
    rewards += [reward for info in infos for reward in info["reward"]]
error = 1.96 * np.std(rewards) / len(rewards) ** 0.5
print(f"{len(rewards)} games against expert: mean reward {np.mean(rewards):+.3f} ± {error:.3f}")
