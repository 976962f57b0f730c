"""Who sits where in which game of a tournament.

Each deal is played as often as there are bots. From one game to the next, every seat passes to the
next bot in the list, so each bot sits once in each seat, with the cards that every other bot has
there. With fewer bots than seats, each takes several seats, as evenly as possible; with more, each
game leaves some of them out. The order of the bots at the table is drawn anew for each deal.
"""

from __future__ import annotations

from dataclasses import dataclass

from redouble.kernel.rng import below, seed_words

Lineup = tuple[int, ...]
"""The bot in each seat, an index of the list of bots."""


@dataclass(frozen=True)
class TournamentPlan:
    """The games of a tournament, numbered from 0; the games of a deal follow each other."""

    bots: int
    seats: int
    deals: int
    seed: str

    @property
    def games(self) -> int:
        """The number of games: each deal once for every bot."""
        return self.deals * self.bots

    def deal_of(self, game: int) -> int:
        """Return the number of the deal that a game is played with."""
        return game // self.bots

    def seed_of(self, game: int) -> str:
        """Return the seed text of a game; all games of a deal have the same."""
        return f"{self.seed} deal {self.deal_of(game) + 1}"

    def lineups(self, first: int, last: int) -> list[Lineup]:
        """Return who sits where in the games ``first`` to ``last - 1``."""
        found: list[Lineup] = []
        places: list[int] = []
        deal = -1
        for game in range(first, last):
            if deal != self.deal_of(game):
                deal = self.deal_of(game)
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
