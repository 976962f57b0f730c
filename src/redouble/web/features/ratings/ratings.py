"""Ratings: how strong a person plays a game, from the order in which people and bots finished.

The model is Weng and Lin's (2011) of Bradley and Terry, openskill's ``BradleyTerryFull``: a game is
a comparison of each two who finished it. Its forecasts are as good as those of the other models
(``benchmarks/ratings.py``), and a distance means the same at a table for two and for seven.

Points are on chess's scale: who is 400 ahead finishes ahead ten times in eleven. The bots hold it
in place: a club bot has 1500 points, the other levels what their measured results amount to.
"""

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
FAR = 2.0
"""People further apart aren't compared, in uncertainties of a newcomer."""
DAILY_LIMIT = 5
"""Games in which the same two people are compared within a day."""
DAY = 24 * 3600.0
LIFTS = {DAY: 0.3, 14 * DAY: 1.0}
"""The most by which ratings rise in such a time, in uncertainties of a newcomer."""
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
        """Half of the 95% interval, in points."""
        return round(Z95 * self.spread)


@dataclass(frozen=True, slots=True)
class Finish:
    """How somebody finished a rated game."""

    rating: Rating
    rank: int
    """From 1; equal for those who tie."""
    bot: bool = False
    left: bool = False
    """Whether they resigned or a bot played for them: they are last."""
    unplayed: bool = False
    """Whether they resigned before their first move: no loss for them is others' gain."""
    ceiling: float = math.inf
    """Above this, the game can't lift their points."""
    person: str = ""
    met: frozenset[str] = frozenset()
    """People whom they have met too often to be compared with them."""

    @property
    def newcomer(self) -> bool:
        return not self.bot and self.rating.games < FEW


@cache
def anchors() -> dict[str, dict[str, float]]:
    """Return the points of each level of bots, by game. ``benchmarks/ratings.py`` wrote them."""
    text = (
        files("redouble.web.features.ratings").joinpath("anchors.json").read_text(encoding="utf-8")
    )
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


def ceiling(game: str, past: Sequence[tuple[float, float]], now: float) -> float:
    """Return the most points that somebody can have after a game now.

    ``past`` are times and the points they had from then on, oldest first.
    """
    first = first_rating(game)
    return min(
        next((points for at, points in reversed(past) if at <= now - time), first.points)
        + share * first.spread
        for time, share in LIFTS.items()
    )


def rated(game: str, finishes: Sequence[Finish]) -> list[Rating | None]:
    """Return the ratings after a game, those of bots and of people who keep theirs being None.

    Newcomers are compared with everybody, all others only with each other and with bots. People far
    apart aren't compared, so nobody can rise for long by those who lose on purpose. A ceiling on
    one player's points changes nobody else's rating. People who are compared with no other person
    keep their rating.
    """
    after: list[Rating | None] = []
    for i, one in enumerate(finishes):
        among = [j for j in range(len(finishes)) if i == j or _compared(game, finishes, i, j)]
        if one.bot or sum(not finishes[j].bot for j in among) < 2:
            after.append(None)
            continue
        new = _new(game, [finishes[j] for j in among], among.index(i))
        most = max(one.rating.points, one.ceiling)
        after.append(new if new.points <= most else Rating(most, one.rating.spread, new.games))
    return after


def _compared(game: str, finishes: Sequence[Finish], i: int, j: int) -> bool:
    """Return whether a game changes the rating of ``i`` by the place of ``j``."""
    one, other = finishes[i], finishes[j]
    if other.bot:
        return True
    known = one.newcomer or not other.newcomer
    near = abs(one.rating.points - other.rating.points) <= FAR * first_rating(game).spread
    return known and near and not other.unplayed and other.person not in one.met


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
