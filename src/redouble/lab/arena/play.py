"""Playing the games of a tournament on all cores.

Games between built-in bots are compiled whole. If a program from outside takes part, all games are
played move by move on the interpreted engine. Each game has its own seed and its own row in the
results, so it does not matter which thread plays it, or when.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from redouble.bots import own_chance
from redouble.bots.random import RandomBot
from redouble.contract.game import Game
from redouble.lab.arena.entrants import Entrant
from redouble.lab.arena.outside import Broken, Outsider, Stopped, end_all
from redouble.lab.arena.plan import Lineup, TournamentPlan
from redouble.lab.contest import Contest
from redouble.match.match import Match

BITE = 0.25
"""Seconds of games that a thread takes at a time, so that it soon notices a stop."""
LARGEST_BITE = 4096
MAX_MOVES = 10_000
"""Moves after which a match is given up; then no bot has beaten another in it."""


@dataclass(frozen=True)
class Failure:
    """A bot that failed in a game and was ranked last."""

    game: int
    seat: int
    bot: int
    reason: str


@dataclass
class Outcomes:
    """How the games of a plan ended: a row for each game, a column for each seat."""

    ranks: np.ndarray[Any, np.dtype[np.int16]]
    """Bots that failed come last; all zero in a game that was given up."""
    scores: np.ndarray[Any, np.dtype[np.int32]]
    reasons: np.ndarray[Any, np.dtype[np.int8]]
    failed: np.ndarray[Any, np.dtype[np.bool_]]
    done: np.ndarray[Any, np.dtype[np.bool_]]
    """Shape (games,): whether the game was played."""
    failures: list[Failure] = field(default_factory=list)
    interrupted: bool = False

    @classmethod
    def none_yet(cls, games: int, seats: int) -> Outcomes:
        """Return room for this number of games."""
        return cls(
            np.zeros((games, seats), np.int16),
            np.zeros((games, seats), np.int32),
            np.zeros(games, np.int8),
            np.zeros((games, seats), np.bool_),
            np.zeros(games, np.bool_),
        )


class GameRunner(Protocol):
    """Where one thread plays games."""

    def play(self, first: int, lineups: Sequence[Lineup], outcomes: Outcomes) -> None:
        """Play the games from ``first`` on and write how they ended."""


class CompiledRunner:
    """Whole games compiled, between bots that have policies."""

    def __init__(
        self, game: Game, plan: TournamentPlan, bots: Sequence[Entrant], options: Mapping[str, Any]
    ) -> None:
        policies = [bot.policy for bot in bots if bot.policy is not None]
        self._contest = Contest(game, plan.seats, policies, options)
        self._plan = plan

    def play(self, first: int, lineups: Sequence[Lineup], outcomes: Outcomes) -> None:
        seeds = [self._plan.seed_of(first + i) for i in range(len(lineups))]
        results = self._contest.play(lineups, seeds)
        mine = slice(first, first + len(lineups))
        outcomes.ranks[mine] = results.ranks
        outcomes.scores[mine] = results.scores
        outcomes.reasons[mine] = results.reasons
        outcomes.done[mine] = True


class MatchRunner:
    """Games move by move, between any bots."""

    def __init__(
        self,
        game: Game,
        plan: TournamentPlan,
        bots: Sequence[Entrant],
        options: Mapping[str, Any],
        seconds: float,
        stopped: Callable[[], bool],
    ) -> None:
        self._game = game
        self._plan = plan
        self._bots = bots
        self._options = options
        self._seconds = seconds
        self._stopped = stopped
        self._random = RandomBot()

    def play(self, first: int, lineups: Sequence[Lineup], outcomes: Outcomes) -> None:
        for game, lineup in enumerate(lineups, first):
            self._play(game, lineup, outcomes)

    def _play(self, game: int, lineup: Lineup, outcomes: Outcomes) -> None:
        match = Match(self._game, len(lineup), self._plan.seed_of(game), self._options)
        guests: dict[int, Outsider] = {}
        failures: dict[int, str] = {}
        ended = False
        try:
            for seat, bot in enumerate(lineup):
                if self._bots[bot].bot is None:
                    try:
                        guests[seat] = Outsider(self._bots[bot], self._seconds, self._stopped)
                    except Broken as broken:
                        failures[seat] = str(broken)
            while match.turn is not None and match.ply < MAX_MOVES:
                if self._stopped():
                    raise Stopped
                match.push_action(self._choose(match, lineup, guests, failures))
            ended = True
        finally:
            for guest in guests.values():
                guest.close(kill=not ended)
        for seat, reason in failures.items():
            outcomes.failures.append(Failure(game, seat, lineup[seat], reason))
            outcomes.failed[game, seat] = True
        outcome = match.outcome
        if outcome is not None:
            outcomes.ranks[game] = failed_last(outcome.ranks, set(failures))
            outcomes.scores[game] = outcome.scores or 0
            outcomes.reasons[game] = match.state.reason
        outcomes.done[game] = True

    def _choose(
        self, match: Match, lineup: Lineup, guests: dict[int, Outsider], failures: dict[int, str]
    ) -> int:
        """Return the move of the seat on turn: its bot's, or a random one if the bot has failed."""
        seat = match.turn
        assert seat is not None
        actions = match.legal_moves.actions
        if len(actions) == 1:
            return actions[0]
        rng = own_chance(match.seed, seat, match.ply)
        bot = self._bots[lineup[seat]].bot
        if bot is not None:
            return bot.choose(match.observation(), rng)
        if seat in guests:
            try:
                return guests[seat].choose(match, rng)
            except Broken as broken:
                failures[seat] = str(broken)
                guests.pop(seat).close(kill=True)
        return self._random.choose(match.observation(), rng)


