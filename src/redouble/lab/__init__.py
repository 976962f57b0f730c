"""Many games: simulation, tournaments, and how house rules change a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from redouble.contract.game import Game
from redouble.contract.registry import GAMES

if TYPE_CHECKING:
    from redouble.lab.arena.sequential import BotComparison
    from redouble.lab.shards import Executor
    from redouble.lab.studies.sweep import StudyTable

__all__ = ["compare", "study"]


def compare(
    game: Game | str,
    first: str,
    second: str,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    margin: float = 5.0,
    games: int = 20_000,
    seed: str = "compare",
    executor: Executor | None = None,
) -> BotComparison:
    """Let two bots play until it is clear which is better, or that they are about equal.

    ``str()`` of the result is the answer in a sentence. The bots are texts as ``redouble arena``
    takes them, such as ``"master"``. They are about equal if they differ by less than ``margin``
    points, hundredths of the share of opponents beaten. After ``games`` games the answer is "not
    clear". It does not depend on ``executor``; without one, all cores of this machine are used.

    Raises :class:`~redouble.lab.arena.plan.TournamentError`, and what
    :func:`~redouble.lab.arena.entrants.entrants` and
    :class:`~redouble.lab.arena.tournament.Tournament` raise. If Ctrl-C comes before the first deal
    is complete, :class:`KeyboardInterrupt` is raised; later, the result is that of the deals so
    far.
    """
    from redouble.lab.arena.entrants import entrants
    from redouble.lab.arena.tournament import Tournament

    chosen = GAMES[game] if isinstance(game, str) else game
    bots = entrants([first, second])
    tournament = Tournament(chosen, bots, games, seats, options, seed, margin=margin)
    found = tournament.play(executor=executor).comparison
    if found is None:
        raise KeyboardInterrupt
    return found


def study(
    game: Game | str,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    bots: str = "random",
    sweep: Mapping[str, Iterable[Any]] | None = None,
    skill: str = "greedy,novice",
    games: int = 10_000,
    seed: str = "study",
    executor: Executor | None = None,
) -> StudyTable:
    """Simulate a game and return its figures as a table: a row for each setting.

    ``sweep`` has lists of values by what they change: ``seats``, ``bots`` or an option; without it
    the table has one row. The other arguments are those of ``redouble study``. Without ``executor``
    all cores of this machine are used. Raises :class:`~redouble.lab.studies.plan.StudyError`,
    and what :func:`~redouble.lab.studies.plan.setting` raises.
    """
    from redouble.lab.studies import plan
    from redouble.lab.studies.sweep import axes_of
    from redouble.lab.studies.sweep import sweep as carry_out

    chosen = GAMES[game] if isinstance(game, str) else game
    one = plan.setting(chosen, seats, {} if options is None else options, bots)
    axes = axes_of({"seats": [one.seats]} if sweep is None else sweep)
    first = plan.StudyPlan((one,), games, seed, plan.skill_pair(skill))
    return carry_out(first, axes, executor)
