"""Running a study: its games as shards, of which the results are added up in order.

The results do not depend on where the shards are played, and a study that is stopped early equals a
study of its first games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from operator import add

from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.extras import require
from redouble.lab import shards
from redouble.lab.shards import Executor, InOrder, Shard, check_executor
from redouble.lab.studies.plan import POLICIES, StudyPlan
from redouble.lab.studies.series import CHUNK, Part, Series, plays_of, warm

__all__ = ["StudyJob", "StudyOutcome", "carry_out"]

MAIN, SKILL = "main", "skill"
"""The series of shards: the games of the main series, and the deals that measure skill."""


@dataclass(frozen=True)
class StudyOutcome:
    """The sums of a study; :func:`~redouble.lab.studies.figures.findings` makes figures of them."""

    plan: StudyPlan
    main: Part
    skill: Part | None
    """None if skill is not measured, or if the study was stopped before its first deal."""
    stopped: bool
    played: int
    """The total number of games, including those for skill."""
    seconds: float
    """The time they took, without loading compiled code."""


@dataclass(frozen=True)
class StudyJob:
    """The games of a plan as shards."""

    plan: StudyPlan

    def shards(self) -> Iterator[Shard]:
        """Return all shards, the series interleaved, so that an early stop has some of both."""
        plan = self.plan
        bots = [bot for setting in plan.settings for bot in setting.bots]
        pair = plan.skill or ()
        plays = max(plays_of(setting) for setting in plan.settings)
        main = _cut(MAIN, plan.games, 1 if _searches(bots) else CHUNK)
        size = 1 if _searches(pair) else max(1, CHUNK // plays)
        skill = _cut(SKILL, deals_for_skill(plan), size)
        return (shard for _, shard in merge(main, skill, key=lambda pair: pair[0]))

    def warm(self) -> None:
        """Compile or load the code by playing a quick game in each setting."""
        for setting in self.plan.settings:
            warm(self.plan.game, setting)

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], Part]:
        """Return what plays a shard."""
        series = Series(self.plan)

        def play(shard: Shard) -> Part:
            one = series.skill if shard.series == SKILL else series.main
            return one(shard.first, shard.count)

        return play


def deals_for_skill(plan: StudyPlan) -> int:
    """Return the number of deals for skill: together they have as many games as the main series."""
    if plan.skill is None:
        return 0
    plays = min(plays_of(setting) for setting in plan.settings)
    return -(-plan.games // plays)


def _cut(series: str, total: int, size: int) -> Iterator[tuple[float, Shard]]:
    """Cut a series into shards, each with the share of the series that comes before it."""
    for first in range(0, total, size):
        yield first / total, Shard(series, first, min(size, total - first))


def _searches(bots: Iterable[str]) -> bool:
    return any(POLICIES[bot].iterations for bot in bots)


def carry_out(
    plan: StudyPlan, executor: Executor, watch: Callable[[int, int], None]
) -> StudyOutcome:
    """Play the games of a plan and return what was counted.

    ``watch`` is called with the number of games done and the total. Ctrl-C ends the study early,
    with the shards that are complete. Raises :class:`KeyboardInterrupt` if there are none yet,
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and
    :class:`~redouble.kernel.errors.MissingExtra` without the package for statistics.
    """
    require("a study", "lab", "scipy")  # before any game is played
    checks.instance(plan, StudyPlan, "plan")
    check_executor(executor, InputError)
    if not callable(watch):
        raise checks.wrong("watch", watch, "a function of the games done and the total", InputError)
    sums: dict[str, InOrder[Part]] = {MAIN: InOrder(add), SKILL: InOrder(add)}
    all_of_it = plan.games + deals_for_skill(plan)
    done = 0

    def take(shard: Shard, part: Part) -> None:
        nonlocal done
        sums[shard.series].take(shard, part)
        done += shard.count

    def follow(stopping: bool) -> None:
        if not stopping:
            watch(done, all_of_it)

    ran = shards.carry_out(StudyJob(plan), executor, take, follow)
    main, skill = sums[MAIN].total, sums[SKILL].total
    if main is None:
        raise KeyboardInterrupt
    played = main.games * len(plan.settings)
    if skill is not None:
        played += skill.games * sum(plays_of(setting) for setting in plan.settings)
    return StudyOutcome(plan, main, skill, done < all_of_it, played, ran.seconds)
