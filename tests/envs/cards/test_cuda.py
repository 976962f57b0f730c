"""Batches on graphics cards: what numba-cuda makes of them, without a card.

The intermediate code of every game's kernel runs on the processor and gives the same bytes as
compiled batches. ``ptxas`` assembles it for a card within stated bounds.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from highest_card import GAME as HIGHEST_CARD
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import Batch, BatchStep
from redouble.envs.cards.cuda import CudaBatch, CudaError, CudaPlayouts
from redouble.envs.cards.device import kernels
from redouble.kernel.engine import to_records
from redouble.kernel.errors import InputError, MissingExtra
from redouble.kernel.rng import seed_words
from redouble.lab.simulate import Simulator

if TYPE_CHECKING or sys.platform == "linux":
    from tests.helpers.cuda_on_cpu import ProcessorDevice, assembled

linux = pytest.mark.skipif(sys.platform != "linux", reason="numba-cuda has no wheels for it")

MAX_REGISTERS = 128
"""Of a thread: then 512 threads fit into a multiprocessor, which has 65,536."""
GAMES_AT_ONCE = 4


def same(one: BatchStep, other: BatchStep) -> None:
    """Check that two batches show the same, in every place that is set."""
    for name in ("observations", "mask", "counts", "turn", "rewards", "done", "truncated"):
        left, right = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        assert left.dtype == right.dtype
        assert np.array_equal(left, right), name
    for i in range(len(other.counts)):
        listed = slice(other.counts[i])
        assert np.array_equal(one.legal[i, listed], other.legal[i, listed])
    over = other.done | other.truncated
    assert np.array_equal(one.final_observations[over], other.final_observations[over])


def play_both(device: Any, game: Game, seats: int, moves: int, **arguments: Any) -> int:
    """Play the same batch in both ways; return how many of its games ended."""
    options = game.needed_options(seats)
    on_card = CudaBatch(
        game, seats, GAMES_AT_ONCE, options, seed="card", device=device, **arguments
    )
    here = Batch(game, seats, GAMES_AT_ONCE, options, seed="card", threads=1, **arguments)
    same(on_card.reset(), here.reset())
    ended = 0
    for _ in range(moves):
        actions = on_card.sample()
        assert np.array_equal(actions, here.sample())
        same(on_card.step(actions), here.step(actions))
        assert on_card.states.tobytes() == here.states.tobytes()
        ended += int((here.current().done | here.current().truncated).sum())
    return ended


@linux
@pytest.mark.thorough  # numba-cuda takes long over each game
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_a_batch_of_the_card_gives_the_bytes_of_one_of_the_processor(game: Game) -> None:
    """And the code that does so is assembled within bounds; to make it takes the longest."""
    device = ProcessorDevice()
    ended = 0
    for seats in sorted({game.min_seats, game.usual_seats, game.max_seats}):
        ended += play_both(device, game, seats, 60, max_moves=400)
    ended += play_both(device, game, game.usual_seats, 20, max_moves=7)
    assert ended >= GAMES_AT_ONCE, "too few games came to their end"
    step = assembled(kernels(game, False)["step"])
    assert step.registers <= MAX_REGISTERS
    assert step.spilled_bytes == 0
    assert not step.floats_fused, "a product and a sum are rounded as one, not as elsewhere"
    records = 2 * to_records(game.rules.Position()).nbytes
    assert step.stack_bytes <= records + 1024, "more than the records and what calls need"


@linux
@pytest.mark.parametrize(
    "game", [HIGHEST_CARD, pytest.param(GAMES["double-decker"], marks=pytest.mark.thorough)]
)
def test_bots_play_on_the_card_as_on_the_processor(game: Game) -> None:
    assert play_both(ProcessorDevice(), game, 4, 30, opponents="novice", max_moves=60)


@linux
def test_playouts_of_the_card_are_those_of_the_processor() -> None:
    game = GAMES["double-or-quits"]
    card = CudaPlayouts(game, n=3, seed="card", device=ProcessorDevice())
    moves = card.play(5)
    states, generators = [], []
    expected = 0
    for thread in range(3):
        simulator = Simulator(game, 1)
        simulator._rng[:] = seed_words(f"game {thread} of card")
        expected += simulator.playouts(5)
        states.append(simulator._states[0].tobytes())
        generators.append(simulator._rng.tolist())
    assert moves == expected
    assert [state.tobytes() for state in card.states] == states
    assert np.asarray(card._generators).T.tolist() == generators
    for wrong in (0, -1, "5"):
        with pytest.raises(InputError):
            card.play(wrong)  # type: ignore[arg-type]


@linux
def test_actions_that_are_not_legal_change_nothing_on_the_card() -> None:
    batch = CudaBatch("double-or-quits", n=3, seed="wrong", device=ProcessorDevice())
    with pytest.raises(InputError, match="call reset"):
        batch.step([0, 0, 0])
    batch.reset()
    before = batch.states.tobytes()
    right = np.array(batch.sample())
    for wrong in (right[:2], right.astype(float), "abc", [[1], [2, 3]], None):
        with pytest.raises(InputError, match="wrong shape or type: give 3 whole numbers"):
            batch.step(wrong)
    for kind, number in ((np.int64, 2**40), (np.int32, -1), (np.uint64, 2**64 - 1)):
        actions = right.astype(kind)
        actions[1] = number
        with pytest.raises(InputError, match=r"actions\[1\] cannot be .*: legal in this game are"):
            batch.step(actions)
    assert batch.states.tobytes() == before
    batch.step(right.tolist())
    assert batch.states.tobytes() != before


def test_without_numba_cuda_a_batch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redouble.envs.cards.cuda.cuda", None)
    with pytest.raises(MissingExtra, match=r"numba-cuda.*'redouble\[cuda\]"):
        CudaBatch("double-down")


@linux
def test_without_a_card_a_batch_says_what_to_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.cuda.is_available", lambda: False)
    for kind in (CudaBatch, CudaPlayouts):
        with pytest.raises(CudaError, match="no graphics card that CUDA can use"):
            kind("double-down")
        with pytest.raises(InputError, match="device cannot be 'card'"):
            kind("double-down", device="card")  # type: ignore[arg-type]  # the mistake to refuse
