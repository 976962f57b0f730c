"""What the pages and the interface for programs share, and who is asking."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import jinja2
from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from redouble.contract.game import Game
from redouble.web import queries
from redouble.web.compiler import Compiler
from redouble.web.drawing import environment
from redouble.web.errors import StoreError
from redouble.web.hints import Hints, TableHint
from redouble.web.people import COOKIE, People, Person, clean_name
from redouble.web.reviews import Reviews
from redouble.web.saved import SavedGame, replay_of
from redouble.web.statistics import Statistics, statistics
from redouble.web.store import Store
from redouble.web.table import commands
from redouble.web.tables import Live, Tables


@dataclass
class Site:
    """A running site: its store, its people and its tables."""

    store: Store
    people: People
    tables: Tables
    compiler: Compiler
    hints: Hints
    reviews: Reviews
    env: jinja2.Environment

    @classmethod
    def open(cls, folder: Path) -> Site:
        """Open a data folder. Raises :class:`StoreError` when it cannot be used."""
        store = Store(folder)
        try:
            compiler = Compiler()
            people, tables = People(store, folder), Tables(store, compiler)
            hints, reviews = Hints(compiler), Reviews(store, compiler)
            return cls(store, people, tables, compiler, hints, reviews, environment())
        except StoreError:
            store.close()
            raise

    async def sit(
        self, live: Live, person: Person, name: str = "", seat: int | None = None
    ) -> None:
        """Sit down on an open seat, or the first one, and be called ``name`` from now on.

        A person who already has a seat stays as they are. Raises what :func:`commands.sit` raises,
        and :class:`WebError` for a name that isn't allowed.
        """
        if not live.table.seats_of(person.id):
            name = clean_name(name) if name.strip() else person.name
            await self.tables.act(live, lambda table: commands.sit(table, person.id, name, seat))
            if name != person.name:
                await self.people.rename(person, name)
        live.saw(person)

    async def hint(self, live: Live, seat: int) -> TableHint | None:
        """What a seat could play, by what it knows; None when it is not asked for a move."""
        async with live.lock:
            table = live.table
            if table.turn != seat or table.seats[seat].bot:
                return None
            kept: TableHint | None = live.drawn.get(("advice", seat))
            if kept is not None:
                return kept
            observation, at = table.match.observation(), table.last_move
        hint = await self.hints.hint(observation, table.match.names, at)
        async with live.lock:
            if live.table.last_move == at and not hint.coming:
                live.drawn["advice", seat] = hint
        return hint

    async def alone(self, person: Person, game: Game) -> Statistics:
        """What a person has reached so far in a game, playing it alone."""
        results = await self.store.run(lambda c: queries.results_of(c, person.id, game.name))
        return statistics(row for row in results if row["seats"] == 1)

    async def table_played(self, token: str) -> SavedGame:
        """What was played at a table. Raises :class:`NotYours` when it is not over."""
        table = (await self.tables.get(token)).table
        return SavedGame(await asyncio.to_thread(replay_of, str(table.record())), table=token)

    async def seats_played(self, played: SavedGame, person: Person | None) -> list[int]:
        """The seats that a person had at the table of a game; none at a record."""
        if not played.table:
            return []
        return (await self.tables.get(played.table)).table.seats_of(person.id if person else None)

    async def record_played(self, token: str) -> SavedGame:
        """A record that somebody brought along. Raises :class:`NotFound`."""
        line = await self.store.run(lambda c: queries.record_line(c, token))
        return SavedGame(await asyncio.to_thread(replay_of, line), record=token)

    def page(self, name: str, status: int = 200, **context: Any) -> HTMLResponse:
        """A page from a template."""
        return HTMLResponse(self.env.get_template(name).render(context), status)


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


async def visitor(request: Request) -> Person | None:
    """Who is asking, by bearer token or cookie; None for somebody who has done nothing yet."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    shown = token if kind.lower() == "bearer" else request.cookies.get(COOKIE)
    return await site_of(request).people.known(shown)


async def current_user(request: Request) -> Person:
    """Who is asking; somebody new gets a name and a cookie."""
    person = await visitor(request)
    if person is None:
        site = site_of(request)
        person = await site.people.new()
        know(request, site.people.token(person))
    return person


def know(request: Request, token: str) -> None:
    """Let the response set the cookie to ``token``; empty takes it away."""
    request.scope.setdefault("state", {})["set_token"] = token


SiteOf = Annotated[Site, Depends(site_of)]
Visitor = Annotated[Person | None, Depends(visitor)]
CurrentUser = Annotated[Person, Depends(current_user)]
