"""The results of a tournament: each bot's numbers, and who beats whom.

The measure is the share of opponents beaten, a tie counting half, among the seats of *other* bots:
a bot with several seats in a game does not play against itself. In a one-player game the measure is
whether the deal was won, and bots are compared on the same deals.
"""

from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np

from redouble.contract.game import Game
from redouble.kernel.extras import needs
from redouble.lab.arena.entrants import Entrant
from redouble.lab.arena.intervals import DealSums, Estimate
from redouble.lab.arena.plan import TournamentPlan
from redouble.lab.arena.play import Outcomes
from redouble.lab.arena.stored import BotResult
from redouble.lab.contest import won_alone

__all__ = ["Standings"]

BLOCK = 4096
POINTS = 200
GROUPS = 200
"""Groups of deals that the bootstrap weighs; up to this number of deals, each is its own group."""
SAMPLES = 400
ELO = 400.0 / log(10.0)
"""Rating points in one unit of the model's strength."""
SEED = 1
"""The seed of the bootstrap, so that the same results get the same intervals."""
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Standings:
    """The results of a tournament's complete deals."""

    lines: tuple[BotResult, ...]
    pairs: tuple[tuple[Estimate | None, ...], ...]
    """How often the row's bot came before the column's; None where they never met."""
    deals: int
    games: int
    abandoned: int
    """Games that were given up because they did not end."""
    convergence: tuple[tuple[int, tuple[float, ...]], ...]
    """Numbers of deals, and each bot's utility after them."""

    @property
    def order(self) -> list[int]:
        """The indexes of the bots, the best first."""
        return sorted(range(len(self.lines)), key=lambda bot: -self.lines[bot].utility.mean)


def standings(
    game: Game, plan: TournamentPlan, bots: list[Entrant], outcomes: Outcomes, scored: bool
) -> Standings | None:
    """Return the results of all complete deals, or None without any.

    ``scored`` tells whether the game counts points.
    """
    complete = np.flatnonzero(outcomes.done.reshape(plan.deals, plan.bots).all(axis=1))
    if not len(complete):
        return None
    counts = _Counts(game, plan, outcomes)
    for start in range(0, len(complete), BLOCK):
        counts.add(complete[start : start + BLOCK])
    mine = set(complete.tolist())
    failures = [f for f in outcomes.failures if plan.deal_of(f.game) in mine]
    ratings = rate(counts.beaten, len(complete))
    lines = []
    for bot, entrant in enumerate(bots):
        reasons = [failure.reason for failure in failures if failure.bot == bot]
        utility = counts.utility[bot].estimate()
        assert utility is not None  # a complete deal has every bot in every seat
        played = int(counts.utility[bot].count)
        lines.append(
            BotResult(
                name=entrant.name,
                kind=entrant.kind,
                played=played,
                utility=utility,
                wins=float(counts.wins[bot]),
                win_share=float(counts.wins[bot]) / played,
                mean_rank=float(counts.ranks[bot] / counts.utility[bot].count),
                score=counts.score[bot].estimate(share=False) if scored else None,
                rating=ratings[bot],
                failures=len(reasons),
                first_failure=reasons[0] if reasons else None,
            )
        )
    return Standings(
        lines=tuple(lines),
        pairs=tuple(tuple(tally.estimate() for tally in row) for row in counts.pairs),
        deals=len(complete),
        games=len(complete) * plan.bots,
        abandoned=counts.abandoned,
        convergence=counts.convergence(),
    )


def without_intervals(found: Standings, share: Estimate) -> Standings:
    """Return the standings of two bots that played until the answer was clear.

    The usual intervals are for numbers of deals that were fixed beforehand, so they are left out.
    ``share`` is how often the first bot came before the second, with an interval that holds
    whenever play stopped.
    """
    assert share.low is not None
    assert share.high is not None
    other = Estimate(1 - share.mean, 1 - share.high, 1 - share.low)
    lines = tuple(
        replace(
            line,
            utility=Estimate(line.utility.mean),
            score=line.score and Estimate(line.score.mean),
            rating=Estimate(line.rating.mean),
        )
        for line in found.lines
    )
    return replace(found, lines=lines, pairs=((None, share), (other, None)))


class _Counts:
    def __init__(self, game: Game, plan: TournamentPlan, outcomes: Outcomes) -> None:
        bots = plan.bots
        self._plan = plan
        self._outcomes = outcomes
        self._game = game
        self.utility = [DealSums() for _ in range(bots)]
        self.score = [DealSums() for _ in range(bots)]
        self.pairs = [[DealSums() for _ in range(bots)] for _ in range(bots)]
        self.wins = np.zeros(bots)
        self.ranks = np.zeros(bots)
        self.abandoned = 0
        self._shares: list[Array] = []
        self.beaten = np.zeros((GROUPS, bots, bots))
        """Comparisons that each bot won against each other, by groups of deals, for the ratings."""

    def add(self, deals: Array) -> None:
        """Add these deals, which are all complete."""
        bots = self._plan.bots
        block = _Block(self._game, self._plan, self._outcomes, deals)
        who, ranks, failed = block.who, block.ranks, block.failed
        self.abandoned += block.abandoned
        if self._plan.seats == 1:
            worth = first = block.won
        else:
            worth, first = block.shares(), ranks == 1
            first = first / np.maximum(first.sum(axis=1, keepdims=True), 1)

        ones = np.ones(who.shape)
        shape = (len(deals), bots)
        points, count = _sums(block.cell, worth, shape), _sums(block.cell, ones, shape)
        score = _sums(block.cell, block.scores * ~failed, shape)
        scored = _sums(block.cell, ~failed, shape)
        for bot in range(bots):
            self.utility[bot].add(points[:, bot], count[:, bot])
            self.score[bot].add(score[:, bot], scored[:, bot])
        self.wins += _sums(who, first, (bots,))
        self.ranks += _sums(who, ranks, (bots,))
        points2, count2 = block.pairs()
        for a in range(bots):
            for b in range(bots):
                self.pairs[a][b].add(points2[:, a, b], count2[:, a, b])
        self._shares.append(points / count)
        np.add.at(self.beaten, deals % GROUPS, points2)

    def convergence(self) -> tuple[tuple[int, tuple[float, ...]], ...]:
        """Return each bot's utility after more and more deals."""
        shares = np.concatenate(self._shares)
        numbers = np.arange(1, len(shares) + 1)
        means = np.cumsum(shares, axis=0) / numbers[:, None]
        at = np.unique(np.geomspace(1, len(shares), POINTS).round().astype(np.int64))
        return tuple((int(n), tuple(means[n - 1].tolist())) for n in at)


