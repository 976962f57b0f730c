"""What runs on a graphics card: the loops of batches, compiled by numba-cuda.

A kernel is a function that many threads run, each for a game of its own. It copies the game's state
from a column of 64-bit words into a record in the thread's own memory, lets the loops of
:mod:`redouble.envs.arrays.batch` run on that record and on views of the arrays for this one game,
and copies it back. Scratch is as long as the game declares: a record, a number per seat, ``WORK``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.numpy_support import from_dtype

from redouble.contract import placeholders
from redouble.contract.driver import playouts_from
from redouble.contract.game import WORK, Game
from redouble.envs.arrays.batch import (
    CUT_OFF,
    GOES_ON,
    OVER,
    BatchArrays,
    bound_rules,
    deal_one,
    draw,
    step_one,
)
from redouble.kernel import engine, primitives

try:
    import numba_cuda  # noqa: F401  # Numba has a numba.cuda of its own, which is older
    from numba import cuda as _cuda
    from numba.cuda.extending import intrinsic as _intrinsic
except ImportError:
    _cuda = _intrinsic = None

# Typed as Any: numba-cuda has no types, and Numba's own leave this one out.
cuda: Any = _cuda
intrinsic: Any = _intrinsic
named_tuple: Any = types.NamedTuple

CAPABILITY = (9, 0)
"""Of the cards that functions are lowered for; only kernels are assembled for the card at hand."""
NO_GAME = 2**31 - 1
"""What the search for illegal actions leaves if there are none."""
LOOPS = ("redouble.envs.", "redouble.contract.driver")
"""The modules of loops, by the beginnings of their names."""
APART = frozenset(
    name for name, value in vars(placeholders).items() if isinstance(value, FunctionType)
)
"""The names of what a game defines for the loops."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function that every thread of a device runs, and the types of its arguments."""

    function: Callable[..., None]
    signature: Any


class CardArrays(NamedTuple):
    """What a step on a card is given: arrays with the games side by side, as the last axis."""

    words: Any
    """The states, word by word."""
    header: Any
    """The one record that games are dealt from."""
    sources: Any
    actions: Any
    lists: Any
    counts: Any
    turns: Any
    moves: Any
    learners: Any
    chance: Any
    mistakes: Any
    mask: Any
    masked: Any
    """How many rows ``mask`` has: an array has one at least."""
    observations: Any
    finals: Any
    tensor: Any
    """How many rows ``observations`` and ``finals`` have."""
    rewards: Any
    done: Any
    truncated: Any
    max_moves: Any


