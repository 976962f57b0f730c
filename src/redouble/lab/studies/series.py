"""The games of a study: playing them in chunks, and the columns that are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redouble.contract.game import Game
from redouble.lab.contest import (
    FORCED,
    LEADS,
    MOVES,
    Contest,
    ContestResults,
    numbered_words,
    won_alone,
)
from redouble.lab.studies.luck import Luck
from redouble.lab.studies.plan import POLICIES, StudyPlan, StudySetting
from redouble.lab.studies.tally import Counts, Numbers, Sums, added

CHUNK = 2048

# The columns of the main series, by the keys that figures and JSON use.
MOVES_KEY, DECISIONS, FORCED_KEY, LEADS_KEY = "moves", "decisions", "forced", "leads"
SHARED, TIED, WON_KEY = "shared_first", "ties", "won"
POINTS, POINTS_SPREAD, POINTS_GAP = "points", "points_spread", "points_gap"
# The columns of the games that measure skill, where a row is a deal.
STRONG_WINS, STRONG_BEATS = "strong_wins", "strong_beats"
STRONG_WON, WEAK_WON, BETTER = "strong_won", "weak_won", "strong_more"


def reason_key(reason: str) -> str:
    return f"ends: {reason}"


def seat_key(what: str, seat: int) -> str:
    """Return the key of a seat's ``wins`` or ``beats``; keys count seats from 1."""
    return f"seat {seat + 1} {what}"


def bot_key(what: str, bot: str) -> str:
    return f"{bot} {what}"


@dataclass(frozen=True, eq=False)
class Part:
    """The sums over some games in each setting, and over their differences game by game."""

    games: int
    given_up: int
    sums: tuple[Sums, ...]
    difference: Sums | None
    """Second setting minus first on the same deals, over :func:`shared_keys`."""
    lengths: tuple[tuple[Counts, Counts], ...] = ()
    """For each setting, the histograms of moves and of decisions."""
    luck: tuple[Luck, ...] = ()
    """For each setting; empty in the main series."""

    def __add__(self, other: Part) -> Part:
        difference = self.difference
        if difference is not None and other.difference is not None:
            difference = difference + other.difference
        return Part(
            self.games + other.games,
            self.given_up + other.given_up,
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            difference,
            tuple(
                (added(a[0], b[0]), added(a[1], b[1]))
                for a, b in zip(self.lengths, other.lengths, strict=True)
            ),
            tuple(a + b for a, b in zip(self.luck, other.luck, strict=True)),
        )


def main_keys(setting: StudySetting) -> list[str]:
    keys = [MOVES_KEY, DECISIONS, FORCED_KEY]
    keys += [reason_key(reason.text) for reason in setting.game.text.REASONS[1:]]
    keys += [POINTS, POINTS_SPREAD, POINTS_GAP]
    if setting.seats == 1:
        return [*keys, WON_KEY]
    keys += [LEADS_KEY, SHARED, TIED]
    seats = range(setting.seats)
    keys += [seat_key("wins", seat) for seat in seats] + [seat_key("beats", seat) for seat in seats]
    if setting.mixed:
        bots = dict.fromkeys(setting.bots)
        keys += [bot_key(what, bot) for bot in bots for what in ("wins", "beats")]
    return keys


def skill_keys(setting: StudySetting) -> list[str]:
    if setting.seats == 1:
        return [STRONG_WON, WEAK_WON, BETTER]
    return [STRONG_WINS, STRONG_BEATS]


def shared_keys(settings: Sequence[StudySetting], keys: Sequence[list[str]]) -> list[str]:
    """Return the columns that have the same meaning in both settings."""
    same_seats = settings[0].seats == settings[-1].seats
    return [
        key for key in keys[0] if key in keys[-1] and (same_seats or not key.startswith("seat "))
    ]


