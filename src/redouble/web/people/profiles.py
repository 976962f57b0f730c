"""Profiles: a person's picture, what others see of them, and how pages look to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import sqlalchemy as sa

from redouble.web.errors import WebError
from redouble.web.people.people import lock
from redouble.web.store.schema import profiles

MOTIFS = (
    *("chip", "card", "domino", "die", "star", "crown"),
    *("spade", "heart", "diamond", "club", "deck", "arrows"),
)
"""The pictures, as style sheets name them; without one it is the first letter of the name."""
COLORS = ("green", "violet", "blue", "rust", "brown", "pink", "indigo", "olive")
"""The colors by their numbers: those of seats, on which white can be read."""
LOOKS = {
    "theme": ("", "light", "dark"),
    "backs": ("blue", "red", "green", "violet"),
    "four-colors": ("off", "on"),
    "large-print": ("off", "on"),
}
"""What a person chooses at a table and has on other devices, too."""


class Audience(IntEnum):
    """Who sees a part of a profile. Whoever belongs to one belongs to those before it."""

    EVERYONE = 0
    FRIENDS = 1
    NOBODY = 2


PARTS = ("games", "curves", "badges")
"""What a person shows or hides. Name, rating and number of games are seen by everyone."""


@dataclass(frozen=True)
class Profile:
    """How a person shows."""

    motif: str = ""
    color: int = 0
    games: Audience = Audience.FRIENDS
    curves: Audience = Audience.FRIENDS
    badges: Audience = Audience.FRIENDS
    looks: str = ""
    """What they have chosen of :data:`LOOKS`, as an address would hold it."""

    def shown_to(self, viewer: Audience) -> set[str]:
        """Return the parts that the most distant viewer of an audience sees."""
        return {part for part in PARTS if getattr(self, part) <= viewer}


class Picture(NamedTuple):
    """A person's picture in a list."""

    motif: str
    """One of ``MOTIFS``; empty for the first letter of the name."""
    color: int

    @classmethod
    def of(cls, row: sa.Row[Any]) -> Picture:
        """Return the picture in a row with the columns ``PICTURE``."""
        return cls(row.motif, row.color)


PICTURE = (
    sa.func.coalesce(profiles.c.motif, "").label("motif"),
    sa.func.coalesce(profiles.c.color, 0).label("color"),
)
"""Columns of queries with an outer join of ``profiles``, for people with and without a profile."""


def profile_of(connection: sa.Connection, person: str) -> Profile:
    """Return a person's profile, or what those have who haven't changed theirs."""
    row = connection.execute(sa.select(profiles).where(profiles.c.person == person)).one_or_none()
    if row is None:
        return Profile()
    shown = {part: Audience(getattr(row, part)) for part in PARTS}
    return Profile(row.motif, row.color, looks=row.looks, **shown)


def choices(chosen: Mapping[str, str]) -> dict[str, Any]:
    """Return what a form says of a profile. Raises :class:`WebError` for what can't be chosen."""
    try:
        change: dict[str, Any] = {part: Audience[chosen[part].upper()] for part in PARTS}
        change |= {"motif": chosen["motif"], "color": int(chosen["color"])}
    except (KeyError, ValueError):
        change = {"motif": None}
    if change["motif"] not in ("", *MOTIFS) or change["color"] not in range(len(COLORS)):
        raise WebError("that isn't one of the choices: load the page again")
    return change


def save_looks(connection: sa.Connection, person: str, chosen: Mapping[str, str]) -> None:
    """Note how pages shall look. Raises :class:`WebError` for what can't be chosen."""
    if any(value not in LOOKS.get(name, ()) for name, value in chosen.items()):
        raise WebError("that isn't one of the choices: load the page again")
    lock(connection, person)
    before = dict(parse_qsl(profile_of(connection, person).looks, keep_blank_values=True))
    save_profile(connection, person, {"looks": urlencode(before | dict(chosen))})


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
