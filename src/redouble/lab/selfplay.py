"""Self-play: games between bots, to be replayed or to learn from.

The games are sharded work: a game depends only on the seed and on its number, so they are the same
for any number of threads or machines. What is kept of a game are its moves. Records and arrays for
training are made of them afterwards.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import iadd
from pathlib import Path
from typing import Any, NamedTuple

from redouble.contract.driver import MAX_MOVES, deal, play_on
from redouble.contract.game import Game
from redouble.contract.placeholders import observe, redact
from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import bound_rules, reward
from redouble.envs.arrays.observation import tensor_size
from redouble.kernel import checks
from redouble.kernel.engine import compiled, np, put, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, seed_words
from redouble.lab.arena.entrants import Entrant, entrant
from redouble.lab.contest import FORCED, MOVES, Contest, ContestResults
from redouble.lab.shards import Executor, Shard, add_up, cut
from redouble.match.match import Match
from redouble.match.record import Record

__all__ = ["Samples", "SelfPlay", "SelfPlayJob", "self_play"]

Array = np.ndarray[Any, np.dtype[Any]]

MAX_GAMES = 10_000_000
MAX_BYTES = 2**32
"""Samples may not take more."""
SERIES = "games"
CHUNK = 64
"""Games in a shard, if no bot searches."""
FORMAT = 1


class Replayed(NamedTuple):
    """Games that are played again to sample their decisions."""

    states: Any
    """Room for a position and for what a seat sees of it."""
    header: Any
    words: Any
    """[game, 4]: generators"""
    moves: Any
    """[game]: the number of its moves"""
    actions: Any
    """The moves of all games, one after the other."""
    lists: Any
    ranks: Any
    values: Any
    at: Any
    """How many moves were made, samples begun and legal actions listed, and the game."""


AT, SAMPLE, LISTED, GAME = range(4)


def look_back(games: Any, samples: Any) -> int:
    """Play games again and write a sample for each decision; return the number of legal actions.

    ``samples`` are the arrays of :class:`Samples`; without room, nothing but the number is found.
    """
    s, at, values = games.states[0], games.at, games.values
    _, _, listed, _, seats, _, rewards = samples
    for k in range(len(at)):
        at[k] = 0
    for game in range(len(games.moves)):
        at[GAME] = game
        deal(games.states, 0, games.header[0], games.words[game])
        first = at[SAMPLE]
        play_on(s, games.lists, games.moves[game], s.rng, (games, samples))
        if len(listed) and s.turn < 0:
            reward(s, games.ranks, values, values)
            for k in range(first, at[SAMPLE]):
                rewards[k] = values[seats[k]]
    return int(at[LISTED])


def next_recorded(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return the move that was made in this position; write a sample if it was a decision."""
    games, samples = how
    at = games.at
    action = int(games.actions[at[AT]])
    if n > 1:
        if len(samples[2]):
            write_sample(games.states, out, n, action, at, samples)
        at[SAMPLE] += 1
        at[LISTED] += n
    at[AT] += 1
    return action


def write_sample(states: Any, out: Any, n: int, action: int, at: Any, samples: Any) -> None:
    """Write a decision, and what the seat to move saw."""
    observations, actions, listed, counts, seats, games, _ = samples
    put(states, 1, states[0])
    s = states[1]
    sample = at[SAMPLE]
    redact(s, s.turn)
    observe(s, s.turn, observations[sample])
    actions[sample] = action
    counts[sample] = n
    seats[sample] = s.turn
    games[sample] = at[GAME]
    for k in range(n):
        listed[at[LISTED] + k] = out[k]


@dataclass(frozen=True)
class Samples:
    """The decisions of games as arrays, game by game; moves without a choice are left out."""

    observations: np.typing.NDArray[np.int8]
    """int8[n, size]: what the seat to move saw, as a :class:`~redouble.envs.arrays.batch.Batch`
    gives it."""
    actions: np.typing.NDArray[np.int16]
    """int16[n]: what it did."""
    legal: np.typing.NDArray[np.int16]
    """int16[sum of counts]: the actions that were legal, ascending, decision by decision."""
    counts: np.typing.NDArray[np.int32]
    """int32[n]: how many actions were legal."""
    seats: np.typing.NDArray[np.int8]
    """int8[n]: the seat to move."""
    games: np.typing.NDArray[np.int32]
    """int32[n]: the number of the game, from 0."""
    rewards: np.typing.NDArray[np.float32]
    """float32[n]: what that seat made of the game, as batches count it."""

    def __len__(self) -> int:
        return len(self.actions)


