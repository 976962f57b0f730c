"""The home page and the form for new tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.datastructures import FormData

from redouble.bots.levels import LEVELS, USUAL_LEVEL
from redouble.contract.game import Game
from redouble.contract.options import Data, Flag
from redouble.contract.registry import GAMES
from redouble.kernel.cores import IN_BROWSER
from redouble.kernel.errors import RedoubleError
from redouble.web.drawing.addresses import GAME_FILES
from redouble.web.drawing.words import house_rules
from redouble.web.errors import NotFound, WebError
from redouble.web.feature import Visit, features_of
from redouble.web.live import lists
from redouble.web.live.plan import SeatPlan, TablePlan, seat_plans
from redouble.web.people.people import Person, is_guest
from redouble.web.table.clocks import CONTROLS, UNTIMED, TimeControl, control_of
from redouble.web.visitor import CurrentUser, Fields, SiteOf, Visitor, marked
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

MAX_IN_STRIP = 3
"""Tables in a strip of the home page; the person's own page lists all."""
PUBLISHED = "published"
"""What a form sends to be dealt the rules as published, whatever *Play now* would deal."""
Besides = Annotated[str, Query(max_length=64)]
"""The token of a table."""
FRIENDS = "friends"
"""What a form sends for a table whose other seats are open."""


@router.get("/", Cost.PAGE)
async def home(request: Request, site: SiteOf, person: Visitor) -> HTMLResponse:
    visit = Visit(request, site, person)
    return site.page(
        "home.html",
        person=person,
        mine=await site.store.run(lists.unfinished, person.id) if person else [],
        now=site.now(),
        page_mark=visit.mark,
        places=await features_of(site).on_page("home", visit),
        strip=MAX_IN_STRIP,
        offer=site.tables.secrets.offer(),
        asks_name=person is None or is_guest(person),
    )


@router.get("/turns", Cost.PAGE)
async def turns(site: SiteOf, person: Visitor, besides: Besides = "") -> JSONResponse:
    """Return at how many tables it is a person's turn, ``besides`` the one that they look at."""
    return JSONResponse(len((await site.turns(person)).besides(besides).mine))


@router.get("/turns/next", Cost.PAGE)
async def next_turn(site: SiteOf, person: Visitor, besides: Besides = "") -> RedirectResponse:
    """Lead to the next table where it is a person's turn, or home if there is none."""
    token = (await site.turns(person)).after(besides)
    return RedirectResponse(f"/t/{token}" if token else "/", 303)


@router.get("/games/{game}/{name}", Cost.FILE)
async def game_file(game: str, name: str) -> Response:
    """Serve a game's picture or style sheet."""
    chosen = GAMES[game]
    path = chosen.folder / name
    if name not in GAME_FILES or not path.exists():
        raise NotFound(f"{chosen.title} has no file {name}")
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return FileResponse(path, media_type=GAME_FILES[name], headers=kept)


@router.post("/play/{game}", Cost.TABLE)
async def play_now(game: str, site: SiteOf, person: CurrentUser, form: Fields) -> RedirectResponse:
    """Create a table with bots of one level, or with open seats for friends, in one click.

    Its options are the usual ones, unless the published rules are asked for.
    """
    chosen = GAMES[game]
    players, friends = chosen.usual_seats, 0
    if _text(form, "with") == FRIENDS:
        players = _number(form, players)
        friends, person = players - 1, await _named(site, person, form)
    seats = seat_plans(players, friends, _text(form, "level") or USUAL_LEVEL)
    published = _text(form, "rules") == PUBLISHED
    options = chosen.needed_options(players) if published else None
    live = await site.create(person, _plan(form, chosen, seats, options))
    return RedirectResponse(f"/t/{live.table.header.token}", 303)


