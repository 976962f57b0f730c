"""The figures of a study, each with its 95% interval and a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, isfinite, log10
from typing import Any

import numpy as np

from redouble.analysis.stats import Z95, holm, two_sided, wilson
from redouble.kernel import checks
from redouble.lab.report import PLUS_MINUS
from redouble.lab.studies import series, stored
from redouble.lab.studies.luck import SOURCES, jackknife_error
from redouble.lab.studies.plan import StudyError, StudyPlan, StudySetting
from redouble.lab.studies.run import StudyOutcome
from redouble.lab.studies.series import Part
from redouble.lab.studies.tally import Counts, Sums, quantile, unequal

__all__ = ["Difference", "Findings", "Portrait", "StudyFigure"]

LENGTH, SEATS, COURSE, END, POINTS = "Length", "Seats", "Course", "End", "Points"
SKILL, LUCK = "Skill", "Skill and luck"
SECTIONS = (LENGTH, COURSE, END, POINTS, SEATS, SKILL, LUCK)
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_OF_A_GAME = {series.SHARED, series.TIED, series.WON_KEY, series.STRONG_WON, series.WEAK_WON}
"""Shares of games that each count fully or not at all; their intervals are Wilson's."""
FEW = 30
"""Below this number of games, the measured spread of a share is unreliable. Its interval is then
Wilson's, as if each game were won or lost; so is that of games that are all the same."""
_SURE = 0.05


@dataclass(frozen=True, kw_only=True)
class StudyFigure(stored.StoredFigure):
    """One figure of one setting, and how it is shown."""

    section: str
    """One of the :data:`SECTIONS`."""
    percent: bool
    """Whether the figure is a share, shown in percent; otherwise it is a number."""
    finest: int = 4
    """The maximum number of decimal places."""

    def __str__(self) -> str:
        return shown(self.mean, self.low, self.high, self.percent, self.finest)


@dataclass(frozen=True, eq=False)
class Portrait:
    """All figures of one setting."""

    setting: StudySetting
    figures: tuple[StudyFigure, ...]
    test: stored.SeatTest | None
    lengths: tuple[Counts, Counts]
    """Histograms: games by their moves, and games by their decisions. Each has the shape
    (highest number + 1,)."""

    def figure(self, key: str) -> StudyFigure | None:
        """Return the figure with this key, or None if the setting has none.

        Raises :class:`StudyError` if the key is not a text.
        """
        checks.text(key, "key", StudyError)
        return next((figure for figure in self.figures if figure.key == key), None)

    def sections(self) -> list[tuple[str, list[StudyFigure]]]:
        """Return the sections that have figures, in display order."""
        found = {
            section: [one for one in self.figures if one.section == section] for section in SECTIONS
        }
        return [(section, figures) for section, figures in found.items() if figures]

    def tests(self, section: str) -> list[stored.SeatTest]:
        """Return the tests of a section. Raises :class:`StudyError` if it is not a text."""
        checks.text(section, "section", StudyError)
        return [self.test] if section == SEATS and self.test is not None else []

    def stored(self) -> stored.StoredSetting:
        """Return the portrait as a file holds it."""
        moves, decisions = self.lengths
        return stored.StoredSetting(
            seats=self.setting.seats,
            bots=self.setting.bots,
            options=dict(self.setting.options),
            figures=self.figures,
            seat_test=self.test,
            moves=spread_of(moves),
            decisions=spread_of(decisions),
        )