@cache
def kernels(game: Game, opponents: bool) -> dict[str, Kernel]:
    """Return the kernels of a game by name, with or without bots that play."""
    rules = bound_rules(game, opponents=opponents)
    begin_game = engine.compiled_for(_target(), deal_one, **rules)
    step_game = engine.compiled_for(_target(), step_one, **rules)
    one_game = engine.compiled_for(_target(), arrays_of_one)
    play_games = engine.compiled_for(_target(), playouts_from, **placeholders.functions(game))
    draw_action = engine.compiled_for(_target(), draw)
    read, write, _ = _words()
    record = from_dtype(engine.dtype(game.rules.Position))
    seats = game.max_seats
    scratch_length = WORK if opponents else 1

    def step(card: Any, fresh: Any) -> None:
        i = cuda.grid(1)
        if i < card.words.shape[1]:
            states = cuda.local.array(1, record, alignment=8)
            scratch = cuda.local.array(1, record, alignment=8)
            work = cuda.local.array(scratch_length, types.int64)
            ranks = cuda.local.array(seats, types.int64)
            values = cuda.local.array(seats, types.float64)
            ends = cuda.local.array(1, types.int8)
            for word in range(card.words.shape[0]):
                write(states, word, card.words[word, i])
            ends[0] = GOES_ON
            local = states, ends, scratch, work, ranks, values
            if fresh:
                for seat in range(card.rewards.shape[0]):
                    card.rewards[seat, i] = 0.0
                begin_game(one_game(i, card, local), 0)
            else:
                step_game(one_game(i, card, local), 0)
            for word in range(card.words.shape[0]):
                card.words[word, i] = read(states, word)
            card.done[i] = ends[0] == OVER
            card.truncated[i] = ends[0] == CUT_OFF

    def choose(lists: Any, counts: Any, dice: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i < counts.shape[0]:
            one = slice(i, i + 1)
            draw_action(lists.T[one], counts[one], dice.T[one], out[one], 0, 1)

    def play(
        words: Any, header: Any, generators: Any, lists: Any, moves: Any, games: Any, max_moves: Any
    ) -> None:
        i = cuda.grid(1)
        if i < words.shape[1]:
            states = cuda.local.array(1, record, alignment=8)
            generator = cuda.local.array(4, types.uint64)
            for word in range(4):
                generator[word] = generators[word, i]
            moves[i] = play_games(header, states, generator, lists.T[i], games, max_moves)
            for word in range(4):
                generators[word, i] = generator[word]
            for word in range(words.shape[0]):
                words[word, i] = read(states, word)

    header, words, generators = _rows(record, 1), _rows(types.uint64), _rows(types.uint64)
    lists, ints, bytes_ = _rows(types.int16), _rows(types.int32, 1), _rows(types.int8, 1)
    tensor, flags, whole = _rows(types.int8), _rows(types.bool_, 1), types.int64
    card = CardArrays(
        words=words,
        header=header,
        sources=generators,
        actions=ints,
        lists=lists,
        counts=ints,
        turns=bytes_,
        moves=ints,
        learners=bytes_,
        chance=generators,
        mistakes=types.float64,
        mask=_rows(types.bool_),
        masked=whole,
        observations=tensor,
        finals=tensor,
        tensor=whole,
        rewards=_rows(types.float32),
        done=flags,
        truncated=flags,
        max_moves=whole,
    )
    counters = _rows(types.int64, 1)
    return {
        "step": Kernel(step, types.void(named_tuple(card, CardArrays), whole)),
        "draw": Kernel(choose, types.void(lists, ints, generators, ints)),
        "playouts": Kernel(
            play, types.void(words, header, generators, lists, counters, whole, whole)
        ),
    }


@cache
def check_kernel(kind: np.dtype[Any]) -> Kernel:
    """Return the kernel that looks for illegal actions, for actions of this type.

    It leaves the first game that has one in ``wrong[0]``, and in ``chosen`` the actions.
    """

    def check(lists: Any, counts: Any, actions: Any, chosen: Any, wrong: Any) -> None:
        i = cuda.grid(1)
        if i < counts.shape[0]:
            action = types.int64(actions[i])
            low = 0
            high = counts[i]
            while low < high:
                middle = (low + high) // 2
                if lists[middle, i] < action:
                    low = middle + 1
                else:
                    high = middle
            if low == counts[i] or lists[low, i] != action:
                cuda.atomic.min(wrong, 0, i)
            chosen[i] = action

    counts, given = _rows(types.int32, 1), _rows(from_dtype(kind), 1)
    return Kernel(check, types.void(_rows(types.int16), counts, given, counts, counts))


def arrays_of_one(i: int, card: Any, local: Any) -> BatchArrays:
    """Return what the loops are given for game ``i``.

    Each loop makes it for itself: made once before them, it would take up a third more registers.
    """
    states, ends, scratch, work, ranks, values = local
    one = slice(i, i + 1)
    return BatchArrays(
        states=states,
        header=card.header,
        sources=card.sources.T[one],
        dice=card.chance.T[one],  # a kernel of their own draws actions
        chance=card.chance.T[one],
        learners=card.learners[one],
        actions=card.actions[one],
        sampled=card.actions[one],
        lists=card.lists.T[one],
        counts=card.counts[one],
        turns=card.turns[one],
        moves=card.moves[one],
        mask=card.mask.T[one, : card.masked],
        observations=card.observations.T[one, : card.tensor],
        finals=card.finals.T[one, : card.tensor],
        rewards=card.rewards.T[one],
        ends=ends,
        scratch=scratch,
        work=work,
        ranks=ranks,
        values=values,
        mistakes=card.mistakes,
        max_moves=card.max_moves,
    )


def _rows(kind: Any, axes: int = 2) -> Any:
    return types.Array(kind, axes, "C")


@cache
def _target() -> engine.Target:
    """Return the target of rules that the threads of a card run."""
    from numba.cuda.compiler import compile_cuda
    from numba.cuda.dispatcher import CUDADispatcher

    class DeviceFunction(CUDADispatcher):  # type: ignore[misc]
        """A function for threads. Large ones and those that a game defines are never inlined.

        Otherwise NVVM inlines them all, loops are unrolled in each copy, and code grows manyfold.
        """

        def compile_device(self, args: Any, return_type: Any = None) -> Any:
            if args not in self.overloads:
                code = compile_cuda(
                    self.py_func,
                    return_type,
                    args,
                    inline=self.targetoptions["inline"],
                    nvvm_options={"opt": 3},
                    cc=CAPABILITY,
                )
                if _apart(self.py_func):
                    function = code.library.get_function(code.fndesc.llvm_func_name)
                    function.attributes.add("noinline")
                self.overloads[args] = code
                code.target_context.insert_user_function(
                    code.entry_point, code.fndesc, [code.library]
                )
            return self.overloads[args]

    def build(twin: Any, function: Any, bound: Any) -> Any:
        return DeviceFunction(twin, {"device": True, "inline": "never"})

    bodies = {
        rule: DeviceFunction(body, {"device": True, "inline": inline})
        for rule, (body, inline) in engine.BODIES.items()
    }
    return engine.Target({**bodies, engine.put: _words()[2]}, build)


def _apart(function: Any) -> bool:
    """Return whether a function is never inlined; loops, which are called once, always are."""
    if function.__module__.startswith(LOOPS):
        return False
    if function.__module__ == primitives.__name__:  # called again and again by what is written
        return True
    return function.__name__ in APART or engine.bytes_of_code(function) >= engine.INLINED_BYTES


@cache
def _words() -> tuple[Any, Any, Any]:
    """Return three functions: read and write a word of an array of records, and copy a record.

    Records are aligned to words. Copied as such they would be copied byte by byte.
    """
    word_pointer = ir.IntType(64).as_pointer()

    def at(context: Any, builder: Any, kind: Any, records: Any, word: Any) -> Any:
        data = context.make_array(kind)(context, builder, value=records).data
        return builder.gep(builder.bitcast(data, word_pointer), [word])

    def read(typing: Any, records: Any, word: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(at(context, builder, signature.args[0], *arguments))

        return types.uint64(records, types.int64), code

    def write(typing: Any, records: Any, word: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = at(context, builder, signature.args[0], *arguments[:2])
            builder.store(arguments[2], place)
            return context.get_dummy_value()

        return types.void(records, types.int64, types.uint64), code

    def copy(typing: Any, records: Any, i: Any, record: Any) -> Any:
        length = record.size // 8

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            start = builder.mul(arguments[1], ir.Constant(ir.IntType(64), length))
            into = at(context, builder, signature.args[0], arguments[0], start)
            source = builder.bitcast(arguments[2], word_pointer)
            with cgutils.for_range(builder, ir.Constant(ir.IntType(64), length)) as loop:
                word = builder.load(builder.gep(source, [loop.index]))
                builder.store(word, builder.gep(into, [loop.index]))
            return context.get_dummy_value()

        return types.void(records, types.int64, record), code

    return intrinsic(read), intrinsic(write), intrinsic(copy)
