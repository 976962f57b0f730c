"""The home page and the form for new tables."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.datastructures import FormData

from redouble.bots.levels import LEVELS, USUAL_LEVEL
from redouble.contract.game import Game
from redouble.contract.options import Data, Flag
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.web import queries
from redouble.web.drawing import GAME_FILES
from redouble.web.errors import NotFound
from redouble.web.site import CurrentUser, SiteOf, Visitor
from redouble.web.tables import SeatPlan, TablePlan

router = APIRouter(include_in_schema=False)


@router.get("/")
async def home(site: SiteOf, person: Visitor) -> HTMLResponse:
    now = time.time()
    mine = []
    if person is not None:
        mine = await site.store.run(lambda c: queries.unfinished(c, person.id))
    watch = await site.store.run(lambda c: queries.watchable(c, now - queries.WATCHABLE_SECONDS))
    tokens = {row.token for row in mine}
    others = [row for row in watch if row.token not in tokens]
    return site.page("home.html", person=person, mine=mine, open_tables=others, now=now)


@router.get("/games/{game}/{name}")
async def game_file(game: str, name: str) -> Response:
    """Serve a game's picture or style sheet."""
    chosen = GAMES[game]
    path = chosen.folder / name
    if name not in GAME_FILES or not path.exists():
        raise NotFound(f"{chosen.title} has no file {name}")
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return FileResponse(path, media_type=GAME_FILES[name], headers=kept)


async def _sent(request: Request) -> AsyncIterator[FormData]:
    """Yield the submitted form and close its files afterwards."""
    async with request.form() as form:
        yield form


Sent = Annotated[FormData, Depends(_sent)]


@router.post("/play/{game}")
async def play_now(game: str, site: SiteOf, person: CurrentUser, form: Sent) -> RedirectResponse:
    """Create a table with bots of one level, in one click."""
    chosen = GAMES[game]
    bots = [SeatPlan("bot", bot=_text(form, "level") or USUAL_LEVEL)] * (chosen.usual_seats - 1)
    live = await site.tables.create(person, TablePlan(chosen, [SeatPlan("me"), *bots]))
    return RedirectResponse(f"/t/{live.table.header.token}", 303)


@router.get("/new/{game}")
async def new_table(request: Request, game: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show the form for a new table."""
    chosen = GAMES[game]
    query = request.query_params
    wanted = query.get("with", "")
    company = {"friends": "friend", "here": "here", "nobody": "none"}.get(wanted, "bot")
    seats = usual_seats(chosen, company)
    values = {option.name: option.default for option in chosen.options}
    return _form(site, person, chosen, seats, values, deal=query.get("deal", ""))


@router.post("/new/{game}")
async def start_table(game: str, site: SiteOf, person: CurrentUser, form: Sent) -> Response:
    chosen = GAMES[game]
    seats = _seats_of(chosen, form)
    values: dict[str, Any] = {}
    deal = _text(form, "deal")
    try:
        values = _options_of(chosen, form)
        playing = [seat for seat in seats if seat.kind != "none"]
        plan = TablePlan(
            chosen,
            playing,
            values,
            public=_text(form, "public") == "yes",
            seed=deal or None,
            pace=_text(form, "pace") or None,
        )
        live = await site.tables.create(person, plan)
    except RedoubleError as error:
        shown = {option.name: option.default for option in chosen.options} | values
        said = f"{str(error)[:1].upper()}{str(error)[1:]}."
        return _form(site, person, chosen, seats, shown, deal, said, status=400)
    return RedirectResponse(f"/t/{live.table.header.token}", 303)


def _form(
    site: SiteOf,
    person: Visitor,
    game: Game,
    seats: list[SeatPlan],
    values: dict[str, Any],
    deal: str = "",
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    kinds = [("me", "you"), ("friend", "a friend, by link"), ("here", "a player on this device")]
    kinds += [(f"bot {name}", f"{name} bot") for name in LEVELS] + [("none", "empty")]
    shown = [
        {"kind": f"bot {seat.bot}" if seat.kind == "bot" else seat.kind, "name": seat.name}
        for seat in seats
    ]
    return site.page(
        "new.html",
        status,
        person=person,
        game=game,
        seats=shown,
        kinds=kinds,
        values=values,
        deal=deal,
        problem=problem,
        public=False,
    )


def usual_seats(game: Game, company: str) -> list[SeatPlan]:
    """Return the form's first seats: you, then usual ``company``; the rest stay empty."""
    others = [SeatPlan(company, bot=USUAL_LEVEL)] * (game.usual_seats - 1)
    return [SeatPlan("me"), *others, *[SeatPlan("none")] * (game.max_seats - game.usual_seats)]


def _seats_of(game: Game, form: FormData) -> list[SeatPlan]:
    if game.max_seats == 1:
        return [SeatPlan("me")]
    seats = []
    for number in range(game.max_seats):
        kind, _, level = _text(form, f"seat-{number}").partition(" ")
        name = _text(form, f"name-{number}")
        seats.append(SeatPlan(kind or "none", name, level or USUAL_LEVEL))
    return seats


def _options_of(game: Game, form: FormData) -> dict[str, Any]:
    """Return the options in a form. Browsers leave out unticked boxes: a missing flag is off."""
    values: dict[str, Any] = {}
    for option in game.options:
        text = _text(form, option.name)
        if isinstance(option, Flag):
            values[option.name] = text == "yes"
        elif text and isinstance(option, Data):
            values[option.name] = text.splitlines()
        elif text:
            values[option.name] = text
    return values


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode("utf-8").strip()  # replaces lone surrogates