@dataclass(frozen=True)
class Difference:
    """A figure of the second setting minus that of the first, on the same deals."""

    first: StudyFigure
    second: StudyFigure
    mean: float
    low: float | None
    high: float | None
    chance: float
    """The p-value: how likely chance alone makes a difference this large."""
    significant: bool
    """By Holm's method over all differences of the study."""

    @property
    def sentence(self) -> str:
        """The difference as a sentence."""
        name = f"{self.first.section}, {self.first.label}"
        values = f"{plain(self.first)} in A, {plain(self.second)} in B"
        if self.mean == 0.0:
            return f"{name}: {values}: no difference."
        more = "more" if self.mean > 0 else "less"
        low, high = self.low, self.high
        if low is not None and high is not None and self.mean < 0:
            low, high = -high, -low
        size = shown(abs(self.mean), low, high, self.first.percent, self.first.finest)
        size = size.replace("%", " percentage points")
        verdict = "significant" if self.significant else "not significant"
        return f"{name}: {values}: {size} {more} in B, {verdict}."

    def __str__(self) -> str:
        first = self.first
        size = shown(self.mean, self.low, self.high, first.percent, first.finest)
        return f"+{size}" if self.mean > 0 else size

    def stored(self) -> stored.StoredDifference:
        """Return the difference as a file holds it."""
        return stored.StoredDifference(
            key=self.first.key,
            label=self.first.label,
            first=self.first.mean,
            second=self.second.mean,
            difference=self.mean,
            low=self.low,
            high=self.high,
            p=self.chance,
            significant=self.significant,
            sentence=self.sentence,
        )


@dataclass(frozen=True)
class Findings:
    """The results of a study."""

    plan: StudyPlan
    games: int
    deals: int
    """Deals that were played from every seat to measure skill."""
    stopped: bool
    given_up: int
    portraits: tuple[Portrait, ...]
    differences: tuple[Difference, ...]

    @property
    def title(self) -> str:
        """The game and its settings, in words."""
        what = " or ".join(dict.fromkeys(str(portrait.setting) for portrait in self.portraits))
        return f"{self.plan.game.title}: {what}"

    @property
    def summary(self) -> str:
        """The number of games, the seed, and how to read the figures."""
        games = games_of(self.games)
        again = " in each setting" if len(self.portraits) > 1 else ""
        early = f" of {self.plan.games:,}, stopped early" if self.stopped else ""
        text = f"{games}{early}{again}; seed {self.plan.seed!r}. "
        text += f"{PLUS_MINUS} marks half the width of the 95% interval."
        if self.given_up:
            text += f" Left out because they did not end: {games_of(self.given_up)}."
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain JSON, as :meth:`StoredStudy.parse` reads it.

        It does not depend on the number of threads.
        """
        return self.stored().to_dict()

    def stored(self) -> stored.StoredStudy:
        """Return the findings as a file holds them."""
        plan = self.plan
        return stored.StoredStudy(
            game=plan.game.name,
            rules=plan.game.version,
            seed=plan.seed,
            games=self.games,
            asked=plan.games,
            stopped=self.stopped,
            given_up=self.given_up,
            skill=None if plan.skill is None else stored.StoredSkill(*plan.skill, self.deals),
            settings=tuple(portrait.stored() for portrait in self.portraits),
            differences=tuple(difference.stored() for difference in self.differences),
        )


def findings(outcome: StudyOutcome) -> Findings:
    """Return the figures of a study. Raises :class:`StudyError` if no game ended."""
    checks.instance(outcome, StudyOutcome, "outcome", StudyError)
    plan, main, skill = outcome.plan, outcome.main, outcome.skill
    if not main.sums[0].n:
        raise StudyError("no game of the study ended: choose other options or stronger bots")
    if skill is not None and not skill.sums[0].n:
        skill = None
    portraits = []
    reasons = _reasons(plan, main)
    for i, setting in enumerate(plan.settings):
        figures = [*_main_figures(setting, main.sums[i], main.lengths[i], reasons)]
        if skill is not None and plan.skill is not None:
            figures += _skill_figures(plan.skill, setting, skill.sums[i])
            figures += _luck_figures(plan.skill, skill, i)
        test = _seat_test(setting, main.sums[i]) if setting.seats > 1 else None
        portraits.append(Portrait(setting, tuple(figures), test, main.lengths[i]))
    differences = _differences(plan, portraits, main, skill) if len(portraits) > 1 else []
    return Findings(
        plan,
        main.games,
        0 if skill is None else skill.games,
        outcome.stopped,
        main.given_up,
        tuple(portraits),
        tuple(differences),
    )


def games_of(number: int) -> str:
    return "1 game" if number == 1 else f"{number:,} games"


def spread_of(counts: Counts, max_bars: int = 40) -> stored.StoredSpread:
    """Return the quantiles of a histogram, and its games in at most ``max_bars`` bars."""
    edges, heights = bars(counts, max_bars)
    quantiles = {str(share): quantile(counts, share) for share in QUANTILES}
    return stored.StoredSpread(quantiles, stored.StoredHistogram(tuple(edges), tuple(heights)))


def bars(
    counts: Counts, max_bars: int = 40, up_to: int | None = None
) -> tuple[list[int], list[int]]:
    """Return the edges of at most ``max_bars`` bars of equal width, and the games in each bar.

    There is one edge more than bars. The last bar also counts everything above ``up_to``.
    """
    filled = np.flatnonzero(counts)
    low, high = int(filled[0]), int(filled[-1])
    top = high if up_to is None else max(low, min(high, up_to))
    width = -(-(top - low + 1) // max_bars)
    edges = list(range(low, top + width + 1, width))
    if edges[-2] > top:
        edges.pop()
    heights = [int(counts[a:b].sum()) for a, b in pairwise(edges)]
    heights[-1] += int(counts[edges[-1] :].sum())
    return edges, heights


def shown(
    mean: float, low: float | None, high: float | None, percent: bool, finest: int = 4
) -> str:
    """Return ``27.14% ± 0.22`` or ``109.1 ± 3.4``, rounded as the interval's width suggests."""
    times, unit = (100.0, "%") if percent else (1.0, "")
    if low is None or high is None:
        return f"{mean * times:.{1 if percent else 2}f}{unit}"
    # Near 0 and 1 the interval is lopsided: report its wider side.
    half = max(high - mean, mean - low) * times
    digits = min(max(1 - floor(log10(half)), 0), finest) if half > 0 else 1
    return f"{mean * times:.{digits}f}{unit} {PLUS_MINUS} {half:.{digits}f}"


