"""Who sits where in which game of a tournament.

Each deal is played as often as there are bots. From one game to the next, every seat passes to the
next bot in the list, so each bot sits once in each seat, with the cards that every other bot has
there. With fewer bots than seats, each takes several seats, as evenly as possible; with more, each
game leaves some of them out. The order of the bots at the table is drawn anew for each deal.
"""

from dataclasses import dataclass

from redouble.analysis.shares import MAX_SEATS
from redouble.kernel import checks
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import below, seed_words

__all__ = ["Lineup", "TournamentError", "TournamentPlan"]

MAX_GAMES = 1_000_000
"""The maximum number of games in a tournament."""
Lineup = tuple[int, ...]
"""The bot in each seat, an index of the list of bots."""


class TournamentError(RedoubleError):
    """A tournament that cannot be played as requested, or data that is not its results."""


@dataclass(frozen=True)
class TournamentPlan:
    """The games of a tournament, numbered from 0; the games of a deal follow each other.

    Raises :class:`TournamentError`.
    """

    bots: int
    seats: int
    deals: int
    seed: str

    def __post_init__(self) -> None:
        checks.whole(self.bots, "bots", 2, MAX_GAMES, TournamentError)
        checks.whole(self.seats, "seats", 1, MAX_SEATS, TournamentError)
        checks.whole(self.deals, "deals", 1, MAX_GAMES, TournamentError)
        checks.text(self.seed, "seed", TournamentError)

    @property
    def games(self) -> int:
        """The number of games: each deal once for every bot."""
        return self.deals * self.bots

    def deal_of(self, game: int) -> int:
        """Return the number of the deal that a game is played with, counted from 0."""
        checks.whole(game, "game", 0, self.games - 1, TournamentError)
        return game // self.bots

    def seed_of(self, game: int) -> str:
        """Return the seed text of a game; all games of a deal have the same."""
        return f"{self.seed} deal {self.deal_of(game) + 1}"

    def lineups(self, first: int, last: int) -> list[Lineup]:
        """Return who sits where in the games ``first`` to ``last - 1``.

        Raises :class:`TournamentError` if there are no such games.
        """
        checks.whole(last, "last", 0, self.games, TournamentError)
        checks.whole(first, "first", 0, last, TournamentError)
        found: list[Lineup] = []
        places: list[int] = []
        deal = -1
        for game in range(first, last):
            if deal != game // self.bots:
                deal = game // self.bots
                places = self._places(deal)
            found.append(tuple((place + game) % self.bots for place in places))
        return found

    def _places(self, deal: int) -> list[int]:
        """Draw each seat's place in the list of bots: all different, or evenly shared."""
        rng = seed_words(f"seats of {self.seed} deal {deal + 1}")
        places = [i % self.bots for i in range(max(self.bots, self.seats))]
        for i in range(self.seats):
            j = i + below(rng, len(places) - i)
            places[i], places[j] = places[j], places[i]
        return places[: self.seats]
