"""The results of a tournament as text, as plots, and as a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from redouble.kernel.extras import needs
from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.results import Standings
from redouble.lab.arena.sequential import BotComparison, ends
from redouble.lab.arena.stored import BotResult
from redouble.lab.arena.tournament import Tournament, TournamentResults
from redouble.lab.report import PLUS_MINUS, REPORT, Report, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
PLOT_NAME = 22
"""Letters of a bot's name that a plot shows."""
LEGEND_LETTERS, LEGEND_LINE = 56, 7
"""Letters on a line of a plot's legend, and the width of its sample line in letters."""


def percent(estimate: Estimate) -> str:
    """Return a share with its interval: ``61.3 ± 1.2%``, or both ends if it is lopsided."""
    mean = 100 * estimate.mean
    if estimate.low is None or estimate.high is None:
        return f"{estimate.mean:.1%}"
    below, above = mean - 100 * estimate.low, 100 * estimate.high - mean
    if abs(below - above) < 0.05:
        return f"{mean:.1f} {PLUS_MINUS} {above:.1f}%"
    return f"{mean:.1f} ({100 * estimate.low:.1f}{DASH}{100 * estimate.high:.1f})%"


def number(estimate: Estimate) -> str:
    if estimate.high is None:
        return f"{estimate.mean:.2f}"
    return f"{estimate.mean:.2f} {PLUS_MINUS} {estimate.high - estimate.mean:.2f}"


def rating(estimate: Estimate) -> str:
    """Return a rating with its interval: ``+120 (+90 to +155)``; zero has no sign."""
    mean = _points(estimate.mean)
    if estimate.low is None or estimate.high is None:
        return mean
    return f"{mean} ({_points(estimate.low)} to {_points(estimate.high)})"


def _points(value: float) -> str:
    return f"{round(value):+d}".replace("-", MINUS) if round(value) else "0"


def title(tournament: Tournament) -> str:
    """Return the game, its seats and the options that differ from their defaults."""
    plan = tournament.plan
    defaults = {option.name: option.default for option in tournament.game.options}
    changed = [f"{k}={v}" for k, v in tournament.options.items() if v != defaults[k]]
    seats = "1 seat" if plan.seats == 1 else f"{plan.seats} seats"
    return ", ".join([tournament.game.title, seats, *changed])


def summary(results: TournamentResults) -> str:
    plan, found = results.tournament.plan, results.standings
    if found is None:
        return f"Stopped before the first of {plan.deals:,} deals was complete."
    deals = "1 deal" if found.deals == 1 else f"{found.deals:,} deals"
    text = f"{deals}, each played {plan.bots} times: {found.games:,} games. Seed: {plan.seed}."
    if results.interrupted:
        text = f"Stopped early, after {found.deals:,} of {plan.deals:,} deals. {text}"
    if found.abandoned:
        text += f" {found.abandoned:,} games were given up because they did not end."
    return text


def measure_name(results: TournamentResults) -> str:
    return "deals won" if results.tournament.plan.seats == 1 else "opponents beaten"


def heads(results: TournamentResults) -> list[str]:
    names = ["bot", measure_name(results)]
    alone = results.tournament.plan.seats == 1
    names += [] if alone else ["games won"]
    names += ["mean rank"]
    names += ["mean score"] if results.tournament.scored else []
    return [*names, "rating", "failures"]


def row(results: TournamentResults, line: BotResult) -> list[str]:
    """Return a bot's row under :func:`heads`."""
    cells = [line.name, percent(line.utility)]
    if results.tournament.plan.seats > 1:
        cells.append(f"{line.win_share:.1%}")
    cells.append(f"{line.mean_rank:.2f}")
    if results.tournament.scored:
        cells.append(number(line.score) if line.score else DASH)
    cells.append(rating(line.rating))
    return [*cells, str(line.failures)]


def pair_rows(found: Standings, written: Callable[[Estimate], str] = percent) -> list[list[str]]:
    """Return the rows of the table of pairs, the best bot first."""
    order = found.order
    return [
        [
            found.lines[a].name,
            *("" if a == b or not (e := found.pairs[a][b]) else written(e) for b in order),
        ]
        for a in order
    ]


def troubles(found: Standings) -> list[str]:
    return [
        f"{line.name} failed in {line.failures:,} of its {line.played:,} seats."
        f" The first failure: {line.first_failure}."
        for line in found.lines
        if line.failures
    ]


