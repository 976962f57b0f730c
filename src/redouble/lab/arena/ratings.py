"""Ratings of the bots: OpenSkill's Plackett-Luce model, game after game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RATED = 20_000
"""Games that ratings are made of, the first ones; more do not move them."""


@dataclass(frozen=True)
class Rating:
    """A bot's strength as OpenSkill sees it, which begins with 25 and 8.33 for everybody."""

    mu: float
    sigma: float

    @property
    def ordinal(self) -> float:
        """What the bot is worth for all but certain: three sigma below ``mu``."""
        return self.mu - 3 * self.sigma

    def to_dict(self) -> dict[str, float]:
        """The rating as plain JSON."""
        return {"mu": self.mu, "sigma": self.sigma, "ordinal": self.ordinal}


def rate(bots: int, games: Iterable[Sequence[tuple[int, float]]]) -> list[Rating]:
    """The ratings after these games; a game is the bots that met in it, each with its result.

    The higher result is the better one; equal results are a tie.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = [model.rating() for _ in range(bots)]
    for game in games:
        teams = [[ratings[bot]] for bot, _ in game]
        results = [result for _, result in game]
        # OpenSkill cuts ranks to whole numbers, so it gets whole ones.
        ranks = [float(sum(other > mine for other in results)) for mine in results]
        changed = model.rate(teams, ranks=ranks)
        for (bot, _), [new] in zip(game, changed, strict=True):
            ratings[bot] = new
    return [Rating(float(one.mu), float(one.sigma)) for one in ratings]
