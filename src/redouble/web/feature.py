"""What a feature declares, and what the site asks of all of them.

A feature is a folder in ``features``: its rows, pages and part of the interface for programs. The
rest of the site knows none of them by name. One list, ``installed.py``, names all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2
import sqlalchemy as sa
from fastapi import Request
from starlette.datastructures import FormData

from redouble.contract.page.html import Html
from redouble.web.drawing.board import Viewpoint
from redouble.web.live.hooks import Hooks
from redouble.web.live.live import Live
from redouble.web.people.people import Person
from redouble.web.people.repeats import new_mark
from redouble.web.personal import PersonalData, all_tables
from redouble.web.site import At, SealCheck, Site, WorkerServices
from redouble.web.table import Table
from redouble.web.visitor.costs import Router


class PagePlace(Enum):
    """Where a page of the spine has room for features: the page, and the name in its template."""

    CALLS = "home.calls"
    """What needs an answer, above everything else."""
    TODAY = "home.today"
    """Above the games."""
    PEOPLE = "home.people"
    """Below the games."""
    NAME = "me.name"
    """Below the name on *Your page*."""
    RESULTS = "me.results"
    GAMES = "me.games"
    """After the latest games."""
    FRIENDS = "me.people"
    CHOICES = "me.choices"
    """After games and people."""
    ACCOUNT = "me.account"
    """A sheet under *Account*."""
    BADGES = "me.badges"
    """At the end."""


@dataclass(frozen=True)
class Visit:
    """A page of the spine that is to be drawn for somebody."""

    request: Request
    site: Site
    person: Person | None
    mark: str = field(default_factory=new_mark)
    """Of the page's forms."""

    def part(self, template: str, **context: object) -> Fragment:
        """Return a part of the page, which is drawn together with it."""
        return Fragment(
            self.site.env, template, {"person": self.person, "page_mark": self.mark} | context
        )


@dataclass(frozen=True)
class Fragment:
    """A part of a page: a template and what it needs."""

    env: jinja2.Environment
    template: str
    context: Mapping[str, object]

    def __html__(self) -> str:
        return self.env.get_template(self.template).render(self.context)


class Fragments(tuple[Fragment, ...]):
    """The parts of a page in one place."""

    def __html__(self) -> str:
        return "".join(part.__html__() for part in self)


Section = Callable[[Visit], Awaitable[Fragment | None]]


class TablePlace(Enum):
    """Where a table's page has room for features."""

    PILL = "pill"
    """Beside the title."""
    WAITING = "waiting"
    """Beside the invitation to a table where seats are open."""
    MENU = "menu"
    ENDING = "ending"
    """In the panel at the end of the game."""


@dataclass(frozen=True)
class TableVisit:
    """Whom a table is drawn for."""

    site: Site
    live: Live
    person: Person | None
    point: Viewpoint
    mark: str = ""
    """Of the page's forms."""

    @property
    def table(self) -> Table:
        return self.live.table


TableSection = Callable[[TableVisit], Awaitable[Html | None]]
TableCommand = Callable[[At, FormData], Awaitable[None]]


@dataclass(frozen=True)
class Letter:
    """A message in words: never a card, nor anything that only some players know."""

    title: str
    body: str
    url: str
    """The path of the page that it is about."""
    by: tuple[str, ...]
    """The people whose doing it reports; not sent to a person who has muted all of them."""


@dataclass(frozen=True)
class CalendarEntry:
    """An entry of a person's calendar."""

    uid: str
    title: str
    url: str
    """The path of the page that it is about."""
    at: float | date
    """A time in seconds since 1970, or a day."""
    changed: float
    lasts: float = -1800.0
    """Seconds from that time; below 0 if the entry ends with it, like a deadline."""


