"""Train a network in a few minutes on one core: imitate the expert, then improve on it by PPO.

python examples/ppo.py double-down network.npz --seats 2

It plays in tournaments: redouble arena double-down examples/network_bot.py expert --seats 2
"""

import argparse
import sys
import time

import numpy as np

try:
    import torch
    from torch import nn
    from torch.distributions import Categorical
except ImportError:
    sys.exit("examples/ppo.py needs PyTorch: pip install torch")

from redouble.contract.game import WORK
from redouble.contract.placeholders import evaluate, functions, greedy, redact
from redouble.envs.arrays.batch import Batch
from redouble.kernel.engine import compiled

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("game")
parser.add_argument("file", help="where the network is saved")
parser.add_argument("--seats", type=int)
parser.add_argument("--imitate", type=float, default=60, help="seconds that it imitates the expert")
parser.add_argument("--improve", type=float, default=300, help="seconds of PPO after that")
parser.add_argument("--games", type=int, default=512, help="games played at once")
parser.add_argument("--steps", type=int, default=32, help="moves of each game between updates")
parser.add_argument("--hidden", type=int, default=128, help="neurons in each of the two layers")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

IMITATION_RATE, RATE = 1e-3, 6e-4
GAMMA, LAMBDA, CLIP, ENTROPY, EPOCHS, PARTS = 0.995, 0.95, 0.2, 0.003, 3, 8
SHAPING = 0.5  # what the game's evaluation counts beside the end of the game
OWN_MOVES = 0.3  # of the moves whose imitation is learned, the share that the network chooses
FIRST_VALUES = 0.1  # of the time of PPO, the part in which only the value is learned
CURRICULUM = ("club", *("expert",) * 5)  # opponents, each for as long


def evaluate_all(states, values):
    """Compiled: write how the seats of each game stand."""
    for i in range(len(states)):
        evaluate(states[i], values[i])


def ask_expert(states, scratch, legal, counts, chance, work, actions):
    """Compiled: write the expert's move in each game; it sees what the seat to move may know."""
    for i in range(len(states)):
        scratch[0] = states[i]
        redact(scratch[0], scratch[0].turn)
        actions[i] = greedy(scratch[0], legal[i], counts[i], chance, work)


class Network(nn.Module):
    """Scores of the actions and, in layers of its own, what the position is worth."""

    def __init__(self, scale: np.ndarray, actions: int) -> None:
        super().__init__()
        self.scale = torch.tensor(scale, dtype=torch.float32)
        self.scores = self.layers(len(scale), actions)
        self.value = self.layers(len(scale), 1)

    @staticmethod
    def layers(size: int, outputs: int) -> nn.Sequential:
        inner = [nn.Linear(size, args.hidden), nn.ReLU(), nn.Linear(args.hidden, args.hidden)]
        last = nn.Linear(args.hidden, outputs)
        nn.init.orthogonal_(last.weight, 0.01)
        return nn.Sequential(*inner, nn.ReLU(), last)

    def look(self, step) -> tuple[torch.Tensor, torch.Tensor]:
        """What the seats to move see, and which actions are legal."""
        return torch.tensor(step.observations) / self.scale, torch.tensor(step.mask)

    def choices(self, seen: torch.Tensor, mask: torch.Tensor) -> Categorical:
        scores = self.scores(seen).masked_fill(~mask, -1e9)
        return Categorical(logits=scores, validate_args=False)

    def arrays(self) -> list[np.ndarray]:
        """The weights and biases that give the scores, for tensors as they are."""
        linear = [layer for layer in self.scores if isinstance(layer, nn.Linear)]
        found = [array.detach().numpy().T for each in linear for array in (each.weight, each.bias)]
        found[0] = found[0] / self.scale.numpy()[:, None]
        return found


def imitate(batch: Batch, network: Network) -> None:
    """Learn the expert's moves in games that both of them play."""
    expert = compiled(ask_expert, **functions(batch.game))
    optimizer = torch.optim.Adam(network.scores.parameters(), IMITATION_RATE)
    scratch, chance = batch.states[:1].copy(), np.arange(1, 5, dtype=np.uint64)
    work, actions = np.zeros(WORK, np.int64), np.zeros(batch.n, np.int64)
    step, begun, rounds = batch.current(), time.monotonic(), 0
    while (done := (time.monotonic() - begun) / max(args.imitate, 1e-9)) < 1 or not rounds:
        optimizer.param_groups[0]["lr"] = IMITATION_RATE * max(0.05, 1 - done)
        expert(batch.states, scratch, step.legal.copy(), step.counts, chance, work, actions)
        choices = network.choices(*network.look(step))
        loss = nn.functional.cross_entropy(choices.logits, torch.tensor(actions))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        own = dice.random(batch.n) < OWN_MOVES
        if rounds % 500 == 0:
            same = (choices.logits.argmax(1).numpy() == actions).mean()
            print(f"imitation, {done:.0%}: {same:.1%} of its moves are the expert's", flush=True)
        step = batch.step(np.where(own, choices.sample().numpy(), actions))
        rounds += 1


