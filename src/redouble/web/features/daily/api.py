"""Today's deals for programs."""

from redouble.contract.registry import GAMES
from redouble.web.api.asking import Asker, GameName, Known, state
from redouble.web.api.docs import about
from redouble.web.api.shapes import Answered, TableState
from redouble.web.features.daily.deals import compare
from redouble.web.features.daily.tries import Dailies
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)


class DailyDealState(Answered):
    """A game's deal of today, and how your try stands."""

    game: str
    table: str | None = None
    """The table of your try, once you have begun."""
    finished: bool = False
    won: bool | None = None
    """Like all fields that follow: null until you have finished."""
    rank: int | None = None
    """Your place at the table."""
    score: int | None = None
    """Your points; null in a game without points, too."""
    place: int | None = None
    """Your place among everyone who has finished, from 1; equal results share the better one."""
    players: int | None = None
    """How many have finished."""


class DailyDealList(Answered):
    """The deals of today."""

    day: str
    """In UTC, such as `2026-11-22`."""
    deals: list[DailyDealState]


@router.get(
    "/daily",
    Cost.RENDERING,
    **about("Read today's deals", "The deals.", "tables", 401, 503, anyone=True),
)
async def daily_deals(site: SiteOf, person: Asker) -> DailyDealList:
    """The deals are the same for everyone. With a token you also read how your tries stand."""
    today = site.service(Dailies).today()
    mine = await site.service(Dailies).of_day(person, today)
    deals = []
    for name in GAMES:
        shown = DailyDealState(game=name)
        if (one := mine.get(name)) is not None:
            shown.table, shown.finished = one.token, one.finished
            if (result := one.result) is not None:
                among = compare(result, await site.service(Dailies).results(today, name))
                shown.won, shown.rank, shown.score = result.won, result.rank, result.score
                shown.place, shown.players = among.place, among.players
        deals.append(shown)
    return DailyDealList(day=today.isoformat(), deals=deals)


@router.post(
    "/daily/{game}",
    Cost.TABLE,
    **about(
        "Play today's deal", "The table.", "tables", 400, 401, 403, 404, 409, 413, 422, 429, 503
    ),
)
async def play_daily(game: GameName, site: SiteOf, person: Known) -> TableState:
    """You have one try. If you have begun it, the answer is the same table again. Undo, hints and
    stand-in bots are refused there.
    """
    return await state(site, await site.service(Dailies).begin(person, GAMES[game]), person)