def plain(figure: StudyFigure) -> str:
    """Return the figure without its interval, rounded in the same way."""
    return str(figure).partition(f" {PLUS_MINUS}")[0]


@dataclass(frozen=True)
class _Sheet:
    """The sums of one setting, with one column per key.

    In a sentence, ``{}`` is replaced by the figure.
    """

    sums: Sums
    keys: Sequence[str]

    def number(self, key: str, section: str, label: str, sentence: str) -> StudyFigure:
        """Return the figure of a mean, with the standard deviation between games."""
        column = self.keys.index(key)
        mean = self.sums.mean(column)
        low, high = around(mean, self.sums.error(column))
        text = sentence.replace("{}", shown(mean, low, high, False))
        deviation = self.sums.deviation(column) if self.sums.n > 1 else None
        shape = (key, label, mean, low, high, deviation, None, text)
        return StudyFigure(*shape, section=section, percent=False)

    def share(
        self, key: str, section: str, label: str, sentence: str, fair: float | None = None
    ) -> StudyFigure:
        """Return the figure of a share; ``fair`` is its value if nothing mattered."""
        column = self.keys.index(key)
        mean = self.sums.mean(column)
        counted = key in _OF_A_GAME or key.startswith("ends: ")
        few = self.sums.n < FEW or not self.sums.deviation(column)
        low: float | None
        high: float | None
        if counted or (few and key != series.BETTER):
            low, high = wilson(mean, self.sums.n)
            finest = 3
        else:
            low, high = around(mean, self.sums.error(column))
            finest = 4
        text = sentence.replace("{}", shown(mean, low, high, True, finest))
        if fair is not None:
            text = f"{text[:-1]}{_verdict(low, high, fair)}."
        shape = (key, label, mean, low, high, None, fair, text)
        return StudyFigure(*shape, section=section, percent=True, finest=finest)


def around(mean: float, error: float) -> tuple[float | None, float | None]:
    """Return the 95% interval of a mean with this standard error; nothing if it is infinite."""
    return (mean - Z95 * error, mean + Z95 * error) if isfinite(error) else (None, None)