def page(results: TournamentResults) -> Report:
    tournament, found, compared = results.tournament, results.standings, results.comparison
    told = f"{compared} {summary(results)}" if compared else summary(results)
    report = Report(f"Tournament: {title(tournament)}", told)
    if found is None:
        report.paragraph("There are no results.")
        return report
    alone = tournament.plan.seats == 1
    report.heading("The bots")
    report.table(heads(results), [row(results, found.lines[bot]) for bot in found.order])
    report.plot(
        utility_plot(results, found),
        f"Each bot's share of {measure_name(results)}{'' if compared else ', 95% intervals'}",
    )
    for sentence in troubles(found):
        report.paragraph(sentence)
    report.heading("Who beats whom")
    report.table(
        ["", *(found.lines[bot].name for bot in found.order)],
        pair_rows(found),
        "How often the row's bot did better than the column's"
        + (" on the same deal" if alone else " in their games")
        + ", a tie counting half",
    )
    report.heading("Have the results settled?")
    report.plot(
        convergence_plot(results, found), f"The share of {measure_name(results)} after n deals"
    )
    if compared:
        report.plot(
            course_plot(compared),
            f"The points by which {compared.first} is ahead of {compared.second} after n deals,"
            " with the 95% interval; dotted, the margin",
        )
    report.heading("What the numbers mean")
    for text in meaning(alone, tournament.scored, bool(compared)):
        report.paragraph(text)
    report.paragraph(again(tournament))
    return report


def meaning(alone: bool, scored: bool, compared: bool) -> list[str]:
    first = (
        "Every bot plays every deal. Deals won is the share that it won."
        if alone
        else "Every deal is played once for each bot, and each bot sits in each seat once, so all"
        " bots get the same cards. Opponents beaten is the mean share of other bots' seats that a"
        " bot finishes ahead of, a tie counting half: 50% is even."
    )
    intervals = (
        "The bots played until the answer was clear. Its interval is made for that: it contains the"
        " true difference in 95 of 100 tournaments, whenever they stop. Who beats whom shows the"
        " same interval as a share; other numbers have none. A point is a hundredth of the"
        f" {'deals won' if alone else 'opponents beaten'}."
        if compared
        else "Intervals contain the true value in 95 of 100 tournaments. They are computed over"
        " deals, not games, because the games of one deal depend on each other."
    )
    texts = [
        first,
        intervals,
        "Games won is the share of first places; shared ones are divided."
        if not alone
        else "Mean rank compares all bots on the same deal.",
        "Ratings are Bradley-Terry strengths in Elo points: 400 more means odds of ten to one."
        " 0 is the average of these bots, so compare ratings only within one tournament.",
    ]
    if scored:
        texts.append("Mean score leaves out games in which the bot failed.")
    return [
        *texts,
        "A bot that crashed, was too slow, or made an illegal move is ranked last in that game;"
        " random moves were played for it from there.",
    ]


def again(tournament: Tournament) -> str:
    plan = tournament.plan
    return (
        f"To play the first deal yourself: redouble play {tournament.game.name}"
        f" --seats {plan.seats} --seed {plan.seed_of(0)!r}"
    )


def utility_plot(results: TournamentResults, found: Standings) -> Figure:
    order = found.order[::-1]
    figure, axes = new_axes(1 + 0.3 * len(order))
    for place, bot in enumerate(order):
        e = found.lines[bot].utility
        if e.low is not None and e.high is not None:
            axes.plot([100 * e.low, 100 * e.high], [place, place], color="C0", linewidth=2)
        axes.plot([100 * e.mean], [place], marker="o", color="C0")
    if results.tournament.plan.seats > 1:
        axes.axvline(50, color="C7", linewidth=1, linestyle=":")
    axes.set_yticks(range(len(order)), [_plain(found.lines[bot].name) for bot in order])
    axes.set_ylim(-0.6, len(order) - 0.4)
    axes.set_xlabel(f"{measure_name(results)} (%)")
    return figure


def convergence_plot(results: TournamentResults, found: Standings) -> Figure:
    """Plot each bot's utility after more and more deals."""
    with needs(REPORT, "lab"):
        from matplotlib.ticker import NullFormatter, StrMethodFormatter

    names = [_plain(found.lines[bot].name) for bot in found.order]
    across = max(1, LEGEND_LETTERS // (max(map(len, names)) + LEGEND_LINE))
    figure, axes = new_axes(2.8 + 0.25 * -(-len(names) // across))
    deals = [n for n, _ in found.convergence]
    for place, bot in enumerate(found.order):
        shares = [100 * means[bot] for _, means in found.convergence]
        style = ("-", "--", ":")[place // 10 % 3]  # there are ten colors
        axes.plot(deals, shares, style, label=names[place], color=f"C{place % 10}")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("deals")
    axes.set_ylabel(f"{measure_name(results)} (%)")
    figure.legend(loc="outside lower center", ncols=across, frameon=False)
    return figure


def course_plot(found: BotComparison) -> Figure:
    figure, axes = new_axes(2.8)
    deals = [n for n, _ in found.course]
    low, high = zip(*(ends(each) for _, each in found.course), strict=True)
    axes.fill_between(deals, low, high, color="C0", alpha=0.25, linewidth=0)
    axes.plot(deals, [each.mean for _, each in found.course], color="C0")
    axes.axhline(0, color="C7", linewidth=1)
    for edge in (-found.margin, found.margin):
        axes.axhline(edge, color="C7", linewidth=1, linestyle=":")
    axes.set_xlabel("deals")
    axes.set_ylabel("points")
    return figure


def _plain(name: str) -> str:
    """Return a name for a plot: short, with dollar signs escaped for Matplotlib's math mode."""
    text = name if len(name) <= PLOT_NAME else f"{name[: PLOT_NAME - 3]}..."
    return text.replace("$", r"\$")
