"""A person's results in one game, broken down: over time, by opponents, players and house rules."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redouble.analysis.stats import wilson
from redouble.bots.levels import LEVELS
from redouble.contract.game import Game
from redouble.web.drawing.words import house_rules
from redouble.web.features.ratings.ratings import Rating
from redouble.web.people.results import Statistics, is_counted, statistics

Row = Mapping[str, Any]

WINDOW = 20
"""Games over which the share of wins in the plot is taken."""
FEWEST = 5
"""Games that a plot needs."""
RATING_STEP = 100
"""Points between which the plot of a rating ends."""
WIDTH, HEIGHT, LEFT, MARGIN = 640, 180, 72, 16
"""The plot, in its own units."""
STANDARD = "Standard rules"


@dataclass(frozen=True)
class Group:
    """The results that have something in common."""

    label: str
    counted: Statistics
    low: int
    high: int
    """The 95% interval of the share of wins, in percent."""


@dataclass(frozen=True)
class Breakdown:
    """The same results, grouped by one thing."""

    title: str
    groups: list[Group]


@dataclass(frozen=True)
class Trend:
    """A figure after each game, as coordinates for a drawing."""

    points: str
    """In the notation of SVG."""
    levels: list[tuple[float, str]]
    """Heights and their labels."""
    games: int
    last: int
    """The figure at the end."""
    first: int
    band: str = ""
    """The outline of the 95% intervals of the figures, if they have any."""


def breakdowns(game: Game, results: Iterable[Row], person: str) -> list[Breakdown]:
    """Return the results that count, grouped. What all of them share is left out.

    ``results`` are rows of :func:`redouble.web.live.table_rows.results_in_detail`.
    """
    rows = [row for row in results if is_counted(row)]
    by: list[tuple[str, Callable[[Row], tuple[int, str]]]] = [
        ("Against whom", lambda row: company(row, person)),
        ("Players", lambda row: (row["seats"], f"{row['seats']} players")),
        ("House rules", lambda row: played_by(game, row)),
    ]
    found = [Breakdown(title, _groups(rows, key)) for title, key in by]
    return [one for one in found if len(one.groups) > 1]


def trend(results: Iterable[Row]) -> Trend | None:
    """Return how the share of wins has gone, in percent, over the last games each.

    None after too few games.
    """
    won = [bool(row["won"]) for row in results if is_counted(row)]
    if len(won) < FEWEST:
        return None
    shares = []
    for at in range(FEWEST, len(won) + 1):
        last = won[max(0, at - WINDOW) : at]
        shares.append(100 * sum(last) / len(last))
    return _trend(shares, [(share, f"{share}%") for share in (0, 50, 100)], len(won))


def rating_trend(history: Iterable[Row]) -> Trend | None:
    """Return how a person's rating in a game has gone; None before the first rated game."""
    ratings = [Rating(row["points"], row["spread"]) for row in history]
    if not ratings:
        return None
    above = [one.points + one.margin for one in ratings]
    below = [one.points - one.margin for one in ratings]
    low = RATING_STEP * math.floor(min(below) / RATING_STEP)
    high = max(RATING_STEP * math.ceil(max(above) / RATING_STEP), low + RATING_STEP)
    levels = [(number, f"{number:,}") for number in (low, (low + high) // 2, high)]
    return _trend([one.points for one in ratings], levels, len(ratings), (above, below))


def _trend(
    figures: Sequence[float],
    levels: Sequence[tuple[int, str]],
    games: int,
    band: tuple[Sequence[float], Sequence[float]] = ((), ()),
) -> Trend:
    """Return a plot of figures between the lowest and the highest of its levels.

    A ``band`` has what lies above and what lies below each figure.
    """
    low, high = levels[0][0], levels[-1][0]

    def x(i: int) -> float:
        return round(LEFT + (WIDTH - LEFT - MARGIN) * i / max(len(figures) - 1, 1), 1)

    def y(figure: float) -> float:
        return round(MARGIN + (HEIGHT - 2 * MARGIN) * (high - figure) / (high - low), 1)

    def line(figures: Sequence[float]) -> list[str]:
        points = [(x(i), y(figure)) for i, figure in enumerate(figures)]
        if len(points) == 1:  # a line needs two
            points.append((float(WIDTH - MARGIN), points[0][1]))
        return [f"{a},{b}" for a, b in points]

    above, below = map(line, band)
    return Trend(
        " ".join(line(figures)),
        [(y(number), word) for number, word in levels],
        games,
        round(figures[-1]),
        round(figures[0]),
        " ".join([*above, *reversed(below)]),
    )


def company(row: Row, person: str) -> tuple[int, str]:
    """Return who else sat at the table, in words, with a number to order them by."""
    others = row["others"]
    levels = list(LEVELS)
    if not others:
        return 0, "Alone"
    if any(other["person"] == person for other in others):
        return len(levels) + 3, "On one device"
    if any(other["person"] or not other["bot"] for other in others):
        return len(levels) + 2, "Other people"
    level, *more = sorted({other["bot"] for other in others})
    if more:
        return len(levels) + 1, "Bots of several levels"
    number = levels.index(level) + 1 if level in levels else len(levels) + 1
    return number, f"{level[:1].upper()}{level[1:]} bots"


def played_by(game: Game, row: Row) -> tuple[int, str]:
    """Return the house rules of a table in words, with a number to order them by."""
    usual = {option.name: option.default for option in game.options}
    known = {name: value for name, value in row["options"].items() if name in usual}
    changed = house_rules(game, {**usual, **known})
    said = [label if value == "yes" else f"{label}: {value}" for label, value in changed]
    return len(said), ", ".join(said) or STANDARD


def _groups(rows: list[Row], key: Callable[[Row], tuple[int, str]]) -> list[Group]:
    found: dict[tuple[int, str], list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    groups = []
    for (_, label), mine in sorted(found.items()):
        counted = statistics(mine)
        low, high = wilson(counted.won / counted.played, counted.played)
        groups.append(Group(label, counted, round(100 * low), round(100 * high)))
    return groups