@dataclass(frozen=True)
class SelfPlayJob:
    """Games between bots, as sharded work.

    Game ``i`` has the seed ``f"{seed} game {i + 1}"``, and seat ``k`` is played by bot ``(k + i) %
    len(bots)``. The bots are levels, ``greedy``, ``random`` or searches, written as ``redouble
    arena`` takes them.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and what
    :func:`~redouble.lab.arena.entrants.entrant` and :meth:`Game.check_options` raise. Its player
    raises :class:`~redouble.kernel.errors.InputError` if a game does not end.
    """

    game: str
    seats: int
    bots: tuple[str, ...]
    games: int
    seed: str
    options: Mapping[str, Any]

    def __post_init__(self) -> None:
        game = GAMES[checks.text(self.game, "game")]
        object.__setattr__(self, "options", game.check_options(self.seats, self.options))
        object.__setattr__(self, "bots", checks.texts(self.bots, "bots"))
        if not self.bots:
            raise InputError("bots is empty: name at least one bot")
        for bot in self.entrants():
            if bot.policy is None:
                raise InputError(
                    f"{bot.name} can't play in self-play: name a level, greedy, random or a search"
                )
        checks.whole(self.games, "games", 1, MAX_GAMES)
        checks.text(self.seed, "seed")

    def entrants(self) -> list[Entrant]:
        """Return the bots."""
        return [entrant(text) for text in self.bots]

    def seed_of(self, game: int) -> str:
        """Return the seed text of a game."""
        return f"{self.seed} game {checks.whole(game, 'game', 0, self.games - 1) + 1}"

    def lineup(self, game: int) -> list[int]:
        """Return the bot in each seat of a game, an index of ``bots``."""
        checks.whole(game, "game", 0, self.games - 1)
        return [(seat + game) % len(self.bots) for seat in range(self.seats)]

    def shards(self) -> Iterator[Shard]:
        """Return the games in order."""
        slow = any(bot.policy and bot.policy.iterations for bot in self.entrants())
        return cut(SERIES, self.games, 1 if slow else CHUNK)

    def warm(self) -> None:
        """Compile or load what plays whole games."""
        self._contest().record([], [])

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], list[Played]]:
        """Return what plays the games of a shard."""
        return partial(self._played, self._contest())

    def _played(self, contest: Contest, shard: Shard) -> list[Played]:
        games = range(shard.first, shard.first + shard.count)
        lineups = [self.lineup(game) for game in games]
        results, actions = contest.record(lineups, [self.seed_of(game) for game in games])
        given_up = np.flatnonzero(results.ranks[:, 0] == 0)
        if len(given_up):
            raise InputError(
                f"game {shard.first + int(given_up[0]) + 1} did not end within {MAX_MOVES:,}"
                " moves: choose options or a deck with which games end"
            )
        return [(results, actions)]

    def _contest(self) -> Contest:
        policies = [bot.policy for bot in self.entrants() if bot.policy is not None]
        return Contest(GAMES[self.game], self.seats, policies, self.options)


Played = tuple[ContestResults, np.typing.NDArray[np.int16]]
"""How games ended, and their moves."""


