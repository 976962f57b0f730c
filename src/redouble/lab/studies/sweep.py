"""Sweeps: the same study for each combination of some values, as one table.

All settings are played with the same seed, so that deals are shared where the number of players is
the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import nan, prod
from typing import Any

import numpy as np

from redouble.contract.game import Game
from redouble.contract.options import Flag
from redouble.kernel import checks
from redouble.kernel.extras import needs
from redouble.lab.shards import Executor, check_callable
from redouble.lab.studies.figures import Findings, Portrait, StudyFigure, findings
from redouble.lab.studies.plan import Axis, StudyError, StudyPlan, other_setting
from redouble.lab.studies.run import carry_out, deals_for_skill
from redouble.lab.studies.stored import StoredSweep

__all__ = ["StudyTable", "sweep"]

MAX_SETTINGS = 200
CHOSEN = (
    *("moves", "forced", "won", "leads", "ties", "points", "seat 1 wins"),
    *("strong_won", "strong_beats", "luck: skill", "luck: seat", "luck: deal"),
)
"""The figures that a printed table shows; arrays, frames and files have all of them."""


def read_axis(game: Game, text: str) -> Axis:
    """Read ``stall=20,50,100``, ``seats=2..6``, ``bots=club,expert``, or the name of a switch.

    Raises :class:`StudyError` and :class:`~redouble.kernel.errors.OptionError`.
    """
    checks.instance(game, Game, "game", StudyError)
    name, sign, values = checks.text(text, "a sweep", StudyError).partition("=")
    name = name.strip()
    if not sign:
        if name in {option.name for option in game.options if isinstance(option, Flag)}:
            return Axis(name, (False, True))
        raise StudyError(f"--sweep cannot be {text!r}: give NAME=VALUE,VALUE or NAME=FIRST..LAST")
    texts = [one for part in values.split(",") for one in _range(part.strip())]
    if name == "bots":
        return Axis(name, tuple(texts))
    if name == "seats":
        if not all(one.isascii() and one.isdecimal() and len(one) < 9 for one in texts):
            raise StudyError(f"--sweep seats cannot be {values!r}: give whole numbers")
        return Axis(name, tuple(int(one) for one in texts))
    seats = game.usual_seats
    for option in game.options:
        if option.name == name:
            given = (game.read_options([f"{name}={one}"])[name] for one in texts)
            return Axis(name, tuple(option.check(one, seats) for one in given))
    game.check_options(seats, {name: texts[0]})  # it says what the options are
    raise StudyError(f"{name} cannot be swept")


def _range(text: str) -> list[str]:
    """Return the numbers of ``2..6`` as texts, or the text itself."""
    first, dots, last = text.partition("..")
    if not (dots and first.isdecimal() and last.isdecimal() and max(len(first), len(last)) < 9):
        return [text]
    if not 0 <= int(last) - int(first) < MAX_SETTINGS:
        raise StudyError(f"a sweep cannot go from {first} to {last}")
    return [str(number) for number in range(int(first), int(last) + 1)]


def sweep_plans(first: StudyPlan, axes: Sequence[Axis]) -> list[StudyPlan]:
    """Return a plan for each combination; the last axis changes fastest.

    ``first`` has one setting, of which each combination is a change. Raises :class:`StudyError`,
    and what :class:`StudySetting` raises.
    """
    checks.instance(first, StudyPlan, "first", StudyError)
    given = checks.items(axes, "axes", "axes", StudyError)
    for axis in given:
        checks.instance(axis, Axis, "an axis", StudyError)
    names = [axis.name for axis in given]
    if len(set(names)) < len(names):
        raise StudyError("a name is swept twice: sweep each once")
    if len(first.settings) != 1:
        raise StudyError("a sweep cannot be compared with a second setting: leave one of them out")
    if not names or prod(len(axis.values) for axis in given) > MAX_SETTINGS:
        raise StudyError(f"a sweep needs 1 to {MAX_SETTINGS} combinations")
    plans = []
    for values in product(*(axis.values for axis in given)):
        changes = dict(zip(names, values, strict=True))
        seats, bots = changes.pop("seats", None), changes.pop("bots", None)
        changed = other_setting(first.settings[0], seats, bots, changes)
        plans.append(StudyPlan((changed,), first.games, first.seed, first.skill))
    return plans


@dataclass(frozen=True, eq=False)
class StudyTable:
    """The findings of a sweep: a row for each setting, a column for each figure."""

    axes: tuple[Axis, ...]
    findings: tuple[Findings, ...]
    """Of the first settings, if the sweep was stopped early."""
    stopped: bool

    @property
    def portraits(self) -> tuple[Portrait, ...]:
        """The figures of each setting."""
        return tuple(found.portraits[0] for found in self.findings)

    def values(self, name: str) -> tuple[Any, ...]:
        """Return what an axis was in each setting. Raises :class:`StudyError` for another name."""
        checks.text(name, "name", StudyError)
        names = [axis.name for axis in self.axes]
        if name not in names:
            raise StudyError(f"{name} was not swept: the axes are {', '.join(names)}")
        rows = list(product(*(axis.values for axis in self.axes)))[: len(self.findings)]
        return tuple(row[names.index(name)] for row in rows)

    def keys(self, *, printed: bool = False) -> list[str]:
        """Return the keys of all figures that a setting has, or of those that are printed."""
        found = dict.fromkeys(figure.key for one in self.portraits for figure in one.figures)
        return [key for key in found if not printed or key in CHOSEN]

    def figures(self, key: str) -> list[StudyFigure | None]:
        """Return a figure of each setting; None where a setting doesn't have it."""
        return [portrait.figure(key) for portrait in self.portraits]

    def columns(self) -> dict[str, np.ndarray[Any, np.dtype[Any]]]:
        """Return the table as arrays of the shape (settings,), by the names of the columns.

        Each axis has a column. Each figure has three ``float64`` columns: its key, and with
        `` low`` and `` high`` the ends of its 95% interval; shares are from 0 to 1, and nan stands
        where there is no such figure.
        """
        found: dict[str, np.ndarray[Any, np.dtype[Any]]] = {}
        for axis in self.axes:
            values = self.values(axis.name)
            plain = all(isinstance(value, (bool, int, float, str)) for value in values)
            found[axis.name] = np.array(values, None if plain else object)
        for key in self.keys():
            figures = self.figures(key)
            found[key] = np.array([nan if one is None else one.mean for one in figures])
            for end in ("low", "high"):
                ends = [None if one is None else getattr(one, end) for one in figures]
                found[f"{key} {end}"] = np.array([nan if one is None else one for one in ends])
        return found

    def frame(self) -> Any:
        """Return :meth:`columns` as a ``pandas.DataFrame``. Raises :class:`MissingExtra`."""
        with needs("a data frame", "lab"):
            import pandas as pd
        return pd.DataFrame(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain JSON, as :meth:`StoredSweep.parse` reads it."""
        studies = tuple(found.stored() for found in self.findings)
        return StoredSweep(self.axes, self.stopped, studies).to_dict()


def sweep(
    first: StudyPlan,
    axes: Sequence[Axis],
    executor: Executor | None = None,
    watch: Callable[[int, int], None] = lambda done, of: None,
) -> StudyTable:
    """Carry out a study for each combination of the axes' values.

    ``watch`` is called with the number of games done and the total. Ctrl-C ends the sweep with what
    has been played. Raises :class:`KeyboardInterrupt` if that is nothing, :class:`StudyError`, and
    what :func:`~redouble.lab.studies.run.carry_out` raises.
    """
    plans = sweep_plans(first, axes)
    check_callable(watch, "watch", "a function of the games done and the total", StudyError)
    sizes = [plan.games + deals_for_skill(plan) for plan in plans]
    table: list[Findings] = []
    stopped = False
    for number, plan in enumerate(plans):
        before = sum(sizes[:number])

        def follow(done: int, of: int, before: int = before) -> None:
            watch(before + done, sum(sizes))

        try:
            outcome = carry_out(plan, executor, follow)
        except KeyboardInterrupt:
            if not table:
                raise
            stopped = True
            break
        table.append(findings(outcome))
        stopped = outcome.stopped
        if stopped:
            break
    return StudyTable(tuple(axes), tuple(table), stopped)


def axes_of(values: Mapping[str, Iterable[Any]]) -> list[Axis]:
    """Return the axes with these values by name. Raises :class:`StudyError`."""
    if not isinstance(values, Mapping):
        raise checks.wrong("sweep", values, "a dictionary of values by name", StudyError)
    return [Axis(name, tuple(one)) for name, one in values.items()]


def label(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)
