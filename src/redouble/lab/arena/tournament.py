"""A tournament: a game, bots and deals, checked before anything is played."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.kernel.extras import require
from redouble.kernel.version import __version__
from redouble.lab.arena import sequential
from redouble.lab.arena.entrants import Entrant
from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.outside import TIME_LIMIT
from redouble.lab.arena.plan import MAX_GAMES, TournamentError, TournamentPlan
from redouble.lab.arena.play import Outcomes, TournamentJob, play_all
from redouble.lab.arena.results import Standings, beaten_in_deals, standings, without_intervals
from redouble.lab.arena.stored import StoredTournament
from redouble.lab.shards import Executor, Threads, check_callable

__all__ = ["Tournament", "TournamentError", "TournamentResults"]


@dataclass(frozen=True)
class TournamentResults:
    """The results of a tournament."""

    tournament: Tournament
    standings: Standings | None
    """None if no deal was completed."""
    interrupted: bool
    comparison: sequential.BotComparison | None = None
    """The answer of a tournament with a margin; None without a complete deal."""

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain JSON, as :meth:`StoredTournament.parse` reads it."""
        return self.stored().to_dict()

    def stored(self) -> StoredTournament:
        """Return the results as a file holds them."""
        t, s = self.tournament, self.standings
        return StoredTournament(
            redouble=__version__,
            game=t.game.name,
            rules=t.game.version,
            options=t.options,
            seats=t.plan.seats,
            seed=t.plan.seed,
            time_limit=t.seconds,
            deals=t.plan.deals,
            deals_complete=s.deals if s else 0,
            games=s.games if s else 0,
            abandoned=s.abandoned if s else 0,
            interrupted=self.interrupted,
            bots=s.lines if s else (),
            pairs=s.pairs if s else (),
            comparison=self.comparison,
        )


class Tournament:
    """A tournament between bots, ready to be played.

    ``games`` is rounded up to whole deals. By default there is one seat for each bot,
    or the nearest number that the game allows. ``seconds`` is the time limit of a program's move.

    With a ``margin`` it compares two bots: it ends after the first deal with which it is clear that
    one of them is better, or that they differ by less than so many points, and ``games`` is the
    most that are played. A point is a hundredth of the share of comparisons that a bot wins.

    Raises :class:`TournamentError`, :class:`~redouble.kernel.errors.MissingExtra` without the
    packages for statistics, and what :meth:`Game.check_seats` and :meth:`Game.check_options` raise.
    """

    def __init__(
        self,
        game: Game,
        bots: Sequence[Entrant],
        games: int,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: str = "",
        seconds: float = TIME_LIMIT,
        margin: float | None = None,
    ) -> None:
        require("a tournament", "lab", "choix", "scipy")  # before any game is played
        checks.instance(game, Game, "game")
        entered = checks.items(bots, "bots", "entrants", TournamentError)
        if len(entered) < 2:
            raise TournamentError("a tournament needs at least two bots: name another one")
        for bot in entered:
            checks.instance(bot, Entrant, "a bot", TournamentError)
        if margin is not None:
            margin = sequential.check_margin(margin)
            if len(entered) > 2:
                raise TournamentError(
                    f"only two bots are compared until it is clear, not {len(entered)}: name two"
                )
        checks.whole(games, "games", 1, MAX_GAMES, TournamentError)
        checks.text(seed, "seed", TournamentError)
        if not 0 < checks.number(seconds, "the time limit", error=TournamentError) < 86_400:
            raise TournamentError(
                f"the time limit cannot be {seconds:g} s: give more than 0 s and less than a day"
            )
        if seats is None:
            seats = max(game.min_seats, min(game.max_seats, len(bots)))
        options = {} if options is None else options
        game.check_seats(seats)
        self.game = game
        self.bots = list(bots)
        self.options = game.check_options(seats, options)
        self.plan = TournamentPlan(len(bots), seats, -(-games // len(bots)), seed)
        self.seconds = float(seconds)
        self.margin = margin

    @cached_property
    def scored(self) -> bool:
        """Whether the game counts points with these options."""
        state = self.game.header(self.plan.seats, self.options, "")
        self.game.rules.setup(state)
        return self.game.rules.score(state, [0] * self.plan.seats) > 0

    def play(
        self,
        watch: Callable[[int], None] = lambda games: None,
        executor: Executor | None = None,
        meanwhile: Callable[[int, Estimate], None] = lambda deals, difference: None,
    ) -> TournamentResults:
        """Play the tournament; its results do not depend on the ``executor``.

        Without one, all cores of this machine are used. ``watch`` is called with the number of
        games played since its last call, and with 0 on Ctrl-C; the results are then those of the
        complete deals. With a margin, ``meanwhile`` is called with the number of deals so far and
        the difference between the bots in points, and the results are those of the first deals: up
        to the one that made the answer clear, or else to the first that is not complete.

        Raises :class:`TournamentError` if a program from outside takes part and the executor is not
        this machine: the program is only here.
        """
        check_callable(watch, "watch", "a function of the games played", TournamentError)
        right = "a function of the deals and the difference"
        check_callable(meanwhile, "meanwhile", right, TournamentError)
        job = TournamentJob(self.game, self.plan, tuple(self.bots), self.options, self.seconds)
        if not (job.compiled or isinstance(executor, Threads | None)):
            raise TournamentError(
                "a bot from a file or a command plays only on this machine: leave out the cluster"
            )
        if self.margin is not None:
            return self._compare(job, executor, watch, meanwhile, self.margin)
        outcomes = play_all(job, executor, watch)
        found = standings(self.game, self.plan, self.bots, outcomes, self.scored)
        return TournamentResults(self, found, outcomes.interrupted)

    def _compare(
        self,
        job: TournamentJob,
        executor: Executor | None,
        watch: Callable[[int], None],
        meanwhile: Callable[[int, Estimate], None],
        margin: float,
    ) -> TournamentResults:
        """Play until the answer is clear."""
        evidence = sequential.Evidence(sequential.comparisons_of(self.plan), margin)

        def enough(outcomes: Outcomes) -> bool:
            done = outcomes.done[2 * evidence.deals :]
            gap = int(done.argmin()) if len(done) else 0
            new = (len(done) if len(done) and done[gap] else gap) // 2
            if not new:
                return evidence.clear
            deals = evidence.deals + np.arange(new)
            beaten = beaten_in_deals(self.game, self.plan, outcomes, deals)
            return evidence.add(np.rint(2 * beaten[:, 0, 1]).astype(np.int64))

        def follow(games: int) -> None:
            if evidence.deals:
                meanwhile(*evidence.so_far())
            watch(games)

        outcomes = play_all(job, executor, follow, enough)
        outcomes.keep(2 * evidence.deals)
        found = standings(self.game, self.plan, self.bots, outcomes, self.scored)
        if found is None:
            return TournamentResults(self, None, outcomes.interrupted)
        _, difference = evidence.so_far()
        comparison = sequential.BotComparison(
            first=self.bots[0].name,
            second=self.bots[1].name,
            verdict=sequential.verdict(difference, margin),
            margin=margin,
            deals=evidence.deals,
            difference=difference,
            digest=outcomes.digest(2 * evidence.deals),
            course=evidence.course(),
        )
        bare = without_intervals(found, sequential.share_of(difference))
        return TournamentResults(self, bare, outcomes.interrupted, comparison)
