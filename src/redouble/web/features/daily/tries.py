"""The daily deals of a site: its secret, each person's counted tries, and what stays sealed."""

import secrets as random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from redouble.analysis.puzzle import Puzzle
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.web.errors import NotFound, Sealed, Stale
from redouble.web.feature import Letter, MessageKind
from redouble.web.features.daily import deals
from redouble.web.features.daily.deals import DAY, PUZZLE, DailyDeal, DailyResult
from redouble.web.live.live import Live
from redouble.web.live.plan import SeatPlan, TablePlan
from redouble.web.live.tables import Tables
from redouble.web.people.people import Person
from redouble.web.people.results import result_rows
from redouble.web.store import Store, exists, insert_first, kept_secret
from redouble.web.store.clock import CLOCK, look
from redouble.web.store.schema import metadata, owned_by
from redouble.web.table import Table

dailies = sa.Table(
    "dailies",
    metadata,
    sa.Column("day", sa.String, primary_key=True),  # in UTC, as 2026-11-22
    sa.Column("game", sa.String, primary_key=True),  # empty for the puzzle
    sa.Column("person", sa.String, primary_key=True, index=True),
    sa.Column("token", owned_by("tables.token"), unique=True),
    sa.Column("begun", sa.Float, nullable=False),
    sa.Column("finished", sa.Float),
    sa.Column("rank", sa.Integer),
    sa.Column("score", sa.Integer),
    sa.Column("won", sa.Boolean, nullable=False),
    sa.Column("resigned", sa.Boolean, nullable=False),
    sa.Column("tried", sa.JSON, nullable=False),  # the moves tried in a puzzle
)
"""Each person's one counted try at the deals and the puzzle of a day."""

SECRET = "daily deals"
SECRET_BYTES = 32


