"""Ratings for programs: your own, and a game's leaderboard."""

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.web.api.asking import Asker, GameName, Known
from redouble.web.api.docs import about
from redouble.web.api.shapes import Answered
from redouble.web.errors import NotFound
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.features.ratings.ratings import Rating
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)


class RatingState(Answered):
    """How strong a person plays."""

    points: int
    """A club bot has 1500; who has 400 more is expected to finish ahead ten times in eleven."""
    margin: int
    """Half of the 95% interval, in points."""
    games: int
    """The number of rated games."""


class MyRatings(Answered):
    """Your ratings."""

    ratings: dict[str, RatingState]
    """By game, those of which you have played rated games."""
    listed: bool
    """Whether you are on the leaderboards."""


class RankedPlayer(RatingState):
    """A person on a leaderboard."""

    place: int
    name: str


class Leaderboard(Answered):
    """The people who asked to be on it, the strongest first."""

    game: str
    players: list[RankedPlayer]


@router.get(
    "/me/ratings", Cost.PAGE, **about("Read your ratings", "Your ratings.", "people", 401, 503)
)
async def my_ratings(site: SiteOf, person: Known) -> MyRatings:
    def job(connection: sa.Connection) -> MyRatings:
        rows = rating_rows.history_of(connection, person.id)
        return MyRatings(
            ratings={
                game: RatingState(**_state(rating_rows.rating_of(connection, person.id, game)))
                for game in GAMES
                if any(row["game"] == game for row in rows)
            },
            listed=rating_rows.is_listed(connection, person.id),
        )

    return await site.store.run(job)


@router.get(
    "/ratings/{game}",
    Cost.PAGE,
    **about("Read a leaderboard", "The leaderboard.", "people", 404, 422, 503, anyone=True),
)
async def leaderboard(game: GameName, site: SiteOf, person: Asker) -> Leaderboard:
    """Only people who asked for it are on it, after their first few rated games."""
    if game not in GAMES:
        raise NotFound("there is no such game: `/api/games` lists them")
    ranked = await site.store.run(rating_rows.best, game, person.id if person else None)
    players = [RankedPlayer(place=row.place, name=row.name, **_state(row.rating)) for row in ranked]
    return Leaderboard(game=game, players=players)


def _state(rating: Rating) -> dict[str, int]:
    return {"points": round(rating.points), "margin": rating.margin, "games": rating.games}
