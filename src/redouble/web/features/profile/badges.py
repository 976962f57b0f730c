"""Badges: things worth doing in these games, found in the results that a person has anyway."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from redouble.bots.levels import LEVELS
from redouble.contract.registry import GAMES
from redouble.web.features.profile.breakdown import played_by
from redouble.web.features.ratings.rows import UPSET
from redouble.web.people.results import is_counted

Row = Mapping[str, Any]
FULL = 5
"""Players at a full table."""


@dataclass(frozen=True)
class Deeds:
    """What a person has done."""

    person: str
    results: Sequence[Row]
    """Those that count, oldest first, with options and other seats."""
    dailies: Sequence[Row]
    upset: bool
    """Whether they have finished ahead of a player who was rated much higher."""

    @property
    def wins(self) -> list[Row]:
        return [row for row in self.results if row["won"]]

    def against_people(self, row: Row) -> bool:
        """Return whether other people played, and nobody had two seats."""
        people = {other["person"] for other in row["others"] if other["person"]}
        return bool(people) and self.person not in people

    def beaten(self, row: Row) -> set[str]:
        """Return the levels of the bots at a table that was won."""
        return {other["bot"] for other in row["others"] if other["bot"] and not other["person"]}


@dataclass(frozen=True)
class Badge:
    """Something worth doing once."""

    name: str
    how: str
    """How it is earned, as a sentence."""


_Earned = Callable[[Deeds], bool]


def deeds_of(person: str, results: Sequence[Row], dailies: Sequence[Row], upset: bool) -> Deeds:
    """Return what a person has done, by rows of their results and daily tries."""
    return Deeds(person, [row for row in results if is_counted(row)], dailies, upset)


def badges_of(deeds: Deeds) -> list[Badge]:
    """Return the badges that were earned, in their order."""
    return [badge for badge, earned in BADGES.items() if earned(deeds)]


def _every_game(rows: Sequence[Row]) -> bool:
    return {row["game"] for row in rows} >= set(GAMES)


def _ladder(deeds: Deeds) -> bool:
    by_game: defaultdict[str, set[str]] = defaultdict(set)
    for row in deeds.wins:
        by_game[row["game"]] |= deeds.beaten(row)
    return any(levels >= set(LEVELS) for levels in by_game.values())


def _in_a_row(deeds: Deeds) -> bool:
    by_game: defaultdict[str, list[bool]] = defaultdict(list)
    for row in deeds.results:
        if row["seats"] > 1:
            by_game[row["game"]].append(row["won"])
    three = (
        one and two and three
        for won in by_game.values()
        for (one, two), (_, three) in pairwise(pairwise(won))
    )
    return any(three)


def _by_other_rules(row: Row) -> bool:
    game = GAMES.get(row["game"])
    return game is not None and played_by(game, row)[0] > 0


BADGES: dict[Badge, _Earned] = {
    Badge("All-rounder", "Finish each game once."): lambda d: _every_game(d.results),
    Badge("Every crown", "Win each game once."): lambda d: _every_game(d.wins),
    Badge("Full table", f"Win at a table for at least {FULL} players."): lambda d: any(
        row["seats"] >= FULL for row in d.wins
    ),
    Badge("Master class", "Win against a master bot without an undo."): lambda d: any(
        list(LEVELS)[-1] in d.beaten(row) and not row["undos"] for row in d.wins
    ),
    Badge("Ladder", "Win against every level of bots in the same game."): _ladder,
    Badge("As it lies", "Win against other people without an undo."): lambda d: any(
        d.against_people(row) and not row["undos"] for row in d.wins
    ),
    Badge(
        "Hat trick", "Win the same game three times in a row, with others at the table."
    ): _in_a_row,
    Badge("Giant killer", f"Finish ahead of a player rated {UPSET} points above you."): lambda d: (
        d.upset
    ),
    Badge("First glance", "Solve a daily puzzle at the first try."): lambda d: any(
        not row["game"] and row["won"] and len(row["tried"]) == 1 for row in d.dailies
    ),
    Badge("Deal of the day", "Win a daily deal."): lambda d: any(
        row["game"] and row["won"] for row in d.dailies
    ),
    Badge(
        "Patience", "Win a game for one player without an undo and without the solver."
    ): lambda d: any(row["seats"] == 1 and not row["undos"] for row in d.wins),
    Badge("House rules", "Win a game by other rules than the standard ones."): lambda d: any(
        _by_other_rules(row) for row in d.wins
    ),
}