def _verdict(low: float | None, high: float | None, fair: float) -> str:
    """Return how a share compares with the fair one, as the end of a sentence."""
    expected = f"{100 * fair:.3g}%"
    if low is None or high is None:
        return f"; {expected} would be fair"
    if low > fair:
        return f", more than the fair {expected}"
    return f", {'less than' if high < fair else 'consistent with'} the fair {expected}"


def _reasons(plan: StudyPlan, main: Part) -> list[str]:
    found = []
    for reason in [reason.text for reason in plan.game.text.REASONS[1:]]:
        for setting, sums in zip(plan.settings, main.sums, strict=True):
            column = series.main_keys(setting).index(series.reason_key(reason))
            if sums.totals[column] and reason not in found:
                found.append(reason)
    if len(found) <= 2 and all(setting.seats == 1 for setting in plan.settings):
        return []  # the share of games won says the same
    return found


def _main_figures(
    setting: StudySetting, sums: Sums, lengths: tuple[Counts, Counts], reasons: Sequence[str]
) -> Iterable[StudyFigure]:
    sheet = _Sheet(sums, series.main_keys(setting))
    quick, middle, slow = (quantile(lengths[0], share) for share in (0.05, 0.5, 0.95))
    text = f"A game takes {{}} moves; half of them take at most {middle},"
    text += f" and nine of ten between {quick} and {slow}."
    yield sheet.number(series.MOVES_KEY, LENGTH, "moves a game", text)
    text = "{} of these moves are decisions: more than one move is legal."
    yield sheet.number(series.DECISIONS, LENGTH, "decisions a game", text)
    text = "{} of a game's moves are forced: no other move is legal."
    yield sheet.share(series.FORCED_KEY, COURSE, "forced moves", text)
    if setting.seats > 1:
        text = "Another seat takes the lead {} times a game."
        yield sheet.number(series.LEADS_KEY, COURSE, "lead changes a game", text)
        yield from _seat_figures(setting, sheet)
    else:
        yield sheet.share(series.WON_KEY, END, "games won", "{} of the games are won.")
    for reason in reasons:
        text = f'{{}} of the games end with "{reason}".'
        yield sheet.share(series.reason_key(reason), END, reason, text)
    if setting.seats > 1:
        text = "In {} of the games several seats share first place."
        yield sheet.share(series.SHARED, END, "shared first places", text)
        text = "In {} of the games some seats share a rank."
        yield sheet.share(series.TIED, END, "games with a tie", text)
    squares = dict(zip(sheet.keys, sums.squares, strict=True))
    if squares[series.POINTS] or squares[series.POINTS_SPREAD]:
        whose = "seat" if setting.seats > 1 else "game"
        text = f"A {whose} scores {{}} points."
        yield sheet.number(series.POINTS, POINTS, f"points a {whose}", text)
        if setting.seats > 1:
            text = "The highest and the lowest score of a game are {} points apart."
            yield sheet.number(series.POINTS_SPREAD, POINTS, "highest minus lowest", text)
            text = "First and second place are {} points apart."
            yield sheet.number(series.POINTS_GAP, POINTS, "first minus second", text)


def _seat_figures(setting: StudySetting, sheet: _Sheet) -> Iterable[StudyFigure]:
    measures = ("wins", "the games", 1 / setting.seats), ("beats", "its opponents", 0.5)
    for what, of, fair in measures:
        for seat in range(setting.seats):
            text = f"Seat {seat + 1} {what} {{}} of {of}."
            label = f"seat {seat + 1} {what}"
            yield sheet.share(series.seat_key(what, seat), SEATS, label, text, fair)
    for bot in dict.fromkeys(setting.bots) if setting.mixed else ():
        for what, of, fair in measures:
            text = f"A {bot} player {what} {{}} of {of.replace('the', 'its')}."
            yield sheet.share(series.bot_key(what, bot), SKILL, f"{bot} {what}", text, fair)


def _seat_test(setting: StudySetting, sums: Sums) -> stored.SeatTest:
    keys = series.main_keys(setting)
    columns = [keys.index(series.seat_key("beats", seat)) for seat in range(setting.seats)]
    statistic, chance = unequal(sums, columns, 0.5)
    size = "p < 0.0001" if chance < 0.0001 else f"p = {chance:.2g}"
    if chance < _SURE:
        said = f"The seats differ: equal seats would hardly differ this much by chance ({size})."
    else:
        said = f"No seat is significantly better than another ({size})."
    return stored.SeatTest(statistic, setting.seats - 1, chance, said)


