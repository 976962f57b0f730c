"""A person's profile: picture, who sees what, how pages look; and what strangers see of them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import sqlalchemy as sa

from redouble.web.errors import WebError
from redouble.web.people.people import Person, lock
from redouble.web.store.schema import profiles, results, seats, tables

Points = Callable[[sa.Column[Any], sa.Column[Any]], sa.ScalarSelect[Any]]
"""Selects a person's rating in a game, from the columns of another query."""

MOTIFS = (
    *("chip", "card", "domino", "die", "star", "crown"),
    *("spade", "heart", "diamond", "club", "deck", "arrows"),
)
"""The pictures, as style sheets name them; without one it is the first letter of the name."""
LOOKS = {
    "theme": ("", "light", "dark"),
    "backs": ("blue", "red", "green", "violet"),
    "four-colors": ("off", "on"),
    "large-print": ("off", "on"),
}
"""What a person chooses on *Your page*, the usual first."""


class Audience(IntEnum):
    """Who sees a part of a profile. Whoever belongs to one belongs to those before it."""

    EVERYONE = 0
    FRIENDS = 1
    NOBODY = 2


@dataclass(frozen=True)
class Profile:
    """How a person shows."""

    motif: str = ""
    results: Audience = Audience.FRIENDS
    """Who sees how their games went. Name, rating and number of games are seen by everyone."""
    looks: str = ""
    """What they have chosen of :data:`LOOKS`, as an address would hold it."""

    def shown_to(self, viewer: Audience) -> bool:
        """Return whether the most distant viewer of an audience sees the results."""
        return self.results <= viewer


PICTURE = sa.func.coalesce(profiles.c.motif, "").label("picture")
"""For queries with an outer join of ``profiles``: one of ``MOTIFS``, or empty for a letter."""


def profile_of(connection: sa.Connection, person: str) -> Profile:
    """Return a person's profile, or what those have who haven't changed theirs."""
    row = connection.execute(sa.select(profiles).where(profiles.c.person == person)).one_or_none()
    if row is None:
        return Profile()
    return Profile(row.motif, Audience(row.results), row.looks)


def choices(chosen: Mapping[str, str]) -> dict[str, Any]:
    """Return what a form says of a profile. Raises :class:`WebError` for what can't be chosen."""
    try:
        change = {"motif": chosen["motif"], "results": Audience[chosen["results"].upper()]}
    except KeyError:
        change = {"motif": None}
    if change["motif"] not in ("", *MOTIFS):
        raise WebError("that isn't one of the choices: load the page again")
    return change


def save_looks(connection: sa.Connection, person: str, chosen: Mapping[str, str]) -> None:
    """Note how pages shall look. Raises :class:`WebError` for what can't be chosen."""
    if any(value not in LOOKS.get(name, ()) for name, value in chosen.items()):
        raise WebError("that isn't one of the choices: load the page again")
    save_profile(connection, person, {"looks": urlencode(chosen)})


def looks_of(person: Person | None) -> dict[str, str]:
    """Return how pages look to somebody, by the names of :data:`LOOKS`."""
    usual = {name: first for name, (first, *_) in LOOKS.items()}
    return usual | dict(parse_qsl(person.looks if person else ""))


def motifs_of(connection: sa.Connection, among: Collection[str]) -> dict[str, str]:
    """Return the pictures of people, by person; empty for those who have none."""
    query = sa.select(profiles.c.person, profiles.c.motif).where(profiles.c.person.in_(among))
    found = {row.person: row.motif for row in connection.execute(query)}
    return dict.fromkeys(among, "") | found


def save_profile(connection: sa.Connection, person: str, change: Mapping[str, Any]) -> None:
    """Change a person's profile. A job for the store."""
    lock(connection, person)
    mine = sa.update(profiles).where(profiles.c.person == person)
    if not connection.execute(mine.values(**change)).rowcount:
        usual = Profile()
        row = {"person": person, **{name: getattr(usual, name) for name in usual.__annotations__}}
        connection.execute(sa.insert(profiles).values(row | dict(change)))


class Stranger(NamedTuple):
    """A person at a table, as people see them who don't know them."""

    person: str
    name: str
    games: int
    """How many games of this kind they have finished."""
    points: float | None
    """Their rating in it; None before their first rated game."""


def strangers(
    connection: sa.Connection, tokens: Collection[str], points: Points | None
) -> dict[str, list[Stranger]]:
    """Return who sits at tables and is no bot, as visitors see them, in one query."""
    mine = sa.and_(results.c.person == seats.c.person, results.c.game == tables.c.game)
    rating = points(seats.c.person, tables.c.game) if points else sa.null()
    query = (
        sa.select(
            *(seats.c.token, seats.c.person, seats.c.name),
            sa.select(sa.func.count()).where(mine).scalar_subquery().label("games"),
            rating.label("points"),
        )
        .join(tables, tables.c.token == seats.c.token)
        .where(seats.c.token.in_(tokens), seats.c.person.is_not(None))
        .order_by(seats.c.token, seats.c.seat)
    )
    found: dict[str, list[Stranger]] = {token: [] for token in tokens}
    for row in connection.execute(query):
        found[row.token].append(Stranger(row.person, row.name, row.games, row.points))
    return found
