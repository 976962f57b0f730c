"""Games inside JAX programs are those of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import Batch, BatchStep

jax = pytest.importorskip("jax", reason="JAX isn't installed: pip install -e '.[jax]'")
SHOWN = ("observations", "mask", "legal", "counts", "turn", "rewards", "done", "truncated")
STEPS = 60


def games(name: str, **arguments: Any) -> Any:
    from redouble.envs.peers.jax import JaxGames

    return JaxGames(name, **arguments)


def legal_parts(shown: Any) -> Any:
    """Return the lists of legal actions without what is left behind them."""
    legal, counts = np.asarray(shown.legal), np.asarray(shown.counts)
    return [row[:n].tolist() for row, n in zip(legal, counts, strict=True)]


def same(state: Any, step: BatchStep) -> bool:
    return legal_parts(state) == legal_parts(step) and all(
        np.array_equal(getattr(state, name), getattr(step, name))
        for name in SHOWN
        if name != "legal"
    )


@pytest.mark.parametrize("opponents", [None, "casual"])
@pytest.mark.parametrize("name", GAMES)
def test_steps_are_those_of_a_batch(name: str, opponents: str | None) -> None:
    seats = GAMES[name].usual_seats
    given: dict[str, Any] = {"seats": seats, "n": 8, "max_moves": 40}
    if opponents and seats > 1:
        given["opponents"] = opponents
    made, batch = games(name, **given), Batch(name, seed="jax", threads=1, **given)
    state, step, advance, ends = made.init("jax"), batch.reset(), jax.jit(made.step), 0
    assert same(state, step)
    for _ in range(STEPS):
        actions = batch.sample()
        step = batch.step(actions)
        state = advance(state, actions.copy())
        assert same(state, step)
        ended = step.done | step.truncated
        assert np.array_equal(
            np.asarray(state.final_observations)[ended], step.final_observations[ended]
        )
        assert np.asarray(state.records).tobytes() == batch.states.tobytes()
        ends += ended.sum()
    assert ends


def test_a_whole_loop_is_one_program() -> None:
    """Twice the same, and from a state that a program was given before."""
    made = games("double-down", seats=3, n=16)

    def body(carry: Any, key: Any) -> Any:
        state = made.step(carry, made.sample(key, carry))
        return state, (state.rewards.sum(), state.done.sum())

    def play(state: Any) -> Any:
        return jax.lax.scan(body, state, jax.random.split(jax.random.key(1), 300))

    start = made.init("scan")
    begun = np.asarray(start.records).tobytes()
    found = [jax.jit(play)(start)[1] for _ in range(2)]
    assert np.array_equal(found[0], found[1])
    assert int(found[0][1].sum()) > 16
    assert np.asarray(start.records).tobytes() == begun


def test_an_illegal_action_leaves_a_game_as_it_is() -> None:
    made = games("double-or-quits", n=2)
    start = made.init("illegal")
    legal = int(start.legal[1, 0])
    state = made.step(start, np.array([10_000, legal]))
    same_rows = np.asarray(state.records == start.records).all(axis=1).tolist()
    assert same_rows == [True, False]
    assert state.moves.tolist() == [0, 1]
