"""What the end of a game changed in a player's results, in the panel of its end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from redouble.contract.page import html
from redouble.contract.page.html import Html
from redouble.web.drawing.markup.ending import draw_tally
from redouble.web.feature import TableVisit
from redouble.web.features.ratings.rows import Change, change_at
from redouble.web.people.results import Statistics, results_of, statistics
from redouble.web.people.scores import Score, between, of_series
from redouble.web.table.verdict import AWAY, LEFT, RESIGNED, UNPLAYED, bots_at_end

_WHY_LAST = {
    RESIGNED: "You resigned, which counts as last place.",
    UNPLAYED: "You resigned, which counts as last place.",
    LEFT: "A bot made most of your moves and the last ones, which counts as last place.",
}


@dataclass(frozen=True)
class Progress:
    """What one result changed in a person's results, later ones left aside."""

    now: Statistics
    before: Statistics
    won: bool
    why_not: str
    """Why it doesn't count, in a sentence; empty if it does."""
    why_last: str
    """Why it counts as last place, in a sentence; empty unless the player left it."""
    helped: bool
    """Whether it is a win with the solver's help."""

    @property
    def headline(self) -> str:
        if self.why_not:
            return "This game doesn't count"
        if self.helped:
            return "Won with the solver's help"
        if self.won and self.now.streak > 1:
            return f"{self.now.streak} wins in a row"
        if self.won and self.now.won == 1:
            return "Your first win"
        if not self.won and self.before.streak > 1:
            return f"After {self.before.streak} wins in a row, a loss"
        games = f"{self.now.played} game{'' if self.now.played == 1 else 's'}"
        return f"{self.now.won or 'No'} win{'' if self.now.won == 1 else 's'} in {games}"

    @property
    def detail(self) -> str:
        if self.why_not:
            return self.why_not
        if self.helped:
            return "Such wins are counted apart."
        if self.why_last:
            return self.why_last
        best = self.now.best_streak
        if best < 2:
            return ""
        if self.won and best > self.before.best_streak:
            return "That's your best so far."
        return f"Your best is {best} in a row."


async def ending(visit: TableVisit) -> Html | None:
    """Return what the end of a game changed: the running score, and a player's own results."""
    return html.fragment([await _score(visit), await _progress(visit)])


async def _score(visit: TableVisit) -> Html | None:
    """Return who has won how many games at a table, rematch after rematch, and in all."""
    table, me = visit.table, visit.person.id if visit.person else ""
    names = {one.person: one.name for one in table.seats if one.person}
    if len(names) < 2:
        return None
    others = names.keys() - {me}
    (games, won), scores = await visit.site.store.run(
        lambda c: (of_series(c, table.header.token), between(c, me, others))
    )
    said = []
    if games > 1 and me in names and len(others) == 1:
        said.append(f"At this table, {Score(won.get(me, 0), *(won.get(o, 0) for o in others))}.")
    elif games > 1:
        wins = ", ".join(f"{name} {won.get(one, 0)}" for one, name in names.items())
        said.append(f"Games won at this table: {wins}.")
    said += [f"In all games with {names[one]}, {score}." for one, score in scores.items()]
    return html.div({"class": "score"}, [html.p(one) for one in said]) if said else None


async def _progress(visit: TableVisit) -> Html | None:
    """Return what the end of a game changed in the results of a player.

    Games alone and with others are counted apart. None for a person who has several seats, or
    none.
    """
    table, person = visit.table, visit.person
    if person is None or len(table.seats_of(person.id)) != 1:
        return None
    me, token = person.id, table.header.token
    results, rating = await visit.site.store.run(
        lambda c: (results_of(c, me, table.game.name), change_at(c, me, token))
    )
    found = progress((row for row in results if (row["seats"] == 1) == table.alone), token)
    if found is None:
        unplayed = table.over_by_rules and table.seats_of(me)[0] in bots_at_end(table)
        return html.p("You made no move, so this isn't your game.") if unplayed else None
    return html.section(
        {"class": "progress", "aria-labelledby": "progress-title"},
        html.h3({"id": "progress-title"}, found.headline),
        bool(found.detail) and html.p(found.detail),
        rating and _rating(rating),
        table.casual and html.p("A casual game: ratings stay as they are."),
        draw_tally(found.now, others=not table.alone),
    )


def progress(results: Iterable[Mapping[str, Any]], token: str) -> Progress | None:
    """Return what the result at one table changed; None without such a result.

    ``results`` are a person's in one game, oldest first.
    """
    rows = list(results)
    at = next((i for i, row in enumerate(rows) if row["token"] == token), None)
    if at is None:
        return None
    here = rows[at]
    now, before = statistics(rows[: at + 1]), statistics(rows[:at])
    helped = bool(here["won"] and here.get("helped"))
    why_last = "" if here.get("seats") == 1 else _WHY_LAST.get(here.get("reason", ""), "")
    return Progress(now, before, here["won"], _why_not(here), why_last, helped)


def _why_not(result: Mapping[str, Any]) -> str:
    if result["counts"]:
        return ""
    if result["reason"] == AWAY:
        return "A bot won it for you."
    return "Moves were undone after new cards were seen."


def _rating(change: Change) -> Html:
    now, gained = round(change.after.points), change.gained
    way = f"up {gained}" if gained > 0 else f"down {-gained}" if gained else "as before"
    return html.p(
        "Your rating is ", html.a({"href": f"/ranking/{change.game}"}, f"{now:,}"), f", {way}."
    )
