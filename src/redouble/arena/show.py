"""A tournament's results as people read them: tables in the terminal, and a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redouble.arena.intervals import Estimate
from redouble.arena.ratings import RATED
from redouble.arena.results import Line, Standings
from redouble.arena.tournament import Results, Tournament
from redouble.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
DASH = "\N{EN DASH}"


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


def title(tournament: Tournament) -> str:
    """What was played: the game, its seats and the options that are not at their defaults."""
    plan = tournament.plan
    defaults = {option.name: option.default for option in tournament.game.options}
    changed = [f"{k}={v}" for k, v in tournament.options.items() if v != defaults[k]]
    seats = "1 seat" if plan.seats == 1 else f"{plan.seats} seats"
    return ", ".join([tournament.game.title, seats, *changed])


def summary(results: Results) -> str:
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


def measure_name(results: Results) -> str:
    """What the utility is called."""
    return "deals won" if results.tournament.plan.seats == 1 else "opponents beaten"


def heads(results: Results) -> list[str]:
    """Of the table of bots."""
    names = ["bot", measure_name(results)]
    alone = results.tournament.plan.seats == 1
    names += [] if alone else ["games won"]
    names += ["mean rank"]
    names += ["mean score"] if results.tournament.scored else []
    return [*names, "rating", "failures"]


def row(results: Results, line: Line) -> list[str]:
    """A bot's line under :func:`heads`."""
    cells = [line.name, percent(line.utility)]
    if results.tournament.plan.seats > 1:
        cells.append(f"{100 * line.wins / line.played:.1f} %")
    cells.append(f"{line.rank:.2f}")
    if results.tournament.scored:
        cells.append(number(line.score) if line.score else DASH)
    cells.append(f"{line.rating.mu:.1f} {PLUS_MINUS} {2 * line.rating.sigma:.1f}")
    return [*cells, str(line.failures)]


def pair_rows(found: Standings) -> list[list[str]]:
    """Each bot against each other, the best first."""
    order = found.order
    return [
        [
            found.lines[a].name,
            *("" if a == b or not (e := found.pairs[a][b]) else percent(e) for b in order),
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


def tables(results: Results, found: Standings) -> list[Table]:
    """The results for a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    def table(names: list[str], rows: list[list[str]], name: str) -> Table:
        drawn = Table(box=box.SIMPLE_HEAD, title=name, title_justify="left", title_style="bold")
        for i, head in enumerate(names):
            drawn.add_column(Text(head), justify="right" if i else "left", overflow="fold")
        for cells in rows:
            drawn.add_row(*(Text(cell) for cell in cells))
        return drawn

    lines = [row(results, found.lines[bot]) for bot in found.order]
    shown = [table(heads(results), lines, title(results.tournament))]
    if len(found.lines) > 2:
        names = ["before", *(found.lines[bot].name for bot in found.order)]
        shown.append(table(names, pair_rows(found), "How often the row's bot came before"))
    return shown


def page(results: Results) -> Report:
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
        f"Ratings are OpenSkill's (Plackett-Luce, two sigma), over the first {RATED:,} games in"
        " their order. All begin with 25.0; only differences within one tournament mean anything.",
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


def utility_plot(results: Results, found: Standings) -> Figure:
    """A dot with its interval for each bot."""
    from matplotlib.figure import Figure

    order = found.order[::-1]
    figure = Figure(figsize=(8, 1.2 + 0.4 * len(order)), layout="constrained")
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


def convergence_plot(results: Results, found: Standings) -> Figure:
    """A line for each bot."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    deals = [n for n, _ in found.convergence]
    for place, bot in enumerate(found.order):
        shares = [100 * means[bot] for _, means in found.convergence]
        style = ("-", "--", ":")[place // 10 % 3]  # there are ten colours
        name = _plain(found.lines[bot].name)
        axes.plot(deals, shares, style, label=name, color=f"C{place % 10}")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("deals")
    axes.set_ylabel(f"{measure_name(results)}, %")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return figure


def _plain(name: str) -> str:
    """A name that a plot can hold; Matplotlib would read mathematics between dollars."""
    text = name if len(name) <= 32 else f"{name[:30]}..."
    return text.replace("$", r"\$")
