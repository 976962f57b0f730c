"""What a person can do about another player at a table: mute them, and report them."""

from __future__ import annotations

import contextlib

from starlette.datastructures import FormData

from redouble.web.errors import TooLarge, WebError
from redouble.web.features.company import reports
from redouble.web.live import lists
from redouble.web.live.pipeline import Command
from redouble.web.pages.table import number_in
from redouble.web.people import mutes
from redouble.web.people.people import Person
from redouble.web.site import At, Site
from redouble.web.table.acts import talk


async def mute(at: At, form: FormData) -> None:
    """Let a person hear nothing of the one at another seat, here and at all tables they share."""
    me, other = at.person.id, _fellow_player(at, form)
    await at.site.store.run(mutes.mute, me, other)
    here = at.table.header.token
    await _everywhere(at.site, me, other, here, lambda t: talk.mute(t, [(me, other)]))


async def unmute(at: At, form: FormData) -> None:
    """Let a person hear the one at another seat again."""
    await hear(at.site, at.person, _fellow_player(at, form), at.table.header.token)


async def hear(site: Site, person: Person, other: str, here: str = "") -> None:
    """Let a person hear another one again, ``here`` and at all tables that they share."""
    me = person.id
    await site.store.run(mutes.unmute, me, other)
    await _everywhere(site, me, other, here, lambda t: talk.unmute(t, me, other))


async def report(at: At, seat: int, why: str) -> None:
    """Report the person at another seat to the operator, once; open to spectators."""
    other = _not_gone(talk.other_person(at.table, at.person.id, seat))
    why = why.strip()
    if len(why) > reports.WHY_LENGTH:
        raise TooLarge(f"the report is too long: at most {reports.WHY_LENGTH} characters")
    me, token, ply = at.person.id, at.table.header.token, at.table.ply
    await at.site.store.run(reports.report, me, other, token, ply, why)


async def _everywhere(site: Site, person: str, other: str, here: str, command: Command) -> None:
    """Carry out a command at the tables that two people share, and ``here``."""
    shared = await site.store.run(lists.shared_by, person, other)
    for token in dict.fromkeys([here, *shared] if here else shared):
        with contextlib.suppress(WebError):  # over meanwhile, or its log is full
            await site.tables.act(await site.tables.get(token), command)


def _fellow_player(at: At, form: FormData) -> str:
    other = number_in(form, "other")
    return _not_gone(talk.fellow_player(at.table, at.person.id, other))


def _not_gone(person: str) -> str:
    """Return a person's id. Raises :class:`WebError` if they have deleted their data."""
    if person.startswith(lists.GONE):
        raise WebError("this player has deleted their data")
    return person
