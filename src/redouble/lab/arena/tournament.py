"""A tournament: bots, a game, deals; checked before anything is played."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redouble.contract.game import Game
from redouble.kernel.cores import cores
from redouble.kernel.errors import RedoubleError
from redouble.kernel.version import __version__
from redouble.lab.arena.entrants import Entrant
from redouble.lab.arena.outside import TIME_LIMIT
from redouble.lab.arena.plan import TournamentPlan
from redouble.lab.arena.play import Outcomes, play_all
from redouble.lab.arena.results import Standings, standings

MAX_GAMES = 1_000_000


class TournamentError(RedoubleError):
    """A tournament cannot be held as wanted."""


@dataclass(frozen=True)
class TournamentResults:
    """What a tournament came to."""

    tournament: Tournament
    standings: Standings | None
    """None when not even one deal was completed."""
    interrupted: bool

    def to_dict(self) -> dict[str, Any]:
        """The results as plain JSON."""
        t, s = self.tournament, self.standings
        return {
            "redouble": __version__,
            "game": t.game.name,
            "rules": t.game.version,
            "options": t.options,
            "seats": t.plan.seats,
            "seed": t.plan.seed,
            "time_limit": t.seconds,
            "deals": t.plan.deals,
            "deals_complete": s.deals if s else 0,
            "games": s.games if s else 0,
            "abandoned": s.abandoned if s else 0,
            "interrupted": self.interrupted,
            "bots": [line.to_dict() for line in s.lines] if s else [],
            "pairs": [[e and e.to_dict() for e in row] for row in s.pairs] if s else [],
        }


class Tournament:
    """Bots that meet in a game, ready to be played.

    ``games`` is rounded up to whole deals; ``seats`` without: a seat a bot, or the number nearest
    to that which the game has. Raises :class:`TournamentError`, and what
    :meth:`Game.check_seats` and :meth:`Game.check_options` raise.
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
    ) -> None:
        if len(bots) < 2:
            raise TournamentError("a tournament needs two bots at least")
        if not 1 <= games <= MAX_GAMES:
            raise TournamentError(f"games cannot be {games}: give 1 to {MAX_GAMES:,}")
        if not 0 < seconds < 86_400:
            raise TournamentError(f"the time limit cannot be {seconds:g} s: give more than 0")
        if seats is None:
            seats = max(game.min_seats, min(game.max_seats, len(bots)))
        game.check_seats(seats)
        self.game = game
        self.bots = list(bots)
        self.options = game.check_options(seats, options or {})
        self.plan = TournamentPlan(len(bots), seats, -(-games // len(bots)), seed)
        self.seconds = seconds

    @cached_property
    def scored(self) -> bool:
        """Whether the game counts points with these options."""
        state = self.game.header(self.plan.seats, self.options, "")
        self.game.rules.setup(state)
        return self.game.rules.score(state, [0] * self.plan.seats) > 0

    def play(
        self, watch: Callable[[int], None] = lambda games: None, threads: int | None = None
    ) -> TournamentResults:
        """Play it, on all cores unless told otherwise; the numbers do not depend on how many.

        ``watch`` hears how many games were played since it last heard, and 0 on Ctrl-C. After that
        the results are those of the deals that were complete.
        """
        outcomes: Outcomes = play_all(
            self.game, self.plan, self.bots, self.options, self.seconds, threads or cores(), watch
        )
        found = standings(self.game, self.plan, self.bots, outcomes, self.scored)
        return TournamentResults(self, found, outcomes.interrupted)