def improve(level: str | None, network: Network, optimizer, begun: float, end: float) -> None:
    """Play against bots of a level, and learn what turned out better than expected."""
    seed = f"{args.seed} {begun}"
    batch = Batch(args.game, args.seats, args.games, seed=seed, threads=1, opponents=level)
    evaluator = compiled(evaluate_all, **functions(batch.game))
    values, rows = np.zeros((batch.n, batch.seats)), np.arange(batch.n)

    def lead(seats: np.ndarray) -> np.ndarray:
        """How far the learner is ahead of the best other seat, from -1 to 1."""
        evaluator(batch.states, values)
        own = values[rows, seats].copy()
        values[rows, seats] = -np.inf
        return np.tanh((own - (values.max(axis=1) if batch.seats > 1 else 0.0)) / 1000.0)

    step, rounds, beaten = batch.reset(), 0, []
    ahead = lead(step.turn)
    while time.monotonic() < end or not rounds:
        done = (time.monotonic() - begun) / max(args.improve, 1e-9)
        shape = (args.steps, batch.n)
        size = network.value[0].in_features
        seen, mask = torch.zeros(*shape, size), torch.zeros(*shape, batch.actions).bool()
        actions, chances = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape)
        worth, rewards, ends = (np.zeros(shape, np.float32) for _ in range(3))
        for t in range(args.steps):
            seats = step.turn.copy()
            with torch.no_grad():
                seen[t], mask[t] = network.look(step)
                choices = network.choices(seen[t], mask[t])
                actions[t] = choices.sample()
                chances[t] = choices.log_prob(actions[t])
                worth[t] = network.value(seen[t])[:, 0]
            step = batch.step(actions[t].numpy())
            ends[t] = step.done | step.truncated
            last, ahead = ahead, lead(step.turn)
            gained = GAMMA * ahead * (1 - ends[t]) - last
            rewards[t] = step.rewards[rows, seats] + SHAPING * gained
            beaten += step.rewards[rows, seats][step.done].tolist()
        with torch.no_grad():
            after = network.value(network.look(step)[0])[:, 0].numpy()
        surprise, advantages = np.zeros(batch.n, np.float32), np.zeros(shape, np.float32)
        for t in reversed(range(args.steps)):  # generalized advantage estimation
            going = 1 - ends[t]
            surprise = (
                rewards[t] + GAMMA * after * going - worth[t] + (GAMMA * LAMBDA * going * surprise)
            )
            advantages[t], after = surprise, worth[t]
        gains, returns = torch.tensor(advantages).flatten(), torch.tensor(advantages + worth)
        gains, returns = (gains - gains.mean()) / (gains.std() + 1e-8), returns.flatten()
        seen, mask = seen.flatten(0, 1), mask.flatten(0, 1)
        actions, chances = actions.flatten(), chances.flatten()
        optimizer.param_groups[0]["lr"] = RATE * max(0.05, 1 - done)
        for _ in range(EPOCHS):
            for part in torch.randperm(len(gains)).chunk(PARTS):
                choices = network.choices(seen[part], mask[part])
                ratio = (choices.log_prob(actions[part]) - chances[part]).exp()
                clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
                policy = -torch.min(ratio * gains[part], clipped * gains[part]).mean()
                policy = policy - ENTROPY * choices.entropy().mean()
                miss = nn.functional.mse_loss(network.value(seen[part])[:, 0], returns[part])
                loss = 0.5 * miss + (policy if done > FIRST_VALUES else 0.0)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
        rounds += 1
        if rounds % 10 == 0 and beaten:
            mean, against = np.mean(beaten[-5000:]), f" against {level}" if level else ""
            print(f"PPO, {done:.0%}: mean reward {mean:+.3f}{against}", flush=True)


torch.manual_seed(args.seed)
torch.set_num_threads(1)
dice = np.random.default_rng(args.seed)
batch = Batch(args.game, args.seats, args.games, seed=str(args.seed), threads=1)
step, scale = batch.reset(), np.ones(batch.size)
for _ in range(200):  # how large each slot gets in random games
    scale = np.maximum(scale, np.abs(step.observations.astype(float)).max(axis=0))
    step = batch.step(batch.sample())
network = Network(scale, batch.actions)
imitate(batch, network)
optimizer = torch.optim.Adam(network.parameters(), RATE, eps=1e-5)
begun = time.monotonic()
levels = CURRICULUM if batch.seats > 1 else (None,)
for number, level in enumerate(levels, 1):
    if args.improve:
        end = begun + args.improve * number / len(levels)
        improve(level, network, optimizer, begun, end)
np.savez(args.file, *network.arrays())
print(f"saved: {args.file}")
