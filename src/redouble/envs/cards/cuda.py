"""Batches on a graphics card: the third way in which the rules run.

The rules and the loops of batches are those of :mod:`redouble.envs.arrays.batch`, compiled by
numba-cuda. Each thread plays a game. What lies on the card lies with the games side by side, so
that threads that run together read and write together: a state is a column of 64-bit words, which a
thread copies into a record of its own, plays on, and copies back.

Needs a card that CUDA can use, and the extra ``cuda``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from redouble.contract.driver import MAX_MOVES as MAX_PLAYOUT_MOVES
from redouble.contract.game import Game
from redouble.envs.arrays.batch import MAX_MOVES, BatchGames, BatchStep, array_of, illegal_action
from redouble.envs.cards.device import NO_GAME, CardArrays, Kernel, check_kernel, cuda, kernels
from redouble.kernel import checks
from redouble.kernel.errors import InputError, MissingExtra, RedoubleError

__all__ = ["CudaBatch", "CudaError", "CudaPlayouts", "Device", "Kernel"]

THREADS = 128
"""Threads of a block."""


class CudaError(RedoubleError):
    """There is no graphics card that CUDA can use, or it has too little memory."""


@runtime_checkable
class Device(Protocol):
    """Where arrays lie and kernels run."""

    def upload(self, array: Any) -> Any:
        """Return a copy of a NumPy array on the device."""

    def download(self, array: Any) -> Any:
        """Return a copy of an array of the device as a NumPy array."""

    def columns(self, array: Any, rows: int) -> Any:
        """Return a view of the first rows of an array, with its axes exchanged."""

    def given(self, array: Any) -> Any:
        """Return an array that lies on the device already, without a copy; None otherwise."""

    def launch(self, kernel: Kernel, n: int, *arguments: Any) -> None:
        """Run a kernel for threads 0 to n - 1, after what was launched before."""

    def wait(self) -> None:
        """Wait for what was launched."""


class CudaDevice:
    """The graphics card that numba-cuda has selected."""

    def __init__(self) -> None:
        if cuda is None:
            raise MissingExtra("redouble.envs.cards.cuda", "numba-cuda", "cuda")
        if not cuda.is_available():
            raise CudaError(
                "there is no graphics card that CUDA can use: install NVIDIA's driver, "
                "or take redouble.envs.arrays.batch.Batch"
            )
        self._compiled: dict[Kernel, Any] = {}

    def upload(self, array: Any) -> Any:
        return cuda.to_device(array)

    def download(self, array: Any) -> Any:
        return array.copy_to_host()

    def columns(self, array: Any, rows: int) -> Any:
        n, item = array.shape[1], array.dtype.itemsize
        return type(array)((n, rows), (item, item * n), array.dtype, gpu_data=array.gpu_data)

    def given(self, array: Any) -> Any:
        if not cuda.is_cuda_array(array):
            return None
        found = cuda.as_cuda_array(array)
        return found if found.is_c_contiguous() else cuda.to_device(found.copy_to_host())

    def launch(self, kernel: Kernel, n: int, *arguments: Any) -> None:
        if kernel not in self._compiled:
            # Without link-time optimization what runs is what the tests assemble.
            self._compiled[kernel] = cuda.jit(kernel.signature, lto=False)(kernel.function)
        self._compiled[kernel][-(-n // THREADS), THREADS](*arguments)

    def wait(self) -> None:
        cuda.synchronize()

    def resources(self) -> dict[str, dict[str, int]]:
        """Return what a thread takes of the card, by the kernels that have run."""
        return {
            kernel.function.__name__: {
                "registers": compiled.get_regs_per_thread(kernel.signature),
                "local_bytes": compiled.get_local_mem_per_thread(kernel.signature),
            }
            for kernel, compiled in self._compiled.items()
        }


class CardGames(BatchGames):
    """Games that lie on a card, side by side; the arguments are those of a batch."""

    MAX_GAMES = 2**22
    MAX_BYTES = 2**36
    _words: Any
    """The states on the card."""

    def __init__(self, device: Device | None, *arguments: Any) -> None:
        device = CudaDevice() if device is None else device
        if not isinstance(device, Device):
            raise checks.wrong("device", device, "None", InputError)
        self._device = device
        super().__init__(*arguments)
        self._record = self._header.dtype

    @property
    def states(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The positions, copied from the card: records of the game's ``Position``, shape (n,)."""
        words = np.ascontiguousarray(self._device.download(self._words).T)
        records: np.ndarray[Any, np.dtype[Any]] = words.view(self._record).reshape(-1)
        return records

    def _side_by_side(self, rows: Any) -> Any:
        """Return rows, one a game, on the device with the games side by side."""
        return self._device.upload(np.ascontiguousarray(rows.T))

    def _zeros(self, kind: Any, rows: int | None = None) -> Any:
        shape = self.n if rows is None else (max(rows, 1), self.n)
        return self._device.upload(np.zeros(shape, kind))


