"""A tournament's results in words and figures, and as a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.results import BotResult, Standings
from redouble.lab.arena.tournament import Tournament, TournamentResults
from redouble.lab.report import PLUS_MINUS, Report, new_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
PLOT_NAME = 22
"""Letters of a bot's name that a plot shows."""
LEGEND_LETTERS, LEGEND_LINE = 56, 7
"""Letters on a line of a plot's legend, and those that the piece of a line before a name takes."""


def percent(estimate: Estimate) -> str:
    """A share with its interval: ``61.3 +- 1.2 %``, or from where to where when it is lopsided."""
    mean = 100 * estimate.mean
    if estimate.low is None or estimate.high is None:
        return f"{mean:.1f} %"
    below, above = mean - 100 * estimate.low, 100 * estimate.high - mean
    if abs(below - above) < 0.05:
        return f"{mean:.1f} {PLUS_MINUS} {above:.1f} %"
    return f"{mean:.1f} ({100 * estimate.low:.1f}{DASH}{100 * estimate.high:.1f}) %"


def number(estimate: Estimate) -> str:
    """A mean with its interval."""
    if estimate.high is None:
        return f"{estimate.mean:.2f}"
    return f"{estimate.mean:.2f} {PLUS_MINUS} {estimate.high - estimate.mean:.2f}"


def rating(estimate: Estimate) -> str:
    """A rating with its interval: ``+120 (+90 to +155)``, or without the signs of a zero."""
    mean = _points(estimate.mean)
    if estimate.low is None or estimate.high is None:
        return mean
    return f"{mean} ({_points(estimate.low)} to {_points(estimate.high)})"


def _points(value: float) -> str:
    return f"{round(value):+d}".replace("-", MINUS) if round(value) else "0"


def title(tournament: Tournament) -> str:
    """What was played: the game, its seats and the options that are not at their defaults."""
    plan = tournament.plan
    defaults = {option.name: option.default for option in tournament.game.options}
    changed = [f"{k}={v}" for k, v in tournament.options.items() if v != defaults[k]]
    seats = "1 seat" if plan.seats == 1 else f"{plan.seats} seats"
    return ", ".join([tournament.game.title, seats, *changed])


def summary(results: TournamentResults) -> str:
    """How much was played, in a sentence or two."""
    plan, found = results.tournament.plan, results.standings
    if found is None:
        return f"Stopped before one of {plan.deals} deals was complete."
    deals = "1 deal" if found.deals == 1 else f"{found.deals:,} deals"
    text = f"{deals}, each played {plan.bots} times: {found.games:,} games. Seed: {plan.seed}."
    if results.interrupted:
        text = f"Stopped early, after {found.deals:,} of {plan.deals:,} deals. {text}"
    if found.abandoned:
        text += f" {found.abandoned} games were given up for their length."
    return text


def measure_name(results: TournamentResults) -> str:
    """What the utility is called."""
    return "deals won" if results.tournament.plan.seats == 1 else "opponents beaten"


def heads(results: TournamentResults) -> list[str]:
    """Of the table of bots."""
    names = ["bot", measure_name(results)]
    alone = results.tournament.plan.seats == 1
    names += [] if alone else ["games won"]
    names += ["mean rank"]
    names += ["mean score"] if results.tournament.scored else []
    return [*names, "rating", "failures"]


def row(results: TournamentResults, line: BotResult) -> list[str]:
    """A bot's line under :func:`heads`."""
    cells = [line.name, percent(line.utility)]
    if results.tournament.plan.seats > 1:
        cells.append(f"{100 * line.wins / line.played:.1f} %")
    cells.append(f"{line.rank:.2f}")
    if results.tournament.scored:
        cells.append(number(line.score) if line.score else DASH)
    cells.append(rating(line.rating))
    return [*cells, str(line.failures)]


def pair_rows(found: Standings, written: Callable[[Estimate], str] = percent) -> list[list[str]]:
    """Each bot against each other, the best first."""
    order = found.order
    return [
        [
            found.lines[a].name,
            *("" if a == b or not (e := found.pairs[a][b]) else written(e) for b in order),
        ]
        for a in order
    ]


def troubles(found: Standings) -> list[str]:
    """A sentence for each bot that failed."""
    return [
        f"{line.name} failed in {line.failures:,} of its {line.played:,} seats."
        f" The first time: {line.reason}."
        for line in found.lines
        if line.failures
    ]


