"""Batches: many games of one kind at once, played move by move in compiled code.

A game that ends begins anew at once. Each game draws its deals from a generator of its own, seeded
with the batch's seed and the game's number, so that the same seed and actions give the same bytes
for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from redouble.bots.levels import LEVELS
from redouble.contract.driver import STOP, deal_next, play_on, quick_move
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import evaluate, functions, legal, observe, play, rank, redact
from redouble.contract.registry import GAMES
from redouble.envs.arrays.observation import observe_rule, put_rule, tensor_size
from redouble.envs.arrays.team import Team
from redouble.kernel import checks
from redouble.kernel.cores import cores
from redouble.kernel.engine import compiled, from_record, put, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, below, seed_words
from redouble.kernel.shares import nearness, placing
from redouble.match.match import numbered

__all__ = ["Batch", "BatchArrays", "BatchStep", "against", "placings"]

Array = np.ndarray[Any, np.dtype[Any]]

MAX_MOVES = 100_000
"""Moves after which a game is cut off unless told otherwise; no random game comes near it."""
MAX_THREADS = 256
LARGEST_SEED = 2**63 - 1
LOST = -1.0
"""The reward of the last place, and of an illegal action where it loses the game."""
GAMES_PER_THREAD = 1024
"""With fewer, waking another thread takes longer than what it does."""
SHORT = 16
"""In longer lists an action is looked up by halves."""
EVERY_SEAT = -1
"""In ``learners``: all seats are played from outside, none by a bot."""
STAY = -1
"""In ``actions``: the game is left as it is."""
NO_ACTION = 2**31 - 1
"""What a negative action becomes, so that it is found to be illegal."""

# What a game is doing, in `ends`.
GOES_ON, OVER, CUT_OFF = range(3)

# What the threads of a batch are to do.
BEGIN, STEP, DRAW, CHECK = range(4)


class BatchArrays(NamedTuple):
    """What the loops of a batch are given: a row for each game, and one thread's scratch."""

    states: Any
    header: Any
    """The one record that games are dealt from."""
    sources: Any
    """Generators of the deals."""
    dice: Any
    """Generators of :func:`draw`."""
    chance: Any
    """Generators of the bots."""
    learners: Any
    """The seat that is played from outside, or EVERY_SEAT."""
    actions: Any
    """What to play."""
    sampled: Any
    """What :func:`draw` chose."""
    lists: Any
    counts: Any
    turns: Any
    moves: Any
    """How many moves were made since the deal."""
    mask: Any
    observations: Any
    finals: Any
    rewards: Any
    ends: Any
    scratch: Any
    """One record."""
    work: Any
    ranks: Any
    values: Any
    mistakes: float
    """Of the bots: their share of random moves."""
    max_moves: int
    """After them a game is cut off."""


def begin(games: Any, i: int) -> None:
    """Deal game ``i`` anew, and again if it ends before the learner's first move."""
    while True:
        deal_next(games.states, i, games.header[0], games.sources[i])
        games.moves[i] = 0
        if games.learners[i] != EVERY_SEAT:
            answer(games, i, MAX_MOVES)
        if games.states[i].turn >= 0:
            return


def answer(games: Any, i: int, max_moves: int) -> None:
    """Let bots play game ``i`` until its learner is to move, it is over or it is cut off."""
    most = max_moves - games.moves[i]
    how = games.scratch, games.work, games.mistakes, games.learners[i]
    left = play_on(games.states[i], games.lists[i], most, games.chance[i], how)
    games.moves[i] += most - left


def no_answer(games: Any, i: int, max_moves: int) -> None:
    """Nothing: stands for ``answer`` where no bots play, so that their code isn't there."""


