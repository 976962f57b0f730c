"""Batches: the same games as the rules play one by one, for any number of threads."""

from mmap import mmap
from typing import Any

import numpy as np
import pytest

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import Batch, BatchStep
from redouble.envs.arrays.observation import observation
from redouble.kernel.errors import InputError, OptionError, SeatsError, UnknownGame
from redouble.kernel.rng import reseed, seed_words


class ByHand:
    """One game of a batch, played by the interpreted rules."""

    def __init__(self, game: Game, seats: int, number: int, seed: str) -> None:
        self.rules, self.game, self.seats = game.rules, game, seats
        self.source = seed_words(f"game {number} of {seed}")
        self.deal()

    def deal(self) -> None:
        self.state = self.game.header(self.seats, {})
        reseed(self.state.rng, self.source)
        self.rules.setup(self.state)

    def step(self, action: int) -> list[float] | None:
        """Make a move; return the rewards and deal anew if it was the last."""
        self.rules.play(self.state, action)
        if self.state.turn >= 0:
            return None
        outcome = self.game.outcome(self.state)
        values = [0.0] * self.seats
        self.game.player.evaluate(self.state, values)
        self.deal()
        if self.seats == 1:
            return [min(max(values[0], 0.0), 1000.0) / 1000.0]
        return [
            2 * sum((r > rank) + 0.5 * (r == rank) - 0.5 * (i == seat) for i, r in ranks)
            / (self.seats - 1) - 1
            for ranks in [list(enumerate(outcome.ranks))]
            for seat, rank in ranks
        ]  # fmt: skip

    def check(self, step: BatchStep, i: int) -> None:
        out = [0] * (self.rules.MAX_LEGAL + 1)
        legal = out[: self.rules.legal(self.state, out)]
        assert step.legal[i, : step.counts[i]].tolist() == legal
        assert np.flatnonzero(step.mask[i]).tolist() == legal
        assert step.turn[i] == self.state.turn
        seen = observation(self.game, self.state, self.state.turn)
        assert step.observations[i].tolist() == seen


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_a_batch_plays_the_games_that_the_rules_play(game: Game) -> None:
    batch = Batch(game, n=3, seed="by hand")
    hands = [ByHand(game, batch.seats, i, "by hand") for i in range(3)]
    step = batch.reset()
    ended = 0
    for ply in range(4000):
        if ply % 10 == 0 or step.done.any():
            for i, hand in enumerate(hands):
                hand.check(step, i)
        actions = batch.sample().copy()
        step = batch.step(actions)
        for i, hand in enumerate(hands):
            rewards = hand.step(int(actions[i]))
            assert step.done[i] == (rewards is not None)
            assert step.rewards[i].tolist() == pytest.approx(rewards or [0.0] * batch.seats)
            ended += rewards is not None
        if ended >= 4:
            break
    assert ended >= 4, "too few games came to their end"


def played(threads: int) -> list[bytes]:
    batch = Batch("double-down", 2, n=37, seed="threads", threads=threads)
    batch.reset()
    found = []
    for _ in range(60):
        step = batch.step(batch.sample())
        found += [getattr(step, name).tobytes() for name in BatchStep.__dataclass_fields__]
    return [*found, batch.states.tobytes()]


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    assert played(1) == played(2) == played(5)


def test_an_illegal_action_is_found_in_any_game() -> None:
    batch = Batch("double-down", 2, n=9, seed="parts", threads=3)
    step = batch.reset()
    actions = step.legal[:, 0].copy()
    for i in (8, 4, 0):
        actions[i] = -1
        with pytest.raises(InputError, match=rf"actions\[{i}\] cannot be -1: .* \d+ \('"):
            batch.step(actions)


def test_what_is_not_wanted_is_not_made() -> None:
    bare = Batch("double-down", 2, n=4, mask=False, observations=False)
    step = bare.reset()
    assert step.mask.shape == (4, 0)
    assert step.observations.shape == step.final_observations.shape == (4, 0)
    bare.step(bare.sample())


def test_a_game_is_cut_off_and_dealt_anew() -> None:
    batch = Batch("double-down", 2, n=5, seed="cut", max_moves=3)
    batch.reset()
    for expected in (False, False, True, False):
        step = batch.step(batch.sample())
        assert (step.truncated == expected).all()
        assert not step.done.any()
    assert not step.rewards.any()


def test_the_end_is_seen_by_the_seat_that_moved_last() -> None:
    batch = Batch("double-down", 2, n=16, seed="ends")
    step = batch.reset()
    while not step.done.any():
        step = batch.step(batch.sample())
    for i in np.flatnonzero(step.done):
        final = step.final_observations[i]
        assert final[:2].tolist() == [0, 0], "nobody is to move"
        assert final[2] == 1, "the reason"
        assert sorted(step.rewards[i].tolist()) == [-1.0, 1.0]


def test_against_opponents_a_batch_shows_only_the_learners_moves() -> None:
    batch = Batch("double-down", 2, n=12, seed="bots", opponents="expert")
    step = batch.reset()
    made = []
    for _ in range(300):
        assert step.turn.tolist() == [i % 2 for i in range(12)]
        step = batch.step(batch.sample())
        made += [step.rewards[i, i % 2] for i in np.flatnonzero(step.done)]
    assert len(made) > 50
    assert np.mean(made) < -0.3, "random play loses to experts"


