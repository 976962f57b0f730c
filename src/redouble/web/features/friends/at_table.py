"""Friends at a table: invited while it waits for players, and asked after a game."""

from __future__ import annotations

from starlette.datastructures import FormData

from redouble.contract.page import html
from redouble.contract.page.html import Html
from redouble.web.drawing.markup.forms import address, hidden, once, posting
from redouble.web.errors import NotYours, WebError
from redouble.web.feature import TableVisit
from redouble.web.features.friends import friends
from redouble.web.pages.table import number_in
from redouble.web.site import At


async def ending(visit: TableVisit) -> Html | None:
    """Return the buttons for those who aren't friends of the viewer yet."""
    table, point = visit.table, visit.point
    me = table.seats[point.seat].person if point.acting else None
    seats = {one.person: i for i, one in enumerate(table.seats) if one.person}
    if me is None or len(seats) < 2:
        return None
    between = await visit.site.store.run(friends.bonds, seats)
    shown = []
    for person, seat in seats.items():
        mine, theirs = between.get((me, person)), between.get((person, me))
        name = table.match.names[seat]
        if person == me or friends.AGREED in (mine, theirs):
            continue
        if mine is not None:
            shown.append(html.p(f"You've asked {name} to be friends."))
        else:
            shown.append(
                html.form(
                    posting(f"{address(table)}/do"),
                    hidden("command", "befriend"),
                    hidden("seat", point.seat),
                    hidden("other", seat),
                    once(table.ply),
                    html.button({"class": "btn"}, f"Add {name}"),
                )
            )
    return html.div({"class": "friends", "role": "group", "aria-label": "Friends"}, shown) or None


async def befriend(at: At, form: FormData) -> None:
    """Ask the person at another seat to be friends, once the game is over."""
    table, me, other = at.table, at.person.id, number_in(form, "other")
    if not table.over or not table.seats_of(me):
        raise NotYours("you can ask players to be friends after a game with them")
    them = table.seats[other].person if 0 <= other < len(table.seats) else None
    if them is None or them == me:
        raise WebError("nobody else plays that seat")
    if await at.site.store.run(friends.ask, me, them, table.game.name):
        at.live.touch()
        for one in (me, them):
            at.site.exchange.call(one)


async def waiting(visit: TableVisit) -> Html | None:
    """Return the buttons by which a player invites friends to a table that waits for players."""
    table, person = visit.table, visit.person
    if person is None or not table.gathering or table.header.circle:  # its members are invited
        return None
    me, token = person.id, table.header.token
    found, called = await visit.site.store.run(
        lambda c: (friends.friends_of(c, me), friends.called_to(c, me, token))
    )
    return html.fragment(
        [
            html.form(
                {"method": "post", "action": f"/friends/{one.id}/invite"},
                hidden("once", visit.mark),
                hidden("token", token),
                f"You've invited {one.name}."
                if one.person in called
                else html.button({"class": "btn"}, f"Invite {one.name}"),
            )
            for one in found
            if not table.seats_of(one.person)
        ]
    )