def bot_move(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return a bot's move; STOP if the learner is to move."""
    scratch, work, mistakes, learner = how
    return STOP if s.turn == learner else quick_move(s, out, n, rng, scratch, work, mistakes)


def begin_all(games: Any, first: int, last: int) -> None:
    """Deal the games from ``first`` to before ``last``, but for those that stay."""
    for i in range(first, last):
        if games.actions[i] != STAY:
            deal_one(games, i)


def deal_one(games: Any, i: int) -> None:
    """Deal game ``i``, and show it to its seat to move."""
    unmask(games, i)
    begin(games, i)
    show(games, i)


def step_all(games: Any, first: int, last: int) -> None:
    """Make a move in each game from ``first`` to before ``last``, but for those that stay."""
    for i in range(first, last):
        if games.actions[i] == STAY:
            games.ends[i] = GOES_ON
            for seat in range(games.states[i].seats):
                games.rewards[i, seat] = 0.0
        else:
            step_one(games, i)


def step_one(games: Any, i: int) -> None:
    """Make a move in game ``i``; deal anew if it was the last.

    ``ranks`` and ``values`` are scratch for an int and a float per seat.
    """
    unmask(games, i)
    s = games.states[i]
    seat = s.turn
    play(s, games.actions[i])
    games.moves[i] += 1
    if games.learners[i] != EVERY_SEAT:  # a call takes longer than the rest of it
        answer(games, i, games.max_moves)
    games.ends[i] = GOES_ON
    for other in range(s.seats):
        games.rewards[i, other] = 0.0
    if s.turn < 0:
        games.ends[i] = OVER
        reward(s, games.ranks, games.values, games.rewards[i])
    elif games.moves[i] >= games.max_moves:
        games.ends[i] = CUT_OFF
    if games.ends[i] != GOES_ON:
        if games.finals.shape[1]:
            look(games, i, seat, games.finals[i])
        begin(games, i)
    show(games, i)


def show(games: Any, i: int) -> None:
    """Write what the seat to move of game ``i`` can do and see."""
    seat = games.states[i].turn
    games.turns[i] = seat
    n = legal(games.states[i], games.lists[i])
    games.counts[i] = n
    if games.mask.shape[1]:
        for k in range(n):
            games.mask[i, games.lists[i, k]] = True
    if games.observations.shape[1]:
        look(games, i, seat, games.observations[i])


def look(games: Any, i: int, seat: int, out: Any) -> None:
    """Write the tensor of a seat of game ``i``."""
    put_seen(games.scratch, games.states, i)
    redact(games.scratch[0], seat)
    observe(games.scratch[0], seat, out)


def put_seen(scratch: Any, states: Any, i: int) -> None:
    """Copy a state for :func:`look`; on processors, only the fields that it uses."""
    put(scratch, 0, states[i])


def unmask(games: Any, i: int) -> None:
    """Take the actions of game ``i`` out of its mask: faster than clearing all of it."""
    if games.mask.shape[1]:
        for k in range(games.counts[i]):
            games.mask[i, games.lists[i, k]] = False


def reward(s: Any, ranks: Any, values: Any, out: Any) -> None:
    """Write what each seat made of a game that is over.

    Among several, twice the share of opponents beaten less 1, a tie counting half: from -1 to 1.
    Alone, 1 for a win and otherwise how close the game came to one, from 0 up.
    """
    if s.seats == 1:
        evaluate(s, values)
        out[0] = nearness(values[0])
        return
    rank(s, ranks)
    for seat in range(s.seats):
        out[seat] = placing(ranks, s.seats, seat)


def placings(game: Game, state: Any) -> list[float]:
    """Return what each seat made of a game that is over, as :func:`reward` counts it.

    Raises :class:`~redouble.kernel.errors.InputError` if it is not over or of another game.
    """
    ranks = checks.instance(game, Game, "game").outcome(state).ranks
    if len(ranks) == 1:
        values = [0.0]
        game.player.evaluate(state, values)
        return [nearness(values[0])]
    return [placing(ranks, len(ranks), seat) for seat in range(len(ranks))]


def draw(lists: Any, counts: Any, dice: Any, out: Any, first: int, last: int) -> None:
    """Choose a legal action of each game at random."""
    for i in range(first, last):
        out[i] = lists[i, below(dice[i], counts[i])]


def first_illegal(actions: Any, lists: Any, counts: Any, first: int, last: int) -> int:
    """Return the first of the games whose action is not in its list; -1 if there is none."""
    for i in range(first, last):
        at, n = 0, counts[i]
        while n > SHORT:
            half = n // 2
            if lists[i, at + half] <= actions[i]:
                at += half
            n -= half
        found = int(actions[i] == STAY)
        for k in range(at, at + n):  # all of them: where to stop could not be predicted
            found |= lists[i, k] == actions[i]
        if not found:
            return i
    return -1


def part_of(job: int, first: int, last: int, games: Any) -> int:
    """Do a job on the games from ``first`` to before ``last``.

    Returns 1 if an action that is to be checked is not legal, otherwise 0.
    """
    if job == CHECK:
        return int(first_illegal(games.actions, games.lists, games.counts, first, last) >= 0)
    if job == DRAW:
        draw(games.lists, games.counts, games.dice, games.sampled, first, last)
    elif job == BEGIN:
        begin_all(games, first, last)
    else:
        step_all(games, first, last)
    return 0


@dataclass(frozen=True)
class BatchStep:
    """What all games of a batch show; ``n`` is their number.

    The arrays are the batch's own: its next step writes over them. They can be handed on without a
    copy, as with ``torch.from_dlpack``.
    """

    observations: np.typing.NDArray[np.int8]
    """int8[n, size]: what the seat to move sees; size 0 if the batch makes no observations."""
    mask: np.typing.NDArray[np.bool_]
    """bool[n, actions]: which actions are legal; no columns if the batch makes no masks."""
    legal: np.typing.NDArray[np.int16]
    """int16[n, MAX_LEGAL + 1]: the legal actions, ascending; only the first ``counts`` are set."""
    counts: np.typing.NDArray[np.int32]
    """int32[n]: how many actions are legal."""
    turn: np.typing.NDArray[np.int8]
    """int8[n]: the seat to move."""
    rewards: np.typing.NDArray[np.float32]
    """float32[n, seats]: where a game has just ended, what each seat made of it; otherwise 0."""
    done: np.typing.NDArray[np.bool_]
    """bool[n]: the last action ended the game, and another one was dealt."""
    truncated: np.typing.NDArray[np.bool_]
    """bool[n]: the game was cut off after ``max_moves``, and another one was dealt."""
    final_observations: np.typing.NDArray[np.int8]
    """int8[n, size]: where a game has just ended, what the seat that moved sees of its end."""


class BatchGames:
    """The games of a batch before the first deal: checked arguments, sizes and seeds.

    Batches for processors and for graphics cards have it in common. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and what
    :meth:`Game.check_options` raises.
    """

    MAX_GAMES = 100_000
    MAX_BYTES = 2**30
    """The arrays of a batch may not take more."""

    def __init__(
        self,
        game: str | Game,
        seats: int | None,
        n: int,
        options: Mapping[str, Any] | None,
        seed: str,
        mask: bool,
        observations: bool,
        opponents: str | None,
        learner: int | None,
        max_moves: int,
    ) -> None:
        self.game = game if isinstance(game, Game) else GAMES[checks.text(game, "game")]
        self.seats = self.game.usual_seats if seats is None else seats
        values = self.game.check_options(self.seats, {} if options is None else options)
        self.n = checks.whole(n, "n", 1, self.MAX_GAMES)
        checks.text(seed, "seed")
        checks.whole(max_moves, "max_moves", 1, MAX_MOVES)
        self._mistakes = _mistakes(opponents)
        if learner is not None:
            checks.whole(learner, "learner", 0, self.seats - 1)
            if opponents is None:
                raise InputError("learner is only for batches with opponents: name their level")
        self.actions = self.game.actions(values, self.seats)
        self.size = tensor_size(self.game, self.seats)
        self._max_moves = max_moves
        self._tensor = self.size if observations else 0
        self._masked = self.actions if mask else 0
        self._choices = self.game.rules.MAX_LEGAL + 1
        header = self.game.header(self.seats, values)
        self._header = to_records(header)
        columns = self._header.dtype.itemsize + 2 * self._choices + 2 * self._tensor + self._masked
        if n * columns > self.MAX_BYTES:
            raise InputError(
                f"n cannot be {n}: {self.game.title} takes {columns:,} bytes a game, and a batch "
                f"at most {self.MAX_BYTES:,}: give fewer games, or mask=False"
            )
        self._sources = _seeds("game", seed, n)
        self._dice = _seeds("choices", seed, n)
        self._chance = _seeds("bots of", seed, n)
        self._learners = np.full(n, EVERY_SEAT, np.int8)
        self._begun = False
        self._opponents = opponents is not None
        if self._opponents:
            self._learners[:] = np.arange(n) % self.seats if learner is None else learner

    def _check_begun(self) -> None:
        if not self._begun:
            raise InputError("the batch has not begun: call reset() first")


class Batch(BatchGames):
    """``n`` games with the same seats and options, played at once.

    With ``opponents``, a level of bots without search, these play all seats but one, and every step
    goes on to that seat's next move: seat ``learner``, or without it seat ``i % seats`` of game
    ``i``.

    With ``buffers``, what a step shows is written into these arrays, by the names of
    :class:`BatchStep`'s fields: arrays of NumPy, also in shared memory, or what DLPack can share
    from the machine's memory, such as tensors. Shape and type have to fit, with elements in a row.

    ``threads`` is None for as many as pay. Without ``mask`` or ``observations`` the arrays have no
    columns and take no time. Raises :class:`~redouble.kernel.errors.InputError` if an argument
    cannot be used, and what :meth:`Game.check_options` raises.
    """

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        n: int = 1024,
        options: Mapping[str, Any] | None = None,
        seed: str = "",
        threads: int | None = None,
        *,
        mask: bool = True,
        observations: bool = True,
        opponents: str | None = None,
        learner: int | None = None,
        max_moves: int = MAX_MOVES,
        buffers: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            game, seats, n, options, seed, mask, observations, opponents, learner, max_moves
        )
        if threads is None:
            threads = max(1, min(cores(), n // GAMES_PER_THREAD))
        self.threads = min(checks.whole(threads, "threads", 1, MAX_THREADS), n)
        self._states = np.repeat(self._header, n)
        self._moves = np.zeros(n, np.int32)
        self._ends = np.zeros(n, np.int8)
        self._chosen, self._sampled = np.zeros((2, n), np.int32)
        self._shown = _shown(
            {
                "observations": (np.int8, (n, self._tensor)),
                "mask": (np.bool_, (n, self._masked)),
                "legal": (np.int16, (n, self._choices)),
                "counts": (np.int32, (n,)),
                "turn": (np.int8, (n,)),
                "rewards": (np.float32, (n, self.seats)),
                "done": (np.bool_, (n,)),
                "truncated": (np.bool_, (n,)),
                "final_observations": (np.int8, (n, self._tensor)),
            },
            buffers or {},
        )
        arrays = [self.arrays() for _ in range(self.threads)]
        self._team = Team(n, arrays, self.rules() | {"part_of": part_of})
        self._first_illegal, self._draw = compiled(first_illegal), compiled(draw)

    @property
    def states(self) -> np.typing.NDArray[np.void]:
        """The positions, as records of the game's ``Position``: shape (n,), read-only."""
        view = self._states.view()
        view.flags.writeable = False
        return view

    def reset(self, only: Any = None) -> BatchStep:
        """Deal every game anew, or ``only`` those that bool[n] marks.

        A batch that was just made needs it once for all. Raises
        :class:`~redouble.kernel.errors.InputError` for a mark of another shape or type.
        """
        left = self._left(only)
        self._chosen[:] = 0
        if left is not None:
            self._check_begun()
            self._chosen[left] = STAY
        self._shown.rewards[:] = 0.0
        self._ends[:] = GOES_ON
        self._team.run(BEGIN)
        self._begun = True
        return self._step()

    def step(self, actions: Any, only: Any = None) -> BatchStep:
        """Make one move in every game: ``actions`` is an array of n whole numbers.

        Games that ``only``, bool[n], doesn't mark stay as they are, whatever their action, and get
        no rewards. If any action can't be used, no game is changed. Raises
        :class:`~redouble.kernel.errors.InputError` if an array has another shape or type, or an
        action is not legal, with the first such game.
        """
        self._take(actions, self._left(only))
        self._team.run(STEP)
        return self._step()

    def current(self) -> BatchStep:
        """Return what the last :meth:`reset` or :meth:`step` did.

        Raises :class:`~redouble.kernel.errors.InputError` before the first :meth:`reset`.
        """
        self._check_begun()
        return self._shown

    def sample(self) -> np.typing.NDArray[np.int32]:
        """Return a legal action of each game, each equally likely: int32[n], overwritten next time.

        Raises :class:`~redouble.kernel.errors.InputError` before the first :meth:`reset`.
        """
        self._check_begun()
        if self.threads > 1:
            self._team.run(DRAW)
        else:
            self._draw(self._shown.legal, self._shown.counts, self._dice, self._sampled, 0, self.n)
        return self._sampled

    def _step(self) -> BatchStep:
        np.equal(self._ends, OVER, out=self._shown.done)
        np.equal(self._ends, CUT_OFF, out=self._shown.truncated)
        return self._shown

    def _left(self, only: Any) -> Array | None:
        """Return which games are to stay; None if all go on."""
        if only is None:
            return None
        found = array_of(only)
        if found.dtype != np.bool_ or found.shape != (self.n,):
            raise InputError(f"only has the wrong shape or type: give {self.n} of True and False")
        return ~found

    def _take(self, actions: Any, left: Array | None) -> None:
        """Copy actions to where the threads find them, and check them."""
        self._check_begun()
        found = array_of(actions)
        if found.dtype.kind not in "iu" or found.shape != (self.n,):
            raise InputError(f"actions has the wrong shape or type: give {self.n} whole numbers")
        np.copyto(self._chosen, found, casting="unsafe")
        if found.dtype != np.int32 and (self._chosen != found).any():
            raise InputError("actions holds a number that is no action of any game")
        if self._chosen.min() < 0:
            self._chosen[self._chosen < 0] = NO_ACTION
        if left is not None:
            self._chosen[left] = STAY
        if self.threads > 1 and not self._team.run(CHECK):
            return
        legal, counts = self._shown.legal, self._shown.counts
        i = self._first_illegal(self._chosen, legal, counts, 0, self.n)
        if i >= 0:
            legal_ones = legal[i, : counts[i]].tolist()
            raise illegal_action(self.game, self._states[i], i, int(found[i]), legal_ones)

    def rules(self) -> dict[str, Callable[..., Any]]:
        """Return what replaces the placeholders in the loops."""
        rules = bound_rules(self.game, self.seats, self._opponents)
        return {**rules, "put_seen": put_rule(self.game)}

    def arrays(self) -> BatchArrays:
        """Return what a thread's loops are given."""
        shown = self._shown
        return BatchArrays(
            states=self._states,
            header=self._header,
            sources=self._sources,
            dice=self._dice,
            chance=self._chance,
            learners=self._learners,
            actions=self._chosen,
            sampled=self._sampled,
            lists=shown.legal,
            counts=shown.counts,
            turns=shown.turn,
            moves=self._moves,
            mask=shown.mask,
            observations=shown.observations,
            finals=shown.final_observations,
            rewards=shown.rewards,
            ends=self._ends,
            scratch=self._header.copy(),
            work=np.zeros(WORK, np.int64),
            ranks=np.zeros(self.seats, np.int64),
            values=np.zeros(self.seats, np.float64),
            mistakes=self._mistakes,
            max_moves=self._max_moves,
        )


def against(game: str, seats: int | None, opponents: str, seat: int | None) -> dict[str, Any]:
    """Return the arguments of a batch for one learner in each game: a solitaire has no opponents.

    Raises :class:`~redouble.kernel.errors.RedoubleError` if one cannot be used.
    """
    found = GAMES[checks.text(game, "game")]
    seats = found.usual_seats if seats is None else seats
    found.check_seats(seats)
    if seats == 1:
        return {"seats": seats}
    if seat is not None:
        checks.whole(seat, "seat", 0, seats - 1)
    return {"seats": seats, "opponents": opponents, "learner": seat}


def checked_seed(seed: object) -> int | None:
    """Return the seed of an environment, a whole number where matches have texts; None for none.

    Raises :class:`~redouble.kernel.errors.InputError` if it is not a number from 0 on.
    """
    return None if seed is None else checks.whole(seed, "seed", 0, LARGEST_SEED)


def check_render_mode(render_mode: object) -> None:
    """Raise :class:`~redouble.kernel.errors.InputError` unless there is none."""
    if render_mode is not None:
        raise InputError(
            f"render_mode cannot be {checks.quoted(render_mode)}: there is none; "
            "redouble replay and the terminal draw games"
        )


def array_of(given: Any) -> Array:
    """Return what is given as an array; one of nothing if it can't be one."""
    try:
        return np.asarray(given)
    except (TypeError, ValueError, OverflowError, MemoryError):
        return np.array(None)


def _shown(
    needed: Mapping[str, tuple[type, tuple[int, ...]]], buffers: Mapping[str, Any]
) -> BatchStep:
    """Return arrays of these types and shapes, those that are given or new ones."""
    for name in buffers:
        checks.one_of(name, needed, "a name in buffers")
    shown: dict[str, Array] = {}
    for name, (kind, shape) in needed.items():
        if name not in buffers:
            shown[name] = np.zeros(shape, kind)
            continue
        given = buffers[name]
        try:
            found = given if isinstance(given, np.ndarray) else np.from_dlpack(given)
        except (AttributeError, TypeError, BufferError, RuntimeError, ValueError):
            raise InputError(
                f"buffers[{name!r}] can't be shared: give an array of NumPy or of this machine's "
                "memory that DLPack can share"
            ) from None
        if found.dtype != kind or found.shape != shape or not found.flags.c_contiguous:
            raise InputError(
                f"buffers[{name!r}] doesn't fit: give {np.dtype(kind).name}{list(shape)}, in a row"
            )
        if not found.flags.writeable:
            raise InputError(f"buffers[{name!r}] can't be written to: give an array that can")
        found[:] = 0
        shown[name] = found
    return BatchStep(**shown)


def illegal_action(game: Game, state: Any, i: int, action: int, legal: list[int]) -> InputError:
    """Return the error for an action of game ``i`` that is not among the legal ones."""
    position = from_record(game.rules.Position, state)
    shown = numbered(legal, lambda each: game.text.name(position, each))
    return InputError(f"actions[{i}] cannot be {action}: legal in this game are {shown}")


def _seeds(what: str, seed: str, n: int) -> Array:
    return np.array([seed_words(f"{what} {i} of {seed}") for i in range(n)], np.uint64)


def _mistakes(opponents: str | None) -> float:
    """Return the share of random moves of a level; 0 without one."""
    if opponents is None:
        return 0.0
    quick = [name for name, policy in LEVELS.items() if not policy.iterations]
    return LEVELS[checks.one_of(opponents, quick, "opponents")].mistakes


def bound_rules(
    game: Game, seats: int | None = None, opponents: bool = True
) -> dict[str, Callable[..., Any]]:
    """Return what replaces the placeholders in the loops of batches, with so many seats or any."""
    rules: dict[str, Callable[..., Any]] = {
        "choose": bot_move,
        "observe": observe_rule(game, seats),
    }
    return {**functions(game), **rules, "answer": answer if opponents else no_answer}