def page(results: TournamentResults) -> Report:
    """The results as a page."""
    tournament, found = results.tournament, results.standings
    report = Report(f"Tournament: {title(tournament)}", summary(results))
    if found is None:
        report.paragraph("There are no results.")
        return report
    alone = tournament.plan.seats == 1
    report.heading("The bots")
    report.table(heads(results), [row(results, found.lines[bot]) for bot in found.order])
    report.plot(
        utility_plot(results, found), f"Each bot's share of {measure_name(results)}, 95 % intervals"
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
    report.heading("Has it settled?")
    report.plot(
        convergence_plot(results, found), f"The share of {measure_name(results)} after n deals"
    )
    report.heading("What the numbers mean")
    for text in meaning(alone, tournament.scored):
        report.paragraph(text)
    report.paragraph(again(tournament))
    return report


def meaning(alone: bool, scored: bool) -> list[str]:
    """What a reader has to know about the numbers."""
    first = (
        "Every bot plays every deal. Deals won is the share of them that it won."
        if alone
        else "Every deal is played as often as there are bots, and each bot sits once in each seat:"
        " nobody has better cards than another. Opponents beaten is the mean share of other bots'"
        " seats that a bot came before in a game, a tie counting half: 50 % is even."
    )
    texts = [
        first,
        "Intervals hold the true value in 95 of 100 tournaments. They are computed over deals, not"
        " over games, since the games of one deal depend on each other.",
        "Games won counts first places, shared where several are first."
        if not alone
        else "Mean rank compares all bots on the same deal.",
        "Ratings are Bradley-Terry strengths in Elo points: 400 more means odds of ten to one."
        " 0 is the average of these bots, so compare ratings within one tournament only.",
    ]
    if scored:
        texts.append("Mean score leaves out games in which the bot failed.")
    return [
        *texts,
        "A bot that crashed, was too slow, or made an illegal move came last in that game; chance"
        " played on for it.",
    ]


def again(tournament: Tournament) -> str:
    """How to look at one of the deals."""
    plan = tournament.plan
    return (
        f"The first deal can be played with: redouble play {tournament.game.name}"
        f" --seats {plan.seats} --seed {plan.seed_of(0)!r}"
    )


def utility_plot(results: TournamentResults, found: Standings) -> Figure:
    """A dot with its interval for each bot."""
    order = found.order[::-1]
    figure = new_plot(1 + 0.3 * len(order))
    axes = figure.subplots()
    for place, bot in enumerate(order):
        e = found.lines[bot].utility
        if e.low is not None and e.high is not None:
            axes.plot([100 * e.low, 100 * e.high], [place, place], color="C0", linewidth=2)
        axes.plot([100 * e.mean], [place], marker="o", color="C0")
    if results.tournament.plan.seats > 1:
        axes.axvline(50, color="C7", linewidth=1, linestyle=":")
    axes.set_yticks(range(len(order)), [_plain(found.lines[bot].name) for bot in order])
    axes.set_ylim(-0.6, len(order) - 0.4)
    axes.set_xlabel(f"{measure_name(results)}, %")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def convergence_plot(results: TournamentResults, found: Standings) -> Figure:
    """A line for each bot."""
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    names = [_plain(found.lines[bot].name) for bot in found.order]
    across = max(1, LEGEND_LETTERS // (max(map(len, names)) + LEGEND_LINE))
    figure = new_plot(2.8 + 0.25 * -(-len(names) // across))
    axes = figure.subplots()
    deals = [n for n, _ in found.convergence]
    for place, bot in enumerate(found.order):
        shares = [100 * means[bot] for _, means in found.convergence]
        style = ("-", "--", ":")[place // 10 % 3]  # there are ten colors
        axes.plot(deals, shares, style, label=names[place], color=f"C{place % 10}")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("deals")
    axes.set_ylabel(f"{measure_name(results)}, %")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=across, frameon=False)
    return figure


def _plain(name: str) -> str:
    """A name that a plot can hold; Matplotlib would read mathematics between dollars."""
    text = name if len(name) <= PLOT_NAME else f"{name[: PLOT_NAME - 3]}..."
    return text.replace("$", r"\$")