def _skill_figures(
    pair: tuple[str, str], setting: StudySetting, sums: Sums
) -> Iterable[StudyFigure]:
    sheet = _Sheet(sums, series.skill_keys(setting))
    strong, weak = pair
    if setting.seats == 1:
        text = f"The {strong} player wins {{}} of the deals."
        yield sheet.share(series.STRONG_WON, SKILL, f"{strong} wins", text)
        text = f"The {weak} player wins {{}} of the same deals."
        yield sheet.share(series.WEAK_WON, SKILL, f"{weak} wins", text)
        text = f"The difference is {{}} of the deals in favor of {strong}."
        yield sheet.share(series.BETTER, SKILL, f"{strong} wins more", text)
        return
    others = f"among {weak} players" if setting.seats > 2 else f"against one {weak} player"
    text = f"One {strong} player {others} wins {{}} of the games."
    yield sheet.share(series.STRONG_WINS, SKILL, f"one {strong} wins", text, 1 / setting.seats)
    text = "It beats {} of its opponents."
    yield sheet.share(series.STRONG_BEATS, SKILL, f"one {strong} beats", text, 0.5)


_SOURCE_WORDS = {
    "skill": "Skill, {strong} or {weak}, explains {} of the variance in the results.",
    "seat": "The seat explains {}, whatever is dealt.",
    "deal": "The deal explains {}: it is what stays the same when a deal is played again.",
    "rest": "The rest, {}, is what changes when a deal is played again.",
}


def _luck_figures(pair: tuple[str, str], skill: Part, i: int) -> Iterable[StudyFigure]:
    luck = skill.luck[i]
    if not luck.enough:
        return
    errors = jackknife_error(luck.without_each())
    for source, mean, error in zip(SOURCES, luck.shares().values(), errors, strict=True):
        if source == "seat" and luck.seats == 1:
            continue
        low = max(0.0, mean - Z95 * float(error))
        high = min(1.0, mean + Z95 * float(error))
        sentence = _SOURCE_WORDS[source].replace("{}", shown(mean, low, high, True, 1))
        sentence = sentence.format(strong=pair[0], weak=pair[1])
        shape = (f"luck: {source}", source, mean, low, high, None, None, sentence)
        yield StudyFigure(*shape, section=LUCK, percent=True, finest=1)


def _differences(
    plan: StudyPlan, portraits: Sequence[Portrait], main: Part, skill: Part | None
) -> list[Difference]:
    """Return the difference in every figure that both settings have, paired by deal."""
    found: list[tuple[StudyFigure, StudyFigure, float, float]] = []

    def add(key: str, mean: float, error: float) -> None:
        first, second = (portrait.figure(key) for portrait in portraits)
        if first is not None and second is not None:
            found.append((first, second, mean, error))

    for part, names in ((main, series.main_keys), (skill, series.skill_keys)):
        if part is None or part.difference is None:
            continue
        keys = series.shared_keys(plan.settings, [names(setting) for setting in plan.settings])
        for column, key in enumerate(keys):
            add(key, part.difference.mean(column), part.difference.error(column))
    if skill is not None and all(luck.enough for luck in skill.luck):
        first, second = skill.luck
        errors = jackknife_error(second.without_each() - first.without_each())
        means = [second.shares()[source] - first.shares()[source] for source in SOURCES]
        for source, mean, error in zip(SOURCES, means, errors, strict=True):
            add(f"luck: {source}", mean, float(error))
    found.sort(key=lambda entry: SECTIONS.index(entry[0].section))
    chances = [two_sided(mean, error) for _, _, mean, error in found]
    marks = holm(chances)
    return [
        Difference(first, second, mean, *around(mean, error), chance, mark)
        for (first, second, mean, error), chance, mark in zip(found, chances, marks, strict=True)
    ]
