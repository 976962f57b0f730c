"""Running a study: its games as shards, of which the results are added up in order.

The results do not depend on where the shards are played, and a study that is stopped early equals a
study of its first games.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from operator import add

from redouble.kernel import checks
from redouble.kernel.extras import require
from redouble.lab.shards import Executor, Shard, add_up, check_callable, cut
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
        main = cut(MAIN, plan.games, 1 if _searches(bots) else CHUNK)
        deals = deals_for_skill(plan)
        skill = cut(SKILL, deals, 1 if _searches(pair) else max(1, CHUNK // plays))
        totals = {MAIN: plan.games, SKILL: deals}
        return merge(main, skill, key=lambda shard: shard.first / totals[shard.series])

    def warm(self) -> None:
        """Compile or load the code by playing a quick game in each setting."""
        for setting in self.plan.settings:
            warm(self.plan.game, setting)

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], Part]:
        series = Series(self.plan)
        games = {MAIN: series.main, SKILL: series.skill}
        return lambda shard: games[shard.series](shard.first, shard.count)


def deals_for_skill(plan: StudyPlan) -> int:
    """Return the number of deals for skill: together they have as many games as the main series."""
    if plan.skill is None:
        return 0
    plays = min(plays_of(setting) for setting in plan.settings)
    return -(-plan.games // plays)


def _searches(bots: Iterable[str]) -> bool:
    return any(POLICIES[bot].iterations for bot in bots)


def carry_out(
    plan: StudyPlan, executor: Executor | None, watch: Callable[[int, int], None]
) -> StudyOutcome:
    """Play the games of a plan and return what was counted.

    ``watch`` is called with the number of games done and the total. Ctrl-C ends the study early,
    with the shards that are complete. Without an ``executor`` all cores of this machine are used.
    Raises :class:`KeyboardInterrupt` if there are none yet,
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and
    :class:`~redouble.kernel.errors.MissingExtra` without the package for statistics.
    """
    require("a study", "lab", "scipy")  # before any game is played
    checks.instance(plan, StudyPlan, "plan")
    check_callable(watch, "watch", "a function of the games done and the total")
    total = plan.games + deals_for_skill(plan)
    found, ran = add_up(StudyJob(plan), executor, add, lambda done: watch(done, total))
    main, skill = found.get(MAIN), found.get(SKILL)
    if main is None:
        raise KeyboardInterrupt
    deals = 0 if skill is None else skill.games
    played = main.games * len(plan.settings)
    played += deals * sum(plays_of(setting) for setting in plan.settings)
    return StudyOutcome(plan, main, skill, main.games + deals < total, played, ran.seconds)