class CudaBatch(CardGames):
    """``n`` games with the same seats and options, played at once on a graphics card.

    It does what :class:`~redouble.envs.arrays.batch.Batch` does, with the same arguments, and gives
    the same bytes. Its arrays lie on the card, game by game in neighboring memory; PyTorch, JAX and
    CuPy take them without a copy, through ``__cuda_array_interface__``.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, what
    :meth:`Game.check_options` raises, :class:`~redouble.kernel.errors.MissingExtra` without
    numba-cuda and :class:`CudaError` without a card.
    """

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        n: int = 16_384,
        options: Mapping[str, Any] | None = None,
        seed: str = "",
        *,
        mask: bool = True,
        observations: bool = True,
        opponents: str | None = None,
        learner: int | None = None,
        max_moves: int = MAX_MOVES,
        device: Device | None = None,
    ) -> None:
        super().__init__(
            *(device, game, seats, n, options, seed, mask, observations, opponents, learner),
            max_moves,
        )
        self._kernels = kernels(self.game, opponents is not None)
        zeros, side_by_side = self._zeros, self._side_by_side
        self._dice = side_by_side(self._dice)
        self._sampled, self._chosen = zeros(np.int32), zeros(np.int32)
        self._words = zeros(np.uint64, self._record.itemsize // 8)
        self._arrays = CardArrays(
            words=self._words,
            header=self._device.upload(self._header),
            sources=side_by_side(self._sources),
            actions=self._chosen,
            lists=zeros(np.int16, self._choices),
            counts=zeros(np.int32),
            turns=zeros(np.int8),
            moves=zeros(np.int32),
            learners=self._device.upload(self._learners),
            chance=side_by_side(self._chance),
            mistakes=self._mistakes,
            mask=zeros(np.bool_, self._masked),
            masked=self._masked,
            observations=zeros(np.int8, self._tensor),
            finals=zeros(np.int8, self._tensor),
            tensor=self._tensor,
            rewards=zeros(np.float32, self.seats),
            done=zeros(np.bool_),
            truncated=zeros(np.bool_),
            max_moves=self._max_moves,
        )
        self._wrong = self._device.upload(np.array([NO_GAME], np.int32))

    def reset(self) -> BatchStep:
        """Deal every game anew; a batch that was just made needs it once."""
        self._play(1)
        self._begun = True
        return self._step()

    def step(self, actions: Any) -> BatchStep:
        """Make one move in every game: ``actions`` is an array of n whole numbers.

        It may lie on the card. If any action can't be used, no game is changed. Raises
        :class:`~redouble.kernel.errors.InputError` if the array has another shape or type, or an
        action is not legal, with the first such game.
        """
        self._check(actions)
        self._play(0)
        return self._step()

    def current(self) -> BatchStep:
        """Return what the last :meth:`reset` or :meth:`step` did.

        Raises :class:`~redouble.kernel.errors.InputError` before the first :meth:`reset`.
        """
        self._check_begun()
        return self._step()

    def sample(self) -> Any:
        """Return a legal action of each game, each equally likely: int32[n], overwritten next time.

        Raises :class:`~redouble.kernel.errors.InputError` before the first :meth:`reset`.
        """
        self._check_begun()
        lists, counts = self._arrays.lists, self._arrays.counts
        self._device.launch(self._kernels["draw"], self.n, lists, counts, self._dice, self._sampled)
        self._device.wait()
        return self._sampled

    def _step(self) -> BatchStep:
        columns, a = self._device.columns, self._arrays
        return BatchStep(
            observations=columns(a.observations, self._tensor),
            mask=columns(a.mask, self._masked),
            legal=columns(a.lists, self._choices),
            counts=a.counts,
            turn=a.turns,
            rewards=columns(a.rewards, self.seats),
            done=a.done,
            truncated=a.truncated,
            final_observations=columns(a.finals, self._tensor),
        )

    def _play(self, fresh: int) -> None:
        """Make the moves in ``_chosen``, or deal every game anew."""
        self._device.launch(self._kernels["step"], self.n, self._arrays, fresh)
        self._device.wait()

    def _check(self, actions: Any) -> None:
        """Check the actions, and leave them in ``_chosen``."""
        self._check_begun()
        given = self._device.given(actions)
        found = array_of(actions) if given is None else given
        if found.dtype.kind not in "iu" or found.shape != (self.n,):
            raise InputError(f"actions has the wrong shape or type: give {self.n} whole numbers")
        if given is None:
            found = self._device.upload(np.ascontiguousarray(found))
        lists, counts = self._arrays.lists, self._arrays.counts
        self._device.launch(
            check_kernel(found.dtype), self.n, lists, counts, found, self._chosen, self._wrong
        )
        first = int(self._device.download(self._wrong)[0])
        if first != NO_GAME:
            self._wrong = self._device.upload(np.array([NO_GAME], np.int32))
            legal = self._device.download(lists)[:, first]
            count = self._device.download(counts)[first]
            action = int(self._device.download(found)[first])
            state = self.states[first]
            raise illegal_action(self.game, state, first, action, legal[:count].tolist())


class CudaPlayouts(CardGames):
    """A game with seats and options, played at random to the end by ``n`` threads of a card.

    Each thread draws from a generator of its own, seeded with the seed and its number. Raises what
    :class:`CudaBatch` does.
    """

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        n: int = 16_384,
        options: Mapping[str, Any] | None = None,
        seed: str = "",
        *,
        device: Device | None = None,
    ) -> None:
        super().__init__(
            *(device, game, seats, n, options, seed, False, False, None, None, MAX_MOVES)
        )
        self._kernel = kernels(self.game, False)["playouts"]
        self._header = self._device.upload(self._header)
        self._generators = self._side_by_side(self._sources)
        self._legal = self._zeros(np.int16, self._choices)
        self._words = self._zeros(np.uint64, self._record.itemsize // 8)
        self._moves = self._zeros(np.int64)

    def play(self, games: int = 1, max_moves: int = MAX_PLAYOUT_MOVES) -> int:
        """Play ``games`` random games in each thread, and return the number of moves made.

        Raises :class:`~redouble.kernel.errors.InputError` if a number is out of range.
        """
        checks.whole(games, "games", 1, 1_000_000)
        checks.whole(max_moves, "max_moves", 1, MAX_PLAYOUT_MOVES)
        self._device.launch(
            self._kernel,
            self.n,
            *(self._words, self._header, self._generators, self._legal, self._moves),
            *(games, max_moves),
        )
        return int(self._device.download(self._moves).sum())