class Series:
    """The games of a plan, played by one thread."""

    def __init__(self, plan: StudyPlan) -> None:
        self.plan = plan
        self._main: list[Contest] = []
        self._skill: list[Contest] = []
        pair = [POLICIES[bot] for bot in plan.skill or ()]
        for setting in plan.settings:
            mine = [POLICIES[bot] for bot in setting.bots]
            self._main.append(Contest(setting.game, setting.seats, mine, setting.options))
            if pair:
                self._skill.append(Contest(setting.game, setting.seats, pair, setting.options))

    def main(self, first: int, games: int) -> Part:
        """Play games in every setting, numbered from ``first``."""
        seeds = numbered_words(self.plan.seed, first, games)
        tables, lengths = [], []
        good = np.ones(games, np.bool_)
        for setting, contest in zip(self.plan.settings, self._main, strict=True):
            players = np.arange(setting.seats) + np.zeros((games, 1), np.int64)
            if setting.mixed:
                players = (players + first + np.arange(games)[:, None]) % setting.seats
            results = contest.play(players, seeds)
            good &= results.ranks[:, 0] > 0
            tables.append((setting, results, players))
        sums, matrices = [], []
        for setting, results, players in tables:
            picked = ContestResults(*(array[good] for array in vars(results).values()))
            matrix, shares = _main_columns(setting, picked, players[good])
            matrices.append(matrix)
            sums.append(Sums.of(matrix, shares))
            moves, forced = picked.counts[:, MOVES], picked.counts[:, FORCED]
            lengths.append((np.bincount(moves), np.bincount(moves - forced)))
        keys = [main_keys(setting) for setting in self.plan.settings]
        difference = _difference(self.plan.settings, keys, matrices)
        lost = games - int(good.sum())
        return Part(games, lost, tuple(sums), difference, tuple(lengths))

    def skill(self, first: int, deals: int) -> Part:
        """Play deals in every setting from every seat, numbered from ``first``."""
        tables = []
        good = np.ones(deals, np.bool_)
        for setting, contest in zip(self.plan.settings, self._skill, strict=True):
            seats = setting.seats
            plays = plays_of(setting)
            words = numbered_words(f"{self.plan.seed}, for skill", first * plays, deals * plays)
            seeds = words.reshape(deals, plays, -1).copy()
            # Settings with different seats share the deals too; only the players' chance differs.
            dealt = numbered_words(f"{self.plan.seed}, deals for skill", first, deals)
            seeds[:, :, :4] = dealt[:, None, :4]
            strong = np.eye(seats) if seats > 1 else np.array([[1.0], [0.0]])
            players = np.where(strong > 0, 0, 1)
            results = contest.play(np.tile(players, (deals, 1)), seeds.reshape(deals * plays, -1))
            good &= (results.ranks[:, 0] > 0).reshape(deals, plays).all(axis=1)
            with np.errstate(invalid="ignore"):  # games that were given up are left out below
                reached, won = results.utilities(), results.wins()
            if seats == 1:
                reached = won = won_alone(setting.game, results.reasons)[:, None]
            shape = (deals, plays, seats)
            tables.append((setting, reached.reshape(shape), won.reshape(shape), strong))
        sums, matrices, luck = [], [], []
        for setting, reached, won, strong in tables:
            matrix = _skill_columns(setting, reached[good], won[good], strong)
            matrices.append(matrix)
            sums.append(Sums.of(matrix, np.zeros((len(matrix), 0))))
            # Deals that were given up are so rare that the groups need not be evened out.
            luck.append(Luck.of(first, reached[good], strong))
        keys = [skill_keys(setting) for setting in self.plan.settings]
        difference = _difference(self.plan.settings, keys, matrices)
        return Part(deals, deals - int(good.sum()), tuple(sums), difference, luck=tuple(luck))


def plays_of(setting: StudySetting) -> int:
    """Return how often each deal is played to measure skill."""
    return max(setting.seats, 2)


def warm(game: Game, setting: StudySetting) -> None:
    numbered_words("", 0, 1)
    contest = Contest(game, setting.seats, [POLICIES["random"]], setting.options)
    contest.play([[0] * setting.seats], [""])


def _main_columns(
    setting: StudySetting, results: ContestResults, players: np.ndarray[Any, Any]
) -> tuple[Numbers, Numbers]:
    """Return a row per game under :func:`main_keys`, and the seats' shares of opponents beaten."""
    moves = results.counts[:, MOVES].astype(np.float64)
    forced = results.counts[:, FORCED]
    columns: list[Any] = [moves, moves - forced, forced / np.maximum(moves, 1)]
    columns += [results.reasons == i for i in range(1, len(setting.game.text.REASONS))]
    scores = results.scores
    best = np.take_along_axis(scores, np.argsort(results.ranks, axis=1, kind="stable"), axis=1)
    gap = np.abs(best[:, 0] - best[:, min(1, setting.seats - 1)])
    columns += [scores.mean(axis=1), np.ptp(scores, axis=1), gap]
    if setting.seats == 1:
        columns.append(won_alone(setting.game, results.reasons))
        return np.column_stack(columns).astype(np.float64), np.zeros((len(moves), 0))
    ranks = results.ranks
    ordered = np.sort(ranks, axis=1)
    columns.append(results.counts[:, LEADS])
    columns += [ordered[:, 1] == 1, (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
    wins, beats = results.wins(), results.utilities()
    columns += [*wins.T, *beats.T]
    if setting.mixed:
        names = np.array(setting.bots)[players]
        for bot in dict.fromkeys(setting.bots):
            mine = names == bot
            columns += [(what * mine).sum(axis=1) / mine.sum(axis=1) for what in (wins, beats)]
    return np.column_stack(columns).astype(np.float64), beats


def _skill_columns(
    setting: StudySetting, reached: Numbers, won: Numbers, strong: Numbers
) -> Numbers:
    """Return a row per deal under :func:`skill_keys`."""
    if setting.seats == 1:
        good, weak = won[:, 0, 0], won[:, 1, 0]
        return np.column_stack([good, weak, good - weak])
    plays = reached.shape[1]
    return np.column_stack([(what * strong).sum(axis=(1, 2)) / plays for what in (won, reached)])


def _difference(
    settings: Sequence[StudySetting], keys: Sequence[list[str]], matrices: Sequence[Numbers]
) -> Sums | None:
    """Return the sums of second setting minus first, game by game; None for one setting."""
    if len(settings) < 2:
        return None
    names = shared_keys(settings, keys)
    first, second = (
        matrix[:, [own.index(name) for name in names]]
        for own, matrix in zip(keys, matrices, strict=True)
    )
    return Sums.of(second - first, np.zeros((len(first), 0)))
