"""``redouble models``: language models beside bots."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from redouble.bots.levels import EXPERT
from redouble.commands import arguments
from redouble.contract.registry import GAMES
from redouble.kernel.checks import counted
from redouble.kernel.settings import option, switch

if TYPE_CHECKING:
    from redouble.lab.arena.intervals import Estimate
    from redouble.lab.models import Model, PlayerSummary

_NAMED = re.compile(r"([\w.-]{1,40})=(?=.)")


def models(
    game: arguments.GameName,
    players: Annotated[
        list[str],
        arguments.argument(
            "PLAYER",
            "Models, as FILE.py:FUNCTION that gets a prompt and returns an answer, and bots of"
            f" {arguments.BOT_NAMES}. NAME=PLAYER gives a name.",
        ),
    ],
    games: Annotated[
        int,
        option("N", "Games of each player, rounded up to deals played from every seat.", low=1),
    ] = 40,
    seats: arguments.Seats = None,
    level: Annotated[
        str, option("LEVEL", f"Level of the bots at the other seats: {arguments.LEVEL_NAMES}.")
    ] = EXPERT,
    options: arguments.Rule = None,
    seed: arguments.FixedSeed = "models",
    out: Annotated[
        Path | None,
        option(
            "FILE",
            "Add each game to this file, and continue after those in it.",
            read=arguments.output_file,
        ),
    ] = None,
    workers: Annotated[
        int, option("N", "How many games are played at a time.", low=1, high=256)
    ] = 1,
    max_cost: Annotated[
        float | None, option("COST", "Stop when the models have cost this much.", low=0)
    ] = None,
    max_tokens: Annotated[
        int | None, option("N", "Stop after this many tokens, read and written.", low=1)
    ] = None,
    review: Annotated[
        bool, switch("--review", "Review each game: what mistakes cost, and what luck was.")
    ] = False,
    regret: Annotated[
        bool, switch("--regret", "Say what decisions gave away, exactly, where that can be done.")
    ] = False,
    endings: Annotated[
        bool,
        switch(
            "--endings",
            "Play only ends of games, where that can mostly be done; experts play until then."
            " --option replaces the options that make such ends likely.",
        ),
    ] = False,
) -> None:
    """Let language models play beside bots.

    Each player plays each deal once from every seat against bots of one level, so that luck mostly
    cancels out. Ctrl-C or a spent budget stops it; with --out, run it again to continue.
    """
    from rich.text import Text

    from redouble.commands.standings import draw_table
    from redouble.lab.models import EvaluationPlan, evaluate, summaries

    chosen = GAMES[game]
    players_in = chosen.usual_seats if seats is None else seats
    given = chosen.check_options(players_in, chosen.read_options(options)) if options else {}
    if endings and not given:
        given = chosen.ending_options(players_in)
    deals = -(-games // players_in)
    plan = EvaluationPlan(chosen.name, players_in, deals, seed, level, given, endings=endings)
    with arguments.progress_bar() as bar:
        task = bar.add_task("games", total=None)
        found = evaluate(
            plan,
            _players(players),
            out,
            parallel=workers,
            max_cost=max_cost,
            max_tokens=max_tokens,
            reviews=review,
            regrets=regret or endings,
            watch=lambda done, total: bar.update(task, completed=done, total=total),
        )
    console = arguments.results_console(120)
    heads = ["player", "reward", "legal", "tokens", "cost", "games"]
    if review:
        heads[2:2] = ["lost by mistakes", "without luck"]
    if regret or endings:
        heads[2:2] = ["exact regret", "judged exactly"]
    title = f"{chosen.title}, {counted(plan.seats, 'seat')}, against {level}"
    title += ", ends of games" if endings else ""
    rows = [_row(one, review, regret or endings) for one in summaries(found)]
    console.print(draw_table(heads, rows, title))
    console.print()
    said = f"{counted(len(found.games), 'game')} of {counted(plan.deals, 'deal')}."
    said += f" Seed: {plan.seed}."
    said += f" Stopped: {found.stopped}." if found.stopped else ""
    console.print(Text(said), soft_wrap=not console.is_terminal)
    arguments.exit_if_stopped(found.stopped)


def _players(texts: list[str]) -> dict[str, Model | str]:
    """Return the models and bots of these texts, by name. Raises :class:`EvaluationError`."""
    from redouble.lab.models import EvaluationError, model_in_file

    found: dict[str, Model | str] = {}
    for text in texts:
        named = _NAMED.match(text)
        rest = text[named.end() :] if named else text
        name, player = model_in_file(rest) if ".py" in rest else (rest, rest)
        name = named[1] if named else name
        if name in found:
            raise EvaluationError(f"two players are called {name}: write NAME={rest}")
        found[name] = player
    return found


def _row(one: PlayerSummary, review: bool, regret: bool) -> list[str]:
    tokens = f"{one.input_tokens + one.output_tokens:,}" if one.legal is not None else ""
    cost = f"{one.cost:.2f}" if one.legal is not None else ""
    legal = f"{one.legal:.0%}" if one.legal is not None else ""
    judged = [_figure(one.lost), _figure(one.without_luck)] if review else []
    if regret:
        decisions, missed = sum(one.judged.values()), one.judged.get("unjudged", 0)
        judged[:0] = [_figure(one.regret), f"{decisions - missed:,} of {decisions:,}"]
    return [one.player, _figure(one.reward), *judged, legal, tokens, cost, f"{one.games}"]


def _figure(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.mean:+.2f}"
    return f"{estimate.mean:+.2f} ± {(estimate.high - estimate.low) / 2:.2f}"
