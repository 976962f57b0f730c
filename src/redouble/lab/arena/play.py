"""Playing the games of a tournament, as shards.

Games between built-in bots are compiled whole. If a program from outside takes part, all games are
played move by move on the interpreted engine. Each game has its own seed and its own row in the
results, so it does not matter where it is played, or when.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redouble.bots import own_chance
from redouble.bots.simple import RandomBot
from redouble.contract.game import Game
from redouble.kernel.shares import failed_last
from redouble.lab.arena.entrants import Entrant
from redouble.lab.arena.outside import Broken, Outsider, end_all
from redouble.lab.arena.plan import Lineup, TournamentPlan
from redouble.lab.contest import Contest
from redouble.lab.shards import Executor, Shard, Stopped, carry_out, cut
from redouble.match.match import Match

CHUNK = 256
"""Games in a shard, if no player searches."""
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

    @property
    def played(self) -> int:
        return int(self.done.sum())

    def take(self, shard: Shard, part: Outcomes) -> None:
        """Write how the games of a shard ended."""
        rows = slice(shard.first, shard.first + shard.count)
        self.ranks[rows], self.scores[rows] = part.ranks, part.scores
        self.reasons[rows], self.failed[rows] = part.reasons, part.failed
        self.done[rows] = part.done
        self.failures += part.failures

    def keep(self, games: int) -> None:
        """Forget all games but the first ones."""
        self.done[games:] = False
        self.failures = [failure for failure in self.failures if failure.game < games]

    def digest(self, games: int) -> str:
        """Return a digest of how the first games ended."""
        found = hashlib.sha256()
        for rows in (self.ranks, self.scores, self.reasons, self.failed):
            found.update(rows[:games].astype("<i4").tobytes())
        return found.hexdigest()


class MatchRunner:
    """Plays the games of a tournament move by move, between any bots, in one thread."""

    def __init__(self, job: TournamentJob, stopped: Callable[[], bool]) -> None:
        self._job = job
        self._stopped = stopped
        self._random = RandomBot()

    def play(self, first: int, lineups: Sequence[Lineup]) -> Outcomes:
        """Play the games from ``first`` on and return how they ended."""
        outcomes = Outcomes.none_yet(len(lineups), self._job.plan.seats)
        for row, lineup in enumerate(lineups):
            self._play(first + row, lineup, outcomes, row)
        return outcomes

    def _play(self, game: int, lineup: Lineup, outcomes: Outcomes, row: int) -> None:
        job = self._job
        match = Match(job.game, len(lineup), job.plan.seed_of(game), job.options)
        guests: dict[int, Outsider] = {}
        failures: dict[int, str] = {}
        ended = False
        try:
            for seat, bot in enumerate(lineup):
                if job.bots[bot].bot is None:
                    try:
                        guests[seat] = Outsider(job.bots[bot], job.seconds, self._stopped)
                    except Broken as broken:
                        failures[seat] = str(broken)
            while match.turn is not None and match.ply < MAX_MOVES:
                if self._stopped():
                    raise Stopped
                match.push_action(self._choose(match, lineup, guests, failures))
            ended = True
        finally:
            for guest in guests.values():
                if ended:
                    guest.close()
                else:
                    guest.kill()
        for seat, reason in failures.items():
            outcomes.failures.append(Failure(game, seat, lineup[seat], reason))
            outcomes.failed[row, seat] = True
        outcome = match.outcome
        if outcome is not None:
            outcomes.ranks[row] = failed_last(outcome.ranks, failures)
            outcomes.scores[row] = outcome.scores or 0
            outcomes.reasons[row] = match.state.reason
        outcomes.done[row] = True

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
        bot = self._job.bots[lineup[seat]].bot
        if bot is not None:
            return bot.choose(match.observation(), rng)
        if seat in guests:
            try:
                return guests[seat].choose(match, rng)
            except Broken as broken:
                failures[seat] = str(broken)
                guests.pop(seat).kill()
        return self._random.choose(match.observation(), rng)


@dataclass(frozen=True)
class TournamentJob:
    game: Game
    plan: TournamentPlan
    bots: tuple[Entrant, ...]
    options: Mapping[str, Any]
    seconds: float

    @property
    def compiled(self) -> bool:
        """Whether whole games run compiled: no program from outside takes part."""
        return all(bot.policy is not None for bot in self.bots)

    def shards(self) -> Iterator[Shard]:
        """Return the games in order, in shards that take about a quarter of a second at most."""
        policies = [bot.policy for bot in self.bots]
        slow = any(policy is None or policy.iterations for policy in policies)
        games = self.plan.games
        return cut("games", games, 1 if slow else max(1, min(CHUNK, games // 64)))

    def warm(self) -> None:
        """Compile or load what plays whole games."""
        if self.compiled:
            self.compiled_player()(0, [])

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], Outcomes]:
        play = self.compiled_player() if self.compiled else MatchRunner(self, stopped).play
        lineups = self.plan.lineups
        return lambda one: play(one.first, lineups(one.first, one.first + one.count))

    def compiled_player(self) -> Callable[[int, Sequence[Lineup]], Outcomes]:
        """Return what plays whole games compiled, for one thread."""
        plan = self.plan
        policies = [bot.policy for bot in self.bots if bot.policy is not None]
        contest = Contest(self.game, plan.seats, policies, self.options)

        def play(first: int, lineups: Sequence[Lineup]) -> Outcomes:
            seeds = [plan.seed_of(first + i) for i in range(len(lineups))]
            results = contest.play(lineups, seeds)
            outcomes = Outcomes.none_yet(len(lineups), plan.seats)
            outcomes.ranks[:] = results.ranks
            outcomes.scores[:] = results.scores
            outcomes.reasons[:] = results.reasons
            outcomes.done[:] = True
            return outcomes

        return play


def play_all(
    job: TournamentJob,
    executor: Executor | None,
    watch: Callable[[int], None],
    enough: Callable[[Outcomes], bool] = lambda outcomes: False,
) -> Outcomes:
    """Play the games of a plan; ``watch`` is called with the number of games just played.

    If ``enough`` is true of the games played so far, the others are not played.
    Ctrl-C ends it with the games that are done: games in progress get a few seconds to end, those
    with programs from outside none, and ``watch`` is called with 0. A second Ctrl-C ends it without
    results.
    """
    outcomes = Outcomes.none_yet(job.plan.games, job.plan.seats)
    heard = 0

    def follow(stopping: bool) -> None:
        nonlocal heard
        done = outcomes.played
        if stopping:
            watch(0)
        elif done > heard:
            watch(done - heard)
            heard = done

    try:
        ran = carry_out(job, executor, outcomes.take, follow, lambda: enough(outcomes))
    finally:
        end_all()
    outcomes.interrupted = not ran.complete
    outcomes.failures.sort(key=lambda failure: (failure.game, failure.seat))
    return outcomes