def beaten_in_deals(game: Game, plan: TournamentPlan, outcomes: Outcomes, deals: Array) -> Array:
    """Return the comparisons that each bot won against each other in each of some complete deals.

    A tie counts half. The result has the shape (deals, bots, bots).
    """
    return _Block(game, plan, outcomes, deals).pairs()[0]


class _Block:
    """The contests of some complete deals: games, or for one player the deals themselves."""

    def __init__(self, game: Game, plan: TournamentPlan, outcomes: Outcomes, deals: Array) -> None:
        bots = plan.bots
        games = (deals[:, None] * bots + np.arange(bots)).reshape(-1)
        lineups = [line for d in deals.tolist() for line in plan.lineups(d * bots, (d + 1) * bots)]
        who = np.array(lineups, np.int64).reshape(-1, plan.seats)
        ranks = outcomes.ranks[games].astype(np.int64)
        failed = outcomes.failed[games]
        scores = outcomes.scores[games].astype(np.float64)
        won = won_alone(game, outcomes.reasons[games]) * ~failed[:, 0]
        self.abandoned = int((ranks[:, 0] == 0).sum())
        if plan.seats == 1:
            # A deal is one contest: its games side by side, as if they were one table.
            who, won = who.reshape(-1, bots), won.reshape(-1, bots)
            failed, scores = failed.reshape(-1, bots), scores.reshape(-1, bots)
            ranks = 1 + (won[:, None, :] > won[:, :, None]).sum(axis=2)
        self.who, self.ranks, self.failed, self.scores, self.won = who, ranks, failed, scores, won
        deal = np.repeat(np.arange(len(deals)), len(who) // len(deals))
        self.cell = deal[:, None] * bots + who
        """Who sits where in which deal: the index of a table of deals and bots."""
        self._shape = (len(deals), bots, bots)
        self._others = who[:, :, None] != who[:, None, :]
        mine, other = ranks[:, :, None], ranks[:, None, :]
        self._beaten = ((mine < other) + 0.5 * (mine == other)) * self._others

    def shares(self) -> Array:
        """Return the share of other bots' seats that each seat came before."""
        shares: Array = self._beaten.sum(axis=2) / self._others.sum(axis=2)
        return shares

    def pairs(self) -> tuple[Array, Array]:
        """Return how often each bot came before each other in each deal, and of how many times."""
        pair = self.cell[:, :, None] * self._shape[1] + self.who[:, None, :]
        return _sums(pair, self._beaten, self._shape), _sums(pair, self._others, self._shape)


def _sums(cells: Array, values: Array, shape: tuple[int, ...]) -> Array:
    """Return the sum of the values of each cell; cells are flat indexes of this shape."""
    size = int(np.prod(shape))
    weights = np.broadcast_to(values, cells.shape).reshape(-1).astype(np.float64)
    sums: Array = np.bincount(cells.reshape(-1), weights, size).reshape(shape)
    return sums


def rate(beaten: Array, deals: int) -> list[Estimate]:
    """Return the rating of each bot, a Bradley-Terry strength in Elo points, with its interval.

    The chance that one bot comes before another depends on the difference of their strengths alone:
    400 points more are odds of ten to one. Choix fits them to all comparisons; 0 is the average.

    The intervals come from a Bayesian bootstrap over deals (Rubin, "The Bayesian Bootstrap", 1981),
    because the games of a deal depend on each other. For every pair of bots, two imaginary deals
    are added, one won by each side: they keep the strength of a bot that always wins finite.

    ``beaten`` has the shape (groups, bots, bots): in each group of deals, the number of comparisons
    in which the row's bot came before the column's, a tie counting half. ``deals`` is the number of
    deals in all groups together.
    """
    bots = beaten.shape[1]
    pairs = bots * (bots - 1)
    # The imaginary deal that a bot wins against another has as many comparisons as a real one has.
    imaginary = np.full((bots, bots), 2 * beaten.sum() / deals / pairs)
    np.fill_diagonal(imaginary, 0.0)
    groups = beaten[beaten.any(axis=(1, 2))]
    chance = np.random.default_rng(SEED)
    samples = []
    for _ in range(SAMPLES):
        weighed = np.tensordot(chance.exponential(size=len(groups)), groups, axes=1)
        samples.append(_strengths(weighed + chance.exponential(size=imaginary.shape) * imaginary))
    mean = _strengths(groups.sum(axis=0) + imaginary)
    low, high = np.quantile(samples, (0.025, 0.975), axis=0)
    return [Estimate(*map(float, ends)) for ends in zip(mean, low, high, strict=True)]


def _strengths(beaten: Array) -> Array:
    """Fit the model to a matrix of wins; the mean strength is 0."""
    with needs("a rating", "lab"):
        import choix  # imports all of SciPy's statistics

    strengths: Array = choix.ilsr_pairwise_dense(beaten) * ELO
    strengths -= strengths.mean()
    return strengths
