"""Ratings: how strong a person plays a game, from the order in which people and bots finished.

The model is Weng and Lin's (2011) of Bradley and Terry, openskill's ``BradleyTerryFull``: a game is
a comparison of each two who finished it. Its forecasts are as good as those of the other models
(``benchmarks/ratings.py``), and a distance means the same at a table for two and for seven.

Points are on chess's scale: who is 400 ahead finishes ahead ten times in eleven. The bots hold it
in place: a club bot has 1500 points, the other levels what their measured results amount to.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

MIDDLE = 1500.0
"""The points of a club bot, and of people before their first game."""
SCALE = 400 / math.log(10)
"""Points by which the odds of finishing ahead change by a factor of e."""
BETA = SCALE / math.sqrt(2)
"""How much a player's form varies in the model, in points."""
DRIFT = 0.01
"""The share of the first uncertainty by which each game adds to it: people change."""
FIRST_SHARE = 1 / 5
"""A newcomer's uncertainty, as a share of the distance from the weakest bot to the strongest."""
LEAST_SPREAD = 45.0
"""The least uncertainty of a newcomer, where luck decides most of a game."""
UNKNOWN_SPREAD = 180.0
"""The uncertainty of a newcomer to a game whose bots were never measured."""
FEW = 5
"""With fewer rated games somebody is a newcomer, whose games don't change others' ratings."""
Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a player is, and how certain that is."""

    points: float
    spread: float
    """The standard deviation, in points."""
    games: int = 0

    @property
    def margin(self) -> int:
        """Half of the 95 % interval, in points."""
        return round(Z95 * self.spread)


@dataclass(frozen=True, slots=True)
class Finish:
    """How somebody finished a rated game."""

    rating: Rating
    rank: int
    """From 1; equal for those who tie."""
    bot: bool = False
    left: bool = False
    """Whether a bot has played for them: they are last, and no loss for them is others' gain."""
    hinted: bool = False
    """Whether they had a hint, or a bot made a move for them: they can only lose by the game."""

    @property
    def newcomer(self) -> bool:
        return not self.bot and self.rating.games < FEW


@cache
def anchors() -> dict[str, dict[str, float]]:
    """Return the points of each level of bots, by game. ``benchmarks/ratings.py`` wrote them."""
    text = files("redouble.web.people").joinpath("anchors.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, float]] = json.loads(text)
    return found


def anchor(game: str, level: str) -> Rating | None:
    """Return the rating of a bot, which never changes; None if it was never measured."""
    points = anchors().get(game, {}).get(level)
    return None if points is None else Rating(points, 1.0)


def first_rating(game: str) -> Rating:
    """Return the rating of a person before their first rated game: somewhere among the bots."""
    known = anchors().get(game)
    if not known:
        return Rating(MIDDLE, UNKNOWN_SPREAD)
    span = max(known.values()) - min(known.values())
    return Rating(MIDDLE, max(FIRST_SHARE * span, LEAST_SPREAD))


def rated(game: str, finishes: Sequence[Finish]) -> list[Rating | None]:
    """Return the ratings after a game, those of bots and of people who keep theirs being None.

    Newcomers are compared with everybody, all others only with each other and with bots. Neither
    are compared with those who have left or were given hints. People whose game had no other
    person in it keep their rating.
    """
    everybody = range(len(finishes))
    honest = [i for i in everybody if not (finishes[i].left or finishes[i].hinted)]
    known = [i for i in honest if not finishes[i].newcomer]
    stayed = [i for i in everybody if not finishes[i].left]
    after: list[Rating | None] = [None] * len(finishes)
    for i, one in enumerate(finishes):
        if one.bot:
            continue
        if one.left:
            among = [*stayed, i]
        elif one.hinted:
            among = [*honest, i]
        else:
            among = honest if one.newcomer else known
        if sum(not finishes[j].bot for j in among) < 2:
            continue
        new = _new(game, [finishes[j] for j in among], among.index(i))
        if (one.left or one.hinted) and new.points > one.rating.points:
            new = Rating(one.rating.points, new.spread, new.games)
        after[i] = new
    return after


def odds(one: Rating, other: Rating) -> float:
    """Return the chance that one finishes ahead of the other, by the model."""
    doubt = (one.spread**2 + other.spread**2) / (2 * BETA**2)
    return 1 / (1 + math.exp((other.points - one.points) / (SCALE * math.sqrt(1 + doubt))))


def _new(game: str, finishes: Sequence[Finish], mine: int) -> Rating:
    from openskill.models import BradleyTerryFull

    first = first_rating(game)
    model = BradleyTerryFull(
        mu=MIDDLE, sigma=first.spread, beta=BETA, tau=DRIFT * first.spread, limit_sigma=False
    )
    teams = [[model.rating(one.rating.points, one.rating.spread)] for one in finishes]
    last = 1 + max(one.rank for one in finishes)
    ranks = [float(last if one.left else one.rank) for one in finishes]
    (new,) = model.rate(teams, ranks=ranks)[mine]
    return Rating(new.mu, new.sigma, finishes[mine].rating.games + 1)


def like_a_bot(game: str, rating: Rating) -> str:
    """Return the level of bots that a rating is nearest to; empty if none was measured."""
    known = anchors().get(game, {})
    return min(known, key=lambda level: abs(known[level] - rating.points), default="")


def anchors_of(shares: Mapping[str, float]) -> dict[str, float]:
    """Return the points of levels, given the share of the level below that each one beats.

    The weakest level comes first; its own share isn't used.
    """
    points = dict.fromkeys(shares, 0.0)
    for below, level in pairwise(shares):
        share = shares[level]
        points[level] = points[below] + SCALE * math.log(share / (1 - share))
    middle = points["club"]
    return {level: round(MIDDLE + value - middle) for level, value in points.items()}
