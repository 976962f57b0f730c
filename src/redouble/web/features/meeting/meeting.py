"""Lets people look for others, and opens the tables of those who have found each other."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.web.errors import WebError
from redouble.web.features.meeting import seekers
from redouble.web.features.meeting.groups import KINDS, LEASTS, SearchWishes, Seeker
from redouble.web.features.meeting.seekers import PeopleSearch
from redouble.web.live.lists import ListedTable
from redouble.web.people.people import Person
from redouble.web.people.profiles import Points, Stranger, strangers
from redouble.web.site import Site
from redouble.web.table import Seat
from redouble.web.table.acts.deals import part_in_deal
from redouble.web.table.wordlist import WORDS


@dataclass(frozen=True)
class Company:
    """Somebody who looks for others, as others see them."""

    seeker: Seeker
    games: tuple[tuple[Game, float | None], ...]
    """What they would play, and their rating in it."""
    wishes: SearchWishes
    """What the viewer has to look for in order to play with them."""

    @property
    def id(self) -> str:
        return self.seeker.id

    @property
    def name(self) -> str:
        return self.seeker.name


@dataclass(frozen=True)
class Meeting:
    """Who is here now, for one viewer."""

    search: PeopleSearch | None
    """What the viewer looks for; None if they don't."""
    company: tuple[Company, ...]
    tables: tuple[ListedTable, ...]
    """Those that wait for players who are sitting there now."""
    running: tuple[ListedTable, ...]
    """Those that can only be watched."""
    strangers: dict[str, list[Stranger]]
    """Who waits at a table, by its token."""

    @property
    def short(self) -> tuple[Company, ...]:
        """Those who want the same as the viewer, and with them are too few."""
        mine = self.search.wishes if self.search else None
        return tuple(one for one in self.company if one.wishes == mine)

    def count(self, game: str) -> int:
        """Return how many people wait for a game."""
        looking = sum(game in one.seeker.wishes.games for one in self.company)
        return looking + sum(len(one.people) for one in self.tables if one.game == game)


class Meetings:
    """What a site does for people who look for others."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def look(
        self,
        person: Person,
        wishes: SearchWishes,
        tell: bool = False,
        promise: str = "",
        to: str = "",
    ) -> str:
        """Let a person look for others; return the table that is found at once, or nothing.

        With the id of a search, ``to``, they look for what its person looks for, too. Raises
        :class:`WebError`.
        """
        if not wishes.games or any(GAMES[name].max_seats < 2 for name in wishes.games):
            raise WebError("no game for several people is chosen: choose one or more")
        if wishes.least not in LEASTS or wishes.kind not in KINDS:
            raise WebError("that isn't one of the choices: load the page again")
        part_in_deal(0, "", promise)  # raises WebError
        WORDS.check_name(person.name)
        await self._site.people.keep(person)
        tables, me = self._site.tables, person.id

        def job(connection: sa.Connection) -> None:
            tables.check_room(connection, person, [Seat(person.name, me)])
            around = seekers.crowd(connection, me).met_by(me)
            wanted = next((wishes.toward(one.wishes) for one in around if one.id == to), wishes)
            seekers.look(connection, me, wanted, tell, promise)

        await self._site.store.run(job)
        token = await self.settle(me)
        await self._call_all()
        return token

    async def stop(self, person: Person) -> None:
        """Let a person look no more."""
        await self._site.store.run(seekers.stop, person.id)
        await self._call_all()

    async def settle(self, person: str, search: str = "") -> str:
        """Note a sign of life of a person, and return the table that is found; empty without one.

        The page of a ``search`` revives it.
        """

        def here(connection: sa.Connection) -> tuple[str, bool]:
            seekers.note_here(connection, person, search)
            group = seekers.crowd(connection, person).group_of(person)
            return seekers.table_found(connection, person), group is not None

        token, found = await self._site.store.run(here)
        if not found:
            return token
        for live in await self._site.tables.open_all(lambda c: seekers.pair(c, person)):
            for one in live.table.people():
                self._site.exchange.call(one)
        return await self._site.store.run(seekers.table_found, person)

    async def lead(self, person: str, search: str = "") -> str:
        """Do the same for a page, which is led to a table only once: its person may leave that."""
        if token := await self.settle(person, search):
            await self.note_led(person)
        return token

    async def note_led(self, person: str) -> None:
        """Note that a page leads a person to the table that was found."""
        await self._site.store.run(seekers.note_led, person)

    async def seen_by(self, person: Person | None) -> Meeting:
        """Return who is here, and whom a person may meet."""
        me, tables = person.id if person else "", self._site.tables

        def job(connection: sa.Connection) -> tuple[PeopleSearch | None, tuple[Company, ...]]:
            search = seekers.search_of(connection, me)
            search = search if search is not None and search.active else None
            mine = search.wishes if search else SearchWishes(frozenset())
            around = seekers.crowd(connection, me).met_by(me)
            points = _strengths(connection, around, tables.points)
            return search, tuple(_shown(one, mine, points) for one in around)

        search, company = await self._site.store.run(job)
        listed = [one for one in await tables.public_tables(me) if me not in one.people]
        waiting = tuple(one for one in listed if one.invite)
        running = tuple(one for one in listed if not one.invite)
        tokens = [one.token for one in waiting]
        met = await self._site.store.run(strangers, tokens, tables.points) if tokens else {}
        return Meeting(search, company, waiting, running, met)

    async def _call_all(self) -> None:
        """Let the pages of all who look for others show who is here now."""
        around = await self._site.store.run(lambda c: seekers.crowd(c).met_by(""))
        for one in around:
            self._site.exchange.call(one.person)


def _shown(one: Seeker, mine: SearchWishes, points: dict[tuple[str, str], float]) -> Company:
    games = [game for game in GAMES.values() if game.name in one.wishes.games]
    rated = tuple((game, points.get((one.person, game.name))) for game in games)
    return Company(one, rated, mine.toward(one.wishes))


def _strengths(
    connection: sa.Connection, around: Iterable[Seeker], points: Points | None
) -> dict[tuple[str, str], float]:
    """Return the ratings of people in the games that they look for, by person and game."""
    if points is None:
        return {}
    sought = seekers.sought
    query = sa.select(sought, points(sought.c.person, sought.c.game).label("points"))
    these = query.where(sought.c.person.in_([one.person for one in around]))
    rows = connection.execute(these)
    return {(row.person, row.game): row.points for row in rows if row.points is not None}