def failed_last(ranks: Sequence[int], failed: set[int]) -> list[int]:
    """Return ranks in which the failed seats share the last place and the others keep their order.

    >>> failed_last([1, 2, 2, 4], {0})
    [4, 1, 1, 3]
    """
    good = [rank for seat, rank in enumerate(ranks) if seat not in failed]
    return [
        len(good) + 1 if seat in failed else 1 + sum(other < rank for other in good)
        for seat, rank in enumerate(ranks)
    ]


class _Handout:
    """Gives games to threads, more at a time the faster they go."""

    def __init__(self, games: int, threads: int) -> None:
        self._lock = threading.Lock()
        self._games = games
        self._threads = threads
        self._next = 0
        self.stop = threading.Event()

    def take(self, pace: float) -> tuple[int, int]:
        """Return the next games, first and last + 1, for a thread of this pace in games/s."""
        with self._lock:
            left = self._games - self._next
            if self.stop.is_set() or not left:
                return 0, 0
            fair = max(1, left // (2 * self._threads))
            first = self._next
            self._next += max(1, min(int(pace * BITE), LARGEST_BITE, fair))
            return first, self._next


def play_all(
    game: Game,
    plan: TournamentPlan,
    bots: Sequence[Entrant],
    options: Mapping[str, Any],
    seconds: float,
    threads: int,
    watch: Callable[[int], None],
) -> Outcomes:
    """Play the games of a plan; ``watch`` is called with the number of games just played.

    Ctrl-C ends it with the games that are done: compiled games in progress are finished, others
    given up, and ``watch`` is called with 0. A second Ctrl-C ends it without results.
    """
    outcomes = Outcomes.none_yet(plan.games, plan.seats)
    handout = _Handout(plan.games, threads)
    news: queue.SimpleQueue[int | BaseException] = queue.SimpleQueue()
    compiled = all(bot.policy is not None for bot in bots)

    def table() -> GameRunner:
        if compiled:
            return CompiledRunner(game, plan, bots, options)
        return MatchRunner(game, plan, bots, options, seconds, handout.stop.is_set)

    def work() -> None:
        try:
            mine = table()
            pace = 0.0
            while True:
                first, last = handout.take(pace)
                if first == last:
                    break
                begun = time.perf_counter()
                mine.play(first, plan.lineups(first, last), outcomes)
                pace = (last - first) / (time.perf_counter() - begun)
                news.put(last - first)
        except Stopped:
            pass
        except BaseException as error:
            news.put(error)
        finally:
            news.put(0)

    if compiled:
        table().play(0, [], outcomes)  # compiles; the threads would only wait for each other
    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    try:
        for worker in workers:
            worker.start()
        _follow(news, threads, handout, outcomes, watch)
    finally:
        handout.stop.set()
        end_all()
    outcomes.failures.sort(key=lambda failure: (failure.game, failure.seat))
    return outcomes


def _follow(
    news: queue.SimpleQueue[int | BaseException],
    threads: int,
    handout: _Handout,
    outcomes: Outcomes,
    watch: Callable[[int], None],
) -> None:
    """Listen to the threads until all have ended. Raise the error of any of them."""
    while threads:
        try:
            heard = news.get()
            if isinstance(heard, BaseException):
                raise heard
            if heard:
                watch(heard)
            else:
                threads -= 1
        except KeyboardInterrupt:
            if handout.stop.is_set():
                raise
            outcomes.interrupted = True
            handout.stop.set()
            watch(0)