@dataclass(frozen=True, kw_only=True)
class MessageKind:
    """What people who are away can be notified of. Those of the same name share a switch."""

    name: str
    words: str = ""
    """The switch with which people choose it; without one, it is sent to everyone."""
    news: sa.Select[Any] | None = None
    """Selects what there is to tell: a ``person``, what it is ``about``, its table's ``token``, and
    ``since`` when. Each is sent once."""
    after: float = 60.0
    """Seconds for which it has to be so before people are notified."""
    lasts: float = 24 * 3600.0
    """Seconds after which it is no news any more."""
    letter: Callable[[sa.Connection, str, str, float], Letter | None]
    """Return the message to a person about something at a time; None if it isn't true any more."""


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One subject of the site."""

    module: str
    """The ``__name__`` of the module that declares it. Its folder has its templates, too."""
    data: tuple[PersonalData, ...] = ()
    """Its tables, and what becomes of their rows."""
    pages: tuple[Router, ...] = ()
    api: str = ""
    """The module whose ``router`` is its part of the interface, imported when first asked for."""
    services: Callable[[Site], Iterable[object]] = lambda site: ()
    """Return what it keeps at hand while a site is open; a :class:`Service` also works."""
    workers: WorkerServices = lambda *_: ()
    hooks: Hooks = field(default_factory=Hooks)
    """What it wants to know of tables, and has a say in."""
    sections: Mapping[PagePlace, Section] = field(default_factory=dict)
    """What it shows on the pages of the spine."""
    table_sections: Mapping[TablePlace, TableSection] = field(default_factory=dict)
    """What it shows on the pages of tables."""
    messages: tuple[MessageKind, ...] = ()
    """What it tells people who are away."""
    calendar: Callable[[sa.Connection, str], Iterable[CalendarEntry]] = lambda *_: ()
    """Return what a person expects, for their calendar."""
    commands: Mapping[str, TableCommand] = field(default_factory=dict)
    """What it does when a form at a table posts one of these commands."""
    seals: SealCheck | None = None
    """Whether somebody may not see the cards of a deal yet."""

    @property
    def name(self) -> str:
        return self.module.split(".")[-2]

    @property
    def folder(self) -> Path:
        return Path(import_module(self.module.rpartition(".")[0]).__path__[0])


@dataclass(frozen=True)
class FeatureList:
    """All features of a site, in the order in which they are asked."""

    installed: tuple[Feature, ...]

    def begin(self, site: Site) -> None:
        """Keep at hand on a site what its features need."""
        site.services[FeatureList] = self
        for one in self.installed:
            site.services |= {type(service): service for service in one.services(site)}

    @property
    def hooks(self) -> list[Hooks]:
        return [one.hooks for one in self.installed]

    @property
    def seals(self) -> list[SealCheck]:
        return [one.seals for one in self.installed if one.seals]

    async def on_page(self, page: str, visit: Visit) -> dict[str, Fragments]:
        """Return what they show on a page of the spine, by the names in its template."""
        found: dict[str, Fragments] = {}
        for place in PagePlace:
            if place.value.startswith(f"{page}."):
                sections = [one.sections[place] for one in self.installed if place in one.sections]
                drawn = [part for section in sections if (part := await section(visit))]
                found[place.value.partition(".")[2]] = Fragments(drawn)
        return found

    async def on_table(self, place: TablePlace, visit: TableVisit) -> tuple[Html, ...]:
        """Return what they show in a place of a table's page."""
        drawn = [
            await one.table_sections[place](visit)
            for one in self.installed
            if place in one.table_sections
        ]
        return tuple(one for one in drawn if one)

    @property
    def workers(self) -> list[WorkerServices]:
        return [one.workers for one in self.installed]

    @property
    def commands(self) -> dict[str, TableCommand]:
        return {name: do for one in self.installed for name, do in one.commands.items()}

    @property
    def data(self) -> tuple[PersonalData, ...]:
        return tuple(data for one in self.installed for data in one.data)

    @property
    def messages(self) -> list[MessageKind]:
        return [kind for one in self.installed for kind in one.messages]

    @property
    def tables(self) -> list[sa.Table]:
        return all_tables(self.data)

    @property
    def templates(self) -> dict[str, Path]:
        """The folders of their templates, whose names begin with that of the feature."""
        return {one.name: one.folder for one in self.installed}

    @property
    def pages(self) -> tuple[Router, ...]:
        return tuple(router for one in self.installed for router in one.pages)

    @property
    def interface(self) -> tuple[Router, ...]:
        """The parts of the interface for programs."""
        return tuple(import_module(one.api).router for one in self.installed if one.api)


def features_of(site: Site) -> FeatureList:
    """Return the features that a site was opened with."""
    return site.service(FeatureList)
