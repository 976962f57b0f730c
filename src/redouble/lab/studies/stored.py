"""The findings of a study as ``redouble study --json`` writes them, and how they are read back.

Each class is a part of the file, with the file's keys as its fields, in order.
"""

from dataclasses import dataclass
from math import prod
from typing import Annotated, Any

from annotated_types import Ge, Le, Len

from redouble.kernel.border import JsonShape
from redouble.lab.stored import StoredResults
from redouble.lab.studies.plan import Axis, StudyError

__all__ = [
    "SeatTest",
    "StoredDifference",
    "StoredFigure",
    "StoredHistogram",
    "StoredSetting",
    "StoredSkill",
    "StoredSpread",
    "StoredStudy",
    "StoredSweep",
]

Count = Annotated[int, Ge(0)]
Positive = Annotated[int, Ge(1)]
Chance = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True)
class StoredSkill(JsonShape):
    """How skill was measured."""

    strong: str
    weak: str
    deals: Count
    """Deals that were played from every seat."""


@dataclass(frozen=True)
class StoredFigure(JsonShape):
    """One figure of one setting."""

    key: str
    label: str
    mean: float
    """A share is a number from 0 to 1."""
    low: float | None
    """The lower end of the 95% interval; None if there were too few games for one."""
    high: float | None
    deviation: float | None
    """The standard deviation between games; None for shares."""
    fair: float | None
    """The value if nothing mattered; None for figures without one."""
    sentence: str


@dataclass(frozen=True)
class SeatTest(JsonShape):
    """A test of whether the seats differ at all."""

    chi_square: float
    degrees: Count
    """Degrees of freedom: one less than there are seats."""
    p: Chance
    sentence: str


@dataclass(frozen=True)
class StoredHistogram(JsonShape):
    """Bars of equal width."""

    edges: tuple[int, ...]
    """One more than there are bars."""
    games: tuple[Count, ...]
    """The number of games in each bar."""


@dataclass(frozen=True)
class StoredSpread(JsonShape):
    """How a number differs between games."""

    quantiles: dict[str, int]
    """By share, such as ``"0.5"`` for the median."""
    histogram: StoredHistogram


@dataclass(frozen=True)
class StoredSetting(JsonShape):
    """All figures of one setting."""

    seats: Positive
    bots: tuple[str, ...]
    """The name of a bot for each seat."""
    options: dict[str, Any]
    figures: tuple[StoredFigure, ...]
    seat_test: SeatTest | None
    """None in a solitaire game."""
    moves: StoredSpread
    decisions: StoredSpread


@dataclass(frozen=True)
class StoredDifference(JsonShape):
    """A figure of the second setting minus that of the first, on the same deals."""

    key: str
    label: str
    first: float
    second: float
    difference: float
    low: float | None
    """The lower end of the 95% interval; None if there were too few games for one."""
    high: float | None
    p: Chance
    significant: bool
    """By Holm's method over all differences of the study."""
    sentence: str


@dataclass(frozen=True)
class StoredStudy(StoredResults):
    """The findings of a study as its JSON holds them."""

    WHAT = "the findings of a study"
    ERROR = StudyError

    game: str
    rules: int
    """The version of the game's rules."""
    seed: str
    games: Count
    """Games in each setting that ended."""
    asked: Positive
    """Games in each setting that were planned."""
    stopped: bool
    given_up: Count
    """Games that were left out because they did not end."""
    skill: StoredSkill | None
    """None if skill was not measured."""
    settings: Annotated[tuple[StoredSetting, ...], Len(1, 2)]
    differences: tuple[StoredDifference, ...]
    """None with one setting."""

    def _check(self) -> None:
        if self.differences and len(self.settings) < 2:
            raise StudyError("differences need two settings: there is one")
        for setting in self.settings:
            if len(setting.bots) != setting.seats:
                raise StudyError(f"{len(setting.bots)} bots for {setting.seats} seats")
            for spread in (setting.moves, setting.decisions):
                edges, bars = len(spread.histogram.edges), len(spread.histogram.games)
                if edges != bars + 1:
                    raise StudyError(f"a histogram with {bars} bars and {edges} edges")


@dataclass(frozen=True)
class StoredSweep(StoredResults):
    """The findings of a sweep as its JSON holds them."""

    WHAT = "the findings of a sweep"
    ERROR = StudyError

    sweep: Annotated[tuple[Axis, ...], Len(1)]
    stopped: bool
    studies: Annotated[tuple[StoredStudy, ...], Len(1)]
    """One for each combination of values, the last axis changing fastest; if the sweep was stopped,
    for the first ones."""

    def _check(self) -> None:
        most = prod(len(axis.values) for axis in self.sweep)
        if len(self.studies) > most or (len(self.studies) < most and not self.stopped):
            raise StudyError(f"{len(self.studies)} studies for {most} combinations")
        for study in self.studies:
            study._check()
