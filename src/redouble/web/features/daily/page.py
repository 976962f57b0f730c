"""The daily deals and the daily puzzle: what to play today, results, streak and calendar."""

import calendar
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol, TypeVar

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse

from redouble.analysis.shares import ordinal
from redouble.contract.game import Game
from redouble.contract.page import html
from redouble.contract.page.html import Html, minus
from redouble.contract.registry import GAMES
from redouble.web.drawing.addresses import cover_url, static_url
from redouble.web.drawing.words import house_rules
from redouble.web.errors import NotFound, Stale
from redouble.web.feature import Fragment, TableVisit, Visit
from redouble.web.features.daily import deals
from redouble.web.features.daily.deals import DAY, DailyResult
from redouble.web.features.daily.tries import Dailies, DailyTry, days_played
from redouble.web.features.friends import friends
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.visitor import CurrentUser, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

Known = TypeVar("Known", bound="Named")
WEEK = 7
TRIES = ("First try", "Second try")


class Named(Protocol):
    """Somebody whom a person knows: a friend of theirs, or a member of their circle."""

    @property
    def person(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class DailyTile:
    """A game or the puzzle among what a day has to play."""

    title: str
    cover: str
    url: str
    status: str
    """``play``, ``continue``, ``done``, or ``missed`` once the day is over."""
    said: str


@dataclass(frozen=True)
class CalendarDay:
    """A day in the calendar or in the row of the last seven days."""

    day: date
    finished: int
    """How many deals and puzzles of the day the person has finished."""
    counts: bool
    """Whether the day counts for the streak."""
    url: str
    """Empty for a day without deals."""
    today: bool


async def today_strip(visit: Visit) -> Fragment:
    """Show what there is to play today, on the home page."""
    site, person = visit.site, visit.person
    today = site.service(Dailies).today()
    tries = await site.service(Dailies).all_of(person)
    week = [today - DAY * back for back in reversed(range(WEEK))]
    shown = {
        "day": today,
        "tiles": tiles(site, today, {one.game: one for one in tries if one.day == today}),
        "week": _marked(site, week, tries),
        "streak": deals.streak(days_played(tries), today),
        "hours": int((deals.begins(today + DAY) - site.now()) // 3600),
    }
    return visit.part("daily/today.html", today=shown)


async def pill(visit: TableVisit) -> Html | None:
    """Return the way from a table to its daily deal."""
    day, game = visit.table.header.daily, visit.table.game.name
    return html.a({"class": "pill", "href": f"/daily/{day}/deal/{game}"}, "Daily") if day else None


def tiles(site: Site, day: date, mine: dict[str, DailyTry]) -> list[DailyTile]:
    """Return what there is to play on a day, in the order of the games, the puzzle last."""
    here = f"/daily/{day.isoformat()}"
    shown = [
        _tile(site, day, mine.get(game.name), game.title, cover_url(game), f"{here}/deal/{name}")
        for name, game in GAMES.items()
    ]
    if site.service(Dailies).puzzle(day) is not None:
        cover = static_url("puzzles.svg")
        shown.append(_tile(site, day, mine.get(deals.PUZZLE), "Puzzle", cover, f"{here}/puzzle"))
    return shown


def _tile(
    site: Site, day: date, mine: DailyTry | None, title: str, cover: str, url: str
) -> DailyTile:
    if mine is not None and mine.finished:
        return DailyTile(title, cover, url, "done", said_of(mine, short=True))
    if mine is not None and site.service(Dailies).is_open(day):
        return DailyTile(title, cover, url, "continue", "Continue")
    if day == site.service(Dailies).today():
        return DailyTile(title, cover, url, "play", "Play")
    return DailyTile(title, cover, url, "missed", "Not finished" if mine else "Not played")


def said_of(mine: DailyTry, short: bool = False) -> str:
    """Return how a finished try ended, in a few words; ``short`` without the points."""
    result = mine.result
    assert result is not None
    if mine.game == deals.PUZZLE:
        return TRIES[result.rank - 1] if result.won else "Not found"
    if mine.resigned:
        return "Gave up"
    game = GAMES.get(mine.game)
    return said(result, game is not None and game.usual_seats == 1, short)


def said(result: DailyResult, alone: bool, short: bool = False) -> str:
    """Return a result in a few words: whether it was won, or the place, and the points."""
    points = "" if result.score is None else minus(f"{result.score} points")
    if result.won and alone:
        return "Won"
    if alone:
        return points or "Not won"
    place = "Won" if result.won else f"{ordinal(result.rank)} place"
    return f"{place}, {points}" if points and not short else place


@router.get("/daily", Cost.RENDERING)
async def daily_today(request: Request, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show what there is to play today, and the calendar of a month."""
    return await daily_of_day(request, f"{site.service(Dailies).today()}", site, person)


@router.get("/daily/{day}", Cost.RENDERING)
async def daily_of_day(request: Request, day: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show the results of a day, and the calendar of its month."""
    dailies, on = site.service(Dailies), deals.parse_day(day)
    dailies.check_day(on)
    tries, today = await dailies.all_of(person), dailies.today()
    asked = request.query_params.get("month", "")
    month = deals.parse_day(f"{asked}-01") if asked else on.replace(day=1)
    first, last = dailies.first.replace(day=1), today.replace(day=1)
    if not first <= month <= last:
        raise NotFound("there are no daily deals in this month")
    before, after = (month - DAY).replace(day=1), (month + 31 * DAY).replace(day=1)
    weeks = calendar.Calendar().monthdatescalendar(month.year, month.month)
    return site.page(
        "daily/daily.html",
        person=person,
        day=on,
        is_today=on == today,
        is_open=dailies.is_open(on),
        tiles=tiles(site, on, {one.game: one for one in tries if one.day == on}),
        streak=deals.streak(days_played(tries), today),
        month=month,
        weeks=[_marked(site, week, tries) for week in weeks],
        before=before.strftime("%Y-%m") if before >= first else "",
        after=after.strftime("%Y-%m") if after <= last else "",
        here=f"/daily/{on.isoformat()}",
        in_all=len(GAMES) + 1,
    )


def _marked(site: Site, days: list[date], tries: list[DailyTry]) -> list[CalendarDay]:
    played, today = days_played(tries), site.service(Dailies).today()
    done = [one.day for one in tries if one.finished]
    return [
        CalendarDay(
            day,
            done.count(day),
            day in played,
            f"/daily/{day.isoformat()}" if site.service(Dailies).first <= day <= today else "",
            day == today,
        )
        for day in days
    ]


@router.get("/daily/{day}/deal/{game}", Cost.PAGE)
async def show_daily_deal(day: str, game: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show a daily deal: what it is about before the try, and the results after it."""
    chosen, on = GAMES[game], deals.parse_day(day)
    deal = site.service(Dailies).deal(on, chosen)
    mine = await site.service(Dailies).found(person, on, chosen.name)
    finished = mine is not None and mine.finished
    today = site.service(Dailies).today()
    context: dict[str, Any] = {
        "day": on,
        "game": chosen,
        "mine": mine,
        "is_today": on == today,
        "is_open": site.service(Dailies).is_open(on),
        "until": on + DAY,
        "level": deals.LEVEL,
        "rules": house_rules(chosen, deal.options),
        "opponents": deal.seats - 1,
        "here": f"/daily/{on.isoformat()}/deal/{chosen.name}",
        "shown": finished or on < today,
        "again": finished or not site.service(Dailies).is_open(on),
    }
    if context["shown"]:
        alone = deal.seats == 1
        everyone = await site.service(Dailies).results(on, chosen.name)
        bots = await site.service(Dailies).bots(deal)
        result = mine.result if mine is not None else None
        context |= {
            "players": len(everyone),
            "said": said_of(mine) if mine is not None and finished else "",
            "comparison": deals.compare(result, everyone) if result is not None else None,
            "friends": await _friends(site, person, on, chosen) if finished else [],
            "bars": _bars_of(everyone, result, alone),
            "bots": [(one.level, said(one.result, alone)) for one in bots],
        }
    return site.page("daily/daily_deal.html", person=person, **context)


async def _friends(
    site: Site, person: Person | None, day: date, game: Game
) -> list[tuple[friends.Friend, str]]:
    """Return how a person's friends did at a deal, the best first.

    They are those whose friends see how they have played.
    """
    if person is None:
        return []
    found = await site.store.run(friends.friends_of, person.id)
    shown = [one for one in found if one.shows_games]
    tries = await site.service(Dailies).among([one.person for one in shown], day)
    return best_first(shown, tries.get(game.name, {}))


def best_first(people: Iterable[Known], tries: Mapping[str, DailyTry]) -> list[tuple[Known, str]]:
    """Return those of some people who have a try, given by person, with their results in words."""
    those = [one for one in people if one.person in tries]

    def order(one: Known) -> tuple[bool, DailyResult | None, str]:
        found = tries[one.person]
        return found.resigned, found.result, one.name.casefold()

    return [(one, said_of(tries[one.person])) for one in sorted(those, key=order)]


def _bars_of(
    everyone: list[DailyResult], mine: DailyResult | None, alone: bool
) -> tuple[deals.Bar, ...]:
    """Group results by place; in a solitaire game, by whether it was won and by points."""
    if not alone:
        return deals.bar_groups([(one, said(one, alone, short=True)) for one in everyone], mine)
    ranges = deals.points_ranges(
        [one.score for one in everyone if not one.won and one.score is not None]
    )

    def label(one: DailyResult) -> str:
        if one.won:
            return "Won"
        return "Not won" if one.score is None else minus(f"{ranges[one.score]} points")

    return deals.bar_groups([(one, label(one)) for one in everyone], mine)


@router.post("/daily/{day}/deal/{game}", Cost.TABLE)
async def play_daily_deal(
    day: str, game: str, site: SiteOf, person: CurrentUser
) -> RedirectResponse:
    """Begin or continue the counted try; after it, play the deal without counting."""
    dailies, chosen, on = site.service(Dailies), GAMES[game], deals.parse_day(day)
    deal = dailies.deal(on, chosen)
    mine = await dailies.found(person, on, chosen.name)
    if mine is not None and not mine.finished and dailies.is_open(on) and mine.token:
        return RedirectResponse(f"/t/{mine.token}", 303)
    if on == dailies.today() and mine is None:
        live = await dailies.begin(person, chosen)
    elif mine is None and dailies.is_open(on):
        raise Stale("this day is over: play today's deal")
    else:
        live = await dailies.again(person, deal)
    return RedirectResponse(f"/t/{live.table.header.token}", 303)
