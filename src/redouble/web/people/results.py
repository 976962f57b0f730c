"""The results of people: saved when a game ends, and counted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.web.store.schema import log, results, seats, tables
from redouble.web.table import Table
from redouble.web.table.acts.play import AskSolver
from redouble.web.table.verdict import verdicts


@dataclass(frozen=True)
class Statistics:
    """A person's results in one game."""

    played: int
    won: int
    streak: int
    """Latest games won in a row."""
    best_streak: int
    average_rank: float
    """Counted from 1; meaningful for games with other players."""
    average_score: float | None
    """None for games without scores."""
    helped: int
    """Games won with the solver's help, which aren't among the others."""

    @property
    def share(self) -> int:
        """Games won, in percent."""
        return round(100 * self.won / self.played) if self.played else 0


def is_counted(result: Mapping[str, Any]) -> bool:
    """Return whether a result is among those that are counted together."""
    return bool(result["counts"] and not (result["won"] and result.get("helped")))


def by_game(results: Iterable[dict[str, Any]]) -> dict[str, Statistics]:
    """Return statistics of results by game, in the order of the games."""
    rows = list(results)
    found = {name: [row for row in rows if row["game"] == name] for name in GAMES}
    return {name: statistics(mine) for name, mine in found.items() if mine}


def statistics(results: Iterable[Mapping[str, Any]]) -> Statistics:
    """Count results, oldest first, without those that are marked as not counting."""
    every = list(results)
    rows = [row for row in every if is_counted(row)]
    streak = best = 0
    for row in rows:
        streak = streak + 1 if row["won"] else 0
        best = max(best, streak)
    scores = [row["score"] for row in rows if row["score"] is not None]
    return Statistics(
        played=len(rows),
        won=sum(row["won"] for row in rows),
        streak=streak,
        best_streak=best,
        average_rank=sum(row["rank"] for row in rows) / len(rows) if rows else 0.0,
        average_score=sum(scores) / len(scores) if scores else None,
        helped=sum(row["counts"] and not is_counted(row) for row in every),
    )


def results_of(
    connection: sa.Connection, person: str, game: str | None = None
) -> list[dict[str, Any]]:
    """Return a person's results, oldest first; only those of ``game`` if it is given."""
    asked = sa.exists().where(log.c.token == results.c.token, log.c.kind == AskSolver.kind)
    helped = sa.and_(results.c.seats == 1, asked).label("helped")
    query = sa.select(results, helped).where(results.c.person == person).order_by(results.c.at)
    if game is not None:
        query = query.where(results.c.game == game)
    return [dict(row._mapping) for row in connection.execute(query)]


def results_in_detail(
    connection: sa.Connection, person: str, game: str | None = None
) -> list[dict[str, Any]]:
    """Return a person's results, oldest first, with the tables' options and other seats.

    ``others`` lists each of these with its ``bot``, a level or nothing, and its ``person``.
    """
    rows = results_of(connection, person, game)
    mine = results.c.person == person
    if game is not None:
        mine = sa.and_(mine, results.c.game == game)
    chosen = sa.select(tables.c.token, tables.c.options).join(results).where(mine)
    options = {row.token: row.options for row in connection.execute(chosen)}
    sitting = sa.select(seats).join(results, seats.c.token == results.c.token).where(mine)
    others: dict[tuple[str, int], dict[str, Any]] = {
        (row.token, row.seat): {"bot": row.bot, "person": row.person}
        for row in connection.execute(sitting)
    }
    for row in rows:
        row["options"] = options[row["token"]]
        row["others"] = [
            other
            for (token, seat), other in others.items()
            if token == row["token"] and seat != row["seat"]
        ]
    return rows


def result_rows(table: Table) -> list[dict[str, Any]]:
    """Return the results of the people whose game it was at a table; none while it runs."""
    scores = table.match.outcome.scores if table.match.outcome else None
    return [
        {
            "token": table.header.token,
            "seat": one.seat,
            "person": one.person,
            "game": table.game.name,
            "seats": table.match.seats,
            "rank": one.rank,
            "score": scores[one.seat] if scores else None,
            "won": one.won,
            "counts": one.counts,
            "undos": table.undone.times,
            "moves": table.match.ply,
            "reason": one.reason,
            "at": table.changed,
        }
        for one in verdicts(table)
    ]


def save_results(connection: sa.Connection, table: Table) -> None:
    """Replace the results of a table; there are none while its game runs."""
    connection.execute(sa.delete(results).where(results.c.token == table.header.token))
    if rows := result_rows(table):
        connection.execute(sa.insert(results), rows)