@router.get("/new/{game}", Cost.PAGE)
async def new_table(request: Request, game: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show the form for a new table."""
    chosen, query = GAMES[game], request.query_params
    wanted = query.get("with", "")
    company = {"friends": "friend", "here": "here", "nobody": "none"}.get(wanted, "bot")
    filled = Filled(usual_seats(chosen, company), query.get("deal", ""))
    filled.values = chosen.as_played({})
    return _form(site, person, chosen, filled)


@router.post("/new/{game}", Cost.TABLE)
async def start_table(
    request: Request, game: str, site: SiteOf, person: CurrentUser, form: Fields
) -> Response:
    chosen = GAMES[game]
    filled = Filled(_seats_of(chosen, form), _text(form, "deal"), _text(form, "name"))
    filled.public, filled.rated = _text(form, "public") == "yes", _text(form, "casual") != "yes"
    playing = [seat for seat in filled.seats if seat.kind != "none"]
    try:
        filled.control = _control_of(form)
        filled.values = _options_of(chosen, form)
        usual = {option.name: str(option.default) for option in chosen.options}
        for needed, value in chosen.needed_options(len(playing)).items():
            if str(filled.values.get(needed)) == usual[needed]:  # nothing was chosen
                filled.values[needed] = value
        if filled.name or ("name" in form and any(s.kind == "friend" for s in playing)):
            person = await _named(site, person, form)
        live = await site.create(person, _plan(form, chosen, playing, filled.values))
    except RedoubleError as error:
        status = getattr(error, "status", 400)
        page = _form(site, person, chosen, filled, error.sentence, status)
        return marked(page, request, error)
    return RedirectResponse(f"/t/{live.table.header.token}", 303)


def _plan(
    form: FormData, game: Game, seats: Sequence[SeatPlan], options: Mapping[str, Any] | None
) -> TablePlan:
    """Return the plan of the table that a form asks for. Raises :class:`WebError`."""
    return TablePlan(
        game,
        seats,
        options,
        public=_text(form, "public") == "yes",
        seed=_text(form, "deal") or None,
        offer=_text(form, "offer"),
        share=_text(form, "share"),
        promise=_text(form, "promise"),
        control=_control_of(form),
        rated=_text(form, "casual") != "yes",
        zone=_text(form, "zone"),
    )


async def _named(site: SiteOf, person: Person, form: FormData) -> Person:
    """Return a person with the name that a form gives them; those who invite friends need one."""
    if name := _text(form, "name"):
        return await site.people.rename(person, name)
    if is_guest(person):
        raise WebError("your friends see who invites them: enter your name")
    return person


@dataclass
class Filled:
    """What the form for a new table shows."""

    seats: list[SeatPlan]
    deal: str = ""
    name: str = ""
    public: bool = False
    rated: bool = True
    control: TimeControl = UNTIMED
    values: dict[str, Any] = field(default_factory=dict)
    """Of the options that don't have their defaults."""


def _form(
    site: SiteOf, person: Visitor, game: Game, filled: Filled, problem: str = "", status: int = 200
) -> HTMLResponse:
    kinds = [("me", "you"), ("friend", "a friend, by link"), ("here", "a player on this device")]
    kinds += [(f"bot {name}", f"{name} bot") for name in LEVELS]
    if IN_BROWSER:  # where nobody else comes
        kinds = [kind for kind in kinds if kind[0] != "friend"]
    playing = sum(seat.kind != "none" for seat in filled.seats)
    seats = [SeatPlan("bot") if seat.kind == "none" else seat for seat in filled.seats]
    defaults = {option.name: option.default for option in game.options}
    values = defaults | filled.values
    labels = {option.name: option.label for option in game.options}
    needed = [
        (players, [f"{labels[name]}: {value}" for name, value in options.items()])
        for players in range(game.min_seats, game.max_seats + 1)
        if (options := game.needed_options(players))
    ]
    known = person is not None and not is_guest(person)
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
        deal=filled.deal,
        problem=problem,
        public=filled.public,
        rated=filled.rated,
        your_name=filled.name or (person.name if person and known else ""),
        asks_name=not known and any(seat.kind == "friend" for seat in seats),
        playing=min(max(playing, game.min_seats), game.max_seats),
        needed=needed,
        usual=defaults,
        changed=house_rules(game, values),
        offer=site.tables.secrets.offer(),
        control=filled.control,
        controls=[one for one in CONTROLS.values() if not (one.slow and IN_BROWSER)],
    )


def usual_seats(game: Game, company: str) -> list[SeatPlan]:
    """Return the form's first seats: you, then usual ``company``; the rest stay empty."""
    others = [SeatPlan(company, bot=USUAL_LEVEL)] * (game.usual_seats - 1)
    return [SeatPlan("me"), *others, *[SeatPlan("none")] * (game.max_seats - game.usual_seats)]


def _seats_of(game: Game, form: FormData) -> list[SeatPlan]:
    if game.max_seats == 1:
        return [SeatPlan("me")]
    seats = []
    shown = _number(form, game.max_seats)
    for number in range(game.max_seats):
        kind, _, level = _text(form, f"seat-{number}").partition(" ")
        name = _text(form, f"name-{number}")
        kind = kind if number < shown else "none"
        seats.append(SeatPlan(kind or "none", name, level or USUAL_LEVEL))
    return seats


def _control_of(form: FormData) -> TimeControl:
    """Return the clock in a form. What is off counts only in correspondence games.

    Raises :class:`WebError`.
    """
    name = _text(form, "clock")
    slow = name in CONTROLS and CONTROLS[name].slow
    nights, weekends = (_text(form, off) == "yes" and slow for off in ("nights", "weekends"))
    return control_of(name, _text(form, "then"), nights, weekends)


def _number(form: FormData, usual: int) -> int:
    players = _text(form, "players")
    return int(players) if players.isdecimal() and len(players) < 3 else usual


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
