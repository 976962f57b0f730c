"""How strong a player is: it sits among players of another kind, in each seat equally often.

A solitaire game has no others: there the share of deals won is the strength. The games are sharded
work, so a tally is the same for any number of threads or machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass
from functools import partial
from itertools import zip_longest
from math import sqrt
from operator import add
from typing import Any

from redouble.analysis.stats import Z95, wilson
from redouble.bots.policy import Policy
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.kernel.engine import np
from redouble.lab.contest import MAX_GAMES, Contest, numbered_words, won_alone
from redouble.lab.shards import Executor, Shard, add_up, cut

__all__ = ["StrengthJob", "StrengthResult", "StrengthTally", "measure_strength"]

SERIES = ("strength 0", "strength 1")
"""The series of games, each with half of them; docs/strength.md was measured with these."""
CHUNK = 256
"""Games in a shard, if no player searches."""
OTHERS, PLAYER = range(2)
"""The policies of a contest."""


@dataclass(frozen=True)
class StrengthTally:
    """Sums over the games of one player among others."""

    games: int = 0
    shares: float = 0.0
    """The shares of opponents beaten, a tie counting half; in solitaire, the deals won."""
    shares2: float = 0.0
    """Their squares."""
    wins: float = 0.0
    """The games won, shared equally where several tie."""
    wins2: float = 0.0
    scores: float = 0.0
    """The player's points."""

    def __add__(self, other: StrengthTally) -> StrengthTally:
        sums = zip(astuple(self), astuple(other), strict=True)
        return StrengthTally(*(mine + theirs for mine, theirs in sums))

    @property
    def share(self) -> float:
        """The mean share of opponents beaten, or of deals won; 0 without games."""
        return self.shares / max(self.games, 1)

    @property
    def share_error(self) -> float:
        """Half the width of its 95% interval."""
        return _half_width(self.games, self.shares, self.shares2)

    @property
    def win_rate(self) -> float:
        """The mean share of games won; 0 without games."""
        return self.wins / max(self.games, 1)

    @property
    def win_error(self) -> float:
        """Half the width of its 95% interval."""
        return _half_width(self.games, self.wins, self.wins2)

    @property
    def mean_score(self) -> float:
        """The player's mean points; 0 in a game without points."""
        return self.scores / max(self.games, 1)


def _half_width(games: int, total: float, squares: float) -> float:
    """Return half the width of a mean's 95% interval: Wilson's if every game went the same way."""
    mean = total / max(games, 1)
    spread = squares / max(games, 1) - mean * mean
    if spread > 0:
        return Z95 * sqrt(spread / games)
    low, high = wilson(min(max(mean, 0.0), 1.0), max(games, 0))
    return (high - low) / 2


@dataclass(frozen=True)
class StrengthJob:
    """Games of one player among others, as sharded work.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and what
    :meth:`Game.check_options` raises.
    """

    game: str
    seats: int
    policy: Policy
    """The player's."""
    others: Policy
    games: int
    options: Mapping[str, Any]

    def __post_init__(self) -> None:
        game = GAMES[checks.text(self.game, "game")]
        checks.instance(self.policy, Policy, "policy")
        checks.instance(self.others, Policy, "others")
        checks.whole(self.games, "games", 1, MAX_GAMES)
        object.__setattr__(self, "options", game.check_options(self.seats, self.options))

    def shards(self) -> Iterator[Shard]:
        """Return the shards of both series in turn, so that an early stop has as much of each."""
        size = 1 if self.policy.iterations or self.others.iterations else CHUNK
        half = self.games // 2
        both = zip_longest(cut(SERIES[0], self.games - half, size), cut(SERIES[1], half, size))
        return (shard for pair in both for shard in pair if shard is not None)

    def warm(self) -> None:
        """Compile or load what plays whole games."""
        self._contest().play([], [])
        numbered_words(SERIES[0], 0, 1)

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], StrengthTally]:
        """Return what plays the games of a shard."""
        return partial(self._tally, self._contest())

    def _contest(self) -> Contest:
        return Contest(GAMES[self.game], self.seats, [self.others, self.policy], self.options)

    def _tally(self, contest: Contest, shard: Shard) -> StrengthTally:
        rows = np.arange(shard.count)
        mine = (shard.first + rows) % self.seats
        players = np.full((shard.count, self.seats), OTHERS)
        players[rows, mine] = PLAYER
        results = contest.play(players, numbered_words(shard.series, shard.first, shard.count))
        shares, wins = results.utilities()[rows, mine], results.wins()[rows, mine]
        if self.seats == 1:
            shares = wins = won_alone(contest.game, results.reasons)
        return StrengthTally(
            shard.count,
            float(shares.sum()),
            float((shares * shares).sum()),
            float(wins.sum()),
            float((wins * wins).sum()),
            float(results.scores[rows, mine].sum()),
        )


@dataclass(frozen=True)
class StrengthResult:
    """What was counted."""

    tally: StrengthTally
    stopped: bool
    """Whether Ctrl-C ended the work early: the tally is that of the games finished in order."""


def measure_strength(
    game: Game,
    policy: Policy,
    others: Policy,
    seats: int,
    games: int,
    options: Mapping[str, Any] | None = None,
    executor: Executor | None = None,
    watch: Callable[[int], None] = lambda done: None,
) -> StrengthResult:
    """Let a player with ``policy`` play among others and count what it beats.

    In a solitaire game ``others`` play no part. Without an ``executor`` all cores of this machine
    are used. ``watch`` is called again and again with the number of games played so far. Raises
    what :class:`StrengthJob` raises.
    """
    name = checks.instance(game, Game, "game").name
    job = StrengthJob(name, seats, policy, others, games, {} if options is None else options)
    found, ran = add_up(job, executor, add, watch)
    sums = [found[series] for series in SERIES if series in found]
    return StrengthResult(sum(sums, StrengthTally()), not ran.complete)
