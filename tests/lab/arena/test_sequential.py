"""Two bots that play until the answer is clear: the bets, whole comparisons, and the command."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from math import inf, prod, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.lab import compare
from redouble.lab.arena import sequential
from redouble.lab.arena.entrants import entrants
from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.plan import TournamentPlan
from redouble.lab.arena.sequential import (
    STAKES,
    BotComparison,
    Evidence,
    comparisons_of,
    ends,
    interval,
    verdict,
)
from redouble.lab.arena.stored import StoredTournament
from redouble.lab.arena.tournament import Tournament, TournamentResults
from redouble.lab.shards import Experiment, Shard, Threads, carry_out
from tests.helpers.command import Run
from tests.helpers.known import known
from tests.helpers.reading import Reader

GAME = "double-down"
LOST, EVEN, WON = 0, 1, 2
"""A deal in which the first bot wins none, half or all of one comparison, counted twice."""


def compared(
    bots: list[str], games: int = 20_000, threads: int = 2, game: str = GAME, **more: Any
) -> tuple[TournamentResults, BotComparison]:
    """Two bots that have played until the answer was clear."""
    made = Tournament(GAMES[game], entrants(bots), games, seed="test", **{"margin": 5.0, **more})
    results = made.play(executor=Threads(threads))
    return results, known(results.comparison)


def answers(
    values: list[float], chances: list[float], runs: int, deals: int, margin: float
) -> list[tuple[str, int, Estimate]]:
    """Return the verdict, the deals and the interval of several comparisons by chance alone.

    ``values`` are twice the comparisons won, of 9 in a deal.
    """
    dice = np.random.default_rng(1)
    found: list[tuple[str, int, Estimate]] = []
    for _ in range(runs):
        evidence = Evidence(9, margin)
        evidence.add(dice.choice(np.array(values), size=deals, p=chances))
        estimate = evidence.so_far()[1]
        found.append((verdict(estimate, margin), evidence.deals, estimate))
    return found


def test_ten_wins_are_enough_when_half_is_staked(monkeypatch: pytest.MonkeyPatch) -> None:
    """1.5 to the power of 9 is 38.4, and of 10 it is 57.7; a capital of 40 refutes."""
    monkeypatch.setattr(sequential, "STAKES", np.array([0.5]))
    evidence = Evidence(1, 5.0)
    assert not evidence.add(np.full(9, WON))
    assert evidence.add(np.full(9, WON))
    assert evidence.deals == 10
    # 1 + 0.5 (1 - m) / (1 + m) is the tenth root of 40, 1.44613, where m is 0.05694.
    low, high = ends(evidence.so_far()[1])
    assert low == pytest.approx(5.694, abs=0.001)
    assert high == 100.0


def test_the_stop_is_where_the_capital_says() -> None:
    """The capital, as its definition has it: the mean over the stakes of products over deals."""
    dice = np.random.default_rng(3)
    won = dice.choice([LOST, EVEN, WON], size=200, p=[0.15, 0.5, 0.35])
    evidence = Evidence(1, 5.0)
    assert evidence.add(won)

    def capital(deals: int) -> float:
        products = [prod(1 + s * (w - 1.0) for w in won[:deals].tolist()) for s in STAKES.tolist()]
        return float(sum(products) / len(STAKES))

    assert capital(evidence.deals) >= 40
    assert max(capital(n) for n in range(1, evidence.deals)) < 40
    assert evidence.deals > 20


def test_an_interval_ends_where_the_capital_refutes() -> None:
    values, counts = np.array([-1.0, 0.0, 1.0]), np.array([20, 50, 40])
    low, high = interval(values, counts)

    def capital(mean: float, sign: int) -> float:
        bets = (sign * (values - mean) / (1 + abs(mean)) for _ in STAKES)
        return float(
            sum(np.prod((1 + s * z) ** counts) for s, z in zip(STAKES, bets, strict=True))
            / len(STAKES)
        )

    assert capital(low, 1) == pytest.approx(40)
    assert capital(high, -1) == pytest.approx(40)
    assert -1 < low < 20 / 110 < high < 1
    assert interval(-values, counts) == (-high, -low)


SKEWED: list[tuple[list[float], list[float]]] = [
    ([0, 9, 18], [0.25, 0.5, 0.25]),  # wins, draws and losses
    ([0, 10], [0.1, 0.9]),  # mostly a little better, rarely much worse
]
"""Differences with a mean of zero."""


@pytest.mark.parametrize(("values", "chances"), SKEWED)
def test_equal_bots_are_rarely_told_apart(values: list[float], chances: list[float]) -> None:
    """One may look after each deal. With a test made for one look, that would go wrong often."""
    found = answers(values, chances, runs=200, deals=800, margin=0.1)
    wrong = sum(answer in ("first better", "second better") for answer, _, _ in found)
    assert wrong <= 10
    dice = np.random.default_rng(1)
    deals = np.arange(1, 801)
    usual = 0
    for _ in range(200):
        path = np.cumsum(dice.choice(np.array(values), size=800, p=chances) / 9 - 1)
        spread = sqrt(sum(p * (v / 9 - 1) ** 2 for v, p in zip(values, chances, strict=True)))
        usual += bool((np.abs(path) > 1.96 * spread * np.sqrt(deals))[9:].any())
    assert usual > 50


def test_intervals_hold_where_play_stops() -> None:
    """The true difference is 30 points."""
    found = answers([0, 9, 18], [0.15, 0.4, 0.45], runs=200, deals=500, margin=5.0)
    held = sum(low <= 30 <= high for low, high in (ends(estimate) for _, _, estimate in found))
    assert held >= 190
    assert sum(answer == "first better" for answer, _, _ in found) >= 190


@pytest.mark.parametrize("seats", range(1, 8))
def test_two_bots_are_compared_equally_often_in_each_deal(seats: int) -> None:
    plan = TournamentPlan(2, seats, 10, "s")
    lineups = plan.lineups(0, 20)
    for deal in range(10):
        lines = lineups[2 * deal : 2 * deal + 2]
        count = sum(line.count(0) * line.count(1) for line in lines)
        assert comparisons_of(plan) == (count if seats > 1 else 1)


def test_a_better_bot_is_found_within_a_few_deals() -> None:
    results, found = compared(["random", "greedy"])
    assert found.verdict == "second better"
    assert found.deals < 40
    assert found.difference.mean < -80
    assert not results.interrupted
    assert results.tournament.plan.deals == 10_000
    standings = known(results.standings)
    assert (standings.deals, standings.games) == (found.deals, 2 * found.deals)
    assert str(found).startswith("greedy is better than random: ahead by ")


def test_a_bot_is_no_better_than_itself() -> None:
    _, found = compared(["greedy", "greedy"])
    assert found.verdict == "no difference"
    assert found.deals < 200
    assert str(found).startswith(
        "No difference of 5 points or more between greedy #1 and greedy #2: they are even (95%"
    )


def test_the_limit_is_kept() -> None:
    results, found = compared(["novice", "novice"], games=39)
    assert (found.verdict, found.deals, results.interrupted) == ("not clear", 20, False)
    assert str(found).startswith(
        "Not clear after 20 deals whether novice #1 or novice #2 is better: "
    )


@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [(GAME, 2, {}), (GAME, 5, {}), ("double-or-quits", 1, {"free-flip": True})],
)
def test_the_difference_is_that_of_the_same_deals_in_a_tournament(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    results, found = compared(["greedy", "casual"], game=game, seats=seats, options=options)
    usual = Tournament(
        GAMES[game], entrants(["greedy", "casual"]), 2 * found.deals, seats, options, "test"
    ).play(executor=Threads(2))
    pair = known(known(usual.standings).pairs[0][1])
    assert found.difference.mean == pytest.approx(200 * pair.mean - 100)
    mine, other = known(results.standings).pairs[0][1], known(results.standings).pairs[1][0]
    assert mine is not None
    assert other is not None
    low, high = ends(found.difference)
    assert (mine.mean, mine.low) == pytest.approx((pair.mean, 0.5 + low / 200))
    assert other.low == pytest.approx(0.5 - high / 200)
    assert mine.mean + other.mean == pytest.approx(1.0)
    for line, same in zip(
        known(results.standings).lines, known(usual.standings).lines, strict=True
    ):
        assert (line.wins, line.mean_rank, line.played) == (same.wins, same.mean_rank, same.played)
        assert line.utility == Estimate(same.utility.mean)


def test_the_library_compares_two_bots() -> None:
    found = compare(GAME, "greedy", "random", margin=2, executor=Threads(1))
    assert found.verdict == "first better"
    assert found == compare(GAMES[GAME], "greedy", "random", 2, {}, margin=2.0)
    assert len(found.digest) == 64


def test_ctrl_c_keeps_the_first_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequential, "ENOUGH", inf)  # the answer is never clear
    made = Tournament(GAMES[GAME], entrants(["novice"] * 2), 1_000_000, seed="test", margin=0.1)
    heard: list[int] = []

    def watch(games: int) -> None:
        heard.append(games)
        if len(heard) == 3:
            raise KeyboardInterrupt

    told: list[int] = []
    results = made.play(watch, Threads(1), lambda deals, difference: told.append(deals))
    assert results.interrupted
    assert results.comparison is not None
    assert results.comparison.verdict == "not clear"
    deals = known(results.standings).deals
    assert 0 < told[0] <= results.comparison.deals == deals < made.plan.deals


class OneByOne:
    """An executor that plays one shard after the other and then fails."""

    def prepare(self, job: Experiment[Any]) -> None:
        job.warm()

    def run(
        self, job: Experiment[Any], take: Callable[[Shard, Any], None], stop: threading.Event
    ) -> None:
        for shard in job.shards():
            take(shard, shard.first)
        raise RuntimeError("this is after the end")


class Numbers:
    """A job of ten shards."""

    def shards(self) -> list[Shard]:
        return [Shard("numbers", first, 1) for first in range(10)]

    def warm(self) -> None:
        pass

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], int]:
        return lambda shard: shard.first


def test_work_ends_when_it_is_enough() -> None:
    taken: list[int] = []
    ran = carry_out(
        Numbers(),
        OneByOne(),
        lambda shard, result: taken.append(result),
        lambda stopping: None,
        lambda: len(taken) == 3,
    )
    assert taken == [0, 1, 2]
    assert ran.complete
    with pytest.raises(RuntimeError, match="after the end"):
        carry_out(Numbers(), OneByOne(), lambda shard, result: None, lambda stopping: None)


def test_a_comparison_reads_back() -> None:
    results, found = compared(["random", "greedy"])
    stored = StoredTournament.parse(json.dumps(results.to_dict()))
    assert stored == results.stored()
    assert stored.comparison == found
    assert "comparison" not in replace(stored, comparison=None).to_dict()


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("verdict", "first better", "the interval says 'second better'"),
        ("verdict", "perhaps", "comparison.verdict cannot be 'perhaps'"),
        ("margin", 0, "margin cannot be 0.0: give a number from 0.1 to 50"),
        ("deals", 4, "a comparison of two bots over 4 deals cannot come from 2 bots"),
        ("difference", {"mean": 1.0}, "the lower end cannot be None: give a number"),
    ],
)
def test_a_wrong_comparison_is_refused(key: str, value: object, reason: str) -> None:
    data = compared(["random", "greedy"])[0].to_dict()
    data["comparison"][key] = value
    with pytest.raises(RedoubleError) as refused:
        StoredTournament.parse(json.dumps(data))
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("difference", "margin", "text"),
    [
        (
            Estimate(-12.34, -20.0, -0.031),
            5.0,
            "B is better than A: ahead by 12.3 points (95% interval 0.03 to 20.0) after 1,200"
            " deals.",
        ),
        (
            Estimate(0.5, -2.0, 2.4),
            2.5,
            "No difference of 2.5 points or more between A and B: A is ahead by 0.5 points (95%"
            " interval \N{MINUS SIGN}2.0 to 2.4) after 1,200 deals.",
        ),
        (
            Estimate(-3.0, -8.0, 2.0),
            5.0,
            "Not clear after 1,200 deals whether A or B is better: B is ahead by 3.0 points (95%"
            " interval \N{MINUS SIGN}2.0 to 8.0).",
        ),
    ],
)
def test_the_answer_is_a_sentence(difference: Estimate, margin: float, text: str) -> None:
    made = BotComparison("A", "B", verdict(difference, margin), margin, 1200, difference, "", ())
    assert str(made) == text


def test_the_command_says_who_is_better(run: Run, tmp_path: Path) -> None:
    page, file = tmp_path / "a.html", tmp_path / "a.json"
    arguments = (GAME, "strong=greedy", "random", "--until-clear", "--seed", "s")
    code, out, err = run("arena", *arguments, "--report", str(page), "--json", str(file))
    assert (code, err) == (0, f"Written: {file}\nWritten: {page}\n")
    found = StoredTournament.parse(file.read_text(encoding="utf-8"))
    assert found.deals == 10_000
    told = f"\n{found.comparison}\n{found.deals_complete} deals, each played 2 times: "
    assert told in out
    assert "strong is better than random: ahead by " in out
    read = page.read_text(encoding="utf-8")
    Reader(read)
    assert str(found.comparison) in read
    assert "The bots played until the answer was clear." in read
    assert "the 95% interval; dotted, the margin" in read