def test_the_learners_seat_can_be_chosen() -> None:
    batch = Batch("double-down", 2, n=8, seed="seat", opponents="expert", learner=1)
    batch.reset()
    assert (batch.current().turn == 1).all()
    with pytest.raises(InputError, match="only for batches with opponents"):
        Batch("double-down", 2, learner=1)
    with pytest.raises(InputError, match="novice or casual or club or expert"):
        Batch("double-down", 2, opponents="master")


def test_the_actions_of_3up_depend_on_its_options() -> None:
    assert Batch("three-up", n=1).actions == 929
    assert Batch("three-up", n=1, options={"color-four": True}).actions == 24_055
    assert GAMES["double-down"].actions() == 21


def test_positions_can_be_read_and_not_written() -> None:
    batch = Batch("double-down", 2, n=4)
    batch.reset()
    assert (batch.states["total"] == 0).all()
    with pytest.raises(ValueError, match="read-only"):
        batch.states["total"] = 50


@pytest.mark.parametrize(
    ("actions", "complaint"),
    [
        ([0, 1], "give 3 whole numbers"),
        ([[0, 1, 2]], "give 3 whole numbers"),
        ([0.5, 1.0, 2.0], "give 3 whole numbers"),
        ("abc", "give 3 whole numbers"),
        ([-1, 0, 0], r"actions\[0\] cannot be -1: legal in this game are \d"),
        ([2**40, 0, 0], "no action of any game"),
    ],
)
def test_wrong_actions_are_refused_and_change_nothing(actions: Any, complaint: str) -> None:
    batch = Batch("double-down", 2, n=3, seed="refused")
    batch.reset()
    before = batch.states.tobytes()
    with pytest.raises(InputError, match=complaint):
        batch.step(actions)
    assert batch.states.tobytes() == before
    stale = batch.sample().copy()
    stale[2] = 20  # an answer that nobody asked for
    with pytest.raises(InputError, match=r"actions\[2\] cannot be 20"):
        batch.step(stale)
    assert batch.states.tobytes() == before


def test_a_batch_that_has_not_begun_says_so() -> None:
    with pytest.raises(InputError, match=r"call reset\(\) first"):
        Batch("double-down", 2, n=3).sample()


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"game": "chess"}, UnknownGame, "chess"),
        ({"game": "double-down", "seats": 9}, SeatsError, "2 to 7"),
        ({"game": "double-down", "n": 0}, InputError, "n cannot be 0"),
        ({"game": "double-down", "threads": 0}, InputError, "threads cannot be 0"),
        ({"game": "double-down", "options": {"luck": 1}}, OptionError, "luck"),
        ({"game": "double-dominoes", "n": 60_000}, InputError, "mask=False"),
    ],
)
def test_wrong_arguments_are_refused(
    arguments: dict[str, Any], error: type[Exception], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        Batch(**arguments)


def test_games_that_stay_are_as_they_were_and_the_others_go_on() -> None:
    batch, other = (Batch("double-down", 2, n=6, seed="some", threads=2) for _ in range(2))
    batch.reset()
    other.reset()
    only = np.array([True, False, True, True, False, False])
    for _ in range(40):
        actions = other.sample().copy()
        before = batch.states.copy()
        step, whole = batch.step(np.where(only, actions, 99), only), other.step(actions)
        assert (batch.states[~only] == before[~only]).all()
        assert (batch.states[only] == other.states[only]).all()
        assert (step.rewards[only] == whole.rewards[only]).all()
        assert not step.rewards[~only].any()
        assert not step.done[~only].any()
    batch.reset(~only)
    assert (batch.states[only] == other.states[only]).all()
    for wrong in (np.ones(5, bool), np.ones(6), [True]):
        with pytest.raises(InputError, match="give 6 of True and False"):
            batch.step(actions, wrong)


class Shared:
    """An array that only DLPack can share, as a tensor of another library."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **given: Any) -> Any:
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_what_a_step_shows_is_written_into_ones_own_arrays() -> None:
    seen, mask, rewards = np.ones((4, 217), np.int8), np.ones((4, 21), bool), np.ones((4, 2), "f4")
    done = np.frombuffer(mmap(-1, 4), bool)  # memory that processes can share
    buffers = {"observations": Shared(seen), "mask": mask, "rewards": rewards, "done": done}
    mine, usual = (Batch("double-down", 2, n=4, seed="own", buffers=b) for b in (buffers, None))
    mine.reset()
    usual.reset()
    for _ in range(200):
        actions = usual.sample()
        step, expected = mine.step(actions), usual.step(actions)
        assert (seen == expected.observations).all()
        assert (mask == expected.mask).all()
        assert (rewards == expected.rewards).all()
        assert (done == expected.done).all()
    assert step.mask is mask


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("mask", np.ones((4, 21), np.int8), "give bool"),
        ("mask", np.ones((4, 22), bool), r"\[4, 21\]"),
        ("rewards", np.ones((2, 4), np.float32).T, "in a row"),
        ("rewards", [0.0], "DLPack"),
        ("turns", np.ones(4, np.int8), "give observations or mask"),
        ("turn", np.frombuffer(bytes(4), np.int8), "written to"),
    ],
)
def test_arrays_that_dont_fit_are_refused(name: str, given: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Batch("double-down", 2, n=4, buffers={name: given})