def dailies_of(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return a person's tries at daily deals and puzzles, oldest first."""
    ordered = sa.select(dailies).filter_by(person=person).order_by(dailies.c.day, dailies.c.game)
    return [dict(row._mapping) for row in connection.execute(ordered)]


def finish_try(connection: sa.Connection, table: Table) -> None:
    """Note the result of a table whose game has ended, if its deal is a daily one and in time.

    While the clock can't be believed, it is in time.
    """
    if not table.header.daily:
        return
    late = table.changed >= deals.closes(deals.parse_day(table.header.daily))
    if late and look(connection, table.changed).settles is None:
        return
    rows = result_rows(table)
    if not rows:
        return
    result = rows[0]
    resigned = table.seats[result["seat"]].resigned
    ended = {key: result[key] for key in ("rank", "score", "won")}
    connection.execute(
        sa.update(dailies)
        .filter_by(token=table.header.token)
        .where(dailies.c.finished.is_(None))
        .values(ended | {"resigned": resigned, "finished": table.changed})
    )


def adopt_tries(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's daily tries to a person; of two at one deal, the first finished one counts."""
    theirs = connection.execute(sa.select(dailies).filter_by(person=guest)).all()
    for row in theirs:
        same = sa.and_(dailies.c.day == row.day, dailies.c.game == row.game)
        query = sa.select(dailies).filter_by(person=person).where(same)
        own = connection.execute(query).one_or_none()
        if own is not None:
            first, second = (own.finished, own.begun), (row.finished, row.begun)
            keep_own = _order_of_tries(*first) <= _order_of_tries(*second)
            dropped = guest if keep_own else person
            connection.execute(sa.delete(dailies).filter_by(person=dropped).where(same))
        moved = sa.update(dailies).filter_by(person=guest).where(same)
        connection.execute(moved.values(person=person))


def _order_of_tries(finished: float | None, begun: float) -> tuple[bool, float]:
    return finished is None, begun if finished is None else finished


def _letter(connection: sa.Connection, person: str, about: str, now: float) -> Letter | None:
    """Return that the deals of the day wait, for someone who hasn't begun one."""
    mine = sa.select(dailies).filter_by(person=person, day=deals.day_of(now).isoformat())
    if exists(connection, mine.where(dailies.c.game != PUZZLE)):
        return None
    return Letter("The daily deals wait for you", "You haven't played one today.", "/daily", by=())


UNPLAYED = MessageKind(name="daily", words="You haven't played the daily deals yet", letter=_letter)


@dataclass(frozen=True)
class DailyTry:
    """A person's counted try at a deal or puzzle."""

    day: date
    game: str
    """The game's name; ``PUZZLE`` for the puzzle."""
    token: str | None
    """The table's token; None for the puzzle."""
    finished: bool
    resigned: bool
    tried: tuple[str, ...]
    """The moves tried in a puzzle."""
    result: DailyResult | None


class Dailies:
    """The daily deals of a site."""

    def __init__(self, store: Store, tables: Tables) -> None:
        self._store = store
        self._tables = tables
        make, now = partial(random.token_hex, SECRET_BYTES), CLOCK.now()
        kept = store.call(lambda c: kept_secret(c, SECRET, make, now)).result()
        self._secret: str = kept.value
        self.first = deals.day_of(kept.created)
        """The site's first day."""

    def today(self) -> date:
        today = deals.day_of(CLOCK.now())
        self.first = min(self.first, today)  # the clock was ahead when the site began
        return today

    def check_day(self, day: date) -> None:
        """Raise :class:`NotFound` for a day that hasn't come, or before the site's first."""
        if day > self.today():
            raise NotFound("this day's deals haven't been dealt yet: come back on that day (UTC)")
        if day < self.first:
            raise NotFound(f"the first daily deals are those of {self.first.isoformat()}")

    def deal(self, day: date, game: Game) -> DailyDeal:
        """Return a game's deal of a day. Raises :class:`NotFound` before that day."""
        self.check_day(day)
        return deals.daily_deal(self._secret, day, game)

    def puzzle(self, day: date) -> Puzzle | None:
        """Return the puzzle of a day. Raises :class:`NotFound` before that day."""
        self.check_day(day)
        return deals.daily_puzzle(self._secret, day)

    def is_open(self, day: date) -> bool:
        """Return whether results of a day can still come."""
        return CLOCK.now() < deals.closes(day)

    async def begin(self, person: Person, game: Game) -> Live:
        """Return the table of a person's try at today's deal, made if there is none."""
        today = self.today()
        begun = await self.found(person, today, game.name)
        if begun is None:
            try:
                return await self._begin(person, self.deal(today, game))
            except IntegrityError:  # begun in another window at the same time
                begun = await self.found(person, today, game.name)
        if begun is None or begun.token is None:
            raise Stale("your table of this daily deal is gone")
        return await self._tables.get(begun.token)

    async def _begin(self, person: Person, deal: DailyDeal) -> Live:
        plan = _plan(deal, daily=deal.day.isoformat())

        def note(connection: sa.Connection, token: str) -> None:
            row = _row(deal.day, deal.game.name, person, token)
            connection.execute(sa.insert(dailies).values(row))

        return await self._tables.create(person, plan, note)

    async def again(self, person: Person, deal: DailyDeal) -> Live:
        """Make a table with a deal, which doesn't count. Raises :class:`Sealed`."""
        await self.check_unsealed(person, deal.game.name, deal.seed)
        return await self._tables.create(person, _plan(deal))

    async def found(self, person: Person | None, day: date, game: str) -> DailyTry | None:
        """Return a person's try; None if there is none."""
        return (await self.of_day(person, day)).get(game)

    async def of_day(self, person: Person | None, day: date) -> dict[str, DailyTry]:
        """Return a person's tries of a day, by game."""
        if person is None:
            return {}
        found = await self._tries(person=person.id, day=day.isoformat())
        return {one.game: one for one in found}

    async def all_of(self, person: Person | None) -> list[DailyTry]:
        """Return a person's tries, oldest first."""
        return [] if person is None else await self._tries(person=person.id)

    async def results(self, day: date, game: str) -> list[DailyResult]:
        """Return the results of everyone who has finished."""
        found = await self._tries(day=day.isoformat(), game=game)
        return [one.result for one in found if one.result is not None]

    async def among(self, people: Collection[str], day: date) -> dict[str, dict[str, DailyTry]]:
        """Return the finished tries of people at a day's deals, by game and then by person."""
        query = sa.select(dailies).where(
            dailies.c.day == day.isoformat(),
            dailies.c.game != PUZZLE,
            dailies.c.person.in_(people),
            dailies.c.finished.is_not(None),
        )
        found: dict[str, dict[str, DailyTry]] = {}
        rows = await self._store.run(lambda c: c.execute(query).all())
        for row in rows:
            found.setdefault(row.game, {})[row.person] = _try(row)
        return found

    async def bots(self, deal: DailyDeal) -> Sequence[deals.LevelResult]:
        """Return what bots achieve in the player's seat."""
        return await self._tables.robots.quick.run(deals.bot_results, deal)

    async def try_move(self, person: Person, move: str, show: bool = False) -> None:
        """Note a move in today's puzzle; with ``show`` the answer is given up instead.

        What comes after the try has ended, and a move that was tried already, changes nothing.
        """
        today = self.today()
        puzzle = self.puzzle(today)
        if puzzle is None:
            raise NotFound("there are no puzzles for these games")
        answer, now = puzzle.answer, CLOCK.now()

        def job(connection: sa.Connection) -> None:
            mine = sa.and_(
                dailies.c.day == today.isoformat(),
                dailies.c.game == PUZZLE,
                dailies.c.person == person.id,
            )
            row = connection.execute(sa.select(dailies).where(mine).with_for_update()).one_or_none()
            tried = [] if row is None else list(row.tried)
            if show and not tried:
                raise Stale("you haven't tried a move yet: choose one")
            if row is None:
                if not insert_first(connection, dailies, _row(today, PUZZLE, person, None)):
                    job(connection)  # another process noted a try meanwhile
                    return
            elif row.finished is not None or (move in tried and not show):
                return
            won = not show and move == answer
            tried += [] if show else [move]
            values: dict[str, Any] = {"tried": tried}
            if won or show or len(tried) >= deals.PUZZLE_TRIES:
                rank = len(tried) if won else deals.PUZZLE_TRIES + 1
                values |= {"finished": now, "rank": rank, "won": won, "resigned": show}
            connection.execute(sa.update(dailies).where(mine).values(values))

        await self._store.run(job)

    async def check_unsealed(self, person: Person | None, game: str, seed: str) -> None:
        """Raise :class:`Sealed` if this deal is a daily one that the person has yet to finish.

        Nothing is sealed once a day's results are final.
        """
        today = self.today()
        days = (today + DAY, today, today - DAY)  # tomorrow's, dealt while the clock was ahead
        dealt = [deals.daily_deal(self._secret, day, GAMES[game]) for day in days if game in GAMES]
        day = next((deal.day for deal in dealt if deal.seed == seed), None)
        if day is None:
            return
        mine = await self.found(person, day, game)
        if mine is None or not mine.finished:
            raise Sealed(
                f"this is a daily deal, and you would see its cards: finish it first, or come "
                f"back after {(day + DAY).isoformat()}"
            )

    async def is_trying(self, person: Person | None, puzzle: Puzzle) -> bool:
        """Return whether this is today's puzzle and the person's try at it hasn't ended."""
        today = self.today()
        if person is None or deals.daily_puzzle(self._secret, today) is not puzzle:
            return False
        mine = await self.found(person, today, PUZZLE)
        return mine is not None and not mine.finished

    async def _tries(self, **equal: str) -> list[DailyTry]:
        query = sa.select(dailies).filter_by(**equal).order_by(dailies.c.day, dailies.c.game)
        return await self._store.run(lambda c: [_try(row) for row in c.execute(query)])


def days_played(tries: Sequence[DailyTry]) -> set[date]:
    """Return the days that count for a streak: a try was finished, not given up."""
    return {one.day for one in tries if one.finished and not one.resigned}


def _plan(deal: DailyDeal, daily: str = "") -> TablePlan:
    seats = [SeatPlan("bot", bot=deals.LEVEL)] * deal.seats
    seats[deal.seat] = SeatPlan("me")
    return TablePlan(deal.game, seats, deal.options, dealt=deal.seed, daily=daily)


def _row(day: date, game: str, person: Person, token: str | None) -> dict[str, Any]:
    """Return the row of a try that begins."""
    return {
        "day": day.isoformat(),
        "game": game,
        "person": person.id,
        "token": token,
        "begun": CLOCK.now(),
        "won": False,
        "resigned": False,
        "tried": [],
    }


def _try(row: Any) -> DailyTry:
    done = row.finished is not None
    return DailyTry(
        *(date.fromisoformat(row.day), row.game, row.token, done, row.resigned, tuple(row.tried)),
        DailyResult.of(row.rank, row.score, row.won) if done else None,
    )
