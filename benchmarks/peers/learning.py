"""How many steps a second other libraries make in their card games; a JSON line for each.

Run by benchmarks/envs.py with a Python that has some of these libraries; others are left out.
Everything runs on one core. A step is a random legal move with the observation and the mask after
it, and a game that ends begins anew. PufferLib's games have no masks, so there it is any move.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib.util import find_spec
from typing import Any

os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false"
    " intra_op_parallelism_threads=1 inter_op_parallelism_threads=1"
)
N = 1024
"""Games at once, where a library plays many."""


def pgx_steps(name: str, seconds: float) -> float:
    """Return Pgx's steps per CPU second: a compiled loop over a batch of games."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    start, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    def body(_: int, carry: Any) -> Any:
        state, key = carry
        key, one, two = jax.random.split(key, 3)
        logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
        actions = jax.random.categorical(one, logits, axis=1)
        return step(state, actions, jax.random.split(two, N)), key

    run = jax.jit(lambda state, key, times: jax.lax.fori_loop(0, times, body, (state, key)))
    key = jax.random.PRNGKey(0)
    state = jax.jit(start)(jax.random.split(key, N))
    state, key = run(state, key, 2)
    jax.block_until_ready(state)
    times, begun, best = 20, time.perf_counter(), 0.0
    while time.perf_counter() - begun < seconds:
        before = time.process_time()
        state, key = run(state, key, times)
        jax.block_until_ready(state)
        best = max(best, times * N / (time.process_time() - before))
    return best


def envpool_steps(name: str, seconds: float) -> float:
    """Return EnvPool's steps per CPU second: a batch of games in its compiled loop, on a thread.

    EnvPool gives an observation to every player after each move.
    """
    import envpool
    import numpy as np

    env = envpool.make(name, env_type="gymnasium", num_envs=N, num_threads=1)
    dice = np.random.default_rng(0)
    info = env.reset()[1]
    times, begun, best = 20, time.perf_counter(), 0.0
    while time.perf_counter() - begun < seconds:
        before = time.process_time()
        for _ in range(times):
            mask = info["legal_action_mask"]
            actions = (dice.random(mask.shape, np.float32) * mask).argmax(1)
            info = env.step(actions.astype(np.int32))[4]
        best = max(best, times * N / (time.process_time() - before))
    return best


def pufferlib_steps(name: str, seconds: float) -> float:
    """Return the same for an environment of PufferLib that is written in C."""
    import importlib

    import numpy as np

    module = importlib.import_module(f"pufferlib.ocean.{name.lower()}.{name.lower()}")
    env = getattr(module, name)(num_envs=N, report_interval=128)
    env.reset(seed=0)
    shape = 64, N
    chosen = np.random.default_rng(0).integers(0, int(env.single_action_space.n), shape)
    begun, best = time.perf_counter(), 0.0
    while time.perf_counter() - begun < seconds:
        before = time.process_time()
        for actions in chosen:
            env.step(actions)
        best = max(best, len(chosen) * N / (time.process_time() - before))
    return best


def pettingzoo_steps(module: str, seconds: float) -> float:
    """Return the steps per CPU second of one of PettingZoo's card games, one at a time."""
    import importlib

    env = importlib.import_module(f"pettingzoo.classic.{module}").env()
    steps, begun, before = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < seconds:
        env.reset(seed=steps)
        for agent in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else env.action_space(agent).sample(seen["action_mask"]))
            steps += not over
    return steps / (time.process_time() - before)


def rlcard_steps(name: str, seconds: float) -> float:
    """Return the steps per CPU second of one of RLCard's games, one at a time.

    This loop is faster than RLCard's own: each step gives the observation and the legal actions,
    and nothing else is made of them.
    """
    import random

    import rlcard

    env = rlcard.make(name)
    steps, begun, before = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < seconds:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(random.choice(list(state["legal_actions"])))
            steps += 1
    return steps / (time.process_time() - before)


def rlcard_run_steps(name: str, seconds: float) -> float:
    """Return the same for RLCard's own loop, with its random agents, which keeps whole games."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make(name.partition(",")[0])
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
    steps, begun, before = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < seconds:
        seen, _ = env.run(is_training=True)
        steps += sum(len(each) // 2 for each in seen)  # states, with an action after each but one
    return steps / (time.process_time() - before)


PEERS = (
    ("Pgx", "leduc_holdem", pgx_steps),
    ("Pgx", "sparrow_mahjong", pgx_steps),
    ("EnvPool", "KuhnPoker-v1", envpool_steps),
    ("EnvPool", "LeducHoldem-v1", envpool_steps),
    ("EnvPool", "SparrowMahjong-v1", envpool_steps),
    ("EnvPool", "Backgammon-v1", envpool_steps),
    ("PufferLib", "TripleTriad", pufferlib_steps),
    ("PufferLib", "Connect4", pufferlib_steps),
    ("PettingZoo", "leduc_holdem_v4", pettingzoo_steps),
    ("PettingZoo", "texas_holdem_v4", pettingzoo_steps),
    ("RLCard", "leduc-holdem", rlcard_steps),
    ("RLCard", "leduc-holdem, env.run", rlcard_run_steps),
    ("RLCard", "uno", rlcard_steps),
    ("RLCard", "uno, env.run", rlcard_run_steps),
)


def main() -> None:
    seconds = float(sys.argv[1])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for library, game, measure in PEERS:
        if find_spec(library.lower()) is None:
            continue
        try:
            speed = measure(game, seconds)
        except Exception as error:
            print(json.dumps({"library": library, "game": game, "error": str(error)}), flush=True)
        else:
            print(json.dumps({"library": library, "game": game, "steps": speed}), flush=True)


if __name__ == "__main__":
    main()