@dataclass(frozen=True)
class SelfPlay:
    """The games of a job that were played: all, or after Ctrl-C the first ones."""

    job: SelfPlayJob
    results: ContestResults
    actions: np.typing.NDArray[np.int16]
    """int16: the moves of all games, one after the other; ``results`` counts those of each."""
    stopped: bool

    def __post_init__(self) -> None:
        checks.instance(self.job, SelfPlayJob, "job")
        checks.instance(self.results, ContestResults, "results")
        if not isinstance(self.actions, np.ndarray) or self.actions.dtype.kind != "i":
            raise checks.wrong("actions", self.actions, "an array of moves", InputError)
        moves = int(self.results.counts[:, MOVES].sum())
        if self.actions.shape != (moves,) or self.games > self.job.games:
            raise InputError(
                f"actions and results don't fit: give {moves} moves of the job's games"
            )

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.results.ranks)

    @property
    def decisions(self) -> int:
        """How many moves were chosen among several."""
        return int((self.results.counts[:, MOVES] - self.results.counts[:, FORCED]).sum())

    def digest(self) -> str:
        """Return a digest of the moves and of how the games ended."""
        found = hashlib.sha256(self.actions.astype("<i2").tobytes())
        for rows in (self.results.ranks, self.results.scores, self.results.counts):
            found.update(rows.astype("<i4").tobytes())
        return found.hexdigest()

    def records(self) -> Iterator[Record]:
        """Yield each game as a record; the seats have the names of the bots."""
        game, names = GAMES[self.job.game], [bot.name for bot in self.job.entrants()]
        at = 0
        for number, moves in enumerate(self.results.counts[:, MOVES].tolist()):
            seats = [names[bot] for bot in self.job.lineup(number)]
            match = Match(game, seats, self.job.seed_of(number), self.job.options)
            for action in self.actions[at : at + moves].tolist():
                match.push_action(action)
            at += moves
            yield match.record()

    def samples(self) -> Samples:
        """Return the decisions as arrays.

        Raises :class:`~redouble.kernel.errors.InputError` if they would take more than
        :data:`MAX_BYTES`.
        """
        game, seats = GAMES[self.job.game], self.job.seats
        size, n = tensor_size(game, seats), self.decisions
        header = to_records(game.header(seats, self.job.options))
        words = [seed_words(self.job.seed_of(number)) for number in range(self.games)]
        replayed = Replayed(
            states=np.repeat(header, 2),
            header=header,
            words=np.array(words, np.uint64).reshape(-1, 4),
            moves=self.results.counts[:, MOVES],
            actions=self.actions,
            lists=np.zeros(game.rules.MAX_LEGAL + 1, np.int16),
            ranks=np.zeros(seats, np.int64),
            values=np.zeros(seats, np.float64),
            at=np.zeros(4, np.int64),
        )
        loop = compiled(look_back, **{**bound_rules(game), "choose": next_recorded})
        choices = int(loop(replayed, _room(0, size, 0)))
        if n * (size + 15) + 2 * choices > MAX_BYTES:
            raise InputError(
                f"{n:,} decisions take more than {MAX_BYTES:,} bytes: play fewer games at once"
            )
        arrays = _room(n, size, choices)
        loop(replayed, arrays)
        return Samples(*arrays)

    def save(self, path: Path) -> None:
        """Write the samples and how the games ended to an ``.npz`` file.

        Beside the arrays of :class:`Samples` it holds ``ranks`` and ``scores`` [games, seats] and
        ``about``, a line of JSON: the job, the digest and the version of the rules. Raises what
        :meth:`samples` raises, and :class:`OSError`.
        """
        checks.instance(path, Path, "path")
        about = {
            "selfplay": FORMAT,
            "game": self.job.game,
            "rules": GAMES[self.job.game].version,
            "seats": self.job.seats,
            "options": self.job.options,
            "bots": self.job.bots,
            "seed": self.job.seed,
            "games": self.games,
            "digest": self.digest(),
        }
        arrays: dict[str, Any] = {
            "about": np.array(json.dumps(about)),
            **vars(self.samples()),
            "ranks": self.results.ranks,
            "scores": self.results.scores,
        }
        with path.open("wb") as out:
            np.savez_compressed(out, **arrays)


def _room(n: int, size: int, choices: int) -> tuple[Array, ...]:
    """Return the arrays of samples, in the order of the fields of :class:`Samples`."""
    return (
        np.zeros((n, size), np.int8),
        np.zeros(n, np.int16),
        np.zeros(choices, np.int16),
        np.zeros(n, np.int32),
        np.zeros(n, np.int8),
        np.zeros(n, np.int32),
        np.zeros(n, np.float32),
    )


def self_play(
    game: Game | str,
    bots: Sequence[str] = ("expert",),
    games: int = 1000,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: str = "selfplay",
    executor: Executor | None = None,
    watch: Callable[[int], None] = lambda done: None,
) -> SelfPlay:
    """Let bots play games and return them.

    Without ``seats`` it is the game's usual number, and without an ``executor`` all cores of this
    machine are used. ``watch`` is called again and again with the number of games played so far.
    After Ctrl-C the result has the games finished in order; before the first, raises
    :class:`KeyboardInterrupt`. Raises what :class:`SelfPlayJob` raises.
    """
    chosen = GAMES[game] if isinstance(game, str) else checks.instance(game, Game, "game")
    seats = chosen.usual_seats if seats is None else seats
    given = checks.texts(bots, "bots")
    job = SelfPlayJob(chosen.name, seats, given, games, seed, {} if options is None else options)
    found, ran = add_up(job, executor, iadd, watch)
    if SERIES not in found:
        raise KeyboardInterrupt
    arrays = zip(*(vars(results).values() for results, _ in found[SERIES]), strict=True)
    results = ContestResults(*map(np.concatenate, arrays))
    actions = np.concatenate([actions for _, actions in found[SERIES]])
    return SelfPlay(job, results, actions, not ran.complete)
